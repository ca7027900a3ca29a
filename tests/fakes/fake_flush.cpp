// Switches denormals off, as a library built with -ffast-math does when it is loaded.
#include "fake_core.h"
#include "harness/base/control_word.h"

namespace {

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings* settings) {
  namespace processor = gdbench::processor;
  processor::set_control_word(processor::control_word() | processor::kFlushToZero | processor::kDenormalsAreZero);
  return fake_prepare(instance, problem, settings);
}

}  // namespace

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/flush", "switches denormals off");
  fake->prepare = prepare;
  return fake_plugin();
}
