// What strategies say that they ran: calls, flops and bytes by op and phase, layers and parameters apart.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

using catalogue::Phase;

// Three layers; the middle one has no bias, so that parameters are no pairs. w0 b0 w1 w2 b2 are 0 to 4.
TrainingCase three_layers() {
  return {.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 4, catalogue::Activation::relu, false),
                     layer(4, 2)},
          .rows = 10,
          .batch_rows = 10};
}

TrainingCase two_layers(std::int64_t outputs = 2) {
  return {.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, outputs)}, .rows = 10, .batch_rows = 10};
}

const std::vector<std::string> kForward = {"forward activation 0",       "forward activation 1",
                                           "forward add_bias 0 reads 1", "forward add_bias 2 reads 4",
                                           "forward product 0 reads 0",  "forward product 1 reads 2",
                                           "forward product 2 reads 3"};
const std::vector<std::string> kBackward = {"backward activation_gradient 0",   "backward activation_gradient 1",
                                            "backward column_sum 0 gradient 1", "backward column_sum 2 gradient 4",
                                            "backward loss_gradient 2",         "backward product 0 gradient 0",
                                            "backward product 1 gradient 2",    "backward product 1 reads 2",
                                            "backward product 2 gradient 3",    "backward product 2 reads 3"};
constexpr gdbench_option_value kUnfused = {"passes", "none,+algebra,+dead-code,+merge-updates"};

// The graph's without passes that make one call of several.
Options unfused(const StrategyDescriptor& descriptor) {
  return &descriptor == &graph::kDescriptor ? Options{kUnfused} : Options{};
}

bool has(const std::vector<std::string>& parts, const std::string& part) {
  return std::ranges::find(parts, part) != parts.end();
}

class ProfileTest : public StrategiesTest {
 protected:
  // What is said of two steps after the first one.
  static Said said(const StrategyDescriptor& descriptor, const TrainingCase& values, const Options& options = {}) {
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(descriptor, training, options);
    strategy->run(1);
    Said found = said_by(*strategy, 2);
    expect_trained(training, *strategy, 3);
    return found;
  }
  static std::vector<std::string> parts_of(const StrategyDescriptor& descriptor, const TrainingCase& values,
                                           const std::string& phase, const Options& options = {}) {
    std::vector<std::string> parts = said(descriptor, values, options).parts;
    std::erase_if(parts, [&](const std::string& part) { return !part.starts_with(phase + " "); });
    return parts;
  }
};

TEST_P(ProfileTest, CountsTheCallsOfATraining) {
  const double size = GetParam().dtype == catalogue::Dtype::f32 ? 4 : 8;
  for (const StrategyDescriptor* descriptor : kTrainers) {
    SCOPED_TRACE(name_of(*descriptor));
    const Records records = said(*descriptor, two_layers(), unfused(*descriptor)).records;
    const gdbench_profile_record& forward = records.at({"product", Phase::forward});
    EXPECT_EQ(forward.calls, 2u * 2);
    EXPECT_EQ(forward.flops, 2 * 2 * (10 * 3 * 5 + 10 * 5 * 2));
    EXPECT_EQ(forward.bytes, 2 * size * ((30 + 15 + 50) + (50 + 10 + 20)));
    EXPECT_GT(forward.time_ns, 0);
    EXPECT_EQ(records.at({"product", Phase::backward}).calls, 2u * 3);  // never the gradient of X
    EXPECT_EQ(records.at({"column_sum", Phase::backward}).calls, 2u * 2);
    EXPECT_EQ(records.at({"update", Phase::update}).calls, 2u);
    EXPECT_EQ(records.count({"loss", Phase::forward}), 0u);
    EXPECT_EQ(records.count({"combine", Phase::backward}), 0u);  // nothing is copied or accumulated
    EXPECT_EQ(records.count({"tape", Phase::record}), descriptor == &tape::kDescriptor ? 1u : 0u);
    if (descriptor != &graph::kDescriptor) continue;
    EXPECT_GT(records.at({"build", Phase::compile}).time_ns, 0);
    EXPECT_GT(records.at({"bind", Phase::compile}).time_ns, 0);
    EXPECT_EQ(records.at({"pass dead-code", Phase::compile}).calls, 2u);
    EXPECT_EQ(records.at({"pass merge-updates", Phase::compile}).calls, 4u);
    EXPECT_EQ(records.at({"pass fusion", Phase::compile}).calls, 0u);
  }
}

// Hand sweeps from one gradient of the loss; a tape records as often as it is to.
TEST_P(ProfileTest, CountsTheCallsOfAGradientPerOutput) {
  TrainingCase values = two_layers(4);
  values.task = catalogue::Task::gradients;
  for (const StrategyDescriptor* descriptor :
       {&hand::kDescriptor, &tape::kDescriptor, &tape::kReplayDescriptor, &tape::kRerecordDescriptor}) {
    SCOPED_TRACE(name_of(*descriptor));
    const bool hand = descriptor == &hand::kDescriptor;
    const std::uint64_t passes = descriptor == &tape::kRerecordDescriptor ? 4 : 1;
    const Records records = said(*descriptor, values).records;
    EXPECT_EQ(records.at({"product", Phase::forward}).calls, 2 * passes * 2);
    EXPECT_EQ(records.at({"product", Phase::backward}).calls, 2u * 4 * 3);
    EXPECT_EQ(records.at({"loss_gradient", Phase::backward}).calls, hand ? 2u : 2u * 4);
    const gdbench_profile_record& masked = records.at({"multiply", hand ? Phase::backward : Phase::forward});
    EXPECT_EQ(masked.calls, hand ? 2u * 4 : 2u * 4 * 2) << "the gradient, or outputs and targets";
    EXPECT_EQ(records.at({"combine", Phase::backward}).calls, 2u * 3 * (hand ? 2 : 4)) << "sums of parameters";
    EXPECT_EQ(records.at({"update", Phase::update}).calls, 2u);
  }
}

TEST_P(ProfileTest, CountsTheBytesOfBatches) {
  TrainingCase values = two_layers();
  values.batch_rows = 5;
  values.shuffled = true;
  const double size = GetParam().dtype == catalogue::Dtype::f32 ? 4 : 8;
  EXPECT_EQ(said(hand::kDescriptor, values).records.at({"batch", Phase::data}).bytes, 2 * 2 * 5 * (3 + 2) * size);
}

// As the catalogue counts: gradients are read, parameters and slots read and written.
TEST_P(ProfileTest, CountsWhatTheRuleOfAnUpdateTakes) {
  const auto size = static_cast<double>(catalogue::size_of(GetParam().dtype));
  TrainingCase values = {.layers = {layer(5, 9, catalogue::Activation::identity, false)},
                         .rows = 1,
                         .batch_rows = 1,
                         .task = catalogue::Task::update};
  const auto update = [&](const Options& options = {}) {
    TrainingProblem training(with_dtype(values));
    return profiled(*start(hand::kDescriptor, training, options), 3).at({"update", Phase::update});
  };
  for (const catalogue::OptimizerKind kind : catalogue::all_of<catalogue::OptimizerKind>()) {
    for (const double decay : {0.0, 0.5}) {
      values.optimizer = {kind, decay, false};
      EXPECT_EQ(update().flops, 3 * 45 * catalogue::operations_of(kind, decay != 0, false));
      const double arrays = 3 + 2 * static_cast<double>(catalogue::slot_count(kind));
      EXPECT_EQ(update().bytes, 3 * (45 * arrays * size + sizeof(backends::UpdateScalars)));
    }
  }
  values.layers.push_back(values.layers.front());
  EXPECT_EQ(update().calls, 3U);
  EXPECT_EQ(update({{"update", "each"}}).calls, 3U * 2);
}

TEST_P(ProfileTest, NamesTheLayerAndTheParametersOfEachOp) {
  const std::vector<std::string> each = {"update update 0 updates 0", "update update 0 updates 1",
                                         "update update 1 updates 2", "update update 2 updates 3",
                                         "update update 2 updates 4"};
  for (const StrategyDescriptor* descriptor : kTrainers) {
    SCOPED_TRACE(name_of(*descriptor));
    const Options options = unfused(*descriptor);
    EXPECT_EQ(parts_of(*descriptor, three_layers(), "forward", options), kForward);
    EXPECT_EQ(parts_of(*descriptor, three_layers(), "backward", options), kBackward);
    EXPECT_EQ(parts_of(*descriptor, three_layers(), "update", options),
              std::vector<std::string>{"update update 0-2 updates 0-4"});
    const gdbench_option_value one_by_one = descriptor == &graph::kDescriptor
                                                ? gdbench_option_value{"passes", "none,+dead-code"}
                                                : gdbench_option_value{"update", "each"};
    EXPECT_EQ(parts_of(*descriptor, three_layers(), "update", {one_by_one}), each);
  }
  EXPECT_EQ(parts_of(tape::kDescriptor, three_layers(), "record"), std::vector<std::string>{"record tape 0-2"});
}

// Sweeps after the first and the parts of a batch add to gradients by ops of their own.
TEST_P(ProfileTest, NamesTheParametersOfSums) {
  TrainingCase values = three_layers();
  values.micro_batches = 2;
  std::vector<std::string> expected = {"backward combine 0 gradient 1", "backward combine 2 gradient 4"};
  expected.insert(expected.end(), kBackward.begin(), kBackward.end());
  for (const catalogue::Task task : {catalogue::Task::train, catalogue::Task::gradients}) {
    values.task = task;
    for (const StrategyDescriptor* descriptor : kTrainers) {
      SCOPED_TRACE(name_of(*descriptor) + " task " + catalogue::name_of(task));
      const std::vector<std::string> parts = parts_of(*descriptor, values, "backward", unfused(*descriptor));
      for (const std::string& part : expected) EXPECT_TRUE(has(parts, part)) << part;
    }
  }
}

TEST_P(ProfileTest, NamesAllThatAFusedOpUses) {
  const auto offers = [](std::uint32_t flags) { return (backend().flags & flags) != 0; };
  const std::vector<std::string> parts = said(graph::kDescriptor, three_layers()).parts;
  EXPECT_EQ(has(parts, "forward product 0 reads 0-1"), offers(backends::kEpilogueBias));
  EXPECT_EQ(has(parts, "forward add_bias 0 reads 1"), !offers(backends::kEpilogueBias));
  EXPECT_EQ(has(parts, "backward product 1 updates 2"),
            offers(backends::kEpilogueUpdate | backends::kEpilogueLayerUpdate));
  // With the gradient of the activation before it, it is of two layers.
  const bool takes_gradient = offers(backends::kEpilogueGradients);
  EXPECT_TRUE(has(parts, takes_gradient ? "backward product 0-1 reads 2" : "backward product 1 reads 2"));
}

// A host of before 1.4 gets every record, none of a part.
TEST_P(ProfileTest, SaysNoPartsToOlderHosts) {
  TrainingProblem training(with_dtype(three_layers()));
  const auto strategy = start(hand::kDescriptor, training);
  std::uint64_t calls = 0;
  const auto count = [](void* context, const gdbench_profile_record* record) {
    const bool kernel = record->phase != GDBENCH_PHASE_DATA && record->phase != GDBENCH_PHASE_OTHER;
    if (kernel) *static_cast<std::uint64_t*>(context) += record->calls;
  };
  const auto never = [](void*, const gdbench_profile_record*, const gdbench_model_part*) {
    FAIL() << "beyond struct_size";
  };
  const gdbench_profile_sink sink{offsetof(gdbench_profile_sink, record_part), &calls, count, never,
                                  [](void*, double) { FAIL() << "beyond struct_size"; }};
  strategy->profile(1, sink);
  EXPECT_EQ(calls, kForward.size() + kBackward.size() + 1) << "the passes and the update";
}

TEST_P(ProfileTest, CountsTheEntriesOfSparseFeatures) {
  if ((backend().flags & backends::kSparse) == 0) GTEST_SKIP() << "has no products of csr features";
  TrainingCase values = {.layers = {layer(30, 8), layer(8, 2)}, .rows = 40, .batch_rows = 40};
  values.density = 0.2;
  for (const StrategyDescriptor* descriptor : {&hand::kDescriptor, &graph::kDescriptor}) {
    const Records records = said(*descriptor, values, {{"features", "csr"}}).records;
    const double flops = records.at({"product", Phase::forward}).flops / 2;
    const double entries = (flops - 2 * 40 * 8 * 2) / (2 * 8);
    EXPECT_GT(entries, 0.1 * 40 * 30);
    EXPECT_LT(entries, 0.3 * 40 * 30);
  }
}

TEST_P(ProfileTest, GraphsAreDumpedBeforeAndAfterEachPass) {
  const auto folder =
      std::filesystem::temp_directory_path() /
      ("gdbench-dump-" + std::to_string(::getpid()) + GetParam().backend + catalogue::name_of(GetParam().dtype));
  TrainingProblem training(with_dtype({.layers = {layer(3, 2)}, .rows = 7, .batch_rows = 3}));
  const std::string name = folder.string();
  start(graph::kDescriptor, training, {{"dump", name.c_str()}});
  for (const char* file : {"step-3-rows-00-built.txt", "step-3-rows-00-built.dot", "step-3-rows-01-algebra.txt",
                           "step-1-rows-00-built.txt", "step-1-rows-plan.txt"}) {
    std::ifstream stream(folder / file);
    EXPECT_TRUE(stream.good() && stream.peek() != EOF) << file;
  }
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Backends, ProfileTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

// One call has the operations of the calls that it takes the place of.
TEST(Cost, OfAProductCountsWhatFollowsIt) {
  using backends::Operand, backends::Request;
  gdbench_optimizer sgd = {};
  sgd.kind = GDBENCH_SGD;
  const catalogue::ActivationRow& activation = catalogue::row_of(catalogue::Activation::tanh);
  const double rule = catalogue::operations_of(catalogue::OptimizerKind::sgd, false, false);
  Request forward, backward, update;
  forward.epilogue_bias = update.epilogue_bias = true;
  forward.epilogue_activation = backward.activation = catalogue::Activation::tanh;
  backward.epilogue_activation_gradient = update.epilogue_update = true;
  update.optimizer = &sgd;
  const struct {
    Request request;
    std::vector<Operand> operands;  // behind those of a product
    double flops;
  } rows[] = {{{}, {}, 0},
              {forward, {{1, 5}}, 20 * (1 + activation.operations)},
              {backward, {{4, 5}}, 20 * activation.gradient_operations},
              {update, {{1, 1}, {1, 5}}, rule * (20 + 5) + 3 * 5}};  // weights, bias, and the sum of its gradient
  for (const auto& [request, operands, flops] : rows) {
    std::vector<Operand> all = {{4, 3}, {3, 5}, {4, 5}};
    all.insert(all.end(), operands.begin(), operands.end());
    Request product = request;
    product.op = backends::Op::product;
    product.operand_count = all.size();
    std::ranges::copy(all, product.operands);
    EXPECT_EQ(cost_of(product).flops, 2 * 4 * 3 * 5 + flops) << operands.size();
  }
}

}  // namespace
}  // namespace gdbench::strategies
