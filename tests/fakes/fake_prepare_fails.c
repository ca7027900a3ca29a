/* prepare fails with a reason. */
#include "fake_core.h"

static gdbench_status prepare_fails(gdbench_instance* instance, const gdbench_problem* problem,
                                    const gdbench_settings* settings) {
  (void)instance;
  (void)problem;
  (void)settings;
  return fake_error(GDBENCH_FAILED, "the accelerator is on fire");
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/prepare-fails", "prepare fails");
  fake->prepare = prepare_fails;
  return fake_plugin();
}
