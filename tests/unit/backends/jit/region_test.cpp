// What is special to some regions: refined estimates, batches of one row, hoisted products, and passes that fire where
// they must.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/backends/jit/forms.h"

namespace gdbench::strategies {
namespace {

class JitRegionTest : public JitFixture {};

TEST_P(JitRegionTest, ManySteps) {
  check({.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3, .learning_rates = {0.1, 0.01}}, 5000);
}

// What is refined from estimates is within a few units in the last place of what is divided, and double is divided:
// where second moments are 0, are no normal numbers or have grown infinite, too.
TEST_P(JitRegionTest, RefinementChangesLastBitsOnly) {
  constexpr std::size_t kColumns = 40;
  const bool single = GetParam() == catalogue::Dtype::f32;
  const auto end = [&](const OptimizerCase& optimizer, double epsilon, const char* passes) {
    TrainingProblem training({.layers = {layer(kColumns, 3)},
                              .loss = catalogue::Loss::half_mse,
                              .dtype = GetParam(),
                              .rows = 20,
                              .batch_rows = 20,
                              .optimizer = optimizer});
    training.mutable_optimizer().epsilon = epsilon;
    auto* x = const_cast<void*>(training.data().x);
    for (std::size_t i = 0; i < 20 * kColumns; ++i) {
      // From 1e-40 to 1e11, and nothing.
      const double factor = i % kColumns == 0 ? 0 : std::pow(10, -40 + 1.3 * static_cast<double>(i % kColumns));
      if (single) static_cast<float*>(x)[i] *= static_cast<float>(factor);
      if (!single) static_cast<double*>(x)[i] *= factor;
    }
    trained_by_jit(training, 3, {{"passes", passes}}, 1);
    std::vector<double> entries;
    for (const Dense& values : training.state_values()) {
      entries.insert(entries.end(), values.values.begin(), values.values.end());
    }
    return entries;
  };
  for (const OptimizerCase& optimizer : entrywise_cases()) {
    if (optimizer.weight_decay != 0) continue;
    for (const double epsilon : {1e-8, 1e-30, 0.0}) {
      SCOPED_TRACE(std::string("optimizer ") + name_of(optimizer.kind) + ", epsilon " + std::to_string(epsilon));
      const std::vector<double> refined = end(optimizer, epsilon, "all");
      const std::vector<double> divided = end(optimizer, epsilon, "-refinement");
      for (std::size_t i = 0; i < divided.size(); ++i) {
        EXPECT_EQ(std::isnan(refined[i]), std::isnan(divided[i])) << i;
        if (std::isnan(divided[i]) || refined[i] == divided[i]) continue;
        EXPECT_NEAR(refined[i], divided[i], single ? 4e-7 * std::max(1.0, std::abs(divided[i])) : 0) << i;
      }
    }
  }
}

// Where a learning rate may be folded into the loss's gradient, and where it may not.
TEST_P(JitRegionTest, BatchesOfOneRow) {
  for (const catalogue::Loss loss : catalogue::all_of<catalogue::Loss>()) {
    for (const OptimizerCase& optimizer : {OptimizerCase{catalogue::OptimizerKind::sgd, 0, false},
                                           {catalogue::OptimizerKind::sgd, 0.01, false},
                                           {catalogue::OptimizerKind::sgd, 0.01, true},
                                           {catalogue::OptimizerKind::momentum, 0, false}}) {
      SCOPED_TRACE(std::string("loss ") + name_of(loss) + ", optimizer " + name_of(optimizer.kind));
      TrainingCase values = {.layers = {layer(20, 17, catalogue::Activation::tanh, false),
                                        layer(17, 33, catalogue::Activation::relu), layer(33, 3)},
                             .loss = loss,
                             .rows = 30,
                             .batch_rows = 1,
                             .shuffled = true,
                             .learning_rates = {0.01, 0.001},
                             .optimizer = optimizer};
      check(values, 7);
      values.batch_rows = 3;
      values.micro_batches = 3;
      check(values, 3);
    }
  }
  check({.layers = {layer(20, 17, catalogue::Activation::tanh), layer(17, 2)}, .rows = 1, .batch_rows = 1}, 3,
        {{"lanes", "rows"}});
}

TEST_P(JitRegionTest, HoistedLinearRegression) {
  const auto check_hoisted = [](const TrainingCase& values) { check(values, 6, {}, 1, graph::kHoistedDescriptor); };
  check_hoisted({.layers = {layer(2, 1, catalogue::Activation::identity, false)}, .rows = 3, .batch_rows = 3});
  check_hoisted({.layers = {layer(2, 1)}, .loss = catalogue::Loss::half_mse, .rows = 30, .batch_rows = 30});
  check_hoisted({.layers = {layer(33, 3)},
                 .rows = 129,
                 .batch_rows = 129,
                 .optimizer = {catalogue::OptimizerKind::adam, 0.01, false}});
  TrainingProblem mixed({.layers = {layer(10, 1)}, .dtype = catalogue::Dtype::bf16, .rows = 30, .batch_rows = 30});
  EXPECT_THROW(trained_by_jit(mixed, 2, {}, 1, graph::kHoistedDescriptor), implementations::Failure);
  // More than one layer, a batch that is not all the data, another loss.
  const std::vector<TrainingCase> others = {
      {.layers = {layer(2, 3), layer(3, 1)}, .rows = 3, .batch_rows = 3},
      {.layers = {layer(2, 1)}, .rows = 9, .batch_rows = 3},
      {.layers = {layer(2, 1, catalogue::Activation::tanh)}, .rows = 9, .batch_rows = 9},
      {.layers = {layer(2, 3)}, .loss = catalogue::Loss::softmax_cross_entropy, .rows = 9, .batch_rows = 9},
  };
  for (const TrainingCase& values : others) {
    const std::string reason = refusal(values, 1, graph::kHoistedDescriptor);
    EXPECT_NE(reason.find("hoisting needs"), std::string::npos) << reason;
  }
}

struct Firing {
  const char* pass;
  TrainingCase fires;
  std::vector<gdbench_option_value> options;
  TrainingCase rests;
};

std::vector<Firing> firings(catalogue::Dtype dtype) {
  const TrainingCase tiny = {.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3};
  const TrainingCase small = {
      .layers = {layer(9, 21, catalogue::Activation::tanh), layer(21, 4)}, .rows = 13, .batch_rows = 13};
  const TrainingCase shuffled = {.layers = {layer(9, 21, catalogue::Activation::tanh), layer(21, 4)},
                                 .rows = 70,
                                 .batch_rows = 17,
                                 .shuffled = true};
  const TrainingCase tall = {.layers = {layer(10, 1)}, .rows = 300, .batch_rows = 300};
  // More rows than the second cache holds: with fewer, whether one pass is quicker differs from processor to processor.
  // Rows as wide as 16 registers hold, with their weights and sums, where vectors have 256 bits.
  const TrainingCase wide = {.layers = {layer(20, 1)}, .rows = 40003, .batch_rows = 40003};
  const TrainingCase narrow = {
      .layers = {layer(33, 9, catalogue::Activation::relu), layer(9, 5)}, .rows = 400, .batch_rows = 400};
  const TrainingCase many_rows = {
      .layers = {layer(10, 50, catalogue::Activation::relu), layer(50, 1)}, .rows = 1000, .batch_rows = 1000};
  const TrainingCase one_row = {.layers = {layer(10, 50, catalogue::Activation::relu), layer(50, 1)},
                                .rows = 40,
                                .batch_rows = 1,
                                .shuffled = true};
  TrainingCase adaptive = small;
  adaptive.optimizer = {catalogue::OptimizerKind::adam, 0, false};
  std::vector<Firing> firings = {
      {"scalarisation", tiny, {}, small},
      {"unit-products", one_row, {}, small},
      {"scale-folding", one_row, {}, small},
      {"streaming", tall, {}, small},
      {"streaming", wide, {}, small},
      {"layout", narrow, {}, shuffled},
      {"row-blocks", many_rows, {{"block_rows", "100"}}, small},
      {"sum-epilogues", many_rows, {{"lanes", "columns"}}, small},
      {"product-epilogues", small, {}, tiny},
      {"update-epilogues", shuffled, {}, tiny},
      {"unrolling", small, {{"lanes", "columns"}}, tiny},
      {"padding", small, {{"lanes", "columns"}}, tiny},
      {"panels", narrow, {{"lanes", "panels"}}, one_row},
      {"prefetch", narrow, {{"lanes", "panels"}}, one_row},
  };
  const bool estimates = dtype == catalogue::Dtype::f32 && backends::jit::this_machine()->avx512;
  if (estimates) firings.push_back({"refinement", adaptive, {}, small});
  return firings;
}

TEST_P(JitRegionTest, EachPassFiresWhereItMustAndRestsElsewhere) {
  const auto fired = [](const TrainingCase& values, const JitOptions& options, const std::string& pass) {
    return records_of(values, options).at({"pass " + pass, catalogue::Phase::compile}).calls;
  };
  for (const Firing& firing : firings(GetParam())) {
    SCOPED_TRACE(firing.pass);
    EXPECT_GT(fired(firing.fires, firing.options, firing.pass), 0U);
    EXPECT_EQ(fired(firing.rests, firing.options, firing.pass), 0U);
    const std::string off = std::string("-") + firing.pass;
    std::vector<gdbench_option_value> without = firing.options;
    without.push_back({"passes", off.c_str()});
    EXPECT_EQ(fired(firing.fires, without, firing.pass), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, JitRegionTest, testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64),
                         name_of_dtype);

}  // namespace
}  // namespace gdbench::strategies
