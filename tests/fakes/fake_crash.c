/* Crashes in run, as a plugin with a wild pointer does. */
#include <signal.h>

#include "fake_core.h"

static gdbench_status crash(gdbench_instance* instance, uint64_t steps) {
  (void)instance;
  (void)steps;
  raise(SIGSEGV);
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/crash", "segmentation fault in run");
  fake->run = crash;
  return fake_plugin();
}
