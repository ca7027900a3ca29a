/* Says in prepare that it does not offer this problem, which is no fault. */
#include "fake_core.h"

static gdbench_status prepare_unsupported(gdbench_instance* instance, const gdbench_problem* problem,
                                          const gdbench_settings* settings) {
  (void)instance;
  (void)problem;
  (void)settings;
  return fake_error(GDBENCH_UNSUPPORTED, "only problems of another kind");
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/unsupported", "prepare offers nothing");
  fake->prepare = prepare_unsupported;
  return fake_plugin();
}
