// The null backend: binds everything, checks shapes, computes nothing, keeps what it was given.
#include <gtest/gtest.h>

#include "implementations/strategies/hand/hand.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::backends {
namespace {

class NullTest : public testing::TestWithParam<catalogue::Dtype> {
 protected:
  NullTest() : context_(backend_named("null"), GetParam()) {}

  Request request(Op op, std::initializer_list<Operand> operands) const {
    Request request;
    request.op = op;
    request.dtype = GetParam();
    for (const Operand& operand : operands) request.operands[request.operand_count++] = operand;
    return request;
  }

  TestContext context_;
  std::mt19937 generator_{7};
};

TEST_P(NullTest, LeavesEveryOperandAsItWas) {
  const Dense a = random_matrix(generator_, 3, 2);
  const Dense b = random_matrix(generator_, 2, 4);
  const Dense c = random_matrix(generator_, 3, 4);
  const Buffer result = context_.upload(c);
  context_.run(request(Op::product, {{3, 2}, {2, 4}, {3, 4}}), {context_.upload(a), context_.upload(b), result});
  EXPECT_EQ(context_.download(result, 3, 4).values, c.values);
}

TEST_P(NullTest, BindsEveryOpAndOptimizerAndEpilogue) {
  for (const Op op : {Op::activation, Op::activation_gradient}) {
    EXPECT_EQ(context_.bind_status(request(op, {{3, 4}, {3, 4}})), GDBENCH_OK);
  }
  for (const Op op : {Op::loss_gradient, Op::combine, Op::multiply}) {
    EXPECT_EQ(context_.bind_status(request(op, {{3, 4}, {3, 4}, {3, 4}})), GDBENCH_OK);
  }
  EXPECT_EQ(context_.bind_status(request(Op::add_bias, {{1, 4}, {3, 4}})), GDBENCH_OK);
  EXPECT_EQ(context_.bind_status(request(Op::column_sum, {{3, 4}, {1, 4}})), GDBENCH_OK);
  EXPECT_EQ(context_.bind_status(request(Op::loss, {{3, 4}, {3, 4}, {1, 1}})), GDBENCH_OK);
  EXPECT_EQ(context_.bind_status(request(Op::gather, {{9, 4}, {3, 1}, {3, 4}})), GDBENCH_OK);
  gdbench_optimizer adam{};
  adam.struct_size = sizeof(adam);
  adam.kind = GDBENCH_ADAM;
  Request update = request(Op::update, {{3, 4}, {1, 1}, {3, 4}, {3, 4}, {3, 4}});
  update.optimizer = &adam;
  EXPECT_EQ(context_.bind_status(update), GDBENCH_OK);
  Request product = request(Op::product, {{3, 2}, {2, 4}, {3, 4}, {1, 4}});
  product.epilogue_bias = true;
  product.epilogue_activation = catalogue::Activation::tanh;
  EXPECT_EQ(context_.bind_status(product), GDBENCH_OK);
}

TEST_P(NullTest, ChecksShapes) {
  EXPECT_EQ(context_.bind_status(request(Op::product, {{3, 2}, {3, 4}, {3, 4}})), GDBENCH_INVALID);
  EXPECT_EQ(context_.bind_status(request(Op::column_sum, {{3, 4}, {1, 3}})), GDBENCH_INVALID);
}

TEST_P(NullTest, AStrategyGetsBackTheStateThatItSet) {
  TrainingProblem training({.layers = {{3, 2, GDBENCH_TANH, 1}}, .dtype = GetParam(), .rows = 5, .batch_rows = 5});
  const auto strategy = strategies::hand::kDescriptor.create(
      {backend_named("null"), training.data(), training.problem(), training.settings()});
  strategy->set_state(training.state());
  const std::vector<Dense> before = training.state_values();
  strategy->run(3);
  strategy->get_state(training.state());
  EXPECT_EQ(training.state().step, 3);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(training.state_values()[i].values, before[i].values);
  }
}

TEST(NullFlagTest, SaysThatItDoesNoArithmetic) { EXPECT_NE(backend_named("null").flags & kNoArithmetic, 0u); }

INSTANTIATE_TEST_SUITE_P(Dtypes, NullTest, testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64));

}  // namespace
}  // namespace gdbench::backends
