// The null backend: binds everything, checks shapes, computes nothing, keeps what it was given.
#include "implementations/strategies/hand/hand.h"
#include "tests/support/implementations/training_case.h"
#include "tests/unit/backends/op_maker.h"

namespace gdbench::backends {
namespace {

class NullTest : public testing::TestWithParam<catalogue::Dtype> {
 protected:
  TestContext context_{backend_named("null"), GetParam()};
  OpMaker make_;
};

TEST_P(NullTest, TakesEveryOpAndLeavesItsOperandsAsTheyWere) {
  const OpOptimizer adam({catalogue::OptimizerKind::adam, 0, false});
  OpCase gather = make_.entrywise(Op::gather, 3, 3, 4);
  gather.operands[1] = {Dense(3, 1), Content::whole_numbers};
  OpCase fused = make_.product({3, 4, 2}, false, false, 1, 1);
  fused.operands.push_back({make_.random(1, 4)});
  fused.request.epilogue_bias = true;
  fused.request.epilogue_activation = catalogue::Activation::tanh;
  const OpCase ops[] = {make_.product({3, 4, 2}, false, false, 1, 1),
                        fused,
                        gather,
                        make_.add_bias(3, 4),
                        make_.column_sum(3, 4),
                        make_.update(adam.abi, 12),
                        make_.entrywise(Op::activation, 2, 3, 4),
                        make_.entrywise(Op::activation_gradient, 2, 3, 4),
                        make_.entrywise(Op::combine, 3, 3, 4),
                        make_.entrywise(Op::multiply, 3, 3, 4),
                        make_.entrywise(Op::normalize, 2, 3, 4),
                        make_.entrywise(Op::normalize_gradient, 2, 3, 4),
                        make_.loss(catalogue::Loss::mse, false, 3, 4),
                        make_.loss(catalogue::Loss::mse, true, 3, 4)};
  for (const OpCase& op : ops) {
    SCOPED_TRACE(text_of(op));
    const std::vector<Dense> found = results_of(context_, op);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].values, op.operands[op.results[i]].values.values);
    }
  }
  EXPECT_EQ(context_.bind_status(request_of(GetParam(), Op::column_sum, {{3, 4}, {1, 3}})), GDBENCH_INVALID);
}

TEST_P(NullTest, AStrategyGetsBackTheStateThatItSet) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam(), .rows = 5, .batch_rows = 5});
  const Backend& backend = backend_named("null");
  EXPECT_NE(backend.flags & kNoArithmetic, 0U);
  const auto strategy =
      strategies::hand::kDescriptor.create({backend, training.data(), training.problem(), training.settings()});
  strategy->set_state(training.state());
  strategy->run(3);
  strategy->get_state(training.state());
  EXPECT_EQ(training.state().step, 3);
  expect_near(training.state_values(), training.initial(), 0);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, NullTest, testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64));

}  // namespace
}  // namespace gdbench::backends
