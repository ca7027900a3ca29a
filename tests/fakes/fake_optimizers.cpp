// Linear regression with every optimizer of the interface, mini-batches and micro-batches: once right, and once for
// each of the mistakes that people make with them. Double inside, slow and plain on purpose; the rules are written here
// from torch.optim's documentation, so that they repeat nobody's error.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "gdbench/plugin.h"

namespace {

enum class Fault {
  none,
  epsilon_inside_root,
  epsilon_always_outside,  // also where the problem puts it elsewhere
  no_bias_correction,
  late_bias_correction,  // by the number of updates already made
  coupled_decay,         // where it should be decoupled
  decoupled_decay,       // where it should be coupled
  nesterov_look_ahead,   // Sutskever's form: parameters and look-ahead point exchanged
  dampened_momentum,     // v = mu v + (1 - mu) g
  sum_instead_of_mean,
  dropped_last_batch,
  partial_batch_by_full_rows,  // the smaller last batch's mean divided by the rows of a whole one
  accumulation_without_division,
  accumulation_without_weights,  // the mean over parts, whatever their rows
  late_schedule,                 // the rate of the step before
  sign_of_momentum,              // the momentum brought up to date before its sign is taken
  constant_momentum,             // NAdam without the schedule of its momentum
};

constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::constant_momentum) + 1;

using Values = std::vector<double>;

double element(const void* array, std::int32_t dtype, std::int64_t index) {
  return dtype == GDBENCH_F32 ? static_cast<double>(static_cast<const float*>(array)[index])
                              : static_cast<const double*>(array)[index];
}

// [first, last) of a batch, by position in the epoch.
struct Part {
  std::int64_t first;
  std::int64_t last;
  std::int64_t rows() const { return last - first; }
};

}  // namespace

struct gdbench_instance {
  Fault fault = Fault::none;
  const gdbench_data* data = nullptr;
  const gdbench_problem* problem = nullptr;
  std::int64_t step = 0;
  Values parameters = {};  // weights [features, outputs], then the bias, if any
  Values slots[2] = {};

  const gdbench_optimizer& optimizer() const { return *problem->optimizer; }
  bool has(Fault other) const { return fault == other; }
};

namespace {

std::int64_t row_at(const gdbench_instance& self, std::int64_t position) {
  const gdbench_data& data = *self.data;
  const std::int64_t epoch_steps = (data.rows + self.problem->batch_rows - 1) / self.problem->batch_rows;
  const std::int64_t epoch = self.step / epoch_steps % data.epochs;
  return data.order == nullptr ? position : data.order[epoch * data.rows + position];
}

// Adds the gradient of the sum over the part's rows of the squared errors, times `scale`, to `gradient`.
void add_gradient(const gdbench_instance& self, const Part& part, double scale, Values& gradient) {
  const gdbench_data& data = *self.data;
  const std::int64_t weights = data.features * data.outputs;
  for (std::int64_t position = part.first; position < part.last; ++position) {
    const std::int64_t row = row_at(self, position);
    for (std::int64_t o = 0; o < data.outputs; ++o) {
      double prediction = self.problem->layers[0].has_bias ? self.parameters[static_cast<std::size_t>(weights + o)] : 0;
      for (std::int64_t f = 0; f < data.features; ++f) {
        prediction += element(data.x, data.dtype, row * data.features + f) *
                      self.parameters[static_cast<std::size_t>(f * data.outputs + o)];
      }
      const double slope = scale * 2 * (prediction - element(data.y, data.dtype, row * data.outputs + o));
      for (std::int64_t f = 0; f < data.features; ++f) {
        gradient[static_cast<std::size_t>(f * data.outputs + o)] +=
            slope * element(data.x, data.dtype, row * data.features + f);
      }
      if (self.problem->layers[0].has_bias) gradient[static_cast<std::size_t>(weights + o)] += slope;
    }
  }
}

Part batch_of(const gdbench_instance& self) {
  const std::int64_t rows = self.data->rows;
  const std::int64_t batch = self.problem->batch_rows;
  const std::int64_t whole = self.has(Fault::dropped_last_batch) ? rows / batch : (rows + batch - 1) / batch;
  const std::int64_t first = self.step % whole * batch;
  return {first, std::min(first + batch, rows)};
}

// The gradient of a batch's mean loss, accumulated over micro-batches: the first R mod k of them have a row more.
Values batch_gradient(const gdbench_instance& self) {
  const Part batch = batch_of(self);
  const std::int64_t parts = self.problem->micro_batches;
  const double factor = self.problem->loss == GDBENCH_HALF_MSE ? 0.5 : 1.0;
  const double outputs = static_cast<double>(self.data->outputs);
  Values gradient(self.parameters.size(), 0.0);
  std::int64_t first = batch.first;
  for (std::int64_t k = 0; k < parts; ++k) {
    const Part part = {first, first + batch.rows() / parts + (k < batch.rows() % parts ? 1 : 0)};
    first = part.last;
    if (part.rows() == 0) continue;
    double divisor = static_cast<double>(batch.rows());
    if (self.has(Fault::sum_instead_of_mean)) divisor = 1;
    if (self.has(Fault::partial_batch_by_full_rows)) divisor = static_cast<double>(self.problem->batch_rows);
    if (self.has(Fault::accumulation_without_division)) divisor = static_cast<double>(part.rows());
    if (self.has(Fault::accumulation_without_weights)) divisor = static_cast<double>(part.rows() * parts);
    add_gradient(self, part, factor / (divisor * outputs), gradient);
  }
  return gradient;
}

// g divided by the root of its mean square v, which is to be divided by `correction`.
double scaled(const gdbench_instance& self, double g, double v, double correction = 1) {
  const double epsilon = self.optimizer().epsilon;
  const std::int32_t place = self.has(Fault::epsilon_inside_root)      ? GDBENCH_EPSILON_INSIDE
                             : self.has(Fault::epsilon_always_outside) ? GDBENCH_EPSILON_OUTSIDE
                                                                       : self.optimizer().epsilon_place;
  if (place == GDBENCH_EPSILON_HAT) return g * std::sqrt(correction) / (std::sqrt(v) + epsilon);
  if (place == GDBENCH_EPSILON_INSIDE) return g / std::sqrt(v / correction + epsilon);
  return g / (std::sqrt(v / correction) + epsilon);
}

double bias_correction(const gdbench_instance& self, double beta) {
  if (self.has(Fault::no_bias_correction)) return 1;
  const std::int64_t updates = self.step + (self.has(Fault::late_bias_correction) ? 0 : 1);
  return 1 - std::pow(beta, static_cast<double>(std::max<std::int64_t>(updates, 1)));
}

// Of NAdam's momenta up to that of the update, counted from 1.
double nadam_product(const gdbench_instance& self, std::int64_t update) {
  const gdbench_optimizer& optimizer = self.optimizer();
  double product = 1;
  for (std::int64_t t = 1; t <= update; ++t) {
    const double rise = self.has(Fault::constant_momentum)
                            ? 1
                            : 1 - 0.5 * std::pow(0.96, static_cast<double>(t) * optimizer.momentum_decay);
    product *= optimizer.beta1 * rise;
  }
  return product;
}

// How far an entry moves, divided by the learning rate.
double direction(const gdbench_instance& self, double g, double& first, double& second) {
  const gdbench_optimizer& optimizer = self.optimizer();
  switch (optimizer.kind) {
    case GDBENCH_MOMENTUM:
      first = optimizer.momentum * first + (self.has(Fault::dampened_momentum) ? 1 - optimizer.momentum : 1) * g;
      return first;
    case GDBENCH_NESTEROV:
      first = optimizer.momentum * first + g;
      return self.has(Fault::nesterov_look_ahead) ? first : g + optimizer.momentum * first;
    case GDBENCH_ADAGRAD:
      first += g * g;
      return scaled(self, g, first);
    case GDBENCH_RMSPROP:
      first = optimizer.rho * first + (1 - optimizer.rho) * g * g;
      return scaled(self, g, first);
    case GDBENCH_ADAM:
    case GDBENCH_ADAMW:
      first = optimizer.beta1 * first + (1 - optimizer.beta1) * g;
      second = optimizer.beta2 * second + (1 - optimizer.beta2) * g * g;
      return scaled(self, first / bias_correction(self, optimizer.beta1), second,
                    bias_correction(self, optimizer.beta2));
    case GDBENCH_NADAM: {
      first = optimizer.beta1 * first + (1 - optimizer.beta1) * g;
      second = optimizer.beta2 * second + (1 - optimizer.beta2) * g * g;
      const double now = nadam_product(self, self.step + 1);
      const double next = nadam_product(self, self.step + 2);
      const double ahead = next / now * first / (1 - next) + (1 - now / nadam_product(self, self.step)) * g / (1 - now);
      return scaled(self, ahead, second, bias_correction(self, optimizer.beta2));
    }
    case GDBENCH_LION: {
      const double past = first;
      first = optimizer.beta2 * first + (1 - optimizer.beta2) * g;
      const double taken =
          self.has(Fault::sign_of_momentum) ? first : optimizer.beta1 * past + (1 - optimizer.beta1) * g;
      return (taken > 0) - (taken < 0);
    }
    default:
      return g;
  }
}

double rate_of(const gdbench_instance& self) {
  const gdbench_optimizer& optimizer = self.optimizer();
  const std::int64_t step = std::max<std::int64_t>(0, self.step - (self.has(Fault::late_schedule) ? 1 : 0));
  return optimizer.learning_rates[std::min(step, optimizer.learning_rate_count - 1)];
}

void make_step(gdbench_instance& self) {
  const gdbench_optimizer& optimizer = self.optimizer();
  const double rate = rate_of(self);
  const Values before = self.parameters;
  if (self.has(Fault::nesterov_look_ahead)) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      self.parameters[i] -= rate * optimizer.momentum * self.slots[0][i];
    }
  }
  const Values gradient = batch_gradient(self);
  bool decoupled =
      optimizer.decoupled_weight_decay != 0 || optimizer.kind == GDBENCH_ADAMW || optimizer.kind == GDBENCH_LION;
  if (self.has(Fault::coupled_decay)) decoupled = false;
  if (self.has(Fault::decoupled_decay)) decoupled = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    double p = before[i];
    double g = gradient[i];
    if (decoupled) p *= 1 - rate * optimizer.weight_decay;
    if (!decoupled) g += optimizer.weight_decay * p;
    self.parameters[i] = p - rate * direction(self, g, self.slots[0][i], self.slots[1][i]);
  }
  self.step += 1;
}

// The state's entries in one row, parameters or one slot.
template <class Visit>
void for_each_entry(const gdbench_tensor* tensors, std::int64_t count, const Visit& visit) {
  std::size_t next = 0;
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t i = 0; i < tensors[t].rows * tensors[t].columns; ++i) visit(tensors[t], i, next++);
  }
}

void read(const gdbench_tensor* tensors, std::int64_t count, std::int32_t dtype, Values& values) {
  for_each_entry(tensors, count, [&](const gdbench_tensor& tensor, std::int64_t i, std::size_t next) {
    values[next] = element(tensor.data, dtype, i);
  });
}

void write(const gdbench_tensor* tensors, std::int64_t count, std::int32_t dtype, const Values& values) {
  for_each_entry(tensors, count, [&](const gdbench_tensor& tensor, std::int64_t i, std::size_t next) {
    if (dtype == GDBENCH_F32) {
      static_cast<float*>(tensor.data)[i] = static_cast<float>(values[next]);
    } else {
      static_cast<double*>(tensor.data)[i] = values[next];
    }
  });
}

template <Fault fault>
gdbench_status create(gdbench_instance** instance) {
  *instance = new gdbench_instance{.fault = fault};
  return GDBENCH_OK;
}

void destroy(gdbench_instance* instance) { delete instance; }

gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  instance->data = data;
  return GDBENCH_OK;
}

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings*) {
  instance->problem = problem;
  const gdbench_layer& layer = problem->layers[0];
  instance->parameters.assign(static_cast<std::size_t>((layer.inputs + layer.has_bias) * layer.outputs), 0.0);
  for (Values& slot : instance->slots) slot = instance->parameters;
  return GDBENCH_OK;
}

gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  const std::int32_t dtype = instance->problem->dtype;
  instance->step = state->step;
  read(state->parameters, state->parameter_count, dtype, instance->parameters);
  for (std::int64_t s = 0; s < state->slot_count; ++s) {
    read(state->slots + s * state->parameter_count, state->parameter_count, dtype, instance->slots[s]);
  }
  return GDBENCH_OK;
}

gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  const std::int32_t dtype = instance->problem->dtype;
  state->step = instance->step;
  write(state->parameters, state->parameter_count, dtype, instance->parameters);
  for (std::int64_t s = 0; s < state->slot_count; ++s) {
    write(state->slots + s * state->parameter_count, state->parameter_count, dtype, instance->slots[s]);
  }
  return GDBENCH_OK;
}

gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) make_step(*instance);
  return GDBENCH_OK;
}

template <Fault fault>
constexpr gdbench_implementation implementation(const char* id, const char* description) {
  return {
      .struct_size = sizeof(gdbench_implementation),
      .id = id,
      .description = description,
      .build = nullptr,
      .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN),
      .dtypes = GDBENCH_BIT(GDBENCH_F32) | GDBENCH_BIT(GDBENCH_F64),
      .activations = GDBENCH_BIT(GDBENCH_IDENTITY),
      .losses = GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE),
      .optimizers = GDBENCH_BIT(GDBENCH_NADAM + 1) - 1,
      .capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_MICRO_BATCHES) |
                      GDBENCH_BIT(GDBENCH_CAPABILITY_WEIGHT_DECAY) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE) |
                      GDBENCH_BIT(GDBENCH_CAPABILITY_EPSILON_PLACE),
      .max_layers = 1,
      .max_compute_threads = 1,
      .helper_threads = 0,
      .option_count = 0,
      .options = nullptr,
      .create = create<fault>,
      .destroy = destroy,
      .load = load,
      .prepare = prepare,
      .set_state = set_state,
      .get_state = get_state,
      .run = run,
      .sync = nullptr,
      .evaluate = nullptr,
      .profile = nullptr,
      .helper_threads_in_use = nullptr,
      .unavailable = nullptr,
      .device_time = nullptr,
      .runtime = nullptr,
      .imported = nullptr,
  };
}

constexpr gdbench_implementation kImplementations[] = {
    implementation<Fault::none>("fake/optimizers", "every optimizer, right"),
    implementation<Fault::epsilon_inside_root>("fake/epsilon-inside-root", "g / sqrt(v + epsilon)"),
    implementation<Fault::epsilon_always_outside>("fake/epsilon-always-outside", "sqrt(v) + epsilon, also with a hat"),
    implementation<Fault::no_bias_correction>("fake/no-bias-correction", "moments as they are"),
    implementation<Fault::late_bias_correction>("fake/late-bias-correction", "1 - beta^t with t one too small"),
    implementation<Fault::coupled_decay>("fake/coupled-decay", "weight decay in the gradient"),
    implementation<Fault::decoupled_decay>("fake/decoupled-decay", "weight decay on the parameter"),
    implementation<Fault::nesterov_look_ahead>("fake/nesterov-look-ahead", "gradient at the point ahead"),
    implementation<Fault::dampened_momentum>("fake/dampened-momentum", "v = mu v + (1 - mu) g"),
    implementation<Fault::sum_instead_of_mean>("fake/sum-instead-of-mean", "no division by the rows"),
    implementation<Fault::dropped_last_batch>("fake/dropped-last-batch", "whole batches only"),
    implementation<Fault::partial_batch_by_full_rows>("fake/partial-batch-by-full-rows", "the last batch counts less"),
    implementation<Fault::accumulation_without_division>("fake/accumulation-without-division", "parts' means added"),
    implementation<Fault::accumulation_without_weights>("fake/accumulation-without-weights", "mean of parts' means"),
    implementation<Fault::late_schedule>("fake/late-schedule", "the rate of the step before"),
    implementation<Fault::sign_of_momentum>("fake/sign-of-momentum", "the new momentum's sign"),
    implementation<Fault::constant_momentum>("fake/constant-momentum", "mu_t = beta1"),
};
static_assert(std::size(kImplementations) == kFaults);

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host*) {
  static const gdbench_implementation* tables[kFaults];
  for (std::size_t i = 0; i < kFaults; ++i) tables[i] = &kImplementations[i];
  static const gdbench_plugin plugin = {
      .struct_size = sizeof(gdbench_plugin),
      .abi_major = GDBENCH_ABI_MAJOR,
      .abi_minor = GDBENCH_ABI_MINOR,
      .name = "optimizers",
      .version = "1",
      .implementation_count = static_cast<std::int64_t>(kFaults),
      .implementations = tables,
  };
  return &plugin;
}
