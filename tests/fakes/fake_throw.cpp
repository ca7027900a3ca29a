// A C++ exception escapes from run, which the interface forbids.
#include <stdexcept>

#include "fake_core.h"

namespace {

gdbench_status run_and_throw(gdbench_instance*, std::uint64_t) { throw std::runtime_error("thrown by fake/throw"); }

}  // namespace

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/throw", "throws a C++ exception in run");
  fake->run = run_and_throw;
  return fake_plugin();
}
