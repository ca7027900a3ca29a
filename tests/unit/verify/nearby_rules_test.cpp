// A rule is not taken for its neighbour: what people, and libraries, mistake it for.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::OptimizerKind, scenario::Problem;
using testing::Fault;

struct Neighbours {
  std::string name;
  std::function<void(Problem&)> right;
  std::function<void(Problem&)> wrong;  // in addition
  Fault fault = Fault::none;
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

void normalized(Problem& problem) {
  for (scenario::Layer& layer : problem.layers) layer.normalization = scenario::Normalization::layer;
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
    {"a variance divided by one less", normalized, normalized, Fault::unbiased_variance},
    {"epsilon added to the root", normalized, normalized, Fault::epsilon_of_root},
    {"a scale that stays", normalized, normalized, Fault::frozen_scale},
    {"a row's mean and variance as constants", normalized, normalized, Fault::straight_gradient},
};

TEST(NearbyRules, AreToldApart) {
  for (const auto& [name, right, wrong, fault] : kNeighbours) {
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
      const testing::Outcome end =
          testing::train_otherwise(trained, reference->steps, testing::Summation::blocked, fault);
      EXPECT_FALSE(check(*reference, end.state, std::numeric_limits<double>::quiet_NaN()).ok);
    }
  }
}

}  // namespace
}  // namespace gdbench::verify
