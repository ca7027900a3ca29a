/* Parts that can be switched off: without "exact" the gradient is wrong, without "prompt" each step waits a while. */
#include <string.h>
#include <time.h>

#include "fake_core.h"

static const int64_t kWaitNs = 2000;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  for (int64_t i = 0; i < settings->option_count; ++i) {
    const char* value = settings->options[i].value;
    const int none = strstr(value, "none") != NULL;
    if (none || strstr(value, "-exact") != NULL) instance->gradient_factor = 0.5;
    if (none || strstr(value, "-prompt") != NULL) instance->delay_ns = kWaitNs;
  }
  return fake_prepare(instance, problem, settings);
}

static gdbench_status run_and_wait(gdbench_instance* instance, uint64_t steps) {
  for (uint64_t s = 0; s < steps; ++s) {
    fake_run(instance, 1);
    const int64_t end = now_ns() + instance->delay_ns;
    while (now_ns() < end) continue;
  }
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  static const gdbench_option options[] = {{.key = "parts",
                                            .type = GDBENCH_OPTION_SWITCHES,
                                            .default_value = "all",
                                            .choices = "prompt|exact",
                                            .description = "what is on"}};
  gdbench_implementation* fake = fake_implementation(host, "fake/switches", "has parts that can be switched off");
  fake->option_count = 1;
  fake->options = options;
  fake->prepare = prepare;
  fake->run = run_and_wait;
  return fake_plugin();
}
