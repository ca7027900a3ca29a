// Which passes run: any of them may be left out, and what remains computes the same; one that is wrong is named.
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

using catalogue::Task;
using ops::Op;

constexpr std::uint32_t kFlags[] = {0, kEpilogues | backends::kEpilogueUpdate, kLayerEpilogues};

// check(graph) after any subset of the passes, which computes what `expected` does.
template <class Check>
void for_each_selection(const Graph& built, const Graph& expected, const Target& target, const Check& check) {
  const std::size_t passes = all_passes().size();
  const auto values = interpret(expected);
  for (std::size_t mask = 0; mask < std::size_t{1} << passes; ++mask) {
    Selection selection;
    selection.passes.clear();
    for (std::size_t i = 0; i < passes; ++i) selection.passes.push_back((mask >> i & 1) != 0);
    SCOPED_TRACE(testing::PrintToString(selection.passes));
    const Compiled compiled = compile(built, target, selection, catalogue::Dtype::f64, nullptr);
    ASSERT_TRUE(same(interpret(compiled.graph), values));
    check(compiled);
  }
}

TEST(PassSelections, ComputeTheSameStep) {
  const TestOptimizer optimizer;
  const std::vector<gdbench_layer> layers = {
      {3, 5, GDBENCH_TANH, 1}, {5, 4, GDBENCH_IDENTITY, 0}, {4, 1, GDBENCH_SIGMOID, 1}};
  for (const std::uint32_t flags : kFlags) {
    const Graph step = step_of(layers, optimizer.get(), true).graph();
    for_each_selection(step, step, optimizer.target(flags), [](const Compiled&) {});
  }
}

// A gradient per output: the step of train, by sweeps that no pass takes for one another.
TEST(PassSelections, KeepASweepPerOutput) {
  const TestOptimizer optimizer;
  const std::vector<gdbench_layer> layers = {{3, 5, GDBENCH_TANH, 1}, {5, 3, GDBENCH_SIGMOID, 1}};
  const Graph train = step_of(layers, optimizer.get(), true).graph();
  const Graph sweeps = step_of(layers, optimizer.get(), true, Task::gradients).graph();
  for (const std::uint32_t flags : kFlags) {
    for_each_selection(sweeps, train, optimizer.target(flags),
                       [](const Compiled& compiled) { ASSERT_GE(count(compiled.graph, Op::product), 2 + 3 * 3); });
  }
}

TEST(PassSelections, KeepThePartsOfABatch) {
  const TestOptimizer optimizer;
  const TestModel model(kPerceptron, catalogue::Loss::mse, optimizer.get(), Task::train, 3);
  const Graph built = build_step(model.problem(), 7);
  for_each_selection(built, built, optimizer.target(kFlags[1]),
                     [](const Compiled& compiled) { ASSERT_EQ(count(compiled.graph, Op::loss_gradient), 3); });
}

TEST(PassSelections, KeepTheGradientsOfARank) {
  const TestOptimizer optimizer;
  const TestModel model(kPerceptron, catalogue::Loss::mse, optimizer.get(), Task::train, 2);
  const Graph built = build_gradients(model.problem(), 7, {1, 3});  // rows 3 and 4
  EXPECT_EQ(interpret(built).count("gradient0") + interpret(built).count("gradient3"), 2u);
  for_each_selection(built, built, optimizer.target(kFlags[1]), [](const Compiled& compiled) {
    ASSERT_GE(std::ranges::count(compiled.plan.locations, Location::Place::gradient, &Location::place), 4);
  });
}

TEST(PassSelections, ReportHowOftenTheyFired) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  int observed = 0;
  const auto reports =
      run_passes(test.graph(), all_passes(), parse_selection("all").passes, optimizer.target(backends::kEpilogueUpdate),
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
  EXPECT_EQ(std::ranges::count(none.passes, true), 0);
  const Selection some = parse_selection("-fusion,-buffer-reuse");
  EXPECT_FALSE(some.buffer_reuse);
  const Selection only = parse_selection("none,+dead-code");
  for (std::size_t i = 0; i < some.passes.size(); ++i) {
    const std::string name = all_passes()[i].name;
    EXPECT_EQ(some.passes[i], name != "fusion");
    EXPECT_EQ(only.passes[i], name == "dead-code");
  }
  for (const std::string wrong : {"-fussion", "fusion", "-", "+none"}) {
    try {
      parse_selection(wrong);
      ADD_FAILURE() << wrong;
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      EXPECT_NE(std::string(failure.what()).find("dead-code"), std::string::npos);
      EXPECT_NE(std::string(failure.what()).find("\"" + wrong + "\""), std::string::npos);
    }
  }
}

TEST(PassSelections, EveryNameOfTheOptionIsASwitch) {
  std::istringstream names(switch_names());
  std::size_t count = 0;
  for (std::string name; std::getline(names, name, '|'); ++count) {
    const Selection without = parse_selection("-" + name);
    const auto off = std::ranges::count(without.passes, false) + (without.buffer_reuse ? 0 : 1);
    EXPECT_EQ(off, 1) << name;
  }
  EXPECT_EQ(count, all_passes().size() + 1);
}

// An update as early as its gradient is there: before the input's gradient has read the weights.
std::int64_t update_too_early(Graph& graph, const Target&) {
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (graph[id].is_call(Op::update)) graph.move_after(id, graph[id].operands[0]);
  }
  return 1;
}

TEST(PassSelections, AWrongPassIsNamed) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  const Pass passes[] = {{"wrong", "wrong", update_too_early}};
  try {
    run_passes(test.graph(), passes, {true}, optimizer.target(), nullptr);
    ADD_FAILURE() << "was not noticed";
  } catch (const implementations::Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("broken after wrong: "), std::string::npos) << failure.what();
    EXPECT_NE(std::string(failure.what()).find("read later"), std::string::npos) << failure.what();
  }
}

}  // namespace
}  // namespace gdbench::strategies::graph
