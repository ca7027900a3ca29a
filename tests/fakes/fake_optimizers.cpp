// Linear regression with every optimizer of the interface, mini-batches and micro-batches: once right, and once for
// each of the mistakes that people make with them. The rules are written here from torch.optim's documentation, so that
// they repeat nobody's error.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fake_core.h"
#include "harness/abi/catalogue.h"

namespace {

struct Row {
  const char* id;
  const char* description;
};

constexpr Row kAll[] = {
    {"fake/optimizers", "every optimizer, right"},
    {"fake/epsilon-inside-root", "g / sqrt(v + epsilon)"},
    {"fake/epsilon-always-outside", "sqrt(v) + epsilon, also where the problem puts it elsewhere"},
    {"fake/no-bias-correction", "moments as they are"},
    {"fake/late-bias-correction", "1 - beta^t with t the number of updates already made"},
    {"fake/coupled-decay", "weight decay in the gradient where it should be decoupled"},
    {"fake/decoupled-decay", "weight decay on the parameter where it should be coupled"},
    {"fake/nesterov-look-ahead", "Sutskever's form: parameters and look-ahead point exchanged"},
    {"fake/dampened-momentum", "v = mu v + (1 - mu) g"},
    {"fake/sum-instead-of-mean", "no division by the rows"},
    {"fake/dropped-last-batch", "whole batches only"},
    {"fake/partial-batch-by-full-rows", "the smaller last batch's mean divided by the rows of a whole one"},
    {"fake/accumulation-without-division", "parts' means added"},
    {"fake/accumulation-without-weights", "the mean over parts, for any number of rows"},
    {"fake/late-schedule", "the rate of the step before"},
    {"fake/sign-of-momentum", "the momentum brought up to date before its sign is taken"},
    {"fake/constant-momentum", "NAdam without the schedule of its momentum"},
    {"fake/no-rectification", "RAdam that divides from its first update on"},
    {"fake/division-after-four", "RAdam that divides where the mean's length is above 4"},
    {"fake/unrectified-without-division", "RAdam that moves by nothing as long as it does not divide"},
};

// Of the implementation that runs, the fault, which its id names.
std::string_view current;

bool has(std::string_view fault) { return current == fault; }

FakeRows batch_of(const gdbench_instance& self) {
  if (!has("dropped-last-batch")) return fake_batch(self);
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
    if (has("sum-instead-of-mean")) divisor = 1;
    if (has("partial-batch-by-full-rows")) divisor = self.problem->batch_rows;
    if (has("accumulation-without-division")) divisor = part.count();
    if (has("accumulation-without-weights")) divisor = part.count() * parts;
    fake_add_gradient(self, part, static_cast<double>(divisor));
  }
}

// g divided by the root of its mean square v, which is to be divided by `correction`.
double scaled(const gdbench_optimizer& optimizer, double g, double v, double correction = 1) {
  const double epsilon = optimizer.epsilon;
  const std::int32_t place = has("epsilon-inside-root")      ? GDBENCH_EPSILON_INSIDE
                             : has("epsilon-always-outside") ? GDBENCH_EPSILON_OUTSIDE
                                                             : optimizer.epsilon_place;
  if (place == GDBENCH_EPSILON_HAT) return g * std::sqrt(correction) / (std::sqrt(v) + epsilon);
  if (place == GDBENCH_EPSILON_INSIDE) return g / std::sqrt(v / correction + epsilon);
  return g / (std::sqrt(v / correction) + epsilon);
}

double bias_correction(std::int64_t step, double beta) {
  if (has("no-bias-correction")) return 1;
  const std::int64_t updates = step + (has("late-bias-correction") ? 0 : 1);
  return 1 - std::pow(beta, static_cast<double>(std::max<std::int64_t>(updates, 1)));
}

// Of NAdam's momenta up to that of the update, counted from 1.
double nadam_product(const gdbench_optimizer& optimizer, std::int64_t update) {
  double product = 1;
  for (std::int64_t t = 1; t <= update; ++t) {
    const double rise =
        has("constant-momentum") ? 1 : 1 - 0.5 * std::pow(0.96, static_cast<double>(t) * optimizer.momentum_decay);
    product *= optimizer.beta1 * rise;
  }
  return product;
}

// How far an entry moves, divided by the learning rate.
double direction(const gdbench_instance& self, double g, double& first, double& second) {
  const gdbench_optimizer& optimizer = *self.problem->optimizer;
  switch (optimizer.kind) {
    case GDBENCH_MOMENTUM:
      first = optimizer.momentum * first + (has("dampened-momentum") ? 1 - optimizer.momentum : 1) * g;
      return first;
    case GDBENCH_NESTEROV:
      first = optimizer.momentum * first + g;
      return has("nesterov-look-ahead") ? first : g + optimizer.momentum * first;
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
    case GDBENCH_RADAM: {
      first = optimizer.beta1 * first + (1 - optimizer.beta1) * g;
      second = optimizer.beta2 * second + (1 - optimizer.beta2) * g * g;
      const double mean = first / bias_correction(self.step, optimizer.beta1);
      const double t = static_cast<double>(self.step + 1);
      const double power = std::pow(optimizer.beta2, t);
      const double longest = 2 / (1 - optimizer.beta2) - 1;
      const double length = longest - 2 * t * power / (1 - power);
      const double least = has("division-after-four") ? 4 : 5;
      if (length <= least && !has("no-rectification")) return has("unrectified-without-division") ? 0 : mean;
      const double rectification =
          has("no-rectification")
              ? 1
              : std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
      if (has("epsilon-inside-root")) return rectification * scaled(optimizer, mean, second, 1 - power);
      const double correction = bias_correction(self.step, optimizer.beta2);
      const double root = has("epsilon-always-outside") ? std::sqrt(second / correction) : std::sqrt(second);
      const double factor = has("epsilon-always-outside") ? 1 : std::sqrt(correction);
      return rectification * mean * factor / (root + optimizer.epsilon);
    }
    case GDBENCH_LION: {
      const double past = first;
      first = optimizer.beta2 * first + (1 - optimizer.beta2) * g;
      const double taken = has("sign-of-momentum") ? first : optimizer.beta1 * past + (1 - optimizer.beta1) * g;
      return (taken > 0) - (taken < 0);
    }
    default:
      return g;
  }
}

double rate_of(const gdbench_instance& self) {
  const gdbench_optimizer& optimizer = *self.problem->optimizer;
  const std::int64_t step = std::max<std::int64_t>(0, self.step - (has("late-schedule") ? 1 : 0));
  return optimizer.learning_rates[std::min(step, optimizer.learning_rate_count - 1)];
}

void make_step(gdbench_instance& self) {
  const gdbench_optimizer& optimizer = *self.problem->optimizer;
  const double rate = rate_of(self);
  const std::vector<double> before = self.parameters;
  if (has("nesterov-look-ahead")) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      self.parameters[i] -= rate * optimizer.momentum * self.slots[0][i];
    }
  }
  make_gradient(self);
  bool decoupled =
      optimizer.decoupled_weight_decay != 0 || optimizer.kind == GDBENCH_ADAMW || optimizer.kind == GDBENCH_LION;
  if (has("coupled-decay")) decoupled = false;
  if (has("decoupled-decay")) decoupled = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    double p = before[i];
    double g = self.gradient[i];
    if (decoupled) p *= 1 - rate * optimizer.weight_decay;
    if (!decoupled) g += optimizer.weight_decay * p;
    self.parameters[i] = p - rate * direction(self, g, self.slots[0][i], self.slots[1][i]);
  }
  self.step += 1;
}

gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  current = std::string_view(kAll[instance->row].id).substr(5);
  for (std::uint64_t i = 0; i < steps; ++i) make_step(*instance);
  return GDBENCH_OK;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return fake_plugin_of(host, kAll, [](gdbench_implementation& implementation) {
    implementation.run = run;
    implementation.optimizers = gdbench::catalogue::kAll<gdbench::catalogue::OptimizerKind>;
    for (const int capability :
         {GDBENCH_CAPABILITY_MICRO_BATCHES, GDBENCH_CAPABILITY_WEIGHT_DECAY, GDBENCH_CAPABILITY_EPSILON_PLACE}) {
      implementation.capabilities |= GDBENCH_BIT(capability);
    }
  });
}
