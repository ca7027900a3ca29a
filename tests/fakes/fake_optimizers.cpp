// Linear regression with every optimizer of the interface, mini-batches and micro-batches: once right, and once for
// each of the mistakes that people make with them. The rules are written here from torch.optim's documentation, so that
// they repeat no error of other code.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "fake_core.h"

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
  accumulation_without_weights,  // the mean over parts, for any number of rows
  late_schedule,                 // the rate of the step before
  sign_of_momentum,              // the momentum brought up to date before its sign is taken
  constant_momentum,             // NAdam without the schedule of its momentum
};

Fault current = Fault::none;  // of the implementation that runs

bool has(Fault fault) { return fault == current; }

FakeRows batch_of(const gdbench_instance& self) {
  if (!has(Fault::dropped_last_batch)) return fake_batch(self);
  const std::int64_t batch = self.problem->batch_rows;
  const std::int64_t first = self.step % (self.data->rows / batch) * batch;
  return {first, first + batch};
}

// The gradient of a batch's mean loss, accumulated over micro-batches: the first R mod k of them have a row more.
void make_gradient(gdbench_instance& self) {
  const FakeRows batch = batch_of(self);
  const std::int64_t parts = self.problem->micro_batches;
  std::ranges::fill(self.gradient, 0);
  FakeRows part{batch.first, batch.first};
  for (std::int64_t k = 0; k < parts; ++k) {
    part = {part.last, part.last + batch.count() / parts + (k < batch.count() % parts ? 1 : 0)};
    if (part.count() == 0) continue;
    std::int64_t divisor = batch.count();
    if (has(Fault::sum_instead_of_mean)) divisor = 1;
    if (has(Fault::partial_batch_by_full_rows)) divisor = self.problem->batch_rows;
    if (has(Fault::accumulation_without_division)) divisor = part.count();
    if (has(Fault::accumulation_without_weights)) divisor = part.count() * parts;
    fake_add_gradient(self, part, static_cast<double>(divisor));
  }
}

// g divided by the root of its mean square v, which is to be divided by `correction`.
double scaled(const gdbench_optimizer& optimizer, double g, double v, double correction = 1) {
  const double epsilon = optimizer.epsilon;
  const std::int32_t place = has(Fault::epsilon_inside_root)      ? GDBENCH_EPSILON_INSIDE
                             : has(Fault::epsilon_always_outside) ? GDBENCH_EPSILON_OUTSIDE
                                                                  : optimizer.epsilon_place;
  if (place == GDBENCH_EPSILON_HAT) return g * std::sqrt(correction) / (std::sqrt(v) + epsilon);
  if (place == GDBENCH_EPSILON_INSIDE) return g / std::sqrt(v / correction + epsilon);
  return g / (std::sqrt(v / correction) + epsilon);
}

double bias_correction(std::int64_t step, double beta) {
  if (has(Fault::no_bias_correction)) return 1;
  const std::int64_t updates = step + (has(Fault::late_bias_correction) ? 0 : 1);
  return 1 - std::pow(beta, static_cast<double>(std::max<std::int64_t>(updates, 1)));
}

// Of NAdam's momenta up to that of the update, counted from 1.
double nadam_product(const gdbench_optimizer& optimizer, std::int64_t update) {
  double product = 1;
  for (std::int64_t t = 1; t <= update; ++t) {
    const double rise =
        has(Fault::constant_momentum) ? 1 : 1 - 0.5 * std::pow(0.96, static_cast<double>(t) * optimizer.momentum_decay);
    product *= optimizer.beta1 * rise;
  }
  return product;
}

// How far an entry moves, divided by the learning rate.
double direction(const gdbench_instance& self, double g, double& first, double& second) {
  const gdbench_optimizer& optimizer = *self.problem->optimizer;
  switch (optimizer.kind) {
    case GDBENCH_MOMENTUM:
      first = optimizer.momentum * first + (has(Fault::dampened_momentum) ? 1 - optimizer.momentum : 1) * g;
      return first;
    case GDBENCH_NESTEROV:
      first = optimizer.momentum * first + g;
      return has(Fault::nesterov_look_ahead) ? first : g + optimizer.momentum * first;
    case GDBENCH_ADAGRAD:
      first += g * g;
      return scaled(optimizer, g, first);
    case GDBENCH_RMSPROP:
      first = optimizer.rho * first + (1 - optimizer.rho) * g * g;
      return scaled(optimizer, g, first);
    case GDBENCH_ADAM:
    case GDBENCH_ADAMW:
      first = optimizer.beta1 * first + (1 - optimizer.beta1) * g;
      second = optimizer.beta2 * second + (1 - optimizer.beta2) * g * g;
      return scaled(optimizer, first / bias_correction(self.step, optimizer.beta1), second,
                    bias_correction(self.step, optimizer.beta2));
    case GDBENCH_NADAM: {
      first = optimizer.beta1 * first + (1 - optimizer.beta1) * g;
      second = optimizer.beta2 * second + (1 - optimizer.beta2) * g * g;
      const double now = nadam_product(optimizer, self.step + 1);
      const double next = nadam_product(optimizer, self.step + 2);
      const double ahead =
          next / now * first / (1 - next) + (1 - now / nadam_product(optimizer, self.step)) * g / (1 - now);
      return scaled(optimizer, ahead, second, bias_correction(self.step, optimizer.beta2));
    }
    case GDBENCH_LION: {
      const double past = first;
      first = optimizer.beta2 * first + (1 - optimizer.beta2) * g;
      const double taken = has(Fault::sign_of_momentum) ? first : optimizer.beta1 * past + (1 - optimizer.beta1) * g;
      return (taken > 0) - (taken < 0);
    }
    default:
      return g;
  }
}

double rate_of(const gdbench_instance& self) {
  const gdbench_optimizer& optimizer = *self.problem->optimizer;
  const std::int64_t step = std::max<std::int64_t>(0, self.step - (has(Fault::late_schedule) ? 1 : 0));
  return optimizer.learning_rates[std::min(step, optimizer.learning_rate_count - 1)];
}

void make_step(gdbench_instance& self) {
  const gdbench_optimizer& optimizer = *self.problem->optimizer;
  const double rate = rate_of(self);
  const std::vector<double> before = self.parameters;
  if (has(Fault::nesterov_look_ahead)) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      self.parameters[i] -= rate * optimizer.momentum * self.slots[0][i];
    }
  }
  make_gradient(self);
  bool decoupled =
      optimizer.decoupled_weight_decay != 0 || optimizer.kind == GDBENCH_ADAMW || optimizer.kind == GDBENCH_LION;
  if (has(Fault::coupled_decay)) decoupled = false;
  if (has(Fault::decoupled_decay)) decoupled = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    double p = before[i];
    double g = self.gradient[i];
    if (decoupled) p *= 1 - rate * optimizer.weight_decay;
    if (!decoupled) g += optimizer.weight_decay * p;
    self.parameters[i] = p - rate * direction(self, g, self.slots[0][i], self.slots[1][i]);
  }
  self.step += 1;
}

template <Fault fault>
gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  current = fault;
  for (std::uint64_t i = 0; i < steps; ++i) make_step(*instance);
  return GDBENCH_OK;
}

struct Named {
  const char* id;
  const char* description;
  gdbench_status (*run)(gdbench_instance* instance, std::uint64_t steps);
};

constexpr Named kAll[] = {
    {"fake/optimizers", "every optimizer, right", run<Fault::none>},
    {"fake/epsilon-inside-root", "g / sqrt(v + epsilon)", run<Fault::epsilon_inside_root>},
    {"fake/epsilon-always-outside", "sqrt(v) + epsilon, also with a hat", run<Fault::epsilon_always_outside>},
    {"fake/no-bias-correction", "moments as they are", run<Fault::no_bias_correction>},
    {"fake/late-bias-correction", "1 - beta^t with t one too small", run<Fault::late_bias_correction>},
    {"fake/coupled-decay", "weight decay in the gradient", run<Fault::coupled_decay>},
    {"fake/decoupled-decay", "weight decay on the parameter", run<Fault::decoupled_decay>},
    {"fake/nesterov-look-ahead", "gradient at the point ahead", run<Fault::nesterov_look_ahead>},
    {"fake/dampened-momentum", "v = mu v + (1 - mu) g", run<Fault::dampened_momentum>},
    {"fake/sum-instead-of-mean", "no division by the rows", run<Fault::sum_instead_of_mean>},
    {"fake/dropped-last-batch", "whole batches only", run<Fault::dropped_last_batch>},
    {"fake/partial-batch-by-full-rows", "the last batch counts less", run<Fault::partial_batch_by_full_rows>},
    {"fake/accumulation-without-division", "parts' means added", run<Fault::accumulation_without_division>},
    {"fake/accumulation-without-weights", "mean of parts' means", run<Fault::accumulation_without_weights>},
    {"fake/late-schedule", "the rate of the step before", run<Fault::late_schedule>},
    {"fake/sign-of-momentum", "the new momentum's sign", run<Fault::sign_of_momentum>},
    {"fake/constant-momentum", "mu_t = beta1", run<Fault::constant_momentum>},
};

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return fake_plugin_of(host, kAll, [](gdbench_implementation& implementation, const Named&) {
    implementation.optimizers = GDBENCH_BIT(GDBENCH_NADAM + 1) - 1;
    for (const int capability :
         {GDBENCH_CAPABILITY_MICRO_BATCHES, GDBENCH_CAPABILITY_WEIGHT_DECAY, GDBENCH_CAPABILITY_EPSILON_PLACE}) {
      implementation.capabilities |= GDBENCH_BIT(capability);
    }
  });
}
