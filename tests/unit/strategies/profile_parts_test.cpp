// Profiles keep layers and parameters apart, alike in all strategies.
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

// Three layers; the middle one has no bias, so that parameters are no pairs. w0 b0 w1 w2 b2 are 0 to 4.
TrainingCase three_layers(catalogue::Dtype dtype) {
  return {.layers = {{3, 5, GDBENCH_TANH, 1}, {5, 4, GDBENCH_RELU, 0}, {4, 2, GDBENCH_IDENTITY, 1}},
          .dtype = dtype,
          .rows = 10,
          .batch_rows = 10};
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

class ProfilePartsTest : public StrategiesTest {
 protected:
  // What a strategy says of one phase.
  static std::vector<std::string> parts_of(const StrategyDescriptor& descriptor, TrainingCase values,
                                           const std::string& phase,
                                           const std::vector<gdbench_option_value>& options = {}) {
    values.dtype = GetParam().dtype;
    TrainingProblem training(values);
    const auto strategy = start(descriptor, training, options);
    strategy->run(1);
    std::vector<std::string> parts;
    for (const std::string& part : said_by(*strategy, 2).parts) {
      if (part.starts_with(phase + " ")) parts.push_back(part);
    }
    return parts;
  }

  // The graph's without passes that make one call of several.
  static std::vector<gdbench_option_value> options_of(const StrategyDescriptor& descriptor) {
    if (&descriptor != &graph::kDescriptor) return {};
    return {{"passes", "none,+algebra,+dead-code,+merge-updates"}};
  }
};

TEST_P(ProfilePartsTest, NameTheLayerAndTheParameterOfEachOp) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    SCOPED_TRACE(name_of(*descriptor));
    const auto parts = [&](const char* phase) {
      return parts_of(*descriptor, three_layers(GetParam().dtype), phase, options_of(*descriptor));
    };
    EXPECT_EQ(parts("forward"), kForward);
    EXPECT_EQ(parts("backward"), kBackward);
    EXPECT_EQ(parts("update"), std::vector<std::string>{"update update 0-2 updates 0-4"});
  }
}

TEST_P(ProfilePartsTest, NameTheParameterOfEachUpdate) {
  const std::vector<std::string> each = {"update update 0 updates 0", "update update 0 updates 1",
                                         "update update 1 updates 2", "update update 2 updates 3",
                                         "update update 2 updates 4"};
  for (const StrategyDescriptor* descriptor : kTrainers) {
    const bool graph = descriptor == &graph::kDescriptor;
    const gdbench_option_value option =
        graph ? gdbench_option_value{"passes", "none,+dead-code"} : gdbench_option_value{"update", "each"};
    EXPECT_EQ(parts_of(*descriptor, three_layers(GetParam().dtype), "update", {option}), each) << name_of(*descriptor);
  }
}

// Sweeps after the first and the parts of a batch add to gradients by ops of their own.
TEST_P(ProfilePartsTest, NameTheParameterOfSums) {
  TrainingCase values = three_layers(GetParam().dtype);
  values.micro_batches = 2;
  for (const catalogue::Task task : {catalogue::Task::train, catalogue::Task::gradients}) {
    values.task = task;
    for (const StrategyDescriptor* descriptor : kTrainers) {
      SCOPED_TRACE(name_of(*descriptor) + " task " + catalogue::name_of(task));
      const std::vector<std::string> parts = parts_of(*descriptor, values, "backward", options_of(*descriptor));
      for (const char* bias : {"backward combine 0 gradient 1", "backward combine 2 gradient 4"}) {
        EXPECT_NE(std::find(parts.begin(), parts.end(), bias), parts.end()) << bias;
      }
      for (const std::string& part : kBackward) {
        EXPECT_NE(std::find(parts.begin(), parts.end(), part), parts.end()) << part;
      }
    }
  }
}

TEST_P(ProfilePartsTest, NameAllThatAFusedOpUses) {
  const std::uint32_t flags = backends::backend_named(GetParam().backend).flags;
  const std::vector<std::string> forward = parts_of(graph::kDescriptor, three_layers(GetParam().dtype), "forward");
  const auto has = [](const std::vector<std::string>& parts, const char* part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  EXPECT_EQ(has(forward, "forward product 0 reads 0-1"), (flags & backends::kEpilogueBias) != 0);
  EXPECT_EQ(has(forward, "forward add_bias 0 reads 1"), (flags & backends::kEpilogueBias) == 0);
  const std::vector<std::string> backward = parts_of(graph::kDescriptor, three_layers(GetParam().dtype), "backward");
  const bool updates = (flags & (backends::kEpilogueUpdate | backends::kEpilogueLayerUpdate)) != 0;
  EXPECT_EQ(has(backward, "backward product 1 updates 2"), updates);
  // With the gradient of the activation before it, it is of two layers.
  const bool takes_gradient = (flags & backends::kEpilogueGradients) != 0;
  EXPECT_TRUE(has(backward, takes_gradient ? "backward product 0-1 reads 2" : "backward product 1 reads 2"));
}

TEST_P(ProfilePartsTest, SayThatRecordingServesAllLayers) {
  const std::vector<std::string> recording = parts_of(tape::kDescriptor, three_layers(GetParam().dtype), "record");
  EXPECT_EQ(recording, std::vector<std::string>{"record tape 0-2"});
}

// A host of before 1.4 gets every record, none of a part.
TEST_P(ProfilePartsTest, AreNotSaidToOlderHosts) {
  TrainingProblem training(three_layers(GetParam().dtype));
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

INSTANTIATE_TEST_SUITE_P(Backends, ProfilePartsTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
