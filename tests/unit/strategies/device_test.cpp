// How a device gets its batches, and steps that it was given once and does again: all end where the reference does.
#include <array>
#include <string>
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

  static void expect_right(const StrategyDescriptor& descriptor, const TrainingCase& values, std::uint64_t steps,
                           const Options& options = {}) {
    const TrainingProblem training(with_dtype(values));
    SCOPED_TRACE(testing::Message() << name_of(descriptor) << ", " << values.layers[0].inputs << " features, width "
                                    << values.layers[0].outputs << ", " << values.rows << " rows, batches of "
                                    << values.batch_rows << ", " << catalogue::name_of(values.optimizer.kind));
    const std::vector<Dense> expected = training.trained(static_cast<std::int64_t>(steps));
    expect_near(trained(descriptor, values, steps, options), expected, 10 * tolerance());
  }
  static void expect_all_right(const StrategyDescriptor& descriptor, const Options& options = {}) {
    for (const TrainingCase& values : device_cases()) expect_right(descriptor, values, kSteps, options);
  }
};

TEST_P(DeviceTest, HoweverBatchesAreMadeAndStepsAreRun) {
  expect_all_right(graph::kDeviceGraphDescriptor);
  expect_all_right(fused::kDescriptor);
  for (const StrategyDescriptor* descriptor : kTrainers) {
    expect_all_right(*descriptor);
    expect_all_right(*descriptor, {{"loader", "resident"}});
  }
  for (const char* transfer : {"pageable", "pinned"}) {
    for (const char* loader : {"auto", "resident", "gather", "sample"}) {
      expect_all_right(hand::kDescriptor, {{"transfer", transfer}, {"loader", loader}});
    }
  }
}

// One warp, with one lane or several, and rows beyond a multiple of them; without and with a bias; every rule.
TEST_P(DeviceTest, LinearRegressionsInRegisters) {
  const std::vector<OptimizerCase> rules = entrywise_cases();
  std::size_t rule = 0;
  for (const std::int64_t features : {1, 2, 3, 5, 8}) {
    for (const std::int64_t rows : {1, 3, 5, 32, 100, 128, 129, 300}) {
      TrainingCase values{.layers = {layer(features, 1, catalogue::Activation::identity, rows % 2 == 0)},
                          .rows = rows,
                          .batch_rows = rows,
                          .optimizer = rules[rule++ % rules.size()]};
      if (rule % 3 == 0) values.learning_rates = {0.05, 0.02, 0.01};
      expect_right(fused::kDescriptor, values, 70);
    }
  }
}

// Rows of one warp, of a block and of several; units of one lane and of two; every rule, and activations whose
// derivatives have their input or their result as the argument.
TEST_P(DeviceTest, ShortHiddenLayersInLanes) {
  const std::vector<OptimizerCase> rules = entrywise_cases();
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
      expect_right(fused::kDescriptor, values, 20);
    }
  }
}

// A batch that the blocks of a cluster share, and one whose parts only fit into those of a grid.
TEST_P(DeviceTest, BlocksThatShareABatch) {
  const std::int64_t too_many = GetParam().dtype == catalogue::Dtype::f32 ? 1400 : 540;
  for (const auto& [rows, width] :
       {std::pair<std::int64_t, std::int64_t>{64, 20}, {300, 20}, {301, 20}, {900, 20}, {too_many, 64}}) {
    const TrainingCase values{.layers = {layer(10, width, catalogue::Activation::tanh), layer(width, 2)},
                              .rows = rows,
                              .batch_rows = rows,
                              .optimizer = {catalogue::OptimizerKind::adam, 0.01, true}};
    expect_right(fused::kDescriptor, values, 9);
  }
}

TEST_P(DeviceTest, RefusesWhatWouldNotBeSo) {
  TrainingCase values = device_cases()[3];
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

// Ops by the device's clock, what is the host's by its own. Where each op is a call, together they are the step, but
// for what is left out; elsewhere steps are one.
TEST_P(DeviceTest, IsProfiledByTheDevicesClock) {
  std::vector<const StrategyDescriptor*> descriptors = {&graph::kDeviceGraphDescriptor, &fused::kDescriptor};
  descriptors.insert(descriptors.end(), std::begin(kTrainers), std::end(kTrainers));
  for (const StrategyDescriptor* descriptor : descriptors) {
    SCOPED_TRACE(name_of(*descriptor));
    TrainingProblem training(with_dtype(device_cases()[1]));
    const auto strategy = start(*descriptor, training);
    const bool in_one = descriptor == descriptors[0] || descriptor == descriptors[1];
    const std::uint64_t steps = in_one ? 70 : 3;
    profiled(*strategy, steps);  // whose first steps may be too late for the clock
    const double start_ns = now_ns();
    const Said said = said_by(*strategy, steps);
    const double host_ns = now_ns() - start_ns;
    double device_ns = 0;
    double sum_ns = said.left_out_ns;
    for (const auto& [place, record] : said.records) {
      if (place.second == catalogue::Phase::compile) continue;
      sum_ns += record.time_ns;
      const bool on_host = place.first == "batch" || place.first.starts_with("launching") || place.first == "tape";
      EXPECT_EQ(record.device_clock, on_host ? 0 : 1) << place.first;
      if (!on_host) device_ns += record.time_ns;
    }
    EXPECT_GT(device_ns, 0);
    EXPECT_LE(device_ns, 1.01 * host_ns + 20'000);
    if (in_one) continue;
    EXPECT_EQ(said.records.at({"launching", catalogue::Phase::other}).calls, steps);
    EXPECT_GT(said.left_out_ns, 0) << "the device was held back";
    EXPECT_LE(sum_ns, host_ns);
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
