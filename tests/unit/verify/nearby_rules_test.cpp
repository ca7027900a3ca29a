// A rule is not taken for its neighbour: what people, and libraries, mistake it for.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "harness/verify/reference.h"
#include "harness/verify/update.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::OptimizerKind, scenario::Problem;

struct Neighbours {
  std::string name;
  std::function<void(Problem&)> right;
  std::function<void(Problem&)> wrong;  // in addition
};

auto hidden(Activation activation) {
  return [=](Problem& problem) {
    for (std::size_t l = 0; l + 1 < problem.layers.size(); ++l) problem.layers[l].activation = activation;
  };
}

auto loss(Loss loss) {
  return [=](Problem& problem) { problem.loss = loss; };
}

auto optimizer(OptimizerKind kind) {
  return [=](Problem& problem) {
    problem.optimizer.kind = kind;
    problem.optimizer.beta2 = kind == OptimizerKind::lion ? 0.99 : 0.999;
    problem.optimizer.learning_rates = {0.02};
  };
}

const Neighbours kNeighbours[] = {
    {"ReLU without its slope", hidden(Activation::leaky_relu), hidden(Activation::relu)},
    {"GELU's approximation", hidden(Activation::gelu), hidden(Activation::gelu_tanh)},
    {"the exact GELU", hidden(Activation::gelu_tanh), hidden(Activation::gelu)},
    {"ReLU instead of softplus", hidden(Activation::softplus), hidden(Activation::relu)},
    {"SiLU instead of softplus", hidden(Activation::softplus), hidden(Activation::silu)},
    {"GELU instead of SiLU", hidden(Activation::silu), hidden(Activation::gelu)},
    {"Huber's delta",
     [](Problem& problem) {
       problem.loss = {Loss::huber, 0.4};
     },
     loss(Loss::huber)},
    {"a squared error instead of Huber's", loss(Loss::huber), loss(Loss::half_mse)},
    {"a squared error of logits", loss(Loss::binary_cross_entropy), loss(Loss::half_mse)},
    {"the whole squared error", loss(Loss::half_mse), loss(Loss::mse)},
    {"Lion's betas exchanged", optimizer(OptimizerKind::lion),
     [](Problem& problem) { std::swap(problem.optimizer.beta1, problem.optimizer.beta2); }},
    {"Nadam's momentum as Keras schedules it", optimizer(OptimizerKind::nadam),
     [](Problem& problem) { problem.optimizer.momentum_decay = 1; }},
    {"Adam instead of Nadam", optimizer(OptimizerKind::nadam), optimizer(OptimizerKind::adam)},
    {"Adam instead of RAdam", optimizer(OptimizerKind::radam), optimizer(OptimizerKind::adam)},
};

TEST(NearbyRules, AreToldApart) {
  for (const auto& [name, right, wrong] : kNeighbours) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      SCOPED_TRACE(name + ", " + name_of(dtype));
      Problem problem = testing::make_problem({6, 6, 5, 3}, Activation::tanh, true, Loss::mse, 14, 4, dtype, 0.1);
      right(problem);
      testing::Case trained = testing::make_case(problem, 21);
      const auto reference = testing::reference_of(trained);
      ASSERT_TRUE(reference.ok()) << reference.error().message;
      const Check same = testing::judged(*reference, trained);
      EXPECT_TRUE(same.ok) << same.reason;
      wrong(trained.problem);
      EXPECT_FALSE(check(*reference, testing::train_otherwise(trained, reference->steps).state,
                         std::numeric_limits<double>::quiet_NaN())
                       .ok);
    }
  }
}

TEST(NearbyRules, ANormalizationIsToldFromOthers) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    Problem problem = testing::make_problem({6, 6, 5, 3}, Activation::tanh, true, Loss::mse, 14, 4, dtype, 0.1);
    for (scenario::Layer& layer : problem.layers) layer.normalization = scenario::Normalization::layer;
    const testing::Case trained = testing::make_case(problem, 21);
    const auto reference = testing::reference_of(trained);
    ASSERT_TRUE(reference.ok()) << reference.error().message;
    EXPECT_LT(testing::share_of_right_results(*reference, trained), 0.5) << name_of(dtype);
    for (const testing::Fault fault : {testing::Fault::unbiased_variance, testing::Fault::epsilon_of_root,
                                       testing::Fault::frozen_scale, testing::Fault::straight_gradient}) {
      EXPECT_TRUE(testing::finds(*reference, trained, fault)) << name_of(dtype) << static_cast<int>(fault);
    }
  }
}

// An entry that starts at 0, after `steps_before` gradients of 0 and the last one.
ReferenceState<double> state_after(const scenario::Optimizer& optimizer, int steps_before, double last) {
  ReferenceState<double> state{0, {{0.0}}, {}};
  for (int step = 0; step < steps_before; ++step) update(optimizer, {{0.0}}, state);
  update(optimizer, {{last}}, state);
  return state;
}

// The terms of a sum that cancel leave a gradient whose sign rounding decides: rules that divide by a root of squared
// gradients, or take a sign, then move an entry as far as they ever do, to either side.
TEST(UpdateErrorTest, BoundsWhatAGradientOfTheOtherSignDoes) {
  constexpr double kGradient = 1e-4;
  for (const OptimizerKind kind : catalogue::all_of<OptimizerKind>()) {
    const scenario::Optimizer optimizer{.kind = kind, .learning_rates = {0.5}};
    for (const int steps_before : {0, 3, 20}) {
      const ReferenceState<double> up = state_after(optimizer, steps_before, kGradient);
      const ReferenceState<double> down = state_after(optimizer, steps_before, -kGradient);
      const double distance = std::abs(up.parameters[0][0] - down.parameters[0][0]);
      const double bound = update_errors(optimizer, up, {2 * kGradient}, 0).front();
      EXPECT_GE(bound, distance * (1 - 1e-12)) << catalogue::name_of(kind) << " after " << steps_before;
      // A first gradient moves it as far as any.
      EXPECT_LE(bound, distance * (steps_before == 0 ? 1.001 : 3)) << catalogue::name_of(kind);
      EXPECT_EQ(update_errors(optimizer, up, {0.0}, 0).front(), 0) << "an exact gradient";
    }
  }
}

}  // namespace
}  // namespace gdbench::verify
