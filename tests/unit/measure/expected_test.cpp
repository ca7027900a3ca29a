// How far a timed block must move the parameters, and where it must end.
#include "harness/measure/expected.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/data/initial_state.h"
#include "harness/measure/block_starts.h"
#include "harness/verify/check.h"
#include "harness/verify/reference.h"
#include "tests/support/few_cases.h"

namespace gdbench::measure {
namespace {

TEST(DisplacementTrust, ToleratesWhatItSays) {
  const ExpectedDisplacement expected{2.0, 0.01};
  EXPECT_EQ(untrusted_reason(2.0, expected), "");
  EXPECT_EQ(untrusted_reason(1.9901, expected), "");
  for (const double wrong : {1.98, 2.02, 0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(untrusted_reason(wrong, expected).find("moved the parameters"), std::string::npos) << wrong;
  }
}

// A scenario that is shipped, from any start.
class Training {
 public:
  Training(const std::string& scenario, const std::vector<scenario::Setting>& settings) {
    const auto read = scenario::read_scenario(cat(GDBENCH_SOURCE_DIR, "/scenarios/", scenario, ".json"), settings);
    EXPECT_TRUE(read.ok());
    auto made = data::make_dataset(read.value());
    EXPECT_TRUE(made.ok());
    dataset_ = std::move(made).value();
    problem_ = data::make_problem(read.value(), dataset_).value();
  }

  scenario::Dtype dtype() const { return problem_.dtype; }
  scenario::State start(std::uint64_t seed) const { return data::make_initial_state(problem_, {.seed = seed}).value(); }

  // Nothing where the reference would take too long.
  std::optional<ExpectedDisplacement> try_expected(const scenario::State& start, std::uint64_t steps) const {
    return expected_displacement(problem_, dataset_, start, steps);
  }
  ExpectedDisplacement expected(const scenario::State& start, std::uint64_t steps) const {
    return try_expected(start, steps).value();
  }
  ExpectedEnd end(const scenario::State& start, std::uint64_t steps) const {
    return expected_end(problem_, dataset_, start, steps, expected(start, steps).rounding).value();
  }

  // The start of the next block, as a run varies it.
  scenario::State next_start(const scenario::State& start, const ExpectedDisplacement& expected) {
    static const Parameters nowhere;
    const Parameters& way = expected.way != nullptr ? *expected.way : nowhere;
    return varied(start, way, vary_start(start, dtype(), expected.value, generator_));
  }

  // As for a block of a scenario whose own start `rounding` is known of.
  std::string reason(const scenario::State& start, std::uint64_t steps, double rounding,
                     const scenario::State& end) const {
    const ExpectedEnd expected = expected_end(problem_, dataset_, start, steps, rounding).value();
    const std::string reason = untrusted_reason(end, expected);
    return is_forgivable(problem_, dataset_, start, steps, end, expected) ? "" : reason;
  }

  bool comes_of_rounding(const scenario::State& start, std::uint64_t steps, const scenario::State& end) const {
    const ExpectedEnd expected = expected_end(problem_, dataset_, start, steps, 0).value();
    return measure::comes_of_rounding(problem_, dataset_, start, steps, end, expected);
  }

  // Where `steps` steps in a type of numbers lead from a start.
  template <class T>
  scenario::State trained(const scenario::State& start, std::int64_t steps) const {
    auto state = verify::to_reference<T>(start);
    verify::train(problem_, dataset_, state, steps);
    return verify::to_state(state);
  }

  // How far they move the parameters.
  template <class T>
  double walked(const scenario::State& start, std::int64_t steps) const {
    return verify::displacement(start, trained<T>(start, steps));
  }

 private:
  data::Dataset dataset_;
  scenario::Problem problem_;
  std::mt19937_64 generator_{7};
};

TEST(ExpectedDisplacement, IsTheReferencesOwnWithinWhatStartsMakeOfIt) {
  for (const char* const dtype : {"f32", "f64"}) {
    const Training training("linreg-300x2", {{"dtype", dtype}});
    const scenario::State start = training.start(1);
    const ExpectedDisplacement expected = training.expected(start, 200);
    EXPECT_NEAR(expected.value, training.walked<double>(start, 200), 1e-12);
    EXPECT_GT(expected.rounding, 0);
    EXPECT_NE(untrusted_reason(0, expected), "") << "a block that made none of its steps, from whatever start";
    EXPECT_FALSE(training.try_expected(start, 1'000'000'000).has_value());
  }
}

TEST(Steps, MoveAsFarAsTheirOptimizerGathersSpeed) {
  constexpr double kStep = 3.16;
  catalogue::Optimizer optimizer;
  EXPECT_EQ(untrusted_for_steps(100 * kStep, kStep, 100, optimizer), "");
  EXPECT_EQ(untrusted_for_steps(0.1 * kStep, kStep, 100, optimizer), "") << "of one that approaches its goal";
  EXPECT_EQ(untrusted_for_steps(500 * kStep, kStep, 100, optimizer),
            "a timed block of 100 steps moved the parameters by 1.58e+03, a single step by 3.16");
  EXPECT_NE(untrusted_for_steps(0, kStep, 100, optimizer), "");
  EXPECT_NE(untrusted_for_steps(std::numeric_limits<double>::quiet_NaN(), kStep, 100, optimizer), "");
  for (const auto kind : {catalogue::OptimizerKind::momentum, catalogue::OptimizerKind::nesterov}) {
    optimizer.kind = kind;
    EXPECT_EQ(untrusted_for_steps(389 * 10 * kStep, kStep, 389, optimizer), "") << "ten times, as momentum is 0.9";
    EXPECT_NE(untrusted_for_steps(389 * 40 * kStep, kStep, 389, optimizer), "");
  }
}

TEST(ExpectedDisplacement, OfASingleStepIsKnownAtEverySize) {
  const Training training("mlp-784-1024-1024-10", {});
  const scenario::State start = training.start(1);
  EXPECT_FALSE(training.try_expected(start, 2).has_value());
  const ExpectedDisplacement expected = training.expected(start, 1);
  EXPECT_EQ(untrusted_reason(training.walked<float>(start, 1), expected), "");
  EXPECT_NE(untrusted_reason(0.9 * expected.value, expected), "");
  EXPECT_EQ(expected.way, nullptr) << "such starts are next to the scenario's";
}

struct BlocksOf {
  const char* scenario;
  std::vector<scenario::Setting> settings;
  std::int64_t steps;
  std::uint32_t seeds;
};

// Right ends are believed, from all starts of blocks. With lion an entry whose direction is next to 0 moves by the
// whole rate, to either side; muon magnifies what is small; in a mixed dtype an operand may become its neighbour, and a
// ReLU of few changes sides.
TEST(ExpectedEnd, IsThatOfEveryRightBlock) {
  if (kFewCases) GTEST_SKIP() << "a minute of trainings";
  const BlocksOf cases[] = {
      {"linreg-3x2", {}, 20000, 2},
      {"mlp-10-50-1", {{"batch", "64"}, {"optimizer", "adam"}, {"learning_rate", "0.0036"}}, 560, 2},
      {"mlp-10-50-1", {{"batch", "64"}, {"optimizer", "adam"}, {"learning_rate", "0.0036"}, {"dtype", "f64"}}, 560, 1},
      {"mlp-10-50-1", {{"optimizer", "lion"}, {"learning_rate", "0.01"}}, 17, 6},
      {"mlp-10-48-64-32-1", {{"rows", "50"}}, 60, 2},
      {"mlp-784-128-10", {{"width", "1"}, {"dtype", "bf16"}}, 100, 2},
      {"mlp-784-128-10", {{"width", "8"}}, 59, 1}};
  for (const BlocksOf& blocks : cases) {
    Training training(blocks.scenario, blocks.settings);
    const auto steps = static_cast<std::uint64_t>(blocks.steps);
    for (std::uint32_t seed = 1; seed <= blocks.seeds; ++seed) {
      const scenario::State start = training.start(seed);
      const ExpectedDisplacement expected = training.expected(start, steps);
      for (int block = 0; block < 4; ++block) {
        const scenario::State own = training.next_start(start, expected);
        const ExpectedEnd end = training.end(own, steps);
        const bool wide = training.dtype() == scenario::Dtype::f64;
        const scenario::State in_floats = training.trained<float>(own, blocks.steps);
        EXPECT_TRUE(!wide || !untrusted_reason(in_floats, end).empty()) << "not of the type that it says";
        EXPECT_EQ(untrusted_reason(wide ? training.trained<double>(own, blocks.steps) : in_floats, end), "")
            << blocks.scenario << ", initial_seed " << seed << ", block " << block;
        if (block > 0) continue;
        EXPECT_NE(untrusted_reason(own, end), "") << "no step";
        EXPECT_NE(untrusted_reason(training.trained<float>(own, blocks.steps / 2), end), "") << "half of the steps";
      }
    }
  }
}

// In a small network rounding may decide for which rows a unit of a ReLU stays off: one start of some fifty.
TEST(ExpectedEnd, IsForgivenWhereRoundingAloneLeadsElsewhere) {
  Training training("mlp-10-50-1", {{"rows", "10"}, {"width", "4"}, {"learning_rate", "0.0004"}});
  constexpr std::uint64_t kSteps = 4900;
  constexpr int kMostBlocks = 500;
  const scenario::State start = training.start(1);
  const ExpectedDisplacement expected = training.expected(start, kSteps);
  for (int block = 0; block < kMostBlocks; ++block) {
    const scenario::State own = training.next_start(start, expected);
    const scenario::State right = training.trained<float>(own, kSteps);
    const ExpectedEnd end = training.end(own, kSteps);
    if (block == 0) {
      const scenario::State tenth_less = training.trained<float>(own, kSteps * 9 / 10);
      EXPECT_NE(training.reason(own, kSteps, expected.rounding, tenth_less), "");
    }
    if (verify::displacement(right, end.state) <= end.forgivable) continue;
    EXPECT_EQ(training.reason(own, kSteps, expected.rounding, right), "");
    EXPECT_NE(training.reason(own, kSteps, expected.rounding, own), "") << "no step";
    return;
  }
  FAIL() << "no start parts what is right";
}

// The scenario's own start may say nothing of it: an operand of bfloat16 became no other there.
TEST(ExpectedEnd, IsBelievedWhereRoundingExplainsIt) {
  Training training("mlp-784-128-10", {{"width", "8"}, {"dtype", "bf16"}});
  constexpr std::uint64_t kSteps = 59;
  const scenario::State start = training.start(2);
  const ExpectedDisplacement expected = training.expected(start, kSteps);
  for (int block = 0; block < 4; ++block) {
    const scenario::State own = training.next_start(start, expected);
    EXPECT_TRUE(training.comes_of_rounding(own, kSteps, training.trained<float>(own, kSteps))) << block;
    EXPECT_FALSE(training.comes_of_rounding(own, kSteps, training.trained<float>(own, kSteps * 9 / 10))) << block;
  }
}

// What was seen to become of one start says too little of others: their ends are as far off as their way differs.
TEST(ExpectedEnd, IsNotWhatAnotherBlocksWayLeadsTo) {
  for (const auto& [scenario, steps] :
       {std::pair("linreg-3x2", 300U), {"linreg-300x10", 300U}, {"mlp-10-50-1", 100U}}) {
    Training training(scenario, {});
    const scenario::State start = training.start(1);
    const ExpectedDisplacement expected = training.expected(start, steps);
    EXPECT_EQ(untrusted_reason(training.trained<double>(start, steps), training.end(start, steps)), "")
        << "more exact is right, too";
    int found = 0;
    constexpr int kBlocks = 10;
    for (int block = 0; block < kBlocks; ++block) {
      const scenario::State own = training.next_start(start, expected);
      scenario::State extrapolated = own;
      for (std::size_t i = 0; i < own.parameters.size(); ++i) {
        for (std::size_t j = 0; j < own.parameters[i].size(); ++j) {
          extrapolated.parameters[i][j] += (*expected.way)[i][j];
        }
      }
      found += untrusted_reason(extrapolated, training.end(own, steps)).empty() ? 0 : 1;
    }
    EXPECT_GE(found, kBlocks / 2) << scenario;
  }
}

TEST(BlockStarts, AreNeverTheSame) {
  Training training("linreg-300x10", {});
  const scenario::State start = training.start(1);
  std::set<double> seen = {start.parameters[0][0]};
  for (int i = 0; i < 50; ++i) seen.insert(training.next_start(start, {}).parameters[0][0]);
  EXPECT_EQ(seen.size(), 51U);
}

}  // namespace
}  // namespace gdbench::measure
