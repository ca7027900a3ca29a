// How far a timed block must move the parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/trust.h"
#include "harness/verify/check.h"
#include "harness/verify/reference.h"

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

TEST(DisplacementTrust, SaysWhatItExpectedAndAsksForTheOwnStartsOnlyThen) {
  const ExpectedDisplacement expected{2.0, 0.01};
  int asked = 0;
  const auto from_own_start = [&](std::optional<ExpectedDisplacement> own) {
    return [own, &asked] {
      ++asked;
      return own;
    };
  };
  EXPECT_EQ(untrusted_reason(2.005, expected, from_own_start({})), "");
  EXPECT_EQ(asked, 0) << "it takes long";
  const std::string reason = "a timed block moved the parameters by 3, expected 2 +- 0.01";
  EXPECT_EQ(untrusted_reason(3, expected, from_own_start({})), reason) << "none can be made";
  EXPECT_EQ(untrusted_reason(3, expected, from_own_start(ExpectedDisplacement{3, 0.1})), "");
  EXPECT_EQ(untrusted_reason(3, expected, from_own_start(ExpectedDisplacement{2.5, 0.1})),
            "a timed block moved the parameters by 3, expected 2.5 +- 0.1");
  EXPECT_EQ(asked, 3);
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
  scenario::State start(std::uint64_t seed) const { return data::make_initial_state(problem_, seed); }

  std::optional<ExpectedDisplacement> expected(const scenario::State& start, std::uint64_t steps) const {
    return expected_displacement(problem_, dataset_, start, steps);
  }

  // How far `steps` steps in a type of numbers move the parameters from the start that `change` makes of one.
  template <class T>
  double walked(
      const scenario::State& start, std::int64_t steps,
      void (*change)(verify::ReferenceState<T>&) = [](verify::ReferenceState<T>&) {}) const {
    auto state = verify::to_reference<T>(start);
    change(state);
    verify::train(problem_, dataset_, state, steps);
    return verify::displacement(start, verify::to_state(state));
  }

 private:
  data::Dataset dataset_;
  scenario::Problem problem_;
};

TEST(ExpectedDisplacement, IsTheReferencesOwnWithinATightTolerance) {
  for (const char* const dtype : {"f32", "f64"}) {
    const Training training("linreg-300x2", {{"dtype", dtype}});
    const scenario::State start = training.start(1);
    const auto expected = training.expected(start, 200);
    ASSERT_TRUE(expected.has_value());
    EXPECT_NEAR(expected->value, training.walked<double>(start, 200), 1e-12);
    EXPECT_GE(expected->tolerance, 0.001 * expected->value);
    EXPECT_LT(expected->tolerance, 0.002 * expected->value);
    // A block that made half of its steps is caught.
    EXPECT_NE(untrusted_reason(training.walked<double>(start, 100), *expected), "");
    EXPECT_FALSE(training.expected(start, 1'000'000'000).has_value()) << "the reference would take too long";
  }
}

// Hundreds of steps of Adam make much of a last bit: an implementation that rounds elsewhere is believed all the same.
TEST(RoundedDisplacement, IsBelievedWhereStepsMultiplyRounding) {
  const Training training("mlp-10-50-1", {{"batch", "64"}, {"optimizer", "adam"}, {"learning_rate", "0.005"}});
  const auto round_otherwise = [](verify::ReferenceState<float>& state) {
    for (auto& parameter : state.parameters) {
      for (float& value : parameter) value = std::nextafter(value, 1.0F);
    }
  };
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const scenario::State start = training.start(seed);
    const auto expected = training.expected(start, 400);
    ASSERT_TRUE(expected.has_value());
    const double moved = training.walked<float>(start, 400, round_otherwise);
    EXPECT_EQ(untrusted_reason(moved, *expected), "") << "initial_seed " << seed;
  }
}

// Rounding makes next to nothing of it in f64. A start as far beside the scenario's as those of blocks, which is a
// ten-thousandth of the displacement, makes hundreds of times that.
TEST(RoundedDisplacement, AllowsForWhatStepsMakeOfAnotherStart) {
  const Training training("mlp-10-50-1",
                          {{"batch", "64"}, {"optimizer", "adam"}, {"learning_rate", "0.0036"}, {"dtype", "f64"}});
  const auto expected = training.expected(training.start(1), 560);
  ASSERT_TRUE(expected.has_value());
  EXPECT_GT(expected->tolerance, 0.01 * expected->value);
}

struct BlocksOf {
  const char* scenario;
  std::vector<scenario::Setting> settings;
  std::int64_t steps;
  std::uint32_t seeds;
  double most;  // of the displacement, that the tolerance may be
};

// So is one that begins beside the scenario's start, as every timed block does. With lion an entry whose direction is
// next to 0 moves by the whole rate, to either side; in a mixed dtype an operand may become its neighbour, and a ReLU
// of few changes sides.
TEST(RoundedDisplacement, IsBelievedFromTheStartsOfBlocks) {
  const BlocksOf cases[] = {
      {"mlp-10-50-1", {{"batch", "64"}, {"optimizer", "adam"}, {"learning_rate", "0.0036"}}, 560, 3, 0.1},
      {"mlp-10-50-1", {{"optimizer", "lion"}, {"learning_rate", "0.01"}}, 17, 12, 0.2},
      {"mlp-784-128-10", {{"width", "1"}, {"dtype", "bf16"}}, 100, 4, 0.2},
      {"mlp-784-128-10", {{"width", "8"}}, 59, 1, 0.2}};
  for (const BlocksOf& blocks : cases) {
    const Training training(blocks.scenario, blocks.settings);
    const auto steps = static_cast<std::uint64_t>(blocks.steps);
    std::mt19937_64 generator(7);
    for (std::uint32_t seed = 1; seed <= blocks.seeds; ++seed) {
      const scenario::State start = training.start(seed);
      const auto expected = training.expected(start, steps);
      ASSERT_TRUE(expected.has_value());
      EXPECT_LT(expected->tolerance, blocks.most * expected->value);
      for (int block = 0; block < 4; ++block) {
        scenario::State own = start;
        for (const VariedEntry& entry :
             vary(start, training.dtype(), kShareOfDisplacement * expected->value, generator)) {
          own.parameters[entry.tensor][entry.entry] = entry.value;
        }
        const double moved = training.walked<float>(own, blocks.steps);
        const auto from_own = [&] { return training.expected(own, steps); };
        EXPECT_EQ(untrusted_reason(moved, *expected, from_own), "")
            << blocks.scenario << ", " << blocks.settings.back().value << ", initial_seed " << seed << ", block "
            << block;
        if (block > 0) continue;
        EXPECT_NE(untrusted_reason(moved / 2, *expected, from_own), "");
      }
    }
  }
}

}  // namespace
}  // namespace gdbench::measure
