/*
 * Correct, and slower by a known time: each step waits, busily, for `delay_ns` nanoseconds. Of several threads each is
 * taken to wait an equal share beside the others; there is one that does.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_core.h"

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  for (int64_t i = 0; i < settings->option_count; ++i) {
    const gdbench_option_value* option = &settings->options[i];
    if (strcmp(option->key, "delay_ns") == 0) instance->delay_ns = strtoll(option->value, NULL, 10);
  }
  instance->delay_ns /= settings->compute_threads;
  return fake_prepare(instance, problem, settings);
}

/* Without a delay no clock is read, so that delay_ns=0 is the plain core. Resolution: a reading of the clock. */
static gdbench_status run_and_wait(gdbench_instance* instance, uint64_t steps) {
  if (instance->delay_ns <= 0) return fake_run(instance, steps);
  for (uint64_t s = 0; s < steps; ++s) {
    fake_run(instance, 1);
    const int64_t end = now_ns() + instance->delay_ns;
    while (now_ns() < end) continue;
  }
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  static const gdbench_option options[] = {{.key = "delay_ns",
                                            .type = GDBENCH_OPTION_INTEGER,
                                            .default_value = "0",
                                            .description = "busy wait added to each step, in nanoseconds"}};
  gdbench_implementation* fake = fake_implementation(host, "fake/delay", "correct, with a wait in each step");
  fake->option_count = 1;
  fake->options = options;
  fake->prepare = prepare;
  fake->run = run_and_wait;
  fake->max_compute_threads = 0; /* any number */
  return fake_plugin();
}
