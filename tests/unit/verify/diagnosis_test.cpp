#include "harness/verify/diagnosis.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/verify/reference.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

using catalogue::EpsilonPlace, catalogue::OptimizerKind, scenario::Activation, scenario::Problem, scenario::State;
using testing::Case, testing::make_case, testing::make_problem;

constexpr std::int64_t kSteps = 3;

State end_of(const Problem& problem, const Case& given, State start, std::int64_t steps = kSteps) {
  ReferenceState<double> state = to_reference<double>(start);
  train<double>(problem, given.dataset, state, steps);
  return to_state(state);
}

// What is said of a training of `given` by another problem or from another start.
std::string said(const Case& given, const std::function<void(Problem&, State&)>& mistake, std::int64_t steps = kSteps) {
  Problem problem = given.problem;
  State start = given.start;
  mistake(problem, start);
  return diagnosis(given.problem, given.dataset, given.start, end_of(problem, given, start, steps), steps);
}

Case linear_case() {
  return make_case(
      make_problem({3, 2}, Activation::identity, true, scenario::Loss::mse, 12, 12, scenario::Dtype::f64, 0.1), 1);
}

struct Example {
  OptimizerKind kind;
  std::function<void(Problem&, State&)> mistake;
  const char* text;
};

TEST(DiagnosisTest, NamesTheRuleThatLeadsToTheSameEnd) {
  const std::vector<Example> examples = {
      {OptimizerKind::adam, [](Problem& p, State&) { p.optimizer.epsilon_place = EpsilonPlace::hat; },
       "it ends where optimizer.epsilon_place=hat leads"},
      {OptimizerKind::rmsprop, [](Problem& p, State&) { p.optimizer.epsilon_place = EpsilonPlace::inside; },
       "it ends where optimizer.epsilon_place=inside leads"},
      {OptimizerKind::momentum, [](Problem& p, State&) { p.optimizer.kind = OptimizerKind::nesterov; },
       "it ends where optimizer=nesterov leads"},
      {OptimizerKind::adam, [](Problem& p, State&) { p.optimizer.weight_decay = 0; },
       "it ends where no weight decay leads"},
      {OptimizerKind::adam, [](Problem& p, State&) { p.optimizer.decoupled_weight_decay = true; },
       "it ends where decoupled weight decay leads"},
      {OptimizerKind::sgd,
       [](Problem& p, State&) {
         p.optimizer.kind = OptimizerKind::momentum;
         p.optimizer.momentum = 1;
       },
       "it ends where gradients lead that are summed up from step to step: is zero_grad missing?"},
      {OptimizerKind::sgd, [](Problem& p, State&) { p.layers[0].activation = Activation::sigmoid; },
       "it ends where sigmoid leads in the place of tanh"},
      {OptimizerKind::momentum, [](Problem&, State& s) { s.slots.clear(); },
       "it ends where an optimizer leads whose slots begin at 0: is its state not taken over?"},
      {OptimizerKind::adam, [](Problem&, State& s) { s.step = 0; },
       "it ends where an optimizer leads that counts its updates from 1 again: is their number not taken over?"},
  };
  for (const Example& example : examples) {
    Problem problem =
        make_problem({3, 5, 2}, Activation::tanh, true, scenario::Loss::mse, 12, 12, scenario::Dtype::f64, 0.1);
    problem.optimizer.kind = example.kind;
    problem.optimizer.epsilon = 1e-2;
    problem.optimizer.weight_decay = example.kind == OptimizerKind::adam ? 0.1 : 0;
    Case given = make_case(problem, 1);
    given.start.step = 4;
    given.start.slots.clear();
    given.start = end_of(given.problem, given, given.start);  // with slots
    EXPECT_EQ(said(given, example.mistake), example.text);
  }
}

TEST(DiagnosisTest, NamesTheFactorOfAStep) {
  const Case given = linear_case();
  const auto scaled = [&](double factor) {
    return said(
        given, [&](Problem& p, State&) { p.optimizer.learning_rates[0] *= factor; }, 1);
  };
  EXPECT_EQ(
      scaled(0.5),
      "its step is 0.5 times the reference's: half of the square, or a gradient without the square's factor of 2?");
  EXPECT_EQ(scaled(-1), "its step is -1 times the reference's: it climbs: subtract the gradient");
  EXPECT_EQ(scaled(1.7), "its step is 1.7 times the reference's: another learning rate, or a factor of the loss?");
}

TEST(DiagnosisTest, SeesParametersThatAreAddedTwice) {
  const Case given = linear_case();
  State end = end_of(given.problem, given, given.start, 1);
  for (std::size_t p = 0; p < end.parameters.size(); ++p) {
    for (std::size_t i = 0; i < end.parameters[p].size(); ++i) end.parameters[p][i] += given.start.parameters[p][i];
  }
  EXPECT_EQ(diagnosis(given.problem, given.dataset, given.start, end, 1),
            "it ends at the old parameters added to the new ones: are they added twice?");
}

TEST(DiagnosisTest, SaysNothingOfWhatItDoesNotKnow) {
  const Case given = linear_case();
  State end = end_of(given.problem, given, given.start);
  end.parameters[0][0] += 1;
  EXPECT_EQ(diagnosis(given.problem, given.dataset, given.start, end, kSteps), "");
  end.parameters[1] = given.start.parameters[1];
  EXPECT_EQ(diagnosis(given.problem, given.dataset, given.start, end, kSteps),
            "b0 did not move: is it what the step changes, or a copy?");
}

}  // namespace
}  // namespace gdbench::verify
