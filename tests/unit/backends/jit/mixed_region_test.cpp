// Steps of mixed precision, which are products of pairs of bfloat16 in panels, against kernels that round the same.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "implementations/backends/jit/loops/builder.h"
#include "implementations/backends/jit/loops/check.h"
#include "implementations/backends/jit/lower/target.h"
#include "tests/support/implementations/jit_targets.h"
#include "tests/unit/backends/jit/trained_by_jit.h"

namespace gdbench::strategies {
namespace {

using backends::jit::Builder;
using backends::jit::Scalar;
using catalogue::Activation;

const backends::jit::Target* machine() {
  return backends::jit::machine_of_pairs(backends::jit::InstructionSet::fastest);
}

std::vector<Dense> trained_by_kernels(TrainingProblem& training, std::uint64_t steps) {
  const auto strategy = graph::kDescriptor.create(
      {backends::backend_named("naive"), training.data(), training.problem(), training.settings()});
  strategy->set_state(training.state());
  strategy->run(steps);
  strategy->sync();
  strategy->get_state(training.state());
  return training.state_values();
}

// 2-norm of a - b.
double distance(const Dense& a, const Dense& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += std::pow(a.values[i] - b.values[i], 2);
  return std::sqrt(sum);
}

// Sums in another order put few numbers on the other side of a middle between two bfloat16; an operand that was not
// rounded, or a term that is missing, changes all of them by some 2^-9 or more.
void expect_same_step(const TrainingCase& values, const JitOptions& options = {}) {
  TrainingProblem training(values);
  trained_by_jit(training, 2, options, 1);
  const std::vector<Dense> actual = training.state_values();
  TrainingProblem other(values);
  const std::vector<Dense> expected = trained_by_kernels(other, 2);
  for (std::size_t p = 0; p < expected.size(); ++p) {
    const double moved = distance(expected[p], other.initial()[p]);
    EXPECT_LT(distance(actual[p], expected[p]), 1.5e-3 * moved) << "parameter " << p;
  }
}

// Whole and partial panels, blocks and pairs.
TEST(JitMixedTest, TrainsAsKernelsThatRoundTheSame) {
  if (machine() == nullptr) GTEST_SKIP() << "this processor does not multiply bfloat16";
  for (const std::int64_t rows : {16, 37, 101}) {
    for (const std::int64_t inputs : {17, 131}) {
      for (const std::int64_t hidden : {16, 33, 70}) {
        for (const std::int64_t outputs : {1, 10}) {
          SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(inputs) + "-" + std::to_string(hidden) + "-" +
                       std::to_string(outputs));
          expect_same_step({.layers = {layer(inputs, hidden, Activation::relu), layer(hidden, outputs)},
                            .loss = catalogue::Loss::mse,
                            .dtype = catalogue::Dtype::bf16,
                            .rows = rows,
                            .batch_rows = rows,
                            .scaled_weights = true});
        }
      }
    }
  }
}

TEST(JitMixedTest, DeepNetworksInShuffledBatchesByOtherRules) {
  if (machine() == nullptr) GTEST_SKIP() << "this processor does not multiply bfloat16";
  for (const catalogue::OptimizerKind kind : {catalogue::OptimizerKind::momentum, catalogue::OptimizerKind::adagrad}) {
    expect_same_step({.layers = {layer(30, 65, Activation::relu), layer(65, 48, Activation::leaky_relu, false),
                                 layer(48, 40, Activation::relu), layer(40, 7)},
                      .loss = catalogue::Loss::softmax_cross_entropy,
                      .dtype = catalogue::Dtype::bf16,
                      .rows = 120,
                      .batch_rows = 40,
                      .shuffled = true,
                      .optimizer = {kind, 0.01, false},
                      .scaled_weights = true});
  }
}

TEST(JitMixedTest, RoundsAndPairsAsItSays) {
  if (machine() == nullptr) GTEST_SKIP() << "this processor does not multiply bfloat16";
  constexpr int kLanes = backends::jit::kLanesOfPairs;
  backends::jit::Program program;
  program.name = "pairs";
  Builder builder(program);
  const auto array = [&](const char* name, Scalar element, std::size_t argument) {
    return builder.array({name, element, argument, 0, 2 * kLanes, 4});
  };
  const auto x = array("x", Scalar::f32, 0);
  const auto pairs = array("pairs", Scalar::i32, 1);
  const auto sums = array("sums", Scalar::f32, 2);
  const auto a = builder.load({x, 0}, kLanes);
  const auto b = builder.load({x, kLanes}, kLanes);
  const auto both = builder.pair_lanes(a, b);
  builder.store({pairs, 0}, both);
  builder.store({pairs, kLanes}, builder.pair_neighbours(a));
  builder.store({sums, 0}, builder.add_pairs(both, both, a));
  builder.store({sums, kLanes}, builder.narrow(a));
  ASSERT_EQ(program_error(program), "");
  const auto compiled = backends::jit::compiled_for(*machine(), program);
  ASSERT_NE(compiled, nullptr);

  std::vector<float> in(2 * kLanes);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1 + static_cast<float>(i) * 0x1p-8F;  // each second one a middle
  std::vector<std::uint32_t> halves(in.size());
  std::vector<float> out(in.size());
  void* arguments[] = {in.data(), halves.data(), out.data()};
  compiled->function(arguments, 1);
  const auto rounded = [](float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  };
  for (std::size_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(halves[i], rounded(in[i]) | rounded(in[kLanes + i]) << 16);
    EXPECT_EQ(out[kLanes + i], std::bit_cast<float>(rounded(in[i]) << 16));
    const float first = std::bit_cast<float>(rounded(in[i]) << 16);
    const float second = std::bit_cast<float>(rounded(in[kLanes + i]) << 16);
    EXPECT_FLOAT_EQ(out[i], in[i] + first * first + second * second);
  }
  for (std::size_t i = 0; i < kLanes / 2; ++i) {
    EXPECT_EQ(halves[kLanes + i], rounded(in[2 * i]) | rounded(in[2 * i + 1]) << 16);
  }
}

}  // namespace
}  // namespace gdbench::strategies
