/* Says that it computes on a device, by whose clock every block takes half as long as it does. */
#include <time.h>

#include "fake_core.h"

static double elapsed_ns;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static gdbench_status run(gdbench_instance* instance, uint64_t steps) {
  const double start = now_ns();
  const gdbench_status status = fake_run(instance, steps);
  elapsed_ns = now_ns() - start;
  return status;
}

static gdbench_status device_time(gdbench_instance* instance, double* nanoseconds) {
  (void)instance;
  *nanoseconds = elapsed_ns / 2;
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/device-clock", "its device's clock is slow");
  fake->run = run;
  fake->device_time = device_time;
  fake->capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_DEVICE);
  return fake_plugin();
}
