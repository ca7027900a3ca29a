// What is said of a state, compared with a reference that is made by hand, and of the mistake that leads to it.
#include "harness/verify/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "harness/verify/diagnosis.h"
#include "harness/verify/reference.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

// Two steps that end at the weights 1 2 3 / 4 5 6 and the biases 7 8 9.
ReferenceTrajectory reference_by_hand() {
  ReferenceTrajectory reference;
  reference.steps = 2;
  reference.start.step = 10;
  reference.tensors = {{"w0", 2, 3, {1, 2, 3, 4, 5, 6}, 0.5, {}, 10}, {"b0", 1, 3, {7, 8, 9}, 0.25, {}, 4}};
  reference.final_loss = 0.5;
  reference.loss_tolerance = 0.125;
  return reference;
}

scenario::State exact_state() {
  scenario::State state;
  state.step = 12;
  state.parameters = {{1, 2, 3, 4, 5, 6}, {7, 8, 9}};
  return state;
}

std::string reason(const scenario::State& state, const ReferenceTrajectory& reference = reference_by_hand(),
                   double loss = kNoLoss) {
  const Check result = check(reference, state, loss);
  EXPECT_EQ(result.ok, result.reason.empty());
  return result.reason;
}

TEST(CheckTest, TensorsMayBeOffByTheirTolerance) {
  scenario::State state = exact_state();
  EXPECT_EQ(reason(state), "");
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[0].tolerance = 0.625;
  state.parameters[0][1] += 0.375;
  state.parameters[0][5] -= 0.5;
  state.parameters[1][0] += 0.25;
  const Check result = check(reference, state, kNoLoss);
  EXPECT_TRUE(result.ok) << result.reason;
  ASSERT_EQ(result.tensors.size(), 2U);
  EXPECT_EQ(result.tensors[0].name, "w0");
  EXPECT_EQ(result.tensors[0].error, 0.625);
  EXPECT_EQ(result.tensors[0].tolerance, 0.625);
  EXPECT_EQ(result.tensors[0].relative, 0.0625) << "of its scale";
  EXPECT_EQ(result.tensors[1].relative, 0.0625);
  reference.tensors[1].scale = 0;
  EXPECT_EQ(check(reference, state, kNoLoss).tensors[1].relative, 0.25) << "without a scale it is absolute";
}

struct OffBy {
  std::size_t tensor;
  std::size_t entry;
  double by;
};

scenario::State off_by(const std::vector<OffBy>& entries) {
  scenario::State state = exact_state();
  for (const auto& [tensor, entry, by] : entries) state.parameters[tensor][entry] += by;
  return state;
}

// Of the tensor that exceeds its tolerance by the largest factor.
TEST(CheckTest, TheEntryThatIsFurthestOffIsNamed) {
  const std::pair<std::vector<OffBy>, const char*> rows[] = {
      {{{0, 0, -0.25}, {0, 5, -0.75}},
       "w0[1,2] is 5.25, expected 6; the tensor is off by 7.9e-01, tolerance 5.0e-01, after 2 steps"},
      {{{0, 0, 1}, {1, 2, 0.75}},  // twice and three times
       "b0[2] is 9.75, expected 9; the tensor is off by 7.5e-01, tolerance 2.5e-01, after 2 steps"},
      {{{0, 0, 2}, {1, 2, 0.75}},  // four times
       "w0[0,0] is 3, expected 1; the tensor is off by 2.0e+00, tolerance 5.0e-01, after 2 steps"},
      {{{1, 1, std::numeric_limits<double>::infinity()}, {1, 2, std::nan("")}},
       "b0[1] is inf, expected a finite number; 2 of 3 entries are not finite, after 2 steps"}};
  for (const auto& [entries, expected] : rows) EXPECT_EQ(reason(off_by(entries)), expected);
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[1].tolerance = 0;
  reference.steps = 1;
  scenario::State state = off_by({{0, 0, 2}, {1, 2, 0.75}});
  state.step = 11;
  EXPECT_TRUE(reason(state, reference).starts_with("b0[2] ")) << "nothing was allowed";
  EXPECT_TRUE(reason(state, reference).ends_with(", after 1 step"));
}

TEST(CheckTest, OfASampleEveryEntryIsHeldAgainstItsOwnTolerance) {
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[0].tolerance = 100;
  reference.tensors[0].entry_tolerances = {0.5F, 0.5F, 0.125F, 0.5F, 0, 0.5F};
  EXPECT_EQ(reason(off_by({{0, 0, 0.5}}), reference), "") << "as much as is allowed";
  EXPECT_EQ(
      reason(off_by({{0, 0, 0.5}, {0, 1, -1}, {0, 2, 0.375}}), reference),  // twice its tolerance, and three times
      "w0[0,2] is 3.375, expected 3, tolerance 1.2e-01; 2 of 6 entries are off by more than theirs, after 2 steps");
  EXPECT_EQ(
      reason(off_by({{0, 0, 0.5}, {0, 1, -1}, {0, 2, 0.375}, {0, 4, 0.25}}), reference),
      "w0[1,1] is 5.25, expected 5, tolerance 0.0e+00; 3 of 6 entries are off by more than theirs, after 2 steps");
}

TEST(CheckTest, AnotherFormIsWrong) {
  scenario::State state = exact_state();
  ++state.step;
  EXPECT_EQ(reason(state), "the state's step number is 13, expected 12, after 2 steps");
  state.parameters[1].pop_back();
  EXPECT_EQ(reason(state), "b0 has 2 entries, expected 3");
  state.parameters.pop_back();
  EXPECT_EQ(reason(state), "the state has 1 parameters, expected 2");
}

TEST(CheckTest, TheScaleOfTheLossIsMetExactly) {
  ReferenceTrajectory reference = reference_by_hand();
  reference.loss_scaling = {1024, 3, 1};
  scenario::State state = exact_state();
  const std::pair<std::vector<double>, const char*> rows[] = {
      {{1024, 3, 1}, ""},
      {{512, 3, 1}, "the scale of the loss is 512, expected 1024, after 2 steps"},
      {{1024, 2, 1}, "the number of updates at this scale is 2, expected 3, after 2 steps"},
      {{1024, 3}, "the number of skipped steps is nan, expected 1, after 2 steps"}};
  for (const auto& [scaling, expected] : rows) {
    state.loss_scaling = scaling;
    EXPECT_EQ(reason(state, reference), expected);
  }
}

TEST(CheckTest, ParametersThatAreBfloat16StaySo) {
  ReferenceTrajectory reference = reference_by_hand();
  scenario::State state = exact_state();
  state.parameters[0][3] = 4.001;  // a bfloat16 has 8 digits
  EXPECT_EQ(reason(state, reference), "");
  reference.bfloat16_parameters = true;
  EXPECT_EQ(reason(state, reference), "w0[1,0] is 4.001, expected a bfloat16, after 2 steps");
}

TEST(CheckTest, TheLossIsHeldAgainstItsTolerance) {
  ReferenceTrajectory reference = reference_by_hand();
  EXPECT_EQ(reason(exact_state(), reference, 0.625), "");
  EXPECT_EQ(reason(exact_state(), reference, 0.75),
            "the loss is 0.75, expected 0.5; it is off by 2.5e-01, tolerance 1.2e-01, after 2 steps");
  EXPECT_EQ(check(reference, exact_state(), 0.75).loss, 0.75);
  reference.evaluated = false;
  EXPECT_EQ(reason(exact_state(), reference, 0.75), "") << "there is none to compare it with";
}

TEST(CheckTest, ADisplacementIsTheNormOfAllThatMoved) {
  scenario::State moved = exact_state();
  EXPECT_EQ(displacement(exact_state(), moved), 0);
  moved.parameters[0][0] += 3;
  moved.parameters[1][2] -= 4;
  EXPECT_EQ(displacement(exact_state(), moved), 5);
  moved.parameters[1].pop_back();
  EXPECT_TRUE(std::isnan(displacement(exact_state(), moved)));
  moved.parameters.pop_back();
  EXPECT_TRUE(std::isnan(displacement(exact_state(), moved)));
}

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
