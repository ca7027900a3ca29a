/* One parameter is not a number after run. */
#include <math.h>

#include "fake_core.h"

static gdbench_status run_to_nan(gdbench_instance* instance, uint64_t steps) {
  const gdbench_status status = fake_run(instance, steps);
  instance->weights[0] = (double)NAN;
  return status;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/nan", "writes a NaN into the first weight");
  fake->run = run_to_nan;
  return fake_plugin();
}
