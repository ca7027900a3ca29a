/* run allocates and touches memory without end, slowly enough (400 MB/s at most) for a host to see it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_core.h"

static gdbench_status exhaust_memory(gdbench_instance* instance, uint64_t steps) {
  (void)instance;
  (void)steps;
  const size_t chunk = (size_t)8 << 20;
  const struct timespec pause = {.tv_nsec = 20000000};
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
