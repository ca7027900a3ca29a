/*
 * Linear regressions that differ in one phase by a known time, and say so in their profiles.
 *
 * Each op of a step waits, busily, for a stated time beside its (tiny) arithmetic, so that steps take the same time on
 * any machine and build: 10 us for plain/fake. The others add kDelayNs in the place that their name tells. twin/fake
 * adds nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_core.h"

enum { kDelayNs = 4000 };

/* The ops of a step, in order. The core makes the whole step's arithmetic at once, in the update. */
typedef enum op { GATHER, RECORD_OPS, FORWARD_PRODUCT, LOSS, BACKWARD_PRODUCT, SGD, OP_COUNT } op;

static const struct {
  const char* name;
  int32_t phase;
  int64_t wait_ns;
} kOps[OP_COUNT] = {
    [GATHER] = {"gather", GDBENCH_PHASE_DATA, 1000},
    [RECORD_OPS] = {"record", GDBENCH_PHASE_RECORD, 1000},
    [FORWARD_PRODUCT] = {"product", GDBENCH_PHASE_FORWARD, 3000},
    [LOSS] = {"loss", GDBENCH_PHASE_FORWARD, 1000},
    [BACKWARD_PRODUCT] = {"product", GDBENCH_PHASE_BACKWARD, 3000},
    [SGD] = {"sgd", GDBENCH_PHASE_UPDATE, 1000},
};

/* What an implementation adds to one op: a longer call, or a second one. `delayed` is OP_COUNT for the honest. */
typedef struct variant {
  const char* id;
  const char* description;
  op delayed;
  int repeated;
  gdbench_status (*create)(gdbench_instance** instance);
} variant;

/* One process holds one instance. */
static const variant* current;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void wait_ns(int64_t duration) {
  const int64_t end = now_ns() + duration;
  while (now_ns() < end) continue;
}

static int calls_of(op which) { return which == current->delayed && current->repeated ? 2 : 1; }

static void call(gdbench_instance* instance, op which) {
  const int longer = which == current->delayed && !current->repeated;
  wait_ns(kOps[which].wait_ns + (longer ? kDelayNs : 0));
  if (which == SGD) fake_run(instance, 1);
}

static gdbench_status run(gdbench_instance* instance, uint64_t steps) {
  for (uint64_t s = 0; s < steps; ++s) {
    for (int o = 0; o < OP_COUNT; ++o) {
      for (int c = 0; c < calls_of((op)o); ++c) call(instance, (op)o);
    }
  }
  return GDBENCH_OK;
}

static gdbench_status profile(gdbench_instance* instance, uint64_t steps, const gdbench_profile_sink* sink) {
  int64_t times_ns[OP_COUNT] = {0};
  for (uint64_t s = 0; s < steps; ++s) {
    for (int o = 0; o < OP_COUNT; ++o) {
      const int64_t start = now_ns();
      for (int c = 0; c < calls_of((op)o); ++c) call(instance, (op)o);
      times_ns[o] += now_ns() - start;
    }
  }
  for (int o = 0; o < OP_COUNT; ++o) {
    const gdbench_profile_record record = {.op = kOps[o].name,
                                           .phase = kOps[o].phase,
                                           .calls = steps * (uint64_t)calls_of((op)o),
                                           .time_ns = (double)times_ns[o]};
    sink->record(sink->context, &record);
  }
  return GDBENCH_OK;
}

static gdbench_status create_as(const variant* chosen, gdbench_instance** instance) {
  current = chosen;
  *instance = calloc(1, sizeof **instance);
  if (*instance == NULL) return fake_error(GDBENCH_OUT_OF_MEMORY, "no memory for an instance");
  (*instance)->gradient_factor = 1;
  return GDBENCH_OK;
}

enum { kVariants = 8 };
static const variant kVariantTable[kVariants];

#define CREATE(number)                                                 \
  static gdbench_status create_##number(gdbench_instance** instance) { \
    return create_as(&kVariantTable[number], instance);                \
  }
CREATE(0)
CREATE(1)
CREATE(2)
CREATE(3)
CREATE(4)
CREATE(5)
CREATE(6)
CREATE(7)

static const variant kVariantTable[kVariants] = {
    {"plain/fake", "correct, with steps of 10 us", OP_COUNT, 0, create_0},
    {"twin/fake", "the same code again", OP_COUNT, 0, create_1},
    {"delay-data/fake", "waits in the gathering of rows", GATHER, 0, create_2},
    {"delay-record/fake", "waits in the recording", RECORD_OPS, 0, create_3},
    {"delay-forward/fake", "waits in the forward product", FORWARD_PRODUCT, 0, create_4},
    {"delay-backward/fake", "waits in the backward product", BACKWARD_PRODUCT, 0, create_5},
    {"delay-update/fake", "waits in the update", SGD, 0, create_6},
    {"repeat-forward/fake", "calls the forward product twice", FORWARD_PRODUCT, 1, create_7},
};

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  static gdbench_implementation implementations[kVariants];
  static const gdbench_implementation* table[kVariants];
  for (int v = 0; v < kVariants; ++v) {
    implementations[v] = *fake_implementation(host, kVariantTable[v].id, kVariantTable[v].description);
    implementations[v].create = kVariantTable[v].create;
    implementations[v].run = run;
    implementations[v].profile = profile;
    table[v] = &implementations[v];
  }
  gdbench_plugin* plugin = fake_plugin();
  plugin->implementation_count = kVariants;
  plugin->implementations = table;
  return plugin;
}
