/* Correct, and takes memory in each step: `allocations_per_step` blocks of 48 bytes, all freed at once, and
 * `pages_per_step` fresh pages from the kernel, all returned. */
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_core.h"

enum { kBlockBytes = 48 };

/* Of the one instance that a worker has. */
static int64_t allocations_per_step;
static int64_t pages_per_step;

/* Kept from being optimised away with the calls that fill it. */
static void* volatile block;

static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  for (int64_t i = 0; i < settings->option_count; ++i) {
    const gdbench_option_value* option = &settings->options[i];
    if (strcmp(option->key, "allocations_per_step") == 0) allocations_per_step = strtoll(option->value, NULL, 10);
    if (strcmp(option->key, "pages_per_step") == 0) pages_per_step = strtoll(option->value, NULL, 10);
  }
  return fake_prepare(instance, problem, settings);
}

static void touch_fresh_pages(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = (size_t)pages_per_step * page;
  char* const pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  for (size_t i = 0; i < bytes; i += page) pages[i] = 1;
  munmap(pages, bytes);
}

static gdbench_status run_and_allocate(gdbench_instance* instance, uint64_t steps) {
  for (uint64_t s = 0; s < steps; ++s) {
    for (int64_t i = 0; i < allocations_per_step; ++i) {
      block = malloc(kBlockBytes);
      free(block);
    }
    if (pages_per_step > 0) touch_fresh_pages();
    fake_run(instance, 1);
  }
  return GDBENCH_OK;
}

/* One record without a time: what is counted here is counted from outside. */
static gdbench_status profile(gdbench_instance* instance, uint64_t steps, const gdbench_profile_sink* sink) {
  const gdbench_profile_record record = {.op = "step", .phase = GDBENCH_PHASE_FORWARD, .calls = steps};
  const gdbench_status status = run_and_allocate(instance, steps);
  sink->record(sink->context, &record);
  return status;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  static const gdbench_option options[] = {{.key = "allocations_per_step",
                                            .type = GDBENCH_OPTION_INTEGER,
                                            .default_value = "3",
                                            .description = "blocks of 48 bytes allocated in each step"},
                                           {.key = "pages_per_step",
                                            .type = GDBENCH_OPTION_INTEGER,
                                            .default_value = "0",
                                            .description = "pages taken from the kernel in each step"}};
  gdbench_implementation* fake = fake_implementation(host, "fake/allocate", "correct, allocates in each step");
  fake->option_count = 2;
  fake->options = options;
  fake->prepare = prepare;
  fake->run = run_and_allocate;
  fake->profile = profile;
  return fake_plugin();
}
