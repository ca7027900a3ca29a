// Which passes run: any of them may be left out, and what remains computes the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "implementations/strategies/graph/plan/executable.h"
#include "tests/support/implementations/graph_fixture.h"

namespace gdbench::strategies::graph {
namespace {

using ops::Op;

std::vector<std::vector<bool>> every_selection() {
  const std::size_t passes = all_passes().size();
  std::vector<std::vector<bool>> selections(std::size_t{1} << passes);
  for (std::size_t mask = 0; mask < selections.size(); ++mask) {
    for (std::size_t i = 0; i < passes; ++i) selections[mask].push_back((mask >> i & 1) != 0);
  }
  return selections;
}

// Any subset of passes leaves a step that computes the same.
TEST(PassSelections, ComputeTheSameStep) {
  const TestOptimizer optimizer;
  const std::vector<gdbench_layer> layers = {
      {3, 5, GDBENCH_TANH, 1}, {5, 4, GDBENCH_IDENTITY, 0}, {4, 1, GDBENCH_SIGMOID, 1}};
  for (const std::uint32_t flags : {0u, kEpilogues | backends::kEpilogueUpdate, kLayerEpilogues}) {
    const auto expected = interpret(step_of(layers, optimizer.get(), true).graph());
    for (const std::vector<bool>& selected : every_selection()) {
      TestGraph test = step_of(layers, optimizer.get(), true);
      run_passes(test.graph(), all_passes(), selected, optimizer.target(flags), nullptr);
      ASSERT_TRUE(same(interpret(test.graph()), expected)) << testing::PrintToString(selected);
    }
  }
}

// A gradient per output: the step of train, by sweeps that no pass takes for one another.
TEST(PassSelections, KeepASweepPerOutput) {
  const TestOptimizer optimizer;
  const std::vector<gdbench_layer> layers = {{3, 5, GDBENCH_TANH, 1}, {5, 3, GDBENCH_SIGMOID, 1}};
  const auto expected = interpret(step_of(layers, optimizer.get(), true).graph());
  for (const std::uint32_t flags : {0u, kEpilogues | backends::kEpilogueUpdate, kLayerEpilogues}) {
    for (const std::vector<bool>& selected : every_selection()) {
      TestGraph test = step_of(layers, optimizer.get(), true, catalogue::Task::gradients);
      run_passes(test.graph(), all_passes(), selected, optimizer.target(flags), nullptr);
      ASSERT_TRUE(same(interpret(test.graph()), expected)) << testing::PrintToString(selected);
      ASSERT_GE(count(test.graph(), Op::product), 2 + 3 * 3) << testing::PrintToString(selected);
    }
  }
}

TEST(PassSelections, KeepThePartsOfABatch) {
  const TestOptimizer optimizer;
  const TestModel model(kPerceptron, catalogue::Loss::mse, optimizer.get(), catalogue::Task::train, 3);
  const Graph built = build_step(model.problem(), 7, 0);
  const auto expected = interpret(built);
  for (const std::vector<bool>& selected : every_selection()) {
    Graph graph = built;
    run_passes(graph, all_passes(), selected, optimizer.target(kEpilogues | backends::kEpilogueUpdate), nullptr);
    ASSERT_TRUE(same(interpret(graph), expected)) << testing::PrintToString(selected);
    ASSERT_EQ(count(graph, Op::loss_gradient), 3) << testing::PrintToString(selected);
  }
}

TEST(PassSelections, KeepTheGradientsOfARank) {
  const TestOptimizer optimizer;
  const TestModel model(kPerceptron, catalogue::Loss::mse, optimizer.get(), catalogue::Task::train, 2);
  const Graph built = build_gradients(model.problem(), 7, {1, 3});  // rows 3 and 4
  const auto expected = interpret(built);
  EXPECT_EQ(expected.count("gradient0") + expected.count("gradient3"), 2u);
  for (const std::vector<bool>& selected : every_selection()) {
    Selection selection;
    selection.passes = selected;
    const Compiled compiled = compile(built, optimizer.target(kEpilogues | backends::kEpilogueUpdate), selection,
                                      catalogue::Dtype::f64, nullptr);
    ASSERT_TRUE(same(interpret(compiled.graph), expected)) << testing::PrintToString(selected);
    const auto placed = std::ranges::count(compiled.plan.locations, Location::Place::gradient, &Location::place);
    ASSERT_GE(placed, 4) << testing::PrintToString(selected);
  }
}

TEST(PassSelections, ReportHowOftenTheyFired) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  const Selection all = parse_selection("all");
  int observed = 0;
  const auto reports = run_passes(test.graph(), all_passes(), all.passes, optimizer.target(backends::kEpilogueUpdate),
                                  [&](const Graph&, const Pass*) { ++observed; });
  std::map<std::string, std::int64_t> fired;
  for (const PassReport& report : reports) fired[report.name] = report.fired;
  EXPECT_EQ(fired["dead-code"], 2);  // the loss and the gradient of the data
  EXPECT_EQ(fired["algebra"], 1);    // the identity activation
  EXPECT_EQ(fired["update-epilogues"], 2);
  EXPECT_GE(observed, 4);
}

TEST(PassSelections, AreParsed) {
  EXPECT_EQ(parse_selection("").passes, parse_selection("all").passes);
  const Selection none = parse_selection("none");
  EXPECT_FALSE(none.buffer_reuse);
  for (const bool on : none.passes) EXPECT_FALSE(on);
  const Selection some = parse_selection("-fusion,-buffer-reuse");
  EXPECT_FALSE(some.buffer_reuse);
  for (std::size_t i = 0; i < some.passes.size(); ++i) {
    EXPECT_EQ(some.passes[i], std::string(all_passes()[i].name) != "fusion");
  }
  EXPECT_EQ(parse_selection("none,+dead-code").passes[4], std::string(all_passes()[4].name) == "dead-code");
  for (const char* wrong : {"-fussion", "fusion", "-", "+none"}) {
    try {
      parse_selection(wrong);
      ADD_FAILURE() << wrong;
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      EXPECT_NE(std::string(failure.what()).find("dead-code"), std::string::npos);
      EXPECT_NE(std::string(failure.what()).find(std::string("\"") + wrong + "\""), std::string::npos);
    }
  }
}

TEST(PassSelections, EveryNameOfTheOptionIsASwitch) {
  std::istringstream names(switch_names());
  std::size_t count = 0;
  for (std::string name; std::getline(names, name, '|'); ++count) {
    const Selection without = parse_selection("-" + name);
    const auto off = std::count(without.passes.begin(), without.passes.end(), false) + (without.buffer_reuse ? 0 : 1);
    EXPECT_EQ(off, 1) << name;
  }
  EXPECT_EQ(count, all_passes().size() + 1);
}

}  // namespace
}  // namespace gdbench::strategies::graph
