// What a training starts from.
#include "harness/data/initial_state.h"

#include <algorithm>

#include "harness/data/npy.h"
#include "tests/unit/data/values.h"

namespace gdbench::data {
namespace {

using catalogue::Activation, catalogue::Dtype, catalogue::Normalization, catalogue::OptimizerKind;
using scenario::Distribution, scenario::Initial, scenario::ParameterShape, scenario::Problem, scenario::State;

State start(const Problem& problem, const Initial& initial = {}) {
  return make_initial_state(problem, initial).value();
}

double largest_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return std::max(-least, most);
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
    for (const double value : state.parameters[p]) EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    EXPECT_LE(largest_of(state.parameters[p]), bounds[p] * (1 + 1e-7));
    EXPECT_GT(largest_of(state.parameters[p]), bounds[p] * 0.8);
  }
  EXPECT_EQ(start(problem).parameters, state.parameters);
  EXPECT_NE(start(problem, {.seed = 2}).parameters, state.parameters);
  problem.optimizer.kind = OptimizerKind::adam;
  const std::vector<std::vector<double>> slots = start(problem).slots;
  ASSERT_EQ(slots.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(slots[i], std::vector<double>(state.parameters[i % 3].size(), 0.0));
}

// 200 x 300: the standard error of a deviation is 0.3%.
TEST(InitialState, IsDrawnAsItsDistributionSays) {
  Problem problem;
  problem.layers = {{200, 300, Activation::relu, true}};
  const double uniform = std::sqrt(1.0 / 200);
  const double glorot = std::sqrt(6.0 / 500);
  const std::tuple<Distribution, double, double> cases[] = {// the deviation; a bound, or 0
                                                            {Distribution::uniform, uniform / std::sqrt(3), uniform},
                                                            {Distribution::glorot, glorot / std::sqrt(3), glorot},
                                                            {Distribution::lecun, std::sqrt(1.0 / 200), 0},
                                                            {Distribution::he, std::sqrt(2.0 / 200), 0},
                                                            {Distribution::normal, 1, 0}};
  for (const auto& [distribution, deviation, bound] : cases) {
    for (const double scale : {1.0, 0.01, 0.0}) {
      SCOPED_TRACE(std::string(name_of(distribution)) + " " + std::to_string(scale));
      const State state = start(problem, {.distribution = distribution, .scale = scale});
      const std::vector<double>& weights = state.parameters[0];
      EXPECT_NEAR(deviation_of(weights), scale * deviation, 0.015 * scale * deviation);
      EXPECT_NEAR(mean_of(weights), 0, 0.02 * scale * deviation);
      EXPECT_FALSE(largest_of(weights) > scale * (bound > 0 ? bound * (1 + 1e-6) : HUGE_VAL));
      EXPECT_GE(largest_of(weights), scale * deviation * (bound > 0 ? 1.7 : 3));
      EXPECT_EQ(largest_of(state.parameters[1]) > 0, distribution == Distribution::uniform && scale > 0);
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
  EXPECT_EQ(error("a.npz"), "a.npz: found no member \"w0.npy\", expected one of x.npy, y.npy (did you mean x.npy?)");
}

}  // namespace
}  // namespace gdbench::data
