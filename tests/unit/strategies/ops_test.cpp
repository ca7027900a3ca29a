// Every derivative rule of the op table against central differences, in double through the naive kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "implementations/common/failure.h"
#include "implementations/strategies/common/op_table.h"
#include "tests/support/implementations/backend_fixture.h"

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
    std::vector<Shape> shapes;
    std::vector<backends::Buffer> buffers;
    for (const Value operand : operands) {
      shapes.push_back({values_[operand].rows, values_[operand].columns});
      const bool labels = takes_labels(op, attributes) && buffers.size() == 1;
      buffers.push_back(labels ? upload_labels(values_[operand]) : context_.upload(values_[operand]));
    }
    const Shape shape = result_shape(op, attributes, shapes);
    const int overwrites = row_of(op).overwrites;
    if (overwrites < 0) buffers.push_back(context_.upload(Dense(shape.rows, shape.columns)));
    context_.run(request_of(op, catalogue::Dtype::f64, attributes, shapes), buffers);
    const backends::Buffer result = overwrites < 0 ? buffers.back() : buffers[static_cast<std::size_t>(overwrites)];
    return add(context_.download(result, shape.rows, shape.columns));
  }

 private:
  backends::Buffer upload_labels(const Dense& values) {
    const std::vector<std::int32_t> labels(values.values.begin(), values.values.end());
    return context_.upload_bytes(labels.data(), labels.size() * sizeof(std::int32_t));
  }
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

  // The largest difference between the rule's gradient and central differences of the sum of weights times result.
  double error_of(Derivative derivative, DerivativeCase values) {
    const OpRow& row = row_of(values.op);
    const Dense result = apply(values);
    Dense weights = random(result.rows, result.columns);
    if (values.op == Op::loss) weights.values[0] = 1;
    Calculator calculator(context_);
    std::vector<Value> operands;
    for (const Dense& operand : values.operands) operands.push_back(calculator.add(operand));
    const Value result_value = calculator.add(result);
    std::vector<Value> gradients(operands.size(), kNoValue);
    derivative(calculator, {values.attributes, operands, result_value, calculator.add(weights), row.differentiable},
               gradients.data());
    double worst = 0;
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
        worst = std::max(worst, std::abs((above - below) / (2 * kStep) - gradient.values[entry]) / largest);
      }
    }
    return worst;
  }
  void check(const DerivativeCase& values) {
    EXPECT_LT(error_of(row_of(values.op).derivative, values), kTolerance) << backends::name_of(values.op);
  }

  std::mt19937 generator_{7};
  backends::TestContext context_{backends::backend_named("naive"), catalogue::Dtype::f64};
};

TEST_F(DerivativeTest, ProductInEachOrientation) {
  for (int round = 0; round < 12; ++round) {
    Attributes attributes;
    attributes.transpose_a = (round & 1) != 0;
    attributes.transpose_b = (round & 2) != 0;
    attributes.alpha = round < 4 ? 1 : -0.75;
    const std::int64_t m = dimension(), n = dimension(), k = dimension();
    check(
        {Op::product,
         attributes,
         {attributes.transpose_a ? random(k, m) : random(m, k), attributes.transpose_b ? random(n, k) : random(k, n)}});
  }
}

TEST_F(DerivativeTest, ElementwiseOps) {
  for (int round = 0; round < 6; ++round) {
    const std::int64_t m = dimension(), n = dimension();
    Attributes factors;
    factors.alpha = round % 3 - 1;
    factors.beta = 2.5 - round % 4;
    check({Op::combine, factors, {random(m, n), random(m, n)}});
    check({Op::combine, {}, {random(m, n), random(m, n)}});
    check({Op::multiply, {}, {random(m, n), random(m, n)}});
    check({Op::add_bias, {}, {random(1, n), random(m, n)}});
    check({Op::column_sum, {}, {random(m, n)}});
  }
}

TEST_F(DerivativeTest, ActivationsAndTheirGradients) {
  for (const auto activation : catalogue::all_of<catalogue::Activation>()) {
    for (int round = 0; round < 4; ++round) {
      Attributes attributes;
      attributes.activation = activation;
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
      Attributes attributes;
      attributes.loss = loss;
      attributes.alpha = round < 2 ? 1 : 0.3;
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

// Mutations: rules with the mistakes that are easily made.
TEST_F(DerivativeTest, AWrongRuleIsSeen) {
  const Derivative forgets_the_factor = [](Emitter& emitter, const Application& application, Value* gradients) {
    Attributes attributes = application.attributes;
    attributes.alpha = 1;
    row_of(Op::product)
        .derivative(emitter,
                    {attributes, application.operands, application.result, application.gradient, application.wanted},
                    gradients);
  };
  Attributes scaled;
  scaled.alpha = 0.5;
  EXPECT_GT(error_of(forgets_the_factor, {Op::product, scaled, {random(3, 2), random(2, 4)}}), 1e-3);

  const Derivative forgets_the_slope = [](Emitter&, const Application& application, Value* gradients) {
    gradients[0] = application.gradient;
  };
  Attributes tanh;
  tanh.activation = catalogue::Activation::tanh;
  EXPECT_GT(error_of(forgets_the_slope, {Op::activation, tanh, {random(3, 2)}}), 1e-3);

  const Derivative swaps_the_operands = [](Emitter& emitter, const Application& application, Value* gradients) {
    row_of(Op::multiply).derivative(emitter, application, gradients);
    std::swap(gradients[0], gradients[1]);
  };
  EXPECT_GT(error_of(swaps_the_operands, {Op::multiply, {}, {random(3, 2), random(3, 2)}}), 1e-3);
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
  Attributes cross_entropy;
  cross_entropy.loss = catalogue::Loss::softmax_cross_entropy;
  EXPECT_TRUE(refused(Op::loss, cross_entropy, {{4, 3}, {4, 3}}));
  EXPECT_EQ(result_shape(Op::loss, cross_entropy, std::vector<Shape>{{4, 3}, {4, 1}}), (Shape{1, 1}));
  Attributes transposed;
  transposed.transpose_a = true;
  EXPECT_EQ(result_shape(Op::product, transposed, std::vector<Shape>{{2, 3}, {2, 5}}), (Shape{3, 5}));
}

}  // namespace
}  // namespace gdbench::strategies::ops
