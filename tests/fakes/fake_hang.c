/* run never returns. */
#include <unistd.h>

#include "fake_core.h"

static gdbench_status hang(gdbench_instance* instance, uint64_t steps) {
  (void)instance;
  (void)steps;
  while (pause() != 0) continue; /* pause returns -1 after a signal, never 0 */
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/hang", "run never returns");
  fake->run = hang;
  return fake_plugin();
}
