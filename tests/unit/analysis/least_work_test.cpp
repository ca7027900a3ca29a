#include "harness/analysis/least_work.h"

#include <gtest/gtest.h>

#include "harness/base/text.h"

namespace gdbench::analysis {
namespace {

// "bytes moved of bytes of the span, arrays read+arrays written" of each transfer, then what is counted of operations.
std::string words_of(const std::optional<LeastWork>& work) {
  if (!work) return "nothing is known";
  std::string words;
  for (const auto& [span, bytes] : work->transfers) {
    words += formatted("%.0f of %.0f, %d+%d; ", bytes, static_cast<double>(span.bytes), span.read_only, span.written);
  }
  return words + formatted("%.0f in products, %.0f beside, %.0f exp, %.0f /, %.0f roots, chain %d+%d", work->products,
                           work->operations, work->exponentials, work->divisions, work->roots, work->chain_fmas,
                           work->chain_additions);
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

struct Counted {
  const char* name;
  report::ScenarioRecord scenario;
  double block_steps;
  std::string words;
};

report::ScenarioRecord changed(report::ScenarioRecord scenario, void (*change)(report::ScenarioRecord& scenario)) {
  change(scenario);
  return scenario;
}

TEST(LeastWork, IsCountedByShapes) {
  using Record = report::ScenarioRecord;
  const auto by_output = [](Record& scenario) { scenario.resolved.task = catalogue::Task::gradients; };
  const auto with_mse = [](Record& scenario) { scenario.resolved.loss = catalogue::Loss::mse; };
  const Record network_with_mse = changed(network(), with_mse);
  const auto update = [](Record& scenario) {
    scenario.resolved.task = catalogue::Task::update;
    scenario.parameters = 1000;
  };
  const Counted cases[] = {
      // Forward and gradient of W. A full batch: every step the same rows, beside which 24 bytes of parameters are
      // nothing. The chain: an FMA forward and one in the update, additions of 3 inputs, and of 100 rows and the old
      // parameter.
      {"a linear regression", regression(), 7,
       "2000 of 2000, 1+0; 2400 in products, 0 beside, 0 exp, 0 /, 0 roots, chain 2+7"},
      {"each column's gradient is that column's", changed(regression(), by_output), 7,
       "2000 of 2000, 1+0; 2400 in products, 0 beside, 0 exp, 0 /, 0 roots, chain 2+7"},
      // 10 rows of 4 features and a label, of the 7200 bytes that 20 steps visit; parameters and two slots; 2 for each
      // of 10 * 3 entries of the softmax and 8 for each of 40 parameters with Adam. The chain: forward, backward
      // through the second layer, update; additions of 5 and 5 terms forward, 3 backward, 11 in the update.
      {"a network in batches", network(), 20,
       "360 of 4096, 1+0; 1920 of 960, 0+3; 1700 in products, 380 beside, 30 exp, 40 /, 40 roots, chain 4+8"},
      {"never less than the batch", network(), 1,
       "360 of 360, 1+0; 1920 of 960, 0+3; 1700 in products, 380 beside, 30 exp, 40 /, 40 roots, chain 4+8"},
      {"never more than all rows, 36000 bytes", network(), 1e6,
       "360 of 32768, 1+0; 1920 of 960, 0+3; 1700 in products, 380 beside, 30 exp, 40 /, 40 roots, chain 4+8"},
      {"rows as operands of 2 bytes",
       changed(network(), [](Record& scenario) { scenario.resolved.dtype = catalogue::Dtype::bf16; }), 20,
       "120 of 2048, 1+0; 960 of 480, 0+3; 1700 in products, 380 beside, 30 exp, 40 /, 40 roots, chain 4+8"},
      {"targets are numbers", network_with_mse, 20,
       "560 of 8192, 1+0; 1920 of 960, 0+3; 1700 in products, 320 beside, 0 exp, 40 /, 40 roots, chain 4+8"},
      // Three sweeps below the last layer; one term backward, 31 in the update.
      {"a gradient per output", changed(network_with_mse, by_output), 20,
       "560 of 8192, 1+0; 1920 of 960, 0+3; 2500 in products, 320 beside, 0 exp, 40 /, 40 roots, chain 4+8"},
      {"an exponential and a division per entry of tanh",
       changed(network_with_mse,
               [](Record& scenario) { scenario.resolved.layers[0].activation = catalogue::Activation::tanh; }),
       20, "560 of 8192, 1+0; 1920 of 960, 0+3; 1700 in products, 520 beside, 50 exp, 90 /, 40 roots, chain 4+8"},
      {"an exponential alone per entry of gelu, both per output",
       changed(network(),
               [](Record& scenario) {
                 scenario.resolved.layers[0].activation = catalogue::Activation::gelu;
                 scenario.resolved.loss = catalogue::Loss::binary_cross_entropy;
               }),
       20, "560 of 8192, 1+0; 1920 of 960, 0+3; 1700 in products, 720 beside, 80 exp, 70 /, 40 roots, chain 4+8"},
      {"the forward pass alone, whose parameters may stay where they are",
       changed(network(), [](Record& scenario) { scenario.resolved.task = catalogue::Task::forward; }), 20,
       "360 of 4096, 1+0; 700 in products, 0 beside, 0 exp, 0 /, 0 roots, chain 0+0"},
      {"an update: gradient and parameter read, parameter written", changed(regression(), update), 7,
       "12000 of 8000, 1+1; 0 in products, 0 beside, 0 exp, 0 /, 0 roots, chain 1+0"},
      // Two decays, a square and the step's factor.
      {"an update with Adam",
       changed(changed(regression(), update),
               [](Record& scenario) { scenario.resolved.optimizer = catalogue::OptimizerKind::adam; }),
       7, "28000 of 16000, 1+3; 0 in products, 8000 beside, 0 exp, 1000 /, 1000 roots, chain 1+0"},
      // Between 4x5 and 3x3 a matrix of 5x3, without a second slot, roots and divisions: 3 * 9 * 5 + 17 * 27 in
      // products,
      // 8 for each of its entries.
      {"a matrix between the first and the last layer by muon",
       changed(network(),
               [](Record& scenario) {
                 scenario.resolved.optimizer = catalogue::OptimizerKind::muon;
                 scenario.resolved.layers.push_back({.width = 3, .bias = false});
                 scenario.parameters += 9;
               }),
       20, "360 of 4096, 1+0; 2112 of 1056, 0+3; 2834 in products, 452 beside, 30 exp, 34 /, 34 roots, chain 6+10"}};
  for (const auto& [name, scenario, block_steps, words] : cases) {
    EXPECT_EQ(words_of(least_work(scenario, block_steps)), words) << name;
  }
  EXPECT_EQ(least_work(regression(), 7)->dtype, catalogue::Dtype::f32);
  EXPECT_EQ(least_work(network(), 20)->dtype, catalogue::Dtype::f64);
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
