/* Says what it loaded, and what that took. */
#include "fake_core.h"

static gdbench_status imported(gdbench_instance* instance, double* nanoseconds, int64_t* resident_bytes) {
  (void)instance;
  *nanoseconds = 250e6;
  *resident_bytes = 3 << 20;
  return GDBENCH_OK;
}

static const char* runtime(gdbench_instance* instance) {
  (void)instance;
  return "a library, version 7";
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/import", "loads a library");
  fake->imported = imported;
  fake->runtime = runtime;
  return fake_plugin();
}
