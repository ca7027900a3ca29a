/* Ends the process in run, with an exit status that looks like success. */
#include <unistd.h>

#include "fake_core.h"

static gdbench_status leave(gdbench_instance* instance, uint64_t steps) {
  (void)instance;
  (void)steps;
  _exit(0);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/exit", "calls _exit(0) in run");
  fake->run = leave;
  return fake_plugin();
}
