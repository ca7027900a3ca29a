/* A thread that it never declared keeps a processor busy from the first run to the end. */
#include <pthread.h>
#include <stdatomic.h>

#include "fake_core.h"

static pthread_t burner;
static atomic_int burning;

static void* burn(void* unused) {
  while (atomic_load(&burning)) continue;
  return unused;
}

static gdbench_status run_and_burn(gdbench_instance* instance, uint64_t steps) {
  if (!atomic_exchange(&burning, 1) && pthread_create(&burner, NULL, burn, NULL) != 0) {
    atomic_store(&burning, 0);
    return fake_error(GDBENCH_FAILED, "cannot start a thread");
  }
  return fake_run(instance, steps);
}

static void destroy(gdbench_instance* instance) {
  if (atomic_exchange(&burning, 0)) pthread_join(burner, NULL);
  fake_destroy(instance);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/idle", "burns processor time between runs");
  fake->run = run_and_burn;
  fake->destroy = destroy;
  return fake_plugin();
}
