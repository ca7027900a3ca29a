// What the graph strategy tells of itself, on every backend.
#include "implementations/strategies/graph/graph.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "implementations/common/failure.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

class GraphTest : public StrategiesTest {};

TEST_P(GraphTest, ProfilesWhatItRunsAndHowItWasCompiled) {
  TrainingProblem training({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)},
                            .dtype = GetParam().dtype,
                            .rows = 10,
                            .batch_rows = 10});
  const auto strategy = start(graph::kDescriptor, training, {{"passes", "none,+dead-code,+merge-updates"}});
  const Records records = profiled(*strategy, 4);
  expect_trained(training, *strategy, 4);
  EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 8u);
  EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).flops, 4 * 2 * (10 * 3 * 5 + 10 * 5 * 2));
  EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 12u);
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 4u);
  EXPECT_EQ(records.count({"loss", catalogue::Phase::forward}), 0u);
  EXPECT_GT(records.at({"build", catalogue::Phase::compile}).time_ns, 0);
  EXPECT_GT(records.at({"bind", catalogue::Phase::compile}).time_ns, 0);
  EXPECT_EQ(records.at({"pass dead-code", catalogue::Phase::compile}).calls, 2u);
  EXPECT_EQ(records.at({"pass merge-updates", catalogue::Phase::compile}).calls, 4u);
  EXPECT_EQ(records.at({"pass fusion", catalogue::Phase::compile}).calls, 0u);
}

TEST_P(GraphTest, DumpsTheGraphBeforeAndAfterEachPass) {
  const auto folder =
      std::filesystem::temp_directory_path() /
      ("gdbench-dump-" + std::to_string(::getpid()) + GetParam().backend + catalogue::name_of(GetParam().dtype));
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 3});
  const std::string name = folder.string();
  start(graph::kDescriptor, training, {{"dump", name.c_str()}});
  for (const char* file : {"step-3-rows-00-built.txt", "step-3-rows-00-built.dot", "step-3-rows-01-algebra.txt",
                           "step-1-rows-00-built.txt", "step-1-rows-plan.txt"}) {
    std::ifstream stream(folder / file);
    EXPECT_TRUE(stream.good() && stream.peek() != EOF) << file;
  }
  std::filesystem::remove_all(folder);
}

TEST_P(GraphTest, RefusesUnknownPasses) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 7});
  EXPECT_THROW(start(graph::kDescriptor, training, {{"passes", "-nothing"}}), implementations::Failure);
}

INSTANTIATE_TEST_SUITE_P(Backends, GraphTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
