// Every derivative rule of the op table against central differences, in double through the naive kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "implementations/common/failure.h"
#include "implementations/strategies/common/op_table.h"
#include "tests/support/implementations/op_case.h"

namespace gdbench::strategies::ops {
namespace {

using backends::Dense;

constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-7;  // relative to the largest entry; a difference's error is some 1e-10

// Runs what is emitted on copies, so that operands stay as they are.
class Calculator final : public Emitter {
 public:
  explicit Calculator(backends::TestContext& context) : context_(context) {}

  Value add(const Dense& values) {
    values_.push_back(values);
    return static_cast<Value>(values_.size() - 1);
  }
  const Dense& operator[](Value value) const { return values_[value]; }

  Value emit(Op op, const Attributes& attributes, std::span<const Value> operands, const Hint& /*hint*/) override {
    backends::OpCase call;
    std::vector<Shape> shapes;
    for (const Value operand : operands) {
      shapes.push_back({values_[operand].rows, values_[operand].columns});
      call.operands.push_back({values_[operand]});
    }
    if (takes_labels(op, attributes)) call.operands[1].content = backends::Content::whole_numbers;
    const Shape shape = result_shape(op, attributes, shapes);
    const std::optional<std::size_t> overwritten = overwritten_by(op);
    if (!overwritten) call.operands.push_back({Dense(shape.rows, shape.columns)});
    if (op == Op::loss) call.operands.back().content = backends::Content::doubles;
    call.results = {overwritten.value_or(call.operands.size() - 1)};
    call.request = request_of(op, catalogue::Dtype::f64, attributes, shapes);
    return add(backends::results_of(context_, call).front());
  }

 private:
  backends::TestContext& context_;
  std::vector<Dense> values_;
};

struct DerivativeCase {
  Op op;
  Attributes attributes;
  std::vector<Dense> operands;
};

double dot(const Dense& a, const Dense& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

class DerivativeTest : public testing::Test {
 protected:
  Dense random(std::int64_t rows, std::int64_t columns) { return backends::random_matrix(generator_, rows, columns); }
  std::int64_t dimension() { return std::uniform_int_distribution<std::int64_t>(1, 6)(generator_); }

  Dense apply(const DerivativeCase& values) {
    Calculator calculator(context_);
    std::vector<Value> operands;
    for (const Dense& operand : values.operands) operands.push_back(calculator.add(operand));
    return calculator[calculator.emit(values.op, values.attributes, operands, {})];
  }

  // The rule's gradient is that of central differences of the sum of weights times result.
  void check(DerivativeCase values) {
    const OpRow& row = row_of(values.op);
    const Dense result = apply(values);
    Dense weights = random(result.rows, result.columns);
    if (values.op == Op::loss) weights.values[0] = 1;
    Calculator calculator(context_);
    std::vector<Value> operands;
    for (const Dense& operand : values.operands) operands.push_back(calculator.add(operand));
    const Value result_value = calculator.add(result);
    std::vector<Value> gradients(operands.size(), kNoValue);
    row.derivative(calculator, {values.attributes, operands, result_value, calculator.add(weights), row.differentiable},
                   gradients.data());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if ((row.differentiable >> i & 1) == 0) continue;
      const Dense& gradient = calculator[gradients[i]];
      EXPECT_EQ(gradient.values.size(), values.operands[i].values.size());
      double largest = 1;
      for (const double entry : gradient.values) largest = std::max(largest, std::abs(entry));
      for (std::size_t entry = 0; entry < gradient.values.size(); ++entry) {
        double& x = values.operands[i].values[entry];
        const double at = x;
        x = at + kStep;
        const double above = dot(weights, apply(values));
        x = at - kStep;
        const double below = dot(weights, apply(values));
        x = at;
        ASSERT_NEAR((above - below) / (2 * kStep), gradient.values[entry], kTolerance * largest)
            << backends::name_of(values.op) << " operand " << i;
      }
    }
  }

  std::mt19937 generator_{7};
  backends::TestContext context_{backends::backend_named("naive"), catalogue::Dtype::f64};
};

TEST_F(DerivativeTest, ProductInEachOrientation) {
  for (int round = 0; round < 12; ++round) {
    const bool transpose_a = (round & 1) != 0;
    const bool transpose_b = (round & 2) != 0;
    const std::int64_t m = dimension(), n = dimension(), k = dimension();
    check({Op::product,
           {.transpose_a = transpose_a, .transpose_b = transpose_b, .alpha = round < 4 ? 1 : -0.75},
           {transpose_a ? random(k, m) : random(m, k), transpose_b ? random(n, k) : random(k, n)}});
  }
}

TEST_F(DerivativeTest, ElementwiseOps) {
  for (int round = 0; round < 6; ++round) {
    const std::int64_t m = dimension(), n = dimension();
    const Attributes factors = {.alpha = static_cast<double>(round % 3 - 1), .beta = 2.5 - round % 4};
    check({Op::combine, factors, {random(m, n), random(m, n)}});
    check({Op::combine, {}, {random(m, n), random(m, n)}});
    check({Op::multiply, {}, {random(m, n), random(m, n)}});
    check({Op::add_bias, {}, {random(1, n), random(m, n)}});
    check({Op::column_sum, {}, {random(m, n)}});
    check({Op::scale_columns, {}, {random(1, n), random(m, n)}});
    check({Op::normalize, {}, {random(m, n)}});
  }
}

TEST_F(DerivativeTest, ActivationsAndTheirGradients) {
  for (const auto activation : catalogue::all_of<catalogue::Activation>()) {
    for (int round = 0; round < 4; ++round) {
      const Attributes attributes = {.activation = activation};
      const std::int64_t m = dimension(), n = dimension();
      Dense z = random(m, n);
      for (double& entry : z.values) entry += entry < 0 ? -0.01 : 0.01;  // away from the kink
      check({Op::activation, attributes, {z}});
      if (!catalogue::reads_input(activation)) check({Op::activation_gradient, attributes, {z, random(m, n)}});
    }
  }
}

TEST_F(DerivativeTest, Losses) {
  for (const auto loss : catalogue::all_of<catalogue::Loss>()) {
    for (int round = 0; round < 4; ++round) {
      const Attributes attributes = {.alpha = round < 2 ? 1 : 0.3, .loss = loss};
      const std::int64_t m = dimension(), n = dimension();
      Dense targets = random(m, n);
      if (loss == catalogue::Loss::softmax_cross_entropy) {
        targets = Dense(m, 1);
        for (double& label : targets.values) label = static_cast<double>(generator_() % static_cast<std::uint32_t>(n));
      }
      check({Op::loss, attributes, {random(m, n), targets}});
    }
  }
}

TEST_F(DerivativeTest, EveryDifferentiableOpHasARule) {
  for (const OpRow& row : all_rows()) {
    EXPECT_EQ(row.derivative != nullptr, row.differentiable != 0) << backends::name_of(row.op);
  }
}

TEST(OpTable, RefusesShapesThatDoNotFit) {
  const auto refused = [](Op op, const Attributes& attributes, const std::vector<Shape>& shapes) {
    try {
      result_shape(op, attributes, shapes);
    } catch (const implementations::Failure& failure) {
      return failure.status() == GDBENCH_INVALID && std::string(failure.what()).find('\n') == std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused(Op::product, {}, {{2, 3}, {2, 3}}));
  EXPECT_TRUE(refused(Op::product, {}, {{2, 3}}));
  EXPECT_TRUE(refused(Op::add_bias, {}, {{2, 3}, {2, 3}}));
  EXPECT_TRUE(refused(Op::combine, {}, {{2, 3}, {3, 2}}));
  EXPECT_TRUE(refused(Op::activation, {}, {{0, 2}}));
  EXPECT_TRUE(refused(Op::update, {}, {{1, 4}, {1, 1}, {1, 4}, {1, 3}}));
  EXPECT_TRUE(refused(Op::gather, {}, {{1, 4}, {1, 1}}));
  const Attributes cross_entropy = {.loss = catalogue::Loss::softmax_cross_entropy};
  EXPECT_TRUE(refused(Op::loss, cross_entropy, {{4, 3}, {4, 3}}));
  EXPECT_EQ(result_shape(Op::loss, cross_entropy, std::vector<Shape>{{4, 3}, {4, 1}}), (Shape{1, 1}));
  EXPECT_EQ(result_shape(Op::product, {.transpose_a = true}, std::vector<Shape>{{2, 3}, {2, 5}}), (Shape{3, 5}));
}

}  // namespace
}  // namespace gdbench::strategies::ops
