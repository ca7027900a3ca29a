/*
 * A complete gdbench plugin in one file: linear regression by gradient descent, written by hand in C11.
 *
 * The model is P = X w + b with X [rows, features], w [features, 1] and an optional b [1]; the loss is mse or half_mse;
 * the optimizer is plain sgd. Only f32 and one output: what is not offered is said in the masks at the end of
 * this file, or in prepare where a mask cannot say it. Read it from the bottom: the entry, the table, the functions.
 */
#include <gdbench/plugin.h>
#include <stdlib.h>
#include <string.h>

/* The host declares this type and never looks inside. The host's arrays are kept by pointer: they outlive us. */
struct gdbench_instance {
  const gdbench_data* data;
  const gdbench_problem* problem;
  int64_t step;    /* updates made so far */
  float* weights;  /* [features] */
  float* gradient; /* [features] */
  float bias;      /* 0 where the layer has none */
};

/* Set by the entry; all calls come from one thread, so a plain variable will do. */
static const gdbench_host* the_host;

/* Every failure carries one line that says why; the host shows it in the cell's row. */
static gdbench_status report(gdbench_status status, const char* reason) {
  the_host->set_error(the_host->context, reason);
  return status;
}

static gdbench_status create(gdbench_instance** instance) {
  *instance = calloc(1, sizeof **instance);
  return *instance != NULL ? GDBENCH_OK : report(GDBENCH_OUT_OF_MEMORY, "no memory for an instance");
}

/* Also called after a failed load or prepare: free(NULL) is fine. */
static void destroy(gdbench_instance* instance) {
  free(instance->weights);
  free(instance->gradient);
  free(instance);
}

/* Timed as the load phase. A plugin that wants its own layout converts the data here, not in run. */
static gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  instance->data = data;
  return GDBENCH_OK;
}

/* Everything that can be done once is done here: run must not allocate. */
static gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  (void)settings; /* no options, and one compute thread is all that the table below offers */
  if (problem->layers[0].outputs != 1) return report(GDBENCH_UNSUPPORTED, "only one output");
  const size_t features = (size_t)problem->layers[0].inputs;
  instance->problem = problem;
  instance->weights = calloc(features, sizeof(float));
  instance->gradient = calloc(features, sizeof(float));
  if (instance->weights == NULL || instance->gradient == NULL) {
    return report(GDBENCH_OUT_OF_MEMORY, "no memory for the parameters");
  }
  return GDBENCH_OK;
}

/*
 * Parameters come as w0, then b0 if the layer has a bias. The tensors are gone after the call: copy. The host calls
 * this before every timed block, so that each block starts from the same state.
 */
static gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  const gdbench_tensor* weights = &state->parameters[0];
  memcpy(instance->weights, weights->data, sizeof(float) * (size_t)weights->rows);
  if (state->parameter_count > 1) memcpy(&instance->bias, state->parameters[1].data, sizeof(float));
  instance->step = state->step;
  return GDBENCH_OK;
}

static gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  const gdbench_tensor* weights = &state->parameters[0];
  memcpy(weights->data, instance->weights, sizeof(float) * (size_t)weights->rows);
  if (state->parameter_count > 1) memcpy(state->parameters[1].data, &instance->bias, sizeof(float));
  state->step = instance->step;
  return GDBENCH_OK;
}

/* x . w + b - y of one row; x is [rows, features], row-major. */
static float residual(const gdbench_instance* instance, const float* x, const float* y, int64_t row) {
  const int64_t features = instance->problem->layers[0].inputs;
  float prediction = instance->bias;
  for (int64_t f = 0; f < features; ++f) prediction += x[row * features + f] * instance->weights[f];
  return prediction - y[row];
}

/* One update on the rows that the host's order names for this step. */
static void train_step(gdbench_instance* instance) {
  const gdbench_data* data = instance->data;
  const gdbench_problem* problem = instance->problem;
  const float* x = data->x;
  const float* y = data->y;
  const int64_t features = data->features;

  /* Which rows: as the comment at gdbench_data.order says. The last batch of an epoch may be smaller. */
  const int64_t steps_per_epoch = (data->rows + problem->batch_rows - 1) / problem->batch_rows;
  const int64_t epoch = instance->step / steps_per_epoch % data->epochs;
  const int64_t first = instance->step % steps_per_epoch * problem->batch_rows;
  const int64_t last = first + problem->batch_rows < data->rows ? first + problem->batch_rows : data->rows;
  const uint32_t* order = data->order != NULL ? data->order + epoch * data->rows : NULL;

  /* Forward and backward: gradient = sum over rows of residual * x, bias_gradient = sum of residuals. */
  float bias_gradient = 0;
  memset(instance->gradient, 0, sizeof(float) * (size_t)features);
  for (int64_t i = first; i < last; ++i) {
    const int64_t row = order != NULL ? (int64_t)order[i] : i;
    const float error = residual(instance, x, y, row);
    for (int64_t f = 0; f < features; ++f) instance->gradient[f] += error * x[row * features + f];
    bias_gradient += error;
  }

  /* Update: d mse / d P = 2 / rows * residual, half of that for half_mse. The rate may change from step to step. */
  const gdbench_optimizer* optimizer = problem->optimizer;
  const int64_t last_rate = optimizer->learning_rate_count - 1;
  const double rate = optimizer->learning_rates[instance->step < last_rate ? instance->step : last_rate];
  const double factor = problem->loss == GDBENCH_MSE ? 2.0 : 1.0;
  const float scale = (float)(rate * factor / (double)(last - first));
  for (int64_t f = 0; f < features; ++f) instance->weights[f] -= scale * instance->gradient[f];
  if (problem->layers[0].has_bias) instance->bias -= scale * bias_gradient;
  instance->step += 1;
}

/* The timed call: exactly `steps` updates. The loop is ours, so calling the plugin costs nothing per step. */
static gdbench_status run(gdbench_instance* instance, uint64_t steps) {
  for (uint64_t s = 0; s < steps; ++s) train_step(instance);
  return GDBENCH_OK;
}

/* The loss over all rows of a split; never timed with the steps, so it may be exact rather than fast. */
static gdbench_status evaluate(gdbench_instance* instance, int32_t split, double* loss) {
  const gdbench_data* data = instance->data;
  const int64_t rows = split == 0 ? data->rows : data->validation_rows;
  const float* x = split == 0 ? data->x : data->validation_x;
  const float* y = split == 0 ? data->y : data->validation_y;
  if (rows == 0) return report(GDBENCH_UNSUPPORTED, "the split has no rows");
  double sum = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const double error = (double)residual(instance, x, y, row);
    sum += error * error;
  }
  *loss = (instance->problem->loss == GDBENCH_MSE ? 1.0 : 0.5) * sum / (double)rows;
  return GDBENCH_OK;
}

/*
 * What the host may ask for. A host never calls create for a problem outside these masks; the cell's row then says
 * "unsupported". struct_size tells a newer host how much of the struct this plugin knows. Left out, hence null: sync
 * (run waits by itself) and profile.
 */
static const gdbench_implementation plain_c = {
    .struct_size = sizeof(gdbench_implementation),
    .id = "example/plain-c",
    .description = "linear regression by hand in plain C, f32, one output",
    .build = "C11, flags as in examples/plugin-c/CMakeLists.txt",
    .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN),
    .dtypes = GDBENCH_BIT(GDBENCH_F32),
    .activations = GDBENCH_BIT(GDBENCH_IDENTITY),
    .losses = GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE),
    .optimizers = GDBENCH_BIT(GDBENCH_SGD),
    .capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE),
    .max_layers = 1,
    .max_compute_threads = 1,
    .create = create,
    .destroy = destroy,
    .load = load,
    .prepare = prepare,
    .set_state = set_state,
    .get_state = get_state,
    .run = run,
    .evaluate = evaluate,
};

static const gdbench_implementation* const implementations[] = {&plain_c};

static const gdbench_plugin plugin = {
    .struct_size = sizeof(gdbench_plugin),
    .abi_major = GDBENCH_ABI_MAJOR,
    .abi_minor = GDBENCH_ABI_MINOR,
    .name = "plain-c",
    .version = "1.0",
    .implementation_count = sizeof implementations / sizeof implementations[0],
    .implementations = implementations,
};

/* The one exported symbol. A plugin that needs a processor feature or a device looks for it here. */
const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  the_host = host;
  return &plugin;
}
