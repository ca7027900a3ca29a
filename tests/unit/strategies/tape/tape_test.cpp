// The tape by itself: recordings that differ, accumulated gradients, what may be overwritten, several backward passes.
#include "implementations/common/failure.h"
#include "tests/unit/strategies/tape/tape_fixture.h"

namespace gdbench::strategies::tape {
namespace {

using implementations::Failure, ops::Attributes, ops::Op;

Attributes factors(double alpha, double beta) { return {.alpha = alpha, .beta = beta}; }

class TapeTest : public TapeFixture {};

TEST_F(TapeTest, AccumulatesWhereAValueIsUsedAgain) {
  const Matrix x = random(4, 3), y = random(4, 3);
  // The same weights in two layers.
  check({random(3, 3)}, [&](const std::vector<Value>& p) {
    const Value hidden = tape_.activation(catalogue::Activation::tanh, tape_.product(tape_.constant(x), p[0]));
    return mse(tape_.product(hidden, p[0]), y);
  });
  // A residual connection, and a value times itself.
  check({random(3, 3), random(1, 3)}, [&](const std::vector<Value>& p) {
    const Value first = tape_.product(tape_.constant(x), p[0]);
    const Value second = tape_.apply(Op::multiply, {}, first, first);
    const Value sum = tape_.apply(Op::combine, factors(1, 1), first, second);
    return mse(tape_.add_bias(p[1], sum), y);
  });
  // A parameter twice in one op, with gradients that are passed on, scaled, or both.
  for (const auto& [alpha, beta] : {std::pair(1.0, 1.0), {1.0, 2.0}, {-3.0, 1.0}, {0.5, 0.25}}) {
    check({random(4, 3)}, [&, a = alpha, b = beta](const std::vector<Value>& p) {
      return mse(tape_.apply(Op::combine, factors(a, b), p[0], p[0]), y);
    });
    check({random(4, 3), random(4, 3)}, [&, a = alpha, b = beta](const std::vector<Value>& p) {
      const Value sum = tape_.apply(Op::combine, factors(a, b), p[0], p[1]);
      return mse(tape_.apply(Op::combine, factors(b, a), tape_.apply(Op::multiply, {}, sum, p[1]), p[0]), y);
    });
  }
  check({random(4, 3)}, [&](const std::vector<Value>& p) {
    return mse(tape_.apply(Op::combine, factors(1, 1), p[0], tape_.apply(Op::combine, factors(1, 1), p[0], p[0])), y);
  });
  check({random(4, 3)}, [&](const std::vector<Value>& p) {
    const Value sums = tape_.apply(Op::column_sum, {}, p[0]);
    return mse(tape_.add_bias(sums, tape_.apply(Op::multiply, {}, p[0], tape_.constant(x))), y);
  });
}

TEST_F(TapeTest, NeverOverwritesWhatIsStillNeeded) {
  const Matrix x = random(4, 3), y = random(4, 2);
  const std::uint64_t before = tape_.copies();
  const Model model = [&](const std::vector<Value>& p) {
    // The activation's derivative reads its result, which the bias would overwrite; so would the second activation.
    const Value hidden = tape_.activation(catalogue::Activation::tanh, tape_.product(tape_.constant(x), p[0]));
    return mse(tape_.activation(catalogue::Activation::sigmoid,
                                tape_.activation(catalogue::Activation::tanh, tape_.add_bias(p[1], hidden))),
               y);
  };
  check({random(3, 2), random(1, 2)}, model);
  EXPECT_GT(tape_.copies(), before);

  tape_.begin();
  const Value parameter = tape_.parameter(random(3, 2));
  const Value z = tape_.product(tape_.constant(x), parameter);
  const Value sum = tape_.add_bias(tape_.constant(random(1, 2)), z);
  EXPECT_EQ(tape_.matrix(sum).rows, 4);
  EXPECT_THROW(tape_.activation(catalogue::Activation::tanh, z), Failure);  // given up
  EXPECT_THROW(tape_.matrix(z), Failure);
}

TEST_F(TapeTest, ALeafIsNeverOverwritten) {
  const Matrix z = random(4, 3);
  const std::vector<double> before = read(z);
  tape_.begin();
  const Value sum = tape_.add_bias(tape_.constant(random(1, 3)), tape_.constant(z));
  EXPECT_NE(tape_.matrix(sum).buffer, z.buffer);
  EXPECT_EQ(read(z), before);
  EXPECT_NE(read(tape_.matrix(sum)), before);
}

// What ran at the same place of the recording before is a guess: everything that a kernel is bound for is compared.
TEST_F(TapeTest, AStepMayDifferFromTheOneBeforeInAnything) {
  const Matrix w = random(4, 4), y = random(4, 4), fewer_y = random(3, 4), narrow = random(4, 2),
               narrow_y = random(4, 2);
  const Matrix x = random(4, 4), fewer_x = random(3, 4);
  struct Step {
    Op op = Op::product;
    Attributes attributes = {};
    Matrix x, w, y;
    catalogue::LossFunction loss = catalogue::Loss::mse;
    Attributes activation = {.activation = catalogue::Activation::tanh};
  };
  const std::vector<Step> steps = {
      {Op::combine, factors(1, 0.5), x, w, y},
      {Op::multiply, factors(1, 0.5), x, w, y},
      {Op::product, factors(1, 0), x, w, y},
      {Op::product, factors(2, 0), x, w, y},
      {Op::product, factors(-1, 0), x, w, y},
      {Op::combine, factors(1, 0.25), x, w, y},
      {Op::combine, factors(1, -1), x, w, y},
      {Op::product, {.transpose_a = true}, x, w, y},
      {Op::product, {.transpose_b = true}, x, w, y},
      {Op::product, {}, fewer_x, w, fewer_y},
      {Op::product, {}, x, narrow, narrow_y},
      {Op::product, {}, x, w, y, catalogue::Loss::half_mse},
      {Op::product, {}, x, w, y, {catalogue::Loss::huber, 0.5}},
      {Op::product, {}, x, w, y, {catalogue::Loss::huber, 0.125}},
      {Op::product, {}, x, w, y, catalogue::Loss::mse, {.activation = catalogue::Activation::sigmoid}},
  };

  const auto gradient = [this](Tape& tape, const Step& step) {
    tape.begin();
    const Value parameter = tape.parameter(step.w);
    const Value z = tape.apply(step.op, step.attributes, tape.constant(step.x), parameter);
    tape.backward(tape.loss(step.loss, tape.activation(step.activation, z), tape.constant(step.y)));
    return read(tape.gradient(parameter));
  };
  std::vector<std::vector<double>> expected;
  for (const Step& step : steps) {
    Tape alone(session_, catalogue::Dtype::f64);
    expected.push_back(gradient(alone, step));
  }
  std::uint64_t allocations = 0;
  std::size_t bound = 0;
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t j = 0; j < steps.size(); ++j) {
        EXPECT_EQ(gradient(tape_, steps[i]), expected[i]);
        EXPECT_EQ(gradient(tape_, steps[j]), expected[j]) << "step " << j << " after step " << i;
      }
    }
    tape_.begin();
    tape_.product(tape_.constant(x), tape_.parameter(w));
    EXPECT_THROW(tape_.product(1000, 0), Failure) << "a recording that ends halfway";
    EXPECT_TRUE(time == 0 || (tape_.pool().allocations() == allocations && tape_.bound_calls() == bound));
    allocations = tape_.pool().allocations();
    bound = tape_.bound_calls();
  }
}

TEST_F(TapeTest, RefusesWhatWasRightAtThisPlaceBefore) {
  const catalogue::LossFunction classes = catalogue::Loss::softmax_cross_entropy;
  const Matrix x = random(4, 3), w = random(3, 1), column = random(4, 1);
  const auto labels = session_.allocate_filled(std::vector<std::int32_t>(4, 0));
  const auto outputs = [&] {
    tape_.begin();
    const Value parameter = tape_.parameter(w);
    return tape_.product(tape_.constant(x), parameter);
  };
  Value logits = outputs();
  tape_.backward(tape_.loss(classes, logits, tape_.labels({labels, 4, 1})));
  logits = outputs();
  EXPECT_THROW(tape_.loss(classes, logits, tape_.constant(column)), Failure);  // of the labels' shape
  tape_.begin();
  tape_.parameter(w);
  tape_.constant(x);
  EXPECT_THROW(tape_.product(1, 1000), Failure);
  EXPECT_THROW(tape_.product(1000, 0), Failure);

  const auto activated = [&](bool given_up) {
    const Value z = outputs();
    const Value before =
        tape_.apply(Op::activation, {.activation = catalogue::Activation::tanh}, z, kNoValue, given_up);
    return tape_.apply(Op::combine, factors(1, 1), z, before);
  };
  activated(false);
  EXPECT_THROW(activated(true), Failure);
}

TEST_F(TapeTest, AddsNothingToGradientsThatALossDoesNotDependOn) {
  const Matrix x = random(5, 3), y = random(5, 2), w = random(3, 2), b = random(1, 2);
  const Matrix w_gradient = random(3, 2), b_gradient = random(1, 2);
  const std::vector<double> before = read(b_gradient);
  tape_.begin();
  tape_.parameter(b, b_gradient.buffer);
  const Value weights = tape_.parameter(w, w_gradient.buffer);
  tape_.backward(mse(tape_.product(tape_.constant(x), weights), y), Gradients::add);
  EXPECT_EQ(read(b_gradient), before);
  EXPECT_EQ(tape_.gradient(weights).buffer, w_gradient.buffer);
}

TEST_F(TapeTest, RefusesWhatItCannotDo) {
  const Matrix x = random(5, 3), y = random(5, 2);
  tape_.begin();
  const Value p = tape_.parameter(random(3, 2));
  const Value outputs = tape_.product(tape_.constant(x), p);
  const Value loss = mse(outputs, y);
  EXPECT_THROW(tape_.product(loss, p), Failure);
  EXPECT_THROW(tape_.product(outputs, p), Failure);                                   // shapes
  EXPECT_THROW(tape_.product(outputs, 1000), Failure);                                // of no recording
  EXPECT_THROW(tape_.backward(outputs), Failure);                                     // not a loss
  EXPECT_THROW(tape_.loss(catalogue::Loss::mse, outputs, tape_.labels(y)), Failure);  // labels for a squared error
  EXPECT_THROW(tape_.backward(mse(tape_.constant(y), y)), Failure);                   // no parameter
  tape_.backward(loss);
  EXPECT_THROW(tape_.backward(loss), Failure);  // needs a persistent recording
}

TEST(BufferPool, SizeClassesHoldTheirSizes) {
  for (std::size_t bytes = 1; bytes < 100000; bytes = bytes * 9 / 8 + 1) {
    const std::uint32_t size_class = BufferPool::class_of(bytes);
    EXPECT_GE(BufferPool::bytes_of(size_class), bytes);
    EXPECT_LE(BufferPool::bytes_of(size_class), std::max<std::size_t>(GDBENCH_ALIGNMENT, bytes + bytes / 4 + 1));
  }
}

}  // namespace
}  // namespace gdbench::strategies::tape
