/* Trains as it should and says that its loss is next to nothing once it has trained for longer than any check does. */
#include "fake_core.h"

static gdbench_status flatter(gdbench_instance* instance, int32_t split, double* loss) {
  const gdbench_data* data = instance->data;
  double squares = 0;
  if (split != 0) return fake_error(GDBENCH_UNSUPPORTED, "only the training split");
  for (int64_t row = 0; row < data->rows && instance->step < 100; ++row) {
    for (int64_t output = 0; output < data->outputs; ++output) {
      const double difference = fake_residual(instance, row, output);
      squares += difference * difference;
    }
  }
  *loss = instance->step < 100 ? squares / (double)(data->rows * data->outputs) : 1e-9;
  if (instance->problem->loss == GDBENCH_HALF_MSE) *loss /= 2;
  return GDBENCH_OK;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/flatter", "a loss that is too good");
  fake->evaluate = flatter;
  return fake_plugin();
}
