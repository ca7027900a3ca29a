#include "fake_core.h"

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) { return make_fake(GDBENCH_FAKE, host); }
