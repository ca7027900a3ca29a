// Every pass on a graph on which it must fire and one on which it must not, and any selection of them: what they leave
// computes the same, and one that is wrong is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/ir/print.h"
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/ir/verify.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "implementations/strategies/graph/plan/executable.h"
#include "tests/support/implementations/graph_fixture.h"

namespace gdbench::strategies::graph {
namespace {

using catalogue::Activation, catalogue::Task, ops::Op;

using PassFunction = decltype(Pass::run);

// Runs a pass by itself, checks that the graph is well-formed and computes what it did, and returns how often it fired.
std::int64_t fire(PassFunction pass, TestGraph& test, const Target& target = {}) {
  const auto before = interpret(test.graph());
  const std::int64_t fired = pass(test.graph(), target);
  EXPECT_EQ(graph_error(test.graph(), Stage::rewriting), "");
  expect_same(interpret(test.graph()), before);
  return fired;
}

TEST(GraphPasses, DeadCodeRemovesWhatNobodyNeedsButUpdates) {
  const TestOptimizer optimizer;
  TestGraph test;
  const NodeId x = test.x(3, 2);
  const NodeId scalars = test.scalars();
  const NodeId unused = test.multiply(x, x);
  test.scale(2, unused);
  test.output(test.scale(3, x));
  test.update(test.column_sum(x), scalars, test.parameter(1, 2), optimizer.get());
  EXPECT_EQ(fire(remove_dead_code, test), 2);
  EXPECT_FALSE(test.graph().alive(unused));
  EXPECT_EQ(fire(remove_dead_code, test), 0);
}

TEST(GraphPasses, ConstantsAreFolded) {
  TestGraph test;
  const NodeId x = test.x(4, 3);
  const NodeId ones = test.constant(4, 3, 1);
  const NodeId sum = test.column_sum(test.activation(Activation::tanh, test.combine(2, ones, -0.5, ones)));
  test.output(test.add_bias(sum, x));
  test.output(test.multiply(test.transpose(test.constant(3, 4, 7)), x));  // itself varies
  EXPECT_EQ(fire(fold_constants, test), 4);
  EXPECT_EQ(test.graph()[sum].kind, Kind::constant);
  EXPECT_EQ(count(test.graph(), Op::multiply), 1);
}

TEST(GraphPasses, AlgebraRemovesIdentities) {
  TestGraph test;
  const NodeId x = test.x(4, 3);
  const NodeId zeros = test.constant(4, 3, 0);
  test.output(test.multiply(x, test.constant(4, 3, 1)));                     // x * 1
  test.output(test.combine(1, x, 2, zeros));                                 // x + 0
  test.output(test.activation(Activation::identity, x));                     // f(x) = x
  test.output(test.add_bias(test.constant(1, 3, 0), x));                     // x + 0
  test.output(test.scale(3, test.scale(0.5, x)));                            // 3 (0.5 x)
  test.output(test.combine(2, test.scale(3, x), 0.5, zeros));                // 2 (3 x) + 0
  test.output(test.combine(0.25, x, 0.5, x));                                // x/4 + x/2
  test.output(test.multiply(test.constant(4, 3, 5), x));                     // 5 x
  test.output(test.combine(0, test.activation(Activation::relu, x), 2, x));  // 0 f(x) + 2 x
  EXPECT_GE(fire(simplify_algebra, test), 11);
  remove_dead_code(test.graph(), {});
  EXPECT_EQ(count(test.graph(), Op::multiply) + count(test.graph(), Op::activation) + count(test.graph(), Op::add_bias),
            0);
  EXPECT_EQ(count(test.graph(), Op::combine), 5);

  TestGraph none;
  const NodeId z = none.x(4, 3);
  none.output(none.combine(2, z, 1, none.constant(4, 3, 1)));
  none.output(none.activation(Activation::relu, none.activation(Activation::relu, z)));
  EXPECT_EQ(fire(simplify_algebra, none), 0);
}

TEST(GraphPasses, TransposesVanishIntoProductsAlone) {
  TestGraph test;
  const NodeId a = test.x(5, 3);
  const NodeId b = test.parameter(2, 5);
  test.output(test.product(test.transpose(a), test.transpose(b)));
  test.output(test.product(test.transpose(test.transpose(a)), b, true, true));
  test.output(test.product(test.transpose(b), b, true, true));
  EXPECT_EQ(fire(fold_transposes, test), 4);
  remove_dead_code(test.graph(), {});
  EXPECT_EQ(graph_error(test.graph(), Stage::executable), "");

  TestGraph other;
  other.output(other.activation(Activation::tanh, other.transpose(other.x(5, 3))));
  EXPECT_EQ(fire(fold_transposes, other), 0);
  EXPECT_NE(graph_error(other.graph(), Stage::executable), "");
}

TEST(GraphPasses, CommonSubexpressionsWithEqualAttributesBecomeOne) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 2);
  const NodeId first = test.activation(Activation::tanh, test.product(x, w));
  const NodeId second = test.activation(Activation::tanh, test.product(x, w));
  test.output(test.multiply(first, second));
  EXPECT_EQ(fire(merge_common_subexpressions, test), 2);
  EXPECT_EQ(count(test.graph(), Op::product), 1);

  TestGraph other;
  const NodeId z = other.x(3, 3);
  for (const bool transposed : {false, true}) other.output(other.product(z, z, transposed));
  for (const Activation activation : {Activation::tanh, Activation::sigmoid}) {
    other.output(other.activation(activation, z));
  }
  for (const double factor : {2.0, 3.0}) other.output(other.scale(factor, z));
  EXPECT_EQ(fire(merge_common_subexpressions, other), 0);
}

TEST(GraphPasses, FusionScalesAndAccumulatesInProducts) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 2);
  const NodeId v = test.parameter(3, 2);
  test.output(test.scale(3, test.product(x, w)));    // into alpha
  test.output(test.product(test.scale(0.5, x), v));  // into alpha
  test.output(
      test.combine(2, test.product(x, w), -3, test.activation(Activation::tanh, test.product(x, v))));  // into beta
  EXPECT_EQ(fire(fuse_elementwise, test), 3);
  remove_dead_code(test.graph(), {});
  EXPECT_EQ(count(test.graph(), Op::combine), 0);
}

TEST(GraphPasses, FusionKeepsWhatOthersRead) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId product = test.product(x, test.parameter(3, 2));
  const NodeId other = test.parameter(5, 2);
  test.output(product);
  test.output(test.scale(3, product));
  test.output(test.combine(1, test.product(x, test.parameter(3, 2)), 1, other));  // would overwrite a parameter
  EXPECT_EQ(fire(fuse_elementwise, test), 0);
}

TEST(GraphPasses, FusionAddsUpGradientsInTheirProducts) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get(), false, catalogue::Task::gradients);
  const std::int64_t outputs = kPerceptron.back().outputs;
  ASSERT_GT(outputs, 1);
  EXPECT_EQ(count(test.graph(), Op::combine), (outputs - 1) * 4) << "two layers' weights and biases";
  EXPECT_EQ(fire(fuse_elementwise, test, optimizer.target()), (outputs - 1) * 2);
  EXPECT_EQ(count(test.graph(), Op::combine), (outputs - 1) * 2) << "column sums have no factor for what is there";
}

TEST(GraphPasses, ProductsTakeTheEpiloguesThatTheBackendHasAndNobodyElseSees) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 4);
  const NodeId b = test.parameter(1, 4);
  test.output(test.activation(Activation::sigmoid, test.add_bias(b, test.product(x, w))));
  TestGraph bias_only = test;
  EXPECT_EQ(fire(form_product_epilogues, test, {kEpilogues, nullptr}), 2);
  EXPECT_EQ(test.graph().order().size(), 4u);
  EXPECT_EQ(fire(form_product_epilogues, bias_only, {backends::kEpilogueBias, nullptr}), 1);
  EXPECT_EQ(count(bias_only.graph(), Op::activation), 1);

  TestGraph plain;
  const NodeId product = plain.product(plain.x(5, 3), plain.parameter(3, 4));
  plain.output(plain.activation(Activation::relu, product));
  EXPECT_EQ(fire(form_product_epilogues, plain, {backends::kEpilogueBias, nullptr}), 0);
  plain.output(product);
  EXPECT_EQ(fire(form_product_epilogues, plain, {kEpilogues, nullptr}), 0);
}

// For any optimizer and depth: each layer's parameters are updated by one product, and the gradients of the
// activation and of the loss are made where their products end, unless the loss couples columns.
TEST(GraphPasses, ALayerTakesThreeProducts) {
  for (const catalogue::OptimizerKind kind : {catalogue::OptimizerKind::sgd, catalogue::OptimizerKind::adam}) {
    for (const catalogue::Loss loss : {catalogue::Loss::mse, catalogue::Loss::softmax_cross_entropy}) {
      const TestOptimizer optimizer({0.5}, kind);
      const TestModel model(kPerceptron, loss, optimizer.get());
      Graph graph = build_step(model.problem(), 1000);
      run_passes(graph, all_passes(), parse_selection("all").passes, optimizer.target(kLayerEpilogues), nullptr);
      const bool couples = catalogue::row_of(loss).couples_columns;
      EXPECT_EQ(count(graph, Op::product), 5);
      EXPECT_EQ(count(graph, Op::loss_gradient), couples ? 1 : 0);
      const auto inputs = std::ranges::count(graph.order(), Kind::input, [&](NodeId id) { return graph[id].kind; });
      EXPECT_EQ(std::ssize(graph.order()) - inputs, couples ? 6 : 5) << text_of(graph);
    }
  }
}

TEST(GraphPasses, WeightsAreUpdatedByTheProductOfTheirGradient) {
  const TestOptimizer schedule({0.5, 0.25});
  TestGraph test = step_of(kPerceptron, schedule.get());
  EXPECT_EQ(fire(form_update_epilogues, test, schedule.target()), 0) << "the backend has none";
  EXPECT_EQ(fire(form_update_epilogues, test, schedule.target(backends::kEpilogueUpdate)), 2);
  EXPECT_EQ(count(test.graph(), Op::update), 2);  // the biases'
  for (const NodeId id : test.graph().order()) {
    if (!test.graph()[id].is_call(Op::product)) continue;
    EXPECT_EQ(test.graph()[id].request.epilogue_update, has_effect(test.graph(), id));
  }
  EXPECT_EQ(fire(merge_updates, test, schedule.target()), 0) << "a product makes another";

  const TestOptimizer momentum({0.5}, catalogue::OptimizerKind::momentum);
  TestGraph other = step_of(kPerceptron, momentum.get());
  EXPECT_EQ(form_update_epilogues(other.graph(), momentum.target(backends::kEpilogueUpdate)), 0) << "another rule";
  const TestModel model(kPerceptron, catalogue::Loss::mse, schedule.get());
  Graph deep = build_step(model.problem(), 1000);
  EXPECT_EQ(form_update_epilogues(deep, schedule.target(backends::kEpilogueUpdate)), 0) << "sums of many rows";
}

TEST(GraphPasses, SeveralUpdatesAreMerged) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  EXPECT_EQ(fire(merge_updates, test, optimizer.target()), 4);
  EXPECT_EQ(count(test.graph(), Op::update), 0);
  TestGraph one = step_of({{3, 2, GDBENCH_IDENTITY, 0}}, optimizer.get());
  EXPECT_EQ(fire(merge_updates, one, optimizer.target()), 0);
}

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

// The step, a gradient per output, which are sweeps that no pass takes for one another, and parts of a batch.
TEST(PassSelections, ComputeTheSameStep) {
  const TestOptimizer optimizer;
  const std::vector<gdbench_layer> deep = {
      {3, 5, GDBENCH_TANH, 1}, {5, 4, GDBENCH_IDENTITY, 0}, {4, 1, GDBENCH_SIGMOID, 1}};
  const std::vector<gdbench_layer> outputs = {{3, 5, GDBENCH_TANH, 1}, {5, 3, GDBENCH_SIGMOID, 1}};
  const TestModel parts(kPerceptron, catalogue::Loss::mse, optimizer.get(), Task::train, 3);
  const Graph step = step_of(deep, optimizer.get(), true).graph();
  const Graph of_outputs = step_of(outputs, optimizer.get(), true).graph();
  const Graph sweeps = step_of(outputs, optimizer.get(), true, Task::gradients).graph();
  const Graph in_parts = build_step(parts.problem(), 7);
  for (const std::uint32_t flags : kFlags) {
    const Target target = optimizer.target(flags);
    for_each_selection(step, step, target, [](const Compiled&) {});
    for_each_selection(sweeps, of_outputs, target,
                       [](const Compiled& compiled) { ASSERT_GE(count(compiled.graph, Op::product), 2 + 3 * 3); });
    for_each_selection(in_parts, in_parts, target, [&](const Compiled& compiled) {
      if (flags == kLayerEpilogues) return;
      ASSERT_EQ(count(compiled.graph, Op::loss_gradient), 3);
    });
  }
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

// Every name of the option is a switch.
TEST(PassSelections, AreParsed) {
  const std::size_t passes = all_passes().size();
  EXPECT_EQ(parse_selection("").passes, std::vector<bool>(passes, true));
  EXPECT_EQ(parse_selection("all").passes, std::vector<bool>(passes, true));
  std::istringstream names(switch_names());
  std::size_t place = 0;  // that of buffer-reuse is behind the passes
  for (std::string name; std::getline(names, name, '|'); ++place) {
    SCOPED_TRACE(name);
    const Selection without = parse_selection("-" + name);
    const Selection only = parse_selection("none,+" + name);
    for (std::size_t i = 0; i < passes; ++i) {
      EXPECT_EQ(without.passes[i], i != place);
      EXPECT_EQ(only.passes[i], i == place);
    }
    EXPECT_EQ(without.buffer_reuse, place != passes);
    EXPECT_EQ(only.buffer_reuse, place == passes);
  }
  EXPECT_EQ(place, passes + 1);
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
