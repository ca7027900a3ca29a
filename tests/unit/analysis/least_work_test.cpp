#include "harness/analysis/least_work.h"

#include <gtest/gtest.h>

#include "harness/base/text.h"

namespace gdbench::analysis {
namespace {

std::string words_of(const Transfer& transfer) {
  return formatted("%.0f bytes of %.0f, %d read and %d written", transfer.bytes,
                   static_cast<double>(transfer.span.bytes), transfer.span.read_only, transfer.span.written);
}

std::string words_of(const LeastWork& work) {
  std::string words;
  for (const Transfer& transfer : work.transfers) words += (words.empty() ? "" : "; ") + words_of(transfer);
  return words;
}

report::ScenarioRecord regression() {
  report::ScenarioRecord scenario;
  scenario.key = "s";
  scenario.rows = scenario.batch_rows = 100;
  scenario.features = 3;
  scenario.outputs = 2;
  scenario.parameters = 6;
  scenario.resolved.dtype = catalogue::Dtype::f32;
  scenario.resolved.loss = catalogue::Loss::mse;
  scenario.resolved.model = catalogue::ModelKind::linear_regression;
  scenario.resolved.bias = false;
  scenario.resolved.optimizer = catalogue::OptimizerKind::sgd;
  return scenario;
}

report::ScenarioRecord network() {
  report::ScenarioRecord scenario = regression();
  scenario.rows = 1000;
  scenario.batch_rows = 10;
  scenario.features = 4;
  scenario.outputs = 3;
  scenario.parameters = 4 * 5 + 5 + 5 * 3;
  scenario.resolved.dtype = catalogue::Dtype::f64;
  scenario.resolved.loss = catalogue::Loss::softmax_cross_entropy;
  scenario.resolved.optimizer = catalogue::OptimizerKind::adam;
  scenario.resolved.model = catalogue::ModelKind::multilayer_perceptron;
  scenario.resolved.layers = {{.width = 5, .bias = true}, {.width = 3, .bias = false}};
  return scenario;
}

TEST(LeastWork, OfALinearRegression) {
  const std::optional<LeastWork> work = least_work(regression(), 7);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->dtype, catalogue::Dtype::f32);
  EXPECT_EQ(work->products, 2 * 2 * 100 * 3 * 2) << "forward and gradient of W";
  EXPECT_EQ(work->exponentials + work->divisions + work->roots, 0);
  constexpr std::int64_t kBytes = 4 * 100 * (3 + 2);
  EXPECT_EQ(words_of(*work), words_of(Transfer{{kBytes, 1, 0}, kBytes}))
      << "full batch: every step the same rows, beside which 24 bytes of parameters are nothing";
  EXPECT_EQ(work->chain_fmas, 2) << "forward, update";
  EXPECT_EQ(work->chain_additions, 1 + 6) << "of 3 inputs; of 100 rows and the old parameter";
}

TEST(LeastWork, OfANetworkInBatches) {
  const std::optional<LeastWork> work = least_work(network(), 20);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->dtype, catalogue::Dtype::f64);
  EXPECT_EQ(work->products, 2 * 10 * (2 * 4 * 5 + 3 * 5 * 3));
  EXPECT_EQ(work->operations, 2 * (10 * 3 + 4 * 40)) << "softmax, Adam";
  const std::int64_t row = 8 * 4 + 4;     // features and a label
  const std::int64_t state = 8 * 40 * 3;  // parameters and two slots
  ASSERT_EQ(work->transfers.size(), 2U);
  EXPECT_EQ(words_of(work->transfers[0]), words_of(Transfer{{4096, 1, 0}, 10.0 * row}))
      << "20 steps of 10 rows are 7200 bytes";
  EXPECT_EQ(least_work(network(), 1)->transfers[0].span.bytes, 10 * row) << "never less than the batch";
  EXPECT_EQ(words_of(work->transfers[1]), words_of(Transfer{{state, 0, 3}, 2.0 * state})) << "parameters and two slots";
  EXPECT_EQ(least_work(network(), 1e6)->transfers[0].span.bytes, 32768) << "never more than all rows, 36000 bytes";
  EXPECT_EQ(work->exponentials, 10 * 3) << "of the softmax";
  EXPECT_EQ(work->divisions, 40) << "of Adam";
  EXPECT_EQ(work->roots, 40);
  EXPECT_EQ(work->chain_fmas, 2 + 1 + 1) << "forward, backward through the second layer, update";
  EXPECT_EQ(work->chain_additions, 2 + 2 + 1 + 3) << "of 5 and 5 terms forward, 3 backward, 11 in the update";
}

TEST(LeastWork, OfAMixedDtypeReadsRowsAsOperands) {
  report::ScenarioRecord scenario = network();
  scenario.resolved.dtype = catalogue::Dtype::bf16;
  const std::optional<LeastWork> work = least_work(scenario, 20);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->transfers[0].bytes, 10.0 * (2 * 4 + 4)) << "features of 2 bytes and a label";
  EXPECT_EQ(work->transfers[1].bytes, 2.0 * 4 * 40 * 3) << "parameters and two slots of 4 bytes";
}

TEST(LeastWork, OfAGradientPerOutput) {
  report::ScenarioRecord scenario = network();
  scenario.resolved.loss = catalogue::Loss::mse;
  const LeastWork train = *least_work(scenario, 20);
  scenario.resolved.task = catalogue::Task::gradients;
  const LeastWork work = *least_work(scenario, 20);
  EXPECT_EQ(work.products - train.products, 2 * 10 * 2 * 4 * 5) << "three sweeps below the last layer";
  EXPECT_EQ(words_of(work), words_of(train));
  EXPECT_EQ(work.chain_fmas, train.chain_fmas);
  EXPECT_EQ(work.chain_additions, 2 + 2 + 0 + 4) << "one term backward, 31 in the update";

  report::ScenarioRecord linear = regression();
  const LeastWork whole = *least_work(linear, 7);
  linear.resolved.task = catalogue::Task::gradients;
  EXPECT_EQ(least_work(linear, 7)->products, whole.products) << "each column's gradient is that column's";
  EXPECT_EQ(least_work(linear, 7)->chain_additions, whole.chain_additions);
}

TEST(LeastWork, OfAnUpdateIsItsArraysOnce) {
  report::ScenarioRecord scenario = regression();
  scenario.resolved.task = catalogue::Task::update;
  scenario.parameters = 1000;
  const std::optional<LeastWork> sgd = least_work(scenario, 7);
  ASSERT_TRUE(sgd.has_value());
  EXPECT_EQ(words_of(*sgd), words_of(Transfer{{8000, 1, 1}, 12000}))
      << "gradient and parameter read, parameter written";
  EXPECT_EQ(sgd->operations, 0);
  EXPECT_EQ(sgd->divisions + sgd->roots, 0);
  EXPECT_EQ(sgd->chain_fmas, 1);
  scenario.resolved.optimizer = catalogue::OptimizerKind::adam;
  const std::optional<LeastWork> adam = least_work(scenario, 7);
  EXPECT_EQ(words_of(*adam), words_of(Transfer{{16000, 1, 3}, 28000}));
  EXPECT_EQ(adam->divisions, 1000);
  EXPECT_EQ(adam->roots, 1000);
  EXPECT_EQ(adam->operations, 2 * 4000) << "two decays, a square, the step's factor";
}

TEST(LeastWork, HasAnExponentialPerEntryOfWhatIsMadeOfOne) {
  report::ScenarioRecord scenario = network();
  scenario.resolved.optimizer = catalogue::OptimizerKind::sgd;
  scenario.resolved.loss = catalogue::Loss::mse;
  EXPECT_EQ(least_work(scenario, 1)->exponentials, 0);
  scenario.resolved.layers[0].activation = catalogue::Activation::tanh;
  EXPECT_EQ(least_work(scenario, 1)->exponentials, 10 * 5);
  EXPECT_EQ(least_work(scenario, 1)->divisions, 10 * 5);
  EXPECT_EQ(least_work(scenario, 1)->operations, 2 * 10 * 2 * 5);
  scenario.resolved.layers[0].activation = catalogue::Activation::gelu;
  EXPECT_EQ(least_work(scenario, 1)->exponentials, 10 * 5);
  EXPECT_EQ(least_work(scenario, 1)->divisions, 0);
  scenario.resolved.loss = catalogue::Loss::binary_cross_entropy;
  EXPECT_EQ(least_work(scenario, 1)->exponentials, 10 * (5 + 3));
  EXPECT_EQ(least_work(scenario, 1)->divisions, 10 * 3);
}

TEST(LeastWork, IsUnknownForWhatHasNoFormula) {
  for (const auto& change : std::vector<void (*)(report::ScenarioRecord&)>{
           [](report::ScenarioRecord& scenario) { scenario.resolved = {}; },
           [](report::ScenarioRecord& scenario) { scenario.resolved.task = catalogue::Task::floor; },
           [](report::ScenarioRecord& scenario) { scenario.resolved.dtype.reset(); },
           [](report::ScenarioRecord& scenario) { scenario.resolved.loss.reset(); },
           [](report::ScenarioRecord& scenario) { scenario.resolved.density = 0.5; },
           [](report::ScenarioRecord& scenario) { scenario.resolved.model.reset(); },
           [](report::ScenarioRecord& scenario) {
             scenario.resolved.model = catalogue::ModelKind::multilayer_perceptron;
           }}) {
    report::ScenarioRecord scenario = regression();
    change(scenario);
    EXPECT_FALSE(least_work(scenario, 1).has_value());
  }
}

}  // namespace
}  // namespace gdbench::analysis
