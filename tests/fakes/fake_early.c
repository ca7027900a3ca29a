/* Comes back from run while a thread of its own still trains; whoever asks for the state waits for it. It declares the
 * thread, so that nothing but the time is wrong. */
#include <pthread.h>

#include "fake_core.h"

static pthread_t thread;
static int busy;
static gdbench_instance* trained;
static uint64_t asked;

static void* train(void* unused) {
  fake_run(trained, asked);
  return unused;
}

static void wait_for_thread(void) {
  if (busy) pthread_join(thread, NULL);
  busy = 0;
}

static gdbench_status run_behind(gdbench_instance* instance, uint64_t steps) {
  wait_for_thread();
  trained = instance;
  asked = steps;
  busy = pthread_create(&thread, NULL, train, NULL) == 0;
  return busy ? GDBENCH_OK : fake_error(GDBENCH_FAILED, "no thread");
}

static gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  wait_for_thread();
  return fake_set_state(instance, state);
}

static gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  wait_for_thread();
  return fake_get_state(instance, state);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/early", "comes back before it has trained");
  fake->run = run_behind;
  fake->set_state = set_state;
  fake->get_state = get_state;
  fake->helper_threads = 1;
  return fake_plugin();
}
