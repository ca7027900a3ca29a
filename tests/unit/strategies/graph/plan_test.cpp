// Graphs as such: building, printing, verification, copies and the buffer plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/ir/print.h"
#include "implementations/strategies/graph/ir/verify.h"
#include "implementations/strategies/graph/plan/buffers.h"
#include "implementations/strategies/graph/plan/executable.h"
#include "tests/support/implementations/graph_fixture.h"

namespace gdbench::strategies::graph {
namespace {

using ops::Op;

const std::vector<gdbench_layer> kDeep = {
    {6, 8, GDBENCH_TANH, 1}, {8, 7, GDBENCH_RELU, 1}, {7, 8, GDBENCH_SIGMOID, 1}, {8, 3, GDBENCH_IDENTITY, 1}};

Compiled compile_deep(const gdbench_optimizer& optimizer, const std::string& passes) {
  const TestModel model(kDeep, catalogue::Loss::half_mse, optimizer);
  return compile(with_loss(build_step(model.problem(), 64)), {0, &optimizer}, parse_selection(passes),
                 catalogue::Dtype::f64, nullptr);
}

TEST(Graph, IsPrintedAsTextAndDot) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId product = test.product(x, test.parameter(4, 3), false, true);
  test.output(test.activation(catalogue::Activation::relu, product));
  EXPECT_EQ(text_of(test.graph()),
            "%0 = x : 5x3\n%1 = parameter 0 : 4x3\n%2 = product[transpose_b] %0 %1 : 5x4, other\n"
            "%3 = activation[relu] %2 : 5x4, other\noutput out0 = %3\n");
  const std::string dot = dot_of(test.graph(), "a graph");
  EXPECT_EQ(dot.rfind("digraph \"a graph\" {", 0), 0u);
  EXPECT_NE(dot.find("n0 -> n2;"), std::string::npos);
  EXPECT_NE(dot.find("n3 -> \"out0\";"), std::string::npos);
}

TEST(GraphVerifier, NamesWhatIsWrong) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 4);
  const NodeId product = test.product(x, w);
  test.output(product);
  EXPECT_EQ(graph_error(test.graph(), Stage::executable), "");
  const std::function<void(Graph&)> mistakes[] = {
      [&](Graph& graph) {
        graph[product].shape = {4, 5};
      },
      [&](Graph& graph) {
        graph[product].operands = {w, x};
      },
      [&](Graph& graph) { graph[product].operands.pop_back(); },
      [&](Graph& graph) { graph[product].request.beta = 1; },
      [&](Graph& graph) { graph[product].request.transpose_a = true; },
      [&](Graph& graph) { graph.erase(w); },
      [&](Graph& graph) { graph.move_after(w, product); },
      [&](Graph& graph) { graph.erase(product); },
      [&](Graph& graph) { graph[x].element = Element::label; },
  };
  for (const auto& mistake : mistakes) {
    TestGraph copy = test;
    mistake(copy.graph());
    EXPECT_NE(graph_error(copy.graph(), Stage::rewriting), "");
  }
}

TEST(GraphCopies, AreMadeOfWhatIsNeededLater) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId bias = test.parameter(1, 3);
  const NodeId product = test.product(x, test.parameter(3, 3));
  test.output(test.add_bias(bias, product));
  test.output(test.activation(catalogue::Activation::tanh, product));
  test.output(test.add_bias(bias, x));
  const auto before = interpret(test.graph());
  EXPECT_NE(graph_error(test.graph(), Stage::executable), "");
  EXPECT_EQ(insert_copies(test.graph()), 2);
  EXPECT_EQ(graph_error(test.graph(), Stage::executable), "");
  expect_same(interpret(test.graph()), before);

  const TestOptimizer optimizer;
  const TestModel model(kDeep, catalogue::Loss::half_mse, optimizer.get());
  Graph plain = build_step(model.problem(), 64);
  EXPECT_EQ(insert_copies(plain), 0);
}

TEST(GraphBuffers, AreReused) {
  const TestOptimizer optimizer;
  const Compiled reused = compile_deep(optimizer.get(), "all");
  const Compiled separate = compile_deep(optimizer.get(), "-buffer-reuse");
  EXPECT_GT(reused.plan.shared + reused.plan.in_place, 0);
  EXPECT_EQ(separate.plan.shared + separate.plan.in_place, 0);
  EXPECT_LT(reused.plan.arena_bytes, separate.plan.arena_bytes);
  for (const Compiled* compiled : {&reused, &separate}) {
    EXPECT_EQ(plan_error(compiled->graph, compiled->plan), "");
    for (const Location& location : compiled->plan.locations) EXPECT_EQ(location.offset % GDBENCH_ALIGNMENT, 0u);
  }
}

TEST(GraphBuffers, MergedGradientsLieInTheParametersBlock) {
  const TestOptimizer optimizer;
  const Compiled compiled = compile_deep(optimizer.get(), "none,+merge-updates");
  const auto placed = std::count_if(compiled.plan.locations.begin(), compiled.plan.locations.end(),
                                    [](const Location& at) { return at.place == Location::Place::gradient; });
  EXPECT_EQ(placed, 8);
}

TEST(GraphBuffers, GradientsThatAreGivenAreReadWhereTheyLie) {
  const TestOptimizer adam({0.5}, catalogue::OptimizerKind::adam);
  const TestModel model({{3, 2, GDBENCH_IDENTITY, 0}, {4, 1, GDBENCH_IDENTITY, 0}}, catalogue::Loss::mse, adam.get(),
                        catalogue::Task::update);
  for (const char* passes : {"all", "none"}) {
    const Compiled compiled =
        compile(build_update(model.problem()), adam.target(), parse_selection(passes), catalogue::Dtype::f32, nullptr);
    EXPECT_EQ(count(compiled.graph, Op::combine), 0) << "no copies";
    EXPECT_EQ(count(compiled.graph, Op::update), std::string(passes) == "all" ? 0 : 2);
    EXPECT_EQ(compiled.plan.arena_bytes, 0u);
  }
}

// Activations and their gradients are those of one part.
TEST(GraphBuffers, PartsOfABatchShareMemory) {
  const TestOptimizer optimizer;
  const auto arena_bytes = [&](std::int64_t rows, std::int64_t parts) {
    const TestModel model(kDeep, catalogue::Loss::half_mse, optimizer.get(), catalogue::Task::train, parts);
    return compile(build_step(model.problem(), rows), optimizer.target(), parse_selection("all"), catalogue::Dtype::f64,
                   nullptr)
        .plan.arena_bytes;
  };
  EXPECT_LE(arena_bytes(4096, 4), arena_bytes(1024, 1) + 4096);
  EXPECT_GT(arena_bytes(4096, 1), 2 * arena_bytes(4096, 4));
}

TEST(GraphVerifier, AGivenGradientBelongsToItsParameter) {
  const TestOptimizer optimizer;
  const TestModel model({{2, 2, GDBENCH_IDENTITY, 0}, {2, 2, GDBENCH_IDENTITY, 0}}, catalogue::Loss::mse,
                        optimizer.get(), catalogue::Task::update);
  Graph graph = build_update(model.problem());
  ASSERT_EQ(merge_updates(graph, optimizer.target()), 2);
  EXPECT_EQ(graph_error(graph, Stage::executable), "");
  std::vector<NodeId>& operands = graph[graph.order().back()].operands;
  std::swap(operands[1], operands[3]);
  EXPECT_NE(graph_error(graph, Stage::executable).find("another parameter"), std::string::npos);
}

// A plan that lets each value die before its last reader, for every value in turn.
TEST(WrongBufferPlans, ReuseThatIsTooEarlyIsCaught) {
  const TestOptimizer optimizer;
  const Compiled compiled = compile_deep(optimizer.get(), "-buffer-reuse");
  const std::vector<NodeId>& order = compiled.graph.order();
  const auto in_arena = [&](NodeId id) { return compiled.plan.locations[id].place == Location::Place::arena; };
  int mutants = 0;
  for (const NodeId victim : order) {
    if (!in_arena(victim) || compiled.graph.users(victim).empty()) continue;
    const std::size_t last = compiled.graph.position(compiled.graph.users(victim).back());
    for (std::size_t at = compiled.graph.position(victim) + 1; at < last; ++at) {
      const Node& thief = compiled.graph[order[at]];
      // One that overwrites its operand moves with it.
      if (!in_arena(order[at]) || thief.is_call(Op::add_bias) || thief.is_call(Op::activation_gradient)) continue;
      BufferPlan wrong = compiled.plan;
      wrong.locations[order[at]].offset = wrong.locations[victim].offset;
      EXPECT_NE(plan_error(compiled.graph, wrong), "") << text_of(compiled.graph, victim);
      ++mutants;
    }
  }
  EXPECT_GT(mutants, 20);
  BufferPlan small = compiled.plan;
  small.arena_bytes -= GDBENCH_ALIGNMENT;
  EXPECT_NE(plan_error(compiled.graph, small), "");
}

}  // namespace
}  // namespace gdbench::strategies::graph
