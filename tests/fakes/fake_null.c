/* Does nothing, and says so: what is measured is the harness's own cost. */
#include <string.h>

#include "fake_core.h"

static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  (void)settings;
  instance->problem = problem;
  return GDBENCH_OK;
}

static gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  instance->step = state->step;
  return GDBENCH_OK;
}

/* Zeros, as there are no parameters. */
static gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  const size_t element_bytes = instance->problem->dtype == GDBENCH_F32 ? sizeof(float) : sizeof(double);
  state->step = instance->step;
  for (int64_t p = 0; p < state->parameter_count; ++p) {
    const gdbench_tensor* tensor = &state->parameters[p];
    memset(tensor->data, 0, element_bytes * (size_t)(tensor->rows * tensor->columns));
  }
  return GDBENCH_OK;
}

static gdbench_status run(gdbench_instance* instance, uint64_t steps) {
  instance->step += (int64_t)steps;
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "null/none", "does nothing: the harness's own cost");
  fake->activations = UINT32_MAX;
  fake->losses = UINT32_MAX;
  fake->optimizers = UINT32_MAX;
  fake->capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_NO_ARITHMETIC);
  fake->max_layers = 0;
  fake->prepare = prepare;
  fake->set_state = set_state;
  fake->get_state = get_state;
  fake->run = run;
  return fake_plugin();
}
