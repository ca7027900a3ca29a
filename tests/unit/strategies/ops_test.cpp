// Every derivative rule of the op table against central differences, as the tape plays it.
#include "tests/unit/strategies/tape/tape_fixture.h"

namespace gdbench::strategies::ops {
namespace {

class DerivativeTest : public tape::TapeFixture {
 protected:
  std::int64_t dimension() { return std::uniform_int_distribution<std::int64_t>(1, 6)(generator_); }

  // Of the distance of its result from random targets.
  void check_op(Op op, const Attributes& attributes, const std::vector<Matrix>& operands) {
    SCOPED_TRACE(backends::name_of(op));
    std::vector<Shape> shapes;
    for (const Matrix& operand : operands) shapes.push_back({operand.rows, operand.columns});
    const Shape shape = result_shape(op, attributes, shapes);
    const Matrix targets = random(shape.rows, shape.columns);
    check(operands, [&](const std::vector<Value>& values) {
      return mse(tape_.apply(op, attributes, values[0], values.size() > 1 ? values[1] : kNoValue), targets);
    });
  }
};

TEST_F(DerivativeTest, ProductInEachOrientation) {
  for (int round = 0; round < 12; ++round) {
    const bool transpose_a = (round & 1) != 0;
    const bool transpose_b = (round & 2) != 0;
    const std::int64_t m = dimension(), n = dimension(), k = dimension();
    check_op(Op::product, {.transpose_a = transpose_a, .transpose_b = transpose_b, .alpha = round < 4 ? 1 : -0.75},
             {transpose_a ? random(k, m) : random(m, k), transpose_b ? random(n, k) : random(k, n)});
  }
}

TEST_F(DerivativeTest, ElementwiseOps) {
  for (int round = 0; round < 6; ++round) {
    const std::int64_t m = dimension(), n = dimension();
    const Attributes factors = {.alpha = static_cast<double>(round % 3 - 1), .beta = 2.5 - round % 4};
    check_op(Op::combine, factors, {random(m, n), random(m, n)});
    check_op(Op::combine, {}, {random(m, n), random(m, n)});
    check_op(Op::multiply, {}, {random(m, n), random(m, n)});
    check_op(Op::add_bias, {}, {random(1, n), random(m, n)});
    check_op(Op::column_sum, {}, {random(m, n)});
    check_op(Op::scale_columns, {}, {random(1, n), random(m, n)});
    check_op(Op::normalize, {}, {random(m, n)});
  }
}

TEST_F(DerivativeTest, ActivationsAndTheirGradients) {
  for (const auto activation : catalogue::all_of<catalogue::Activation>()) {
    SCOPED_TRACE(catalogue::name_of(activation));
    for (int round = 0; round < 4; ++round) {
      const std::int64_t m = dimension(), n = dimension();
      backends::Dense z = backends::random_matrix(generator_, m, n);
      for (double& entry : z.values) entry += entry < 0 ? -0.01 : 0.01;  // away from the kink
      check_op(Op::activation, {.activation = activation}, {upload(z)});
      if (catalogue::reads_input(activation)) continue;
      check_op(Op::activation_gradient, {.activation = activation}, {upload(z), random(m, n)});
    }
  }
}

TEST_F(DerivativeTest, Losses) {
  for (const auto loss : catalogue::all_of<catalogue::Loss>()) {
    SCOPED_TRACE(catalogue::name_of(loss));
    for (int round = 0; round < 4; ++round) {
      const Attributes attributes = {.alpha = round < 2 ? 1 : 0.3, .loss = loss};
      const std::int64_t m = dimension(), n = dimension();
      const Matrix targets = random(m, n);
      std::vector<std::int32_t> classes(static_cast<std::size_t>(m));
      for (std::int32_t& one : classes) one = static_cast<std::int32_t>(generator_() % static_cast<std::uint32_t>(n));
      const Matrix labels = {session_.allocate_filled(classes), m, 1};
      check({random(m, n)}, [&](const std::vector<Value>& values) {
        const bool labelled = takes_labels(Op::loss, attributes);
        return tape_.apply(Op::loss, attributes, values[0], labelled ? tape_.labels(labels) : tape_.constant(targets));
      });
    }
  }
}

}  // namespace
}  // namespace gdbench::strategies::ops
