// Passes that are wrong on purpose are noticed.
#include <gtest/gtest.h>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/ir/verify.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "tests/support/implementations/graph_fixture.h"

namespace gdbench::strategies::graph {
namespace {

using ops::Op;

using WrongPass = decltype(Pass::run);

std::int64_t forget_the_bias(Graph& graph, const Target&) {
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (!graph[id].is_call(Op::add_bias)) continue;
    graph.replace_uses(id, graph[id].operands[1]);
    graph.erase(id);
    return 1;
  }
  return 0;
}

std::int64_t erase_what_is_read(Graph& graph, const Target&) {
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (!graph[id].is_call(Op::activation)) continue;
    graph.erase(id);
    return 1;
  }
  return 0;
}

std::int64_t swap_a_transpose(Graph& graph, const Target&) {
  for (const NodeId id : graph.order()) {
    if (!graph[id].is_call(Op::product)) continue;
    graph[id].request.transpose_a = !graph[id].request.transpose_a;
    return 1;
  }
  return 0;
}

// An update as early as its gradient is there: before the input's gradient has read the weights.
std::int64_t update_too_early(Graph& graph, const Target&) {
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (graph[id].is_call(Op::update)) graph.move_after(id, graph[id].operands[0]);
  }
  return 1;
}

std::string complaint_about(WrongPass pass) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  const Pass passes[] = {{"wrong", "wrong", pass}};
  try {
    run_passes(test.graph(), passes, {true}, optimizer.target(), nullptr);
    return {};
  } catch (const implementations::Failure& failure) {
    return failure.what();
  }
}

TEST(WrongGraphPasses, AreNamedByTheVerifier) {
  for (const WrongPass pass : {erase_what_is_read, swap_a_transpose, update_too_early}) {
    EXPECT_NE(complaint_about(pass).find("broken after wrong: "), std::string::npos) << complaint_about(pass);
  }
  EXPECT_NE(complaint_about(update_too_early).find("read later"), std::string::npos);
}

TEST(WrongGraphPasses, WellFormedOnesAreCaughtByTheirNumbers) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  const auto expected = interpret(test.graph());
  EXPECT_EQ(forget_the_bias(test.graph(), {}), 1);
  EXPECT_EQ(graph_error(test.graph(), Stage::rewriting), "");
  EXPECT_FALSE(same(interpret(test.graph()), expected));
}

}  // namespace
}  // namespace gdbench::strategies::graph
