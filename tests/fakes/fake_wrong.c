/* Every gradient is twice what it should be. */
#include "fake_core.h"

static gdbench_status run_with_wrong_gradient(gdbench_instance* instance, uint64_t steps) {
  instance->gradient_factor = 2;
  return fake_run(instance, steps);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/wrong", "gradient off by a factor of two");
  fake->run = run_with_wrong_gradient;
  return fake_plugin();
}
