// Linear regression with every optimizer of the interface but muon, mini-batches and micro-batches: once right, and
// once for each of the mistakes that people make with them. Updates are the reference's, by a rule that has the
// mistake.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fake_core.h"
#include "harness/verify/reference.h"

namespace {

namespace catalogue = gdbench::catalogue;
using catalogue::OptimizerKind, catalogue::EpsilonPlace;

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
    {"fake/kept-last-batch", "a smaller last batch, also where it is to be left out"},
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
  const std::int64_t batch = self.problem->batch_rows;
  std::int64_t steps = self.data->rows / batch;
  if (has("kept-last-batch")) steps = (self.data->rows + batch - 1) / batch;
  if (!has("kept-last-batch") && !has("dropped-last-batch")) return fake_batch(self);
  const std::int64_t first = self.step % steps * batch;
  return {first, std::min(first + batch, self.data->rows)};
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

// What RAdam does once it divides is what Adam does at a rate of its own.
void mistake_rectification(std::int64_t step, catalogue::Optimizer& rule) {
  const double t = static_cast<double>(step + 1);
  const double power = std::pow(rule.beta2, t);
  const double longest = 2 / (1 - rule.beta2) - 1;
  const double length = longest - 2 * t * power / (1 - power);
  const bool divides = length > (has("division-after-four") ? 4 : 5);
  double& rate = rule.learning_rates.front();
  if (!divides && has("unrectified-without-division")) rate = 0;
  if (!divides && !has("no-rectification")) return;
  rule.kind = OptimizerKind::adam;
  if (!has("epsilon-inside-root") && !has("epsilon-always-outside")) rule.epsilon_place = EpsilonPlace::hat;
  if (has("no-rectification")) return;
  rate *= std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
}

// Of the next update.
catalogue::Optimizer rule_of(const gdbench_instance& self) {
  const gdbench_optimizer& given = *self.problem->optimizer;
  const std::int64_t step = std::max<std::int64_t>(0, self.step - (has("late-schedule") ? 1 : 0));
  catalogue::Optimizer rule;
  rule.kind = catalogue::kind_of(given);
  rule.learning_rates = {given.learning_rates[std::min(step, given.learning_rate_count - 1)]};
  if (catalogue::averages(rule.kind)) {  // by all of them
    rule.learning_rates.assign(given.learning_rates, given.learning_rates + given.learning_rate_count);
  }
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    rule.*constant->member = given.*constant->abi_member;
  }
  rule.epsilon_place = static_cast<EpsilonPlace>(given.epsilon_place);
  rule.weight_decay = given.weight_decay;
  rule.decoupled_weight_decay = given.decoupled_weight_decay != 0 || catalogue::row_of(rule.kind).always_decoupled;
  if (has("coupled-decay")) rule.decoupled_weight_decay = false;
  if (has("decoupled-decay")) rule.decoupled_weight_decay = true;
  if (has("epsilon-inside-root")) rule.epsilon_place = EpsilonPlace::inside;
  if (has("epsilon-always-outside")) rule.epsilon_place = EpsilonPlace::outside;
  if (has("nesterov-look-ahead")) rule.kind = OptimizerKind::momentum;
  if (has("sign-of-momentum")) rule.beta1 = rule.beta2;
  if (has("constant-momentum")) rule.momentum_decay = 1e6;  // beyond which it does not rise
  for (const char* mistake : {"no-rectification", "division-after-four", "unrectified-without-division",
                              "epsilon-inside-root", "epsilon-always-outside"}) {
    if (has(mistake) && rule.kind == OptimizerKind::radam) mistake_rectification(self.step, rule);
  }
  return rule;
}

void make_step(gdbench_instance& self) {
  const catalogue::Optimizer rule = rule_of(self);
  gdbench::verify::ReferenceState<double> state;
  state.step = self.step;
  state.parameters = {self.parameters};
  state.slots = {self.slots[0], self.slots[1]};
  // By how much moments are corrected goes by the updates that were made.
  if (has("late-bias-correction")) state.skipped = self.step > 0 ? 1 : 0;
  if (has("no-bias-correction")) state.skipped = -100'000;
  for (std::size_t i = 0; i < self.parameters.size() && has("nesterov-look-ahead"); ++i) {
    self.parameters[i] -= rule.learning_rates[0] * rule.momentum * self.slots[0][i];
  }
  make_gradient(self);
  if (has("dampened-momentum")) {
    for (double& entry : self.gradient) entry *= 1 - rule.momentum;
  }
  gdbench::verify::update(rule, {self.gradient}, state);
  self.parameters = state.parameters[0];
  for (const std::size_t slot : {0U, 1U}) self.slots[slot] = state.slots[slot];
  self.step = state.step;
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
    // Muon needs deeper networks; its mistakes are those of tests/unit/verify/muon_test.cpp.
    implementation.optimizers = gdbench::catalogue::kAll<OptimizerKind> & ~catalogue::bit_of(OptimizerKind::muon);
    for (const int capability :
         {GDBENCH_CAPABILITY_MICRO_BATCHES, GDBENCH_CAPABILITY_WEIGHT_DECAY, GDBENCH_CAPABILITY_EPSILON_PLACE}) {
      implementation.capabilities |= GDBENCH_BIT(capability);
    }
  });
}
