// Steps of mixed precision, of pairs of bfloat16 and of rounded floats, against kernels that round the same.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "implementations/backends/jit/loops/builder.h"
#include "implementations/backends/jit/loops/check.h"
#include "implementations/backends/jit/lower/target.h"
#include "implementations/common/failure.h"
#include "tests/support/implementations/jit_targets.h"
#include "tests/support/implementations/trained_by_jit.h"

namespace gdbench::strategies {
namespace {

using backends::jit::Builder;
using backends::jit::Scalar;
using catalogue::Activation;

const backends::jit::Target* machine() {
  const backends::jit::Target* target = backends::jit::this_machine(backends::jit::InstructionSet::avx512);
  return target != nullptr && target->pairs ? target : nullptr;
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
// rounded, or a term that is missing, changes all of them by some 2^-9 or more. Where these changes have many signs,
// less of them is left in a parameter.
constexpr double kTolerance = 1e-4;
constexpr double kWideTolerance = 1.5e-3;  // for pairs, which are added up in an order of their own, and for roots

void expect_same_step(const TrainingCase& values, const JitOptions& options = {}, int threads = 1,
                      double tolerance = kTolerance) {
  TrainingProblem training(values);
  trained_by_jit(training, 2, options, threads);
  const std::vector<Dense> actual = training.state_values();
  TrainingProblem other(values);
  const std::vector<Dense> expected = trained_by_kernels(other, 2);
  for (std::size_t p = 0; p < expected.size(); ++p) {
    const double moved = distance(expected[p], other.initial()[p]);
    EXPECT_LT(distance(actual[p], expected[p]), tolerance * moved) << "parameter " << p;
  }
}

// Whole and partial panels, blocks and pairs.
TEST(JitMixedTest, TrainsAsKernelsThatRoundTheSame) {
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
                            .scaled_weights = true},
                           {{"lanes", "panels"}}, 1, kWideTolerance);
        }
      }
    }
  }
}

TEST(JitMixedTest, DeepNetworksInShuffledBatchesByOtherRules) {
  for (const catalogue::OptimizerKind kind : {catalogue::OptimizerKind::momentum, catalogue::OptimizerKind::adagrad}) {
    expect_same_step({.layers = {layer(30, 65, Activation::relu), layer(65, 48, Activation::leaky_relu, false),
                                 layer(48, 40, Activation::relu), layer(40, 7)},
                      .loss = catalogue::Loss::softmax_cross_entropy,
                      .dtype = catalogue::Dtype::bf16,
                      .rows = 120,
                      .batch_rows = 40,
                      .shuffled = true,
                      .optimizer = {kind, 0.01, false},
                      .scaled_weights = true},
                     {{"lanes", "panels"}}, 1, kWideTolerance);
  }
}

TrainingCase mixed_case(std::vector<gdbench_layer> layers, std::int64_t rows, std::int64_t batch_rows,
                        catalogue::LossFunction loss = catalogue::Loss::mse) {
  return {.layers = std::move(layers),
          .loss = loss,
          .dtype = catalogue::Dtype::bf16,
          .rows = rows,
          .batch_rows = batch_rows,
          .shuffled = batch_rows < rows,
          .scaled_weights = true};
}

// Each way in which a step is lowered; batches that are the same in all steps, numbered and loaded.
struct Form {
  const char* name;
  TrainingCase values;
  JitOptions options = {};
  bool is_shared = true;  // by threads
};

std::vector<Form> forms() {
  const auto softmax = [](std::int64_t rows, std::int64_t batch_rows) {
    return mixed_case({layer(9, 33, Activation::tanh), layer(33, 10)}, rows, batch_rows,
                      catalogue::Loss::softmax_cross_entropy);
  };
  const std::vector<gdbench_layer> hidden = {layer(10, 50, Activation::relu), layer(50, 1)};
  const std::vector<gdbench_layer> one_input = {layer(1, 20, Activation::relu), layer(20, 3)};
  return {
      {"scalars", mixed_case({layer(3, 2)}, 5, 5), {}, false},
      {"scalars of layers", mixed_case({layer(2, 3, Activation::sigmoid), layer(3, 1)}, 4, 4), {}, false},
      {"stream", mixed_case({layer(10, 1)}, 300, 300)},
      {"stream of one column", mixed_case({layer(1, 1)}, 1003, 1003)},
      {"stream of one column, loaded", mixed_case({layer(1, 1)}, 203, 100), {{"loader", "gather"}}},
      {"row stream", mixed_case({layer(40, 1)}, 1003, 1003)},
      {"row stream, loaded", mixed_case({layer(40, 1)}, 203, 100), {{"loader", "gather"}}},
      {"columns", mixed_case(hidden, 300, 300), {{"lanes", "columns"}}},
      {"columns in blocks", softmax(190, 190), {{"lanes", "columns"}, {"block_rows", "16"}}},
      {"columns, numbered", softmax(190, 70), {{"lanes", "columns"}}},
      {"columns, loaded", softmax(190, 70), {{"lanes", "columns"}, {"loader", "gather"}}},
      {"columns of one row", mixed_case(hidden, 7, 1), {{"lanes", "columns"}}, false},
      {"columns of one input", mixed_case(one_input, 90, 90), {{"lanes", "columns"}}},
      {"columns of one input, numbered", mixed_case(one_input, 90, 30), {{"lanes", "columns"}}},
      {"rows", mixed_case(hidden, 300, 300), {{"lanes", "rows"}}},
      {"rows in blocks", softmax(190, 190), {{"lanes", "rows"}, {"block_rows", "16"}}},
      {"rows of one input", mixed_case(one_input, 90, 90), {{"lanes", "rows"}}},
      {"rows of one input, numbered", mixed_case(one_input, 90, 30), {{"lanes", "rows"}}},
      {"panels", softmax(190, 190), {{"lanes", "panels"}}},
      {"panels, numbered", softmax(190, 70), {{"lanes", "panels"}}},
      {"panels, loaded", softmax(190, 70), {{"lanes", "panels"}, {"loader", "gather"}}},
      {"no epilogues", softmax(190, 70), {{"passes", "-product-epilogues,-sum-epilogues,-update-epilogues"}}},
      {"panels without epilogues", softmax(190, 70), {{"lanes", "panels"}, {"passes", "-product-epilogues"}}},
  };
}

TEST(JitMixedTest, EachFormRoundsWhatItMultiplies) {
  for (const Form& form : forms()) {
    for (const auto& [instructions, target] : backends::jit::targets_of_this_machine()) {
      SCOPED_TRACE(std::string(form.name) + ", " + instructions);
      JitOptions options = form.options;
      options.push_back({"instructions", instructions});
      expect_same_step(form.values, options, 1, target.pairs ? kWideTolerance : kTolerance);
    }
  }
}

TEST(JitMixedTest, ThreadsShareEachForm) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    if (form.is_shared) expect_same_step(form.values, form.options, 3);
  }
}

TEST(JitMixedTest, EachActivationAndEachRule) {
  const auto& optimizers = catalogue::kOptimizers;
  std::size_t next = 0;
  for (const catalogue::ActivationRow& activation : catalogue::kActivations) {
    for (const char* lanes : {"columns", "rows", "panels"}) {
      TrainingCase values = mixed_case(
          {layer(20, 33, activation.value), layer(33, 18, activation.value, false), layer(18, 3, activation.value)}, 60,
          60);
      const char* instructions =
          next % 2 == 0 ? "auto" : backends::jit::targets_of_this_machine().front().name;  // the least
      values.optimizer = {optimizers[next++ % std::size(optimizers)].value, 0.01, false};
      SCOPED_TRACE(std::string(activation.name) + ", lanes " + lanes + ", optimizer " + name_of(values.optimizer.kind));
      expect_same_step(values, {{"lanes", lanes}, {"instructions", instructions}}, 1, kWideTolerance);
    }
  }
}

TEST(JitMixedTest, BatchesInParts) {
  for (const std::int64_t rows : {12, 60}) {
    TrainingCase values = mixed_case({layer(9, 20, Activation::silu), layer(20, 4)}, rows, rows);
    values.micro_batches = 3;
    expect_same_step(values);
    values.rows = 2 * rows;
    values.shuffled = true;
    expect_same_step(values);
  }
}

TEST(JitMixedTest, HoistingIsRefused) {
  TrainingProblem training(mixed_case({layer(10, 1)}, 30, 30));
  EXPECT_THROW(trained_by_jit(training, 2, {}, 1, graph::kHoistedDescriptor), implementations::Failure);
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
