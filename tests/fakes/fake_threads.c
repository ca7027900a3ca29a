/* Has a thread that it does not declare; it only sleeps, so that no CPU time gives it away. */
#include <pthread.h>
#include <unistd.h>

#include "fake_core.h"

static void* sleep_on(void* unused) {
  for (;;) pause();
  return unused;
}

static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleep_on, NULL) != 0) return fake_error(GDBENCH_FAILED, "no thread");
  return fake_prepare(instance, problem, settings);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/threads", "has a thread that nobody knows of");
  fake->prepare = prepare;
  return fake_plugin();
}
