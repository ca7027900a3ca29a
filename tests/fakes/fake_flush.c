/* Switches denormals off, as a library built with -ffast-math does when it is loaded. */
#include <xmmintrin.h>

#include "fake_core.h"

static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  _mm_setcsr(_mm_getcsr() | 0x8040U); /* flush to zero, denormals are zero */
  return fake_prepare(instance, problem, settings);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/flush", "switches denormals off");
  fake->prepare = prepare;
  return fake_plugin();
}
