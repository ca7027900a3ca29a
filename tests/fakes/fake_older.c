/* A plugin of an older minor version: its table ends before evaluate and profile existed. Correct. */
#include <stddef.h>

#include "fake_core.h"

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/older", "a table without its last entries");
  fake->struct_size = offsetof(gdbench_implementation, evaluate);
  /* What lies beyond struct_size means nothing: a host that reads it calls a function that ends the process. */
  fake->evaluate = (gdbench_status(*)(gdbench_instance*, int32_t, double*))(uintptr_t)1;
  fake->profile = (gdbench_status(*)(gdbench_instance*, uint64_t, const gdbench_profile_sink*))(uintptr_t)1;
  return fake_plugin();
}
