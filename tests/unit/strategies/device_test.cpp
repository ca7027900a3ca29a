// How a device gets its batches, and steps that it was given once and does again: all end where plain loops end.
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "implementations/strategies/fused/fused.h"
#include "tests/support/implementations/processors.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

// A full batch; mini-batches in order and shuffled, with a smaller last one; labels; scalars that change at every step.
std::vector<TrainingCase> device_cases() {
  const std::vector<gdbench_layer> network = {layer(5, 7, catalogue::Activation::relu), layer(7, 3)};
  const OptimizerCase adam = {catalogue::OptimizerKind::adam, 0.01, false};
  return {
      {.layers = {layer(3, 1)}, .rows = 40, .batch_rows = 40},
      {.layers = network, .rows = 40, .batch_rows = 40, .optimizer = adam},
      {.layers = network, .rows = 43, .batch_rows = 4},
      {.layers = network, .rows = 43, .batch_rows = 4, .shuffled = true, .optimizer = adam},
      {.layers = network,
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 256,
       .batch_rows = 4,
       .shuffled = true},
      {.layers = network, .rows = 40, .batch_rows = 40, .shuffled = true},
      {.layers = network, .rows = 30, .batch_rows = 7, .shuffled = true, .learning_rates = {0.05, 0.02, 0.01}},
  };
}

class DeviceTest : public StrategiesTest {
 protected:
  // Enough for a recording of many steps, what is left over, and several epochs.
  static constexpr std::uint64_t kSteps = 75;

  static void expect_right(const StrategyDescriptor& descriptor, const std::vector<gdbench_option_value>& options) {
    for (TrainingCase values : device_cases()) {
      values.dtype = GetParam().dtype;
      const TrainingProblem training(values);
      SCOPED_TRACE(testing::Message() << name_of(descriptor) << ", " << values.rows << " rows, batches of "
                                      << values.batch_rows << (values.shuffled ? ", shuffled" : ""));
      expect_near(trained(descriptor, values, kSteps, options), training.trained(kSteps), 10 * tolerance());
    }
  }
};

TEST_P(DeviceTest, DataThatAreResident) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    expect_right(*descriptor, {});
    expect_right(*descriptor, {{"loader", "resident"}});
  }
}

TEST_P(DeviceTest, BatchesThatAreCopiedInEachStep) {
  for (const char* transfer : {"pageable", "pinned"}) {
    for (const char* loader : {"auto", "resident", "gather", "sample"}) {
      expect_right(hand::kDescriptor, {{"transfer", transfer}, {"loader", loader}});
    }
  }
}

TEST_P(DeviceTest, StepsThatAreRecorded) { expect_right(graph::kDeviceGraphDescriptor, {}); }

TEST_P(DeviceTest, StepsThatAreOneKernel) { expect_right(fused::kDescriptor, {}); }

// One warp, with one lane or several, and rows beyond a multiple of them; without and with a bias; every rule.
TEST_P(DeviceTest, LinearRegressionsInRegisters) {
  const std::vector<OptimizerCase> rules = optimizer_cases();
  std::size_t rule = 0;
  for (const std::int64_t features : {1, 2, 3, 5, 8}) {
    for (const std::int64_t rows : {1, 3, 5, 32, 100, 128, 129, 300}) {
      TrainingCase values{.layers = {layer(features, 1)},
                          .dtype = GetParam().dtype,
                          .rows = rows,
                          .batch_rows = rows,
                          .optimizer = rules[rule++ % rules.size()]};
      values.layers[0].has_bias = rows % 2 == 0 ? 1 : 0;
      if (rule % 3 == 0) values.learning_rates = {0.05, 0.02, 0.01};
      const TrainingProblem training(values);
      SCOPED_TRACE(testing::Message() << features << " features, " << rows << " rows, "
                                      << catalogue::name_of(values.optimizer.kind) << " epsilon "
                                      << catalogue::name_of(values.optimizer.epsilon_place));
      expect_near(trained(fused::kDescriptor, values, 70), training.trained(70), 10 * tolerance());
    }
  }
}

// Rows of one warp, of a block and of several; units of one lane and of two; every rule, and activations whose
// derivatives are told from either end.
TEST_P(DeviceTest, ShortHiddenLayersInLanes) {
  const std::vector<OptimizerCase> rules = optimizer_cases();
  const catalogue::Activation activations[] = {catalogue::Activation::relu, catalogue::Activation::gelu,
                                               catalogue::Activation::tanh, catalogue::Activation::sigmoid};
  const catalogue::Loss losses[] = {catalogue::Loss::mse, catalogue::Loss::huber,
                                    catalogue::Loss::binary_cross_entropy};
  std::size_t turn = 0;
  for (const std::int64_t features : {1, 3, 10, 12}) {
    for (const std::int64_t rows : {1, 7, 64, 65, 250}) {
      const std::int64_t width = std::array{1, 20, 33, 64}[turn % 4];
      TrainingCase values{.layers = {layer(features, width, activations[turn % 4]), layer(width, 1)},
                          .loss = losses[turn % 3],
                          .dtype = GetParam().dtype,
                          .rows = rows,
                          .batch_rows = rows,
                          .optimizer = rules[turn % rules.size()]};
      values.layers[turn % 2].has_bias = turn % 5 == 0 ? 0 : 1;
      if (turn % 3 == 1) {  // batches that are read anew in each step
        values.batch_rows = (rows + 1) / 2;
        values.shuffled = true;
      }
      if (turn % 4 == 3) values.learning_rates = {0.05, 0.02, 0.01};
      ++turn;
      const TrainingProblem training(values);
      SCOPED_TRACE(testing::Message() << features << " features, width " << width << ", " << rows << " rows, "
                                      << catalogue::name_of(values.optimizer.kind));
      expect_near(trained(fused::kDescriptor, values, 20), training.trained(20), 10 * tolerance());
    }
  }
}

// A batch that the blocks of a cluster share, and one whose parts only fit into those of a grid.
TEST_P(DeviceTest, BlocksThatShareABatch) {
  const std::int64_t too_many = GetParam().dtype == catalogue::Dtype::f32 ? 1400 : 540;
  for (const auto& [rows, width] :
       {std::pair<std::int64_t, std::int64_t>{64, 20}, {300, 20}, {301, 20}, {900, 20}, {too_many, 64}}) {
    TrainingCase values{.layers = {layer(10, width, catalogue::Activation::tanh), layer(width, 2)},
                        .dtype = GetParam().dtype,
                        .rows = rows,
                        .batch_rows = rows,
                        .optimizer = {catalogue::OptimizerKind::adam, 0.01, true}};
    const TrainingProblem training(values);
    SCOPED_TRACE(testing::Message() << rows << " rows, width " << width);
    expect_near(trained(fused::kDescriptor, values, 9), training.trained(9), 10 * tolerance());
  }
}

// Models of which no block can hold all: every block of a cluster has columns of each layer, some of them none of the
// last one.
TEST_P(DeviceTest, BlocksThatShareAModel) {
  const std::int64_t inputs = GetParam().dtype == catalogue::Dtype::f32 ? 150 : 90;
  std::vector<TrainingCase> cases;
  for (const catalogue::Loss loss : {catalogue::Loss::softmax_cross_entropy, catalogue::Loss::huber}) {
    const auto labels = loss == catalogue::Loss::softmax_cross_entropy;
    cases.push_back({.layers = {layer(inputs, 203, catalogue::Activation::relu), layer(203, 5)},
                     .loss = loss,
                     .rows = 50,
                     .batch_rows = 9,
                     .shuffled = true});
    cases.push_back({.layers = {layer(inputs, 60, catalogue::Activation::gelu),
                                layer(60, 80, catalogue::Activation::tanh), layer(80, 3)},
                     .loss = loss,
                     .rows = 15,
                     .batch_rows = 15,
                     .learning_rates = {0.003, 0.002, 0.001},
                     .optimizer = {catalogue::OptimizerKind::momentum, 0.01, !labels}});
  }
  for (TrainingCase& values : cases) {
    values.dtype = GetParam().dtype;
    const TrainingProblem training(values);
    SCOPED_TRACE(testing::Message() << values.layers.size() << " layers, " << values.batch_rows << " rows");
    expect_near(trained(fused::kDescriptor, values, 12), training.trained(12), 10 * tolerance());
  }
}

TEST_P(DeviceTest, RefusesWhatWouldNotBeSo) {
  TrainingCase values = device_cases()[3];
  values.dtype = GetParam().dtype;
  EXPECT_EQ(refusal(hand::kDescriptor, values, {{"loader", "gather"}}),
            "batches made on the host with transfer=resident");
  EXPECT_EQ(refusal(graph::kDeviceGraphDescriptor, values, {{"transfer", "pageable"}}),
            "batches copied in each step of a recording");
  EXPECT_NE(refusal(hand::kDescriptor, values, {{"features", "csr"}}), "");
  EXPECT_EQ(refusal(fused::kDescriptor, values, {{"transfer", "pinned"}}),
            "fused steps need all data in the device's memory");
  values.layers = {layer(5, 9000, catalogue::Activation::relu), layer(9000, 3)};
  EXPECT_NE(refusal(fused::kDescriptor, values, {}).find("do not fit into a block's shared memory"), std::string::npos);
}

TrainingCase profiled_case() {
  TrainingCase values = device_cases()[1];
  values.dtype = StrategiesTest::GetParam().dtype;
  return values;
}

// Ops by the device's clock, what is the host's by its own; together they are the step, but for what is left out.
TEST_P(DeviceTest, CallsAreProfiledByTheDevicesClock) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    SCOPED_TRACE(name_of(*descriptor));
    TrainingProblem training(profiled_case());
    const auto strategy = start(*descriptor, training);
    profiled(*strategy, 3);  // whose first steps may be too late for the clock
    const double start_ns = now_ns();
    const Said said = said_by(*strategy, 3);
    const double host_ns = now_ns() - start_ns;
    double sum_ns = 0;
    for (const auto& [place, record] : said.records) {
      if (place.second == catalogue::Phase::compile) continue;
      sum_ns += record.time_ns;
      const bool on_host = place.first == "batch" || place.first == "launching" || place.first == "tape";
      EXPECT_EQ(record.device_clock, on_host ? 0 : 1) << place.first;
    }
    EXPECT_EQ(said.records.at({"launching", catalogue::Phase::other}).calls, 3U);
    EXPECT_GT(said.left_out_ns, 0) << "the device was held back";
    EXPECT_LE(sum_ns + said.left_out_ns, host_ns);
  }
}

TEST_P(DeviceTest, StepsThatAreOneCallAreProfiledByTheDevicesClock) {
  for (const auto& [descriptor, op] : {std::pair(&graph::kDeviceGraphDescriptor, "recorded steps"),
                                       std::pair(&fused::kDescriptor, "training region")}) {
    TrainingProblem training(profiled_case());
    const auto strategy = start(*descriptor, training);
    const Records records = profiled(*strategy, 70);
    EXPECT_EQ(records.at({op, catalogue::Phase::other}).device_clock, 1) << op;
    EXPECT_GT(records.at({op, catalogue::Phase::other}).time_ns, 0) << op;
    EXPECT_EQ(records.at({"launching and waiting", catalogue::Phase::other}).device_clock, 0) << op;
  }
}

std::vector<backends::BackendCase> devices() {
  std::vector<backends::BackendCase> cases = backends::all_cases();
  std::erase_if(cases, [](const backends::BackendCase& backend) { return !backends::is_device(backend.backend); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest, testing::ValuesIn(devices()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
