/* Correct, but prints on both standard streams whenever it is called. */
#include <stdio.h>

#include "fake_core.h"

static void print_garbage(void) {
  printf("{\"request\": \"bye\"}\nprogress 42%%\r");
  fprintf(stderr, "warning: \x1b[31mred\x1b[0m and a torn line");
  fflush(NULL);
}

static gdbench_status run_and_print(gdbench_instance* instance, uint64_t steps) {
  print_garbage();
  return fake_run(instance, steps);
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/stdout", "prints on stdout and stderr");
  print_garbage();
  fake->run = run_and_print;
  return fake_plugin();
}
