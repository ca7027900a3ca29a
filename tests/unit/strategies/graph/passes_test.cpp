// Every pass on a graph on which it must fire and one on which it must not; what it leaves computes the same.
#include <gtest/gtest.h>

#include "implementations/strategies/graph/ir/print.h"
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/ir/verify.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "tests/support/implementations/graph_fixture.h"

namespace gdbench::strategies::graph {
namespace {

using ops::Op;

using PassFunction = decltype(Pass::run);

// Runs a pass by itself, checks that the graph is well-formed and computes what it did, and returns how often it fired.
std::int64_t fire(PassFunction pass, TestGraph& test, const Target& target = {}) {
  const auto before = interpret(test.graph());
  const std::int64_t fired = pass(test.graph(), target);
  EXPECT_EQ(graph_error(test.graph(), Stage::rewriting), "");
  expect_same(interpret(test.graph()), before);
  return fired;
}

TEST(GraphPasses, DeadCodeRemovesWhatNobodyNeeds) {
  TestGraph test;
  const NodeId x = test.x(3, 2);
  const NodeId unused = test.multiply(x, x);
  test.scale(2, unused);
  test.output(test.scale(3, x));
  EXPECT_EQ(fire(remove_dead_code, test), 2);
  EXPECT_FALSE(test.graph().alive(unused));
  EXPECT_EQ(fire(remove_dead_code, test), 0);
}

TEST(GraphPasses, DeadCodeKeepsUpdates) {
  const TestOptimizer optimizer;
  TestGraph test;
  const NodeId x = test.x(3, 2);
  const NodeId scalars = test.scalars();
  const NodeId w = test.parameter(1, 2);
  test.update(test.column_sum(x), scalars, w, optimizer.get());
  EXPECT_EQ(fire(remove_dead_code, test), 0);
}

TEST(GraphPasses, ConstantsAreFolded) {
  TestGraph test;
  const NodeId x = test.x(4, 3);
  const NodeId ones = test.constant(4, 3, 1);
  const NodeId sum = test.column_sum(test.activation(catalogue::Activation::tanh, test.combine(2, ones, -0.5, ones)));
  test.output(test.add_bias(sum, x));
  test.output(test.multiply(test.transpose(test.constant(3, 4, 7)), x));
  EXPECT_EQ(fire(fold_constants, test), 4);
  EXPECT_EQ(test.graph()[sum].kind, Kind::constant);
}

TEST(GraphPasses, ConstantsDoNotFoldWhatVaries) {
  TestGraph test;
  test.output(test.multiply(test.x(2, 2), test.constant(2, 2, 3)));
  EXPECT_EQ(fire(fold_constants, test), 0);
}

TEST(GraphPasses, AlgebraRemovesIdentities) {
  TestGraph test;
  const NodeId x = test.x(4, 3);
  const NodeId zeros = test.constant(4, 3, 0);
  test.output(test.multiply(x, test.constant(4, 3, 1)));                                // x * 1
  test.output(test.combine(1, x, 2, zeros));                                            // x + 0
  test.output(test.activation(catalogue::Activation::identity, x));                     // f(x) = x
  test.output(test.add_bias(test.constant(1, 3, 0), x));                                // x + 0
  test.output(test.scale(3, test.scale(0.5, x)));                                       // 3 (0.5 x)
  test.output(test.combine(2, test.scale(3, x), 0.5, zeros));                           // 2 (3 x) + 0
  test.output(test.combine(0.25, x, 0.5, x));                                           // x/4 + x/2
  test.output(test.multiply(test.constant(4, 3, 5), x));                                // 5 x
  test.output(test.combine(0, test.activation(catalogue::Activation::relu, x), 2, x));  // 0 f(x) + 2 x
  EXPECT_GE(fire(simplify_algebra, test), 11);
  remove_dead_code(test.graph(), {});
  EXPECT_EQ(count(test.graph(), Op::multiply) + count(test.graph(), Op::activation) + count(test.graph(), Op::add_bias),
            0);
  EXPECT_EQ(count(test.graph(), Op::combine), 5);
}

TEST(GraphPasses, AlgebraLeavesWhatIsNone) {
  TestGraph test;
  const NodeId x = test.x(4, 3);
  test.output(test.combine(2, x, 1, test.constant(4, 3, 1)));
  test.output(test.activation(catalogue::Activation::relu, test.activation(catalogue::Activation::relu, x)));
  EXPECT_EQ(fire(simplify_algebra, test), 0);
}

TEST(GraphPasses, TransposesVanishIntoProducts) {
  TestGraph test;
  const NodeId a = test.x(5, 3);
  const NodeId b = test.parameter(2, 5);
  test.output(test.product(test.transpose(a), test.transpose(b)));
  test.output(test.product(test.transpose(test.transpose(a)), b, true, true));
  test.output(test.product(test.transpose(b), b, true, true));
  EXPECT_EQ(fire(fold_transposes, test), 4);
  remove_dead_code(test.graph(), {});
  EXPECT_EQ(graph_error(test.graph(), Stage::executable), "");
}

TEST(GraphPasses, TransposesOfOtherReadersStay) {
  TestGraph test;
  const NodeId t = test.transpose(test.x(5, 3));
  test.output(test.activation(catalogue::Activation::tanh, t));
  EXPECT_EQ(fire(fold_transposes, test), 0);
  EXPECT_NE(graph_error(test.graph(), Stage::executable), "");
}

TEST(GraphPasses, CommonSubexpressionsBecomeOne) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 2);
  const NodeId first = test.activation(catalogue::Activation::tanh, test.product(x, w));
  const NodeId second = test.activation(catalogue::Activation::tanh, test.product(x, w));
  test.output(test.multiply(first, second));
  EXPECT_EQ(fire(merge_common_subexpressions, test), 2);
  EXPECT_EQ(count(test.graph(), Op::product), 1);
}

TEST(GraphPasses, CommonSubexpressionsNeedEqualAttributes) {
  TestGraph test;
  const NodeId x = test.x(3, 3);
  test.output(test.product(x, x));
  test.output(test.product(x, x, true));
  test.output(test.activation(catalogue::Activation::tanh, x));
  test.output(test.activation(catalogue::Activation::sigmoid, x));
  test.output(test.scale(2, x));
  test.output(test.scale(3, x));
  EXPECT_EQ(fire(merge_common_subexpressions, test), 0);
}

TEST(GraphPasses, FusionScalesAndAccumulatesInProducts) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 2);
  const NodeId v = test.parameter(3, 2);
  test.output(test.scale(3, test.product(x, w)));    // into alpha
  test.output(test.product(test.scale(0.5, x), v));  // into alpha
  test.output(test.combine(2, test.product(x, w), -3,
                           test.activation(catalogue::Activation::tanh, test.product(x, v))));  // into beta
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

TEST(GraphPasses, ProductsTakeBiasAndActivation) {
  TestGraph test;
  const NodeId x = test.x(5, 3);
  const NodeId w = test.parameter(3, 4);
  const NodeId b = test.parameter(1, 4);
  test.output(test.activation(catalogue::Activation::sigmoid, test.add_bias(b, test.product(x, w))));
  TestGraph bias_only = test;
  EXPECT_EQ(fire(form_product_epilogues, test, {kEpilogues, nullptr}), 2);
  EXPECT_EQ(test.graph().order().size(), 4u);
  EXPECT_EQ(fire(form_product_epilogues, bias_only, {backends::kEpilogueBias, nullptr}), 1);
  EXPECT_EQ(count(bias_only.graph(), Op::activation), 1);
}

TEST(GraphPasses, ProductsTakeNoEpilogueThatTheBackendLacksOrOthersSee) {
  TestGraph plain;
  const NodeId product = plain.product(plain.x(5, 3), plain.parameter(3, 4));
  plain.output(plain.activation(catalogue::Activation::relu, product));
  EXPECT_EQ(fire(form_product_epilogues, plain, {backends::kEpilogueBias, nullptr}), 0);
  plain.output(product);
  EXPECT_EQ(fire(form_product_epilogues, plain, {kEpilogues, nullptr}), 0);
}

TEST(GraphPasses, WeightsAreUpdatedByTheProductOfTheirGradient) {
  const TestOptimizer schedule({0.5, 0.25});
  TestGraph test = step_of(kPerceptron, schedule.get());
  EXPECT_EQ(fire(form_update_epilogues, test, schedule.target(backends::kEpilogueUpdate)), 2);
  EXPECT_EQ(count(test.graph(), Op::update), 2);  // the biases'
  for (const NodeId id : test.graph().order()) {
    if (!test.graph()[id].is_call(Op::product)) continue;
    EXPECT_EQ(test.graph()[id].request.epilogue_update, has_effect(test.graph(), id));
  }
}

// Whatever the optimizer and the depth: each layer's parameters are updated by one product, and the gradients of the
// activation and of the loss are made where their products end.
TEST(GraphPasses, ALayerTakesThreeProducts) {
  for (const catalogue::OptimizerKind kind : {catalogue::OptimizerKind::sgd, catalogue::OptimizerKind::adam}) {
    const TestOptimizer optimizer({0.5}, kind);
    const std::vector<gdbench_layer> layers = {{3, 5, GDBENCH_TANH, 1}, {5, 2, GDBENCH_IDENTITY, 1}};
    const TestModel model(layers, catalogue::Loss::mse, optimizer.get());
    TestGraph test;
    test.graph() = build_step(model.problem(), 1000, catalogue::slot_count(kind));
    const Selection all = parse_selection("all");
    run_passes(test.graph(), all_passes(), all.passes, optimizer.target(kLayerEpilogues), nullptr);
    std::vector<std::string> calls;
    for (const NodeId id : test.graph().order()) {
      if (test.graph()[id].kind != Kind::input) calls.push_back(text_of(test.graph(), id));
    }
    ASSERT_EQ(calls.size(), 5U) << testing::PrintToString(calls);
    EXPECT_EQ(count(test.graph(), Op::product), 5);
  }
}

TEST(GraphPasses, AGradientOfALossThatCouplesColumnsStaysByItself) {
  const TestOptimizer optimizer;
  const TestModel model(kPerceptron, catalogue::Loss::softmax_cross_entropy, optimizer.get());
  TestGraph test;
  test.graph() = build_step(model.problem(), 7, 0);
  form_product_epilogues(test.graph(), optimizer.target(kLayerEpilogues));
  EXPECT_EQ(count(test.graph(), Op::loss_gradient), 1);
}

TEST(GraphPasses, UpdatesStayWhereTheBackendTheRuleOrTheDepthIsAnother) {
  const TestOptimizer sgd;
  TestGraph test = step_of(kPerceptron, sgd.get());
  EXPECT_EQ(fire(form_update_epilogues, test, sgd.target()), 0);
  const TestOptimizer momentum({0.5}, catalogue::OptimizerKind::momentum);
  TestGraph other = step_of(kPerceptron, momentum.get());
  EXPECT_EQ(form_update_epilogues(other.graph(), momentum.target(backends::kEpilogueUpdate)), 0);
  const TestModel model(kPerceptron, catalogue::Loss::mse, sgd.get());
  TestGraph deep;
  deep.graph() = build_step(model.problem(), 1000, 0);
  EXPECT_EQ(fire(form_update_epilogues, deep, sgd.target(backends::kEpilogueUpdate)), 0);
}

TEST(GraphPasses, UpdatesAreMerged) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get());
  EXPECT_EQ(fire(merge_updates, test, optimizer.target()), 4);
  EXPECT_EQ(count(test.graph(), Op::update), 0);
}

TEST(GraphPasses, UpdatesAreNotMergedWhereThereIsOneOrAProductMakesAnother) {
  const TestOptimizer optimizer;
  TestGraph one = step_of({{3, 2, GDBENCH_IDENTITY, 0}}, optimizer.get());
  EXPECT_EQ(fire(merge_updates, one, optimizer.target()), 0);
  TestGraph fused = step_of(kPerceptron, optimizer.get());
  form_update_epilogues(fused.graph(), optimizer.target(backends::kEpilogueUpdate));
  EXPECT_EQ(fire(merge_updates, fused, optimizer.target()), 0);
}

TEST(GraphPasses, SumsOfGradientsAreFusedIntoTheirProducts) {
  const TestOptimizer optimizer;
  TestGraph test = step_of(kPerceptron, optimizer.get(), false, catalogue::Task::gradients);
  const std::int64_t outputs = kPerceptron.back().outputs;
  ASSERT_GT(outputs, 1);
  const std::int64_t sums = count(test.graph(), Op::combine);
  EXPECT_EQ(sums, (outputs - 1) * 4) << "two layers' weights and biases";
  EXPECT_EQ(fire(fuse_elementwise, test, optimizer.target()), (outputs - 1) * 2);
  EXPECT_EQ(count(test.graph(), Op::combine), (outputs - 1) * 2) << "column sums have no factor for what is there";
}

}  // namespace
}  // namespace gdbench::strategies::graph
