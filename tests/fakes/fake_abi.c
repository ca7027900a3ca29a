/* Claims another major version of the interface. */
#include "fake_core.h"

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  fake_implementation(host, "fake/abi", "ABI major 99");
  gdbench_plugin* plugin = fake_plugin();
  plugin->abi_major = 99;
  return plugin;
}
