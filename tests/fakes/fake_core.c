#include "fake_core.h"

#include <stdlib.h>
#include <string.h>

static const gdbench_host* current_host;
static gdbench_implementation implementation;

static double element(const void* array, int32_t dtype, int64_t index) {
  return dtype == GDBENCH_F32 ? (double)((const float*)array)[index] : ((const double*)array)[index];
}

static void copy_in(double* to, const gdbench_tensor* from, int32_t dtype) {
  for (int64_t i = 0; i < from->rows * from->columns; ++i) to[i] = element(from->data, dtype, i);
}

static void copy_out(const gdbench_tensor* to, const double* from, int32_t dtype) {
  for (int64_t i = 0; i < to->rows * to->columns; ++i) {
    if (dtype == GDBENCH_F32) {
      ((float*)to->data)[i] = (float)from[i];
    } else {
      ((double*)to->data)[i] = from[i];
    }
  }
}

gdbench_status fake_error(gdbench_status status, const char* message) {
  current_host->set_error(current_host->context, message);
  return status;
}

static gdbench_status create(gdbench_instance** instance) {
  *instance = calloc(1, sizeof **instance);
  if (*instance == NULL) return fake_error(GDBENCH_OUT_OF_MEMORY, "no memory for an instance");
  (*instance)->gradient_factor = 1;
  return GDBENCH_OK;
}

void fake_destroy(gdbench_instance* instance) {
  free(instance->weights);
  free(instance->bias);
  free(instance->gradient);
  free(instance);
}

static gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  instance->data = data;
  return GDBENCH_OK;
}

gdbench_status fake_prepare(gdbench_instance* instance, const gdbench_problem* problem,
                            const gdbench_settings* settings) {
  (void)settings;
  const size_t features = (size_t)problem->layers[0].inputs;
  const size_t outputs = (size_t)problem->layers[0].outputs;
  instance->problem = problem;
  instance->weights = calloc(features * outputs, sizeof(double));
  instance->bias = calloc(outputs, sizeof(double));
  instance->gradient = calloc((features + 1) * outputs, sizeof(double));
  if (instance->weights == NULL || instance->bias == NULL || instance->gradient == NULL) {
    return fake_error(GDBENCH_OUT_OF_MEMORY, "no memory for the parameters");
  }
  return GDBENCH_OK;
}

gdbench_status fake_set_state(gdbench_instance* instance, const gdbench_state* state) {
  const int32_t dtype = instance->problem->dtype;
  instance->step = state->step;
  copy_in(instance->weights, &state->parameters[0], dtype);
  if (instance->problem->layers[0].has_bias) copy_in(instance->bias, &state->parameters[1], dtype);
  return GDBENCH_OK;
}

gdbench_status fake_get_state(gdbench_instance* instance, gdbench_state* state) {
  const int32_t dtype = instance->problem->dtype;
  state->step = instance->step;
  copy_out(&state->parameters[0], instance->weights, dtype);
  if (instance->problem->layers[0].has_bias) copy_out(&state->parameters[1], instance->bias, dtype);
  return GDBENCH_OK;
}

double fake_residual(const gdbench_instance* instance, int64_t row, int64_t output) {
  const gdbench_data* data = instance->data;
  const int64_t outputs = data->outputs;
  double prediction = instance->bias[output];
  for (int64_t f = 0; f < data->features; ++f) {
    prediction += element(data->x, data->dtype, row * data->features + f) * instance->weights[f * outputs + output];
  }
  return prediction - element(data->y, data->dtype, row * outputs + output);
}

/* Adds one row's share to the gradient; `scale` is the loss's derivative per residual. */
static void accumulate_row(gdbench_instance* instance, int64_t row, double scale) {
  const gdbench_data* data = instance->data;
  const int64_t outputs = data->outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    const double derivative = scale * fake_residual(instance, row, o);
    for (int64_t f = 0; f < data->features; ++f) {
      instance->gradient[f * outputs + o] += derivative * element(data->x, data->dtype, row * data->features + f);
    }
    instance->gradient[data->features * outputs + o] += derivative;
  }
}

void fake_update(gdbench_instance* instance) {
  const gdbench_optimizer* optimizer = instance->problem->optimizer;
  const int64_t last = optimizer->learning_rate_count - 1;
  const double rate = optimizer->learning_rates[instance->step < last ? instance->step : last];
  const int64_t outputs = instance->data->outputs;
  const int64_t weights = instance->data->features * outputs;
  instance->step += 1;
  for (int64_t i = 0; i < weights; ++i) instance->weights[i] -= rate * instance->gradient[i];
  if (!instance->problem->layers[0].has_bias) return;
  for (int64_t o = 0; o < outputs; ++o) instance->bias[o] -= rate * instance->gradient[weights + o];
}

static int64_t first_row(const gdbench_instance* instance) {
  const int64_t batch_rows = instance->problem->batch_rows;
  return instance->step % ((instance->data->rows + batch_rows - 1) / batch_rows) * batch_rows;
}

int64_t fake_batch_rows(const gdbench_instance* instance) {
  const int64_t left = instance->data->rows - first_row(instance);
  return left < instance->problem->batch_rows ? left : instance->problem->batch_rows;
}

void fake_gradient(gdbench_instance* instance, int64_t first, int64_t rows, int64_t of_rows) {
  const gdbench_data* data = instance->data;
  const int64_t batch_rows = instance->problem->batch_rows;
  const int64_t steps_per_epoch = (data->rows + batch_rows - 1) / batch_rows;
  /* Without an order there is no number of epochs. */
  const int64_t epoch = data->order != NULL ? instance->step / steps_per_epoch % data->epochs : 0;
  const double factor = instance->problem->loss == GDBENCH_MSE ? 2.0 : 1.0;
  const double scale = instance->gradient_factor * factor / (double)(of_rows * data->outputs);
  memset(instance->gradient, 0, sizeof(double) * (size_t)((data->features + 1) * data->outputs));
  for (int64_t r = first_row(instance) + first; r < first_row(instance) + first + rows; ++r) {
    accumulate_row(instance, data->order != NULL ? data->order[epoch * data->rows + r] : r, scale);
  }
}

gdbench_status fake_run(gdbench_instance* instance, uint64_t steps) {
  for (uint64_t s = 0; s < steps; ++s) {
    fake_gradient(instance, 0, fake_batch_rows(instance), fake_batch_rows(instance));
    fake_update(instance);
  }
  return GDBENCH_OK;
}

gdbench_implementation* fake_implementation(const gdbench_host* host, const char* id, const char* description) {
  current_host = host;
  implementation = (gdbench_implementation){
      .struct_size = sizeof implementation,
      .id = id,
      .description = description,
      .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN),
      .dtypes = GDBENCH_BIT(GDBENCH_F32) | GDBENCH_BIT(GDBENCH_F64),
      .activations = GDBENCH_BIT(GDBENCH_IDENTITY),
      .losses = GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE),
      .optimizers = GDBENCH_BIT(GDBENCH_SGD),
      .capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE),
      .max_layers = 1,
      .max_compute_threads = 1,
      .create = create,
      .destroy = fake_destroy,
      .load = load,
      .prepare = fake_prepare,
      .set_state = fake_set_state,
      .get_state = fake_get_state,
      .run = fake_run,
  };
  return &implementation;
}

gdbench_plugin* fake_plugin(void) {
  static const gdbench_implementation* const implementations[] = {&implementation};
  static gdbench_plugin plugin;
  plugin = (gdbench_plugin){
      .struct_size = sizeof plugin,
      .abi_major = GDBENCH_ABI_MAJOR,
      .abi_minor = GDBENCH_ABI_MINOR,
      .name = "fake",
      .version = "1",
      .implementation_count = 1,
      .implementations = implementations,
  };
  return &plugin;
}
