// What a training starts from.
#include "harness/data/initial_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/data/npy.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using catalogue::Activation, catalogue::Dtype, catalogue::Normalization, catalogue::OptimizerKind;
using scenario::Distribution, scenario::Initial, scenario::ParameterShape, scenario::Problem, scenario::State;

State start(const Problem& problem, const Initial& initial = {}) {
  return make_initial_state(problem, initial).value();
}

TEST(InitialState, LeavesANormalizationAsItIs) {
  Problem problem;
  problem.layers = {{4, 5, Activation::relu, true, Normalization::layer}, {5, 3, Activation::identity, false}};
  const State state = start(problem);
  ASSERT_EQ(state.parameters.size(), 5U);
  EXPECT_EQ(state.parameters[2], std::vector<double>(5, 1));
  EXPECT_EQ(state.parameters[3], std::vector<double>(5, 0));
  const std::vector<ParameterShape> shapes = parameter_shapes(problem);
  EXPECT_EQ(shapes[2].name, "scale0");
  EXPECT_EQ(shapes[3].name, "shift0");
  problem.layers[0].normalization = Normalization::none;
  EXPECT_EQ(start(problem).parameters[2], state.parameters[4]);  // the same random numbers
}

TEST(InitialState, IsSeededBoundedAndExactInTheDtype) {
  Problem problem;
  problem.layers = {{4, 50, Activation::relu, true}, {50, 3, Activation::identity, false}};
  problem.dtype = Dtype::f32;
  const State state = start(problem);
  ASSERT_EQ(state.parameters.size(), 3U);
  EXPECT_EQ(state.parameters[0].size(), 200U);
  EXPECT_EQ(state.parameters[1].size(), 50U);
  EXPECT_EQ(state.parameters[2].size(), 150U);
  EXPECT_EQ(state.step, 0);
  EXPECT_TRUE(state.slots.empty());
  const double bounds[] = {0.5, 0.5, std::sqrt(0.02)};
  for (std::size_t p = 0; p < 3; ++p) {
    double largest = 0;
    for (const double value : state.parameters[p]) {
      EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
      largest = std::max(largest, std::abs(value));
    }
    EXPECT_LE(largest, bounds[p] * (1 + 1e-7));
    EXPECT_GT(largest, bounds[p] * 0.8);
  }
  EXPECT_EQ(start(problem).parameters, state.parameters);
  EXPECT_NE(start(problem, {.seed = 2}).parameters, state.parameters);
}

TEST(InitialState, HasZeroSlotsPerParameter) {
  Problem problem;
  problem.layers = {{2, 3, Activation::identity, true}};
  problem.optimizer.kind = OptimizerKind::adam;
  const State state = start(problem);
  ASSERT_EQ(state.slots.size(), 4U);
  EXPECT_EQ(state.slots[2], std::vector<double>(6, 0.0));
  EXPECT_EQ(state.slots[3], std::vector<double>(3, 0.0));
}

struct Moments {
  double mean, deviation, largest;
};

Moments moments_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0, largest = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  return {sum / count, std::sqrt(squares / count), largest};
}

// 200 x 300: the standard error of a deviation is 0.3%.
TEST(InitialState, IsDrawnAsItsDistributionSays) {
  Problem problem;
  problem.layers = {{200, 300, Activation::relu, true}};
  struct Case {
    Distribution distribution;
    double deviation;
    double bound;  // 0: none
  };
  const double uniform = std::sqrt(1.0 / 200);
  const double glorot = std::sqrt(6.0 / 500);
  for (const Case& each :
       {Case{Distribution::uniform, uniform / std::sqrt(3), uniform},
        Case{Distribution::glorot, glorot / std::sqrt(3), glorot}, Case{Distribution::lecun, std::sqrt(1.0 / 200), 0},
        Case{Distribution::he, std::sqrt(2.0 / 200), 0}, Case{Distribution::normal, 1, 0}}) {
    for (const double scale : {1.0, 0.01, 0.0}) {
      const State state = start(problem, {.distribution = each.distribution, .scale = scale});
      const Moments weights = moments_of(state.parameters[0]);
      const std::string what = std::string(name_of(each.distribution)) + " " + std::to_string(scale);
      EXPECT_NEAR(weights.deviation, scale * each.deviation, 0.015 * scale * each.deviation) << what;
      EXPECT_NEAR(weights.mean, 0, 0.02 * scale * each.deviation) << what;
      const double bound = scale * (each.bound > 0 ? each.bound * (1 + 1e-6) : HUGE_VAL);
      EXPECT_FALSE(weights.largest > bound) << what;
      EXPECT_GE(weights.largest, scale * each.deviation * (each.bound > 0 ? 1.7 : 3)) << what;
      const bool has_biases = each.distribution == Distribution::uniform && scale > 0;
      EXPECT_EQ(moments_of(state.parameters[1]).largest > 0, has_biases) << what;
    }
  }
}

class InitialFiles : public tests::Files {
 protected:
  void write_array(const std::string& name, const std::vector<double>& values, std::int64_t rows,
                   std::int64_t columns) const {
    std::string elements(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    write(name, npy_header(rows, columns) + elements);
  }
  std::string error(const std::string& name = "start_w0.npy") const {
    const Result<State> state = make_initial_state(problem_, {.path = folder_ / name});
    return state.ok() ? "" : state.error().message.substr(folder_.string().size() + 1);
  }
  Problem problem_ = [] {
    Problem problem;
    problem.layers = {{2, 3, Activation::identity, false}};
    return problem;
  }();
};

TEST_F(InitialFiles, AreReadWithTheShapeOfTheirParameter) {
  write_array("start_w0.npy", {1, 2, 3, 4, 5, 6.1}, 2, 3);
  const State state = start(problem_, {.path = folder_ / "start_w0.npy"});
  EXPECT_EQ(state.parameters[0], (std::vector<double>{1, 2, 3, 4, 5, static_cast<double>(6.1F)}));
  write_array("start_w0.npy", {1, 2, 3, 4, 5, 6}, 3, 2);
  EXPECT_EQ(error(), "start_w0.npy: found shape [3, 2], expected shape [2, 3]");
  write_array("start_w0.npy", {1, 2, 3, 4, NAN, 6}, 2, 3);
  EXPECT_EQ(error(), "start_w0.npy: found nan at element 4 (from 0), expected finite numbers");
  problem_.layers[0].bias = true;
  write_array("start_w0.npy", {1, 2, 3, 4, 5, 6}, 2, 3);
  EXPECT_EQ(error(), "start_b0.npy: found no such file, expected an NPY file");
  EXPECT_EQ(error("start_b0.npy"),
            "start_b0.npy: found that name, expected FILE.npz, or FILEw0.npy next to FILEb0.npy ...");
}

// As NumPy wrote it.
TEST_F(InitialFiles, MayBeAnArchive) {
  std::filesystem::copy(GDBENCH_SOURCE_DIR "/tests/fuzz/corpus/npz/deflated.npz", folder_ / "a.npz");
  EXPECT_EQ(read_npy_array(folder_ / "a.npz" / "x", {2, 3}).value(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  const Result<State> state = make_initial_state(problem_, {.path = folder_ / "a.npz"});
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().message.substr(folder_.string().size() + 1),
            "a.npz: found no member \"w0.npy\", expected one of x.npy, y.npy (did you mean x.npy?)");
}

}  // namespace
}  // namespace gdbench::data
