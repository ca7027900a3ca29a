/* Makes only half of the updates of a long run and counts them all: looks fast, and is right on short runs. */
#include "fake_core.h"

enum { kLongestHonestRun = 64 };

static gdbench_status run_and_skip(gdbench_instance* instance, uint64_t steps) {
  if (steps <= kLongestHonestRun) return fake_run(instance, steps);
  const gdbench_status status = fake_run(instance, steps / 2);
  instance->step += (int64_t)(steps - steps / 2);
  return status;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/skip", "skips half of the updates of a long run");
  fake->run = run_and_skip;
  return fake_plugin();
}
