/* run allocates and touches memory without end, about a gigabyte per second, so that a host has time to see it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_core.h"

static gdbench_status exhaust_memory(gdbench_instance* instance, uint64_t steps) {
  (void)instance;
  (void)steps;
  const size_t chunk = (size_t)16 << 20;
  const struct timespec pause = {.tv_nsec = 10000000};
  for (;;) {
    void* memory = malloc(chunk);
    if (memory == NULL) return fake_error(GDBENCH_OUT_OF_MEMORY, "malloc returned null");
    memset(memory, 1, chunk);
    /* Hidden from the optimiser, which may otherwise remove an allocation that nobody reads. */
    __asm__ volatile("" : : "g"(memory) : "memory");
    nanosleep(&pause, NULL); /* NOLINT(clang-analyzer-unix.Malloc): leaking is what it is for */
  }
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/memory", "run allocates without end");
  fake->run = exhaust_memory;
  return fake_plugin();
}
