// Bias, activations, sums and losses against plain loops in double.
#include <algorithm>
#include <cmath>

#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {
namespace {

constexpr std::pair<std::int64_t, std::int64_t> kMatrices[] = {{1, 1},   {1, 7},   {5, 1},   {3, 2},
                                                               {13, 17}, {32, 10}, {101, 50}};

class ElementwiseTest : public BackendTest {};

TEST_P(ElementwiseTest, AddBias) {
  for (const auto& [rows, columns] : kMatrices) {
    const Dense bias = random_matrix(generator_, 1, columns);
    const Dense z = random_matrix(generator_, rows, columns);
    Dense expected = z;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) expected.at(i, j) += bias.at(0, j);
    }
    const Buffer result = context_.upload(z);
    context_.run(request(Op::add_bias, {{1, columns}, {rows, columns}}), {context_.upload(bias), result});
    expect_close(context_.download(result, rows, columns), expected, GetParam().dtype, 1);
  }
}

TEST_P(ElementwiseTest, ColumnSum) {
  for (const auto& [rows, columns] : kMatrices) {
    const Dense d = random_matrix(generator_, rows, columns);
    Dense expected(1, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) expected.at(0, j) += d.at(i, j);
    }
    const Buffer sums = context_.upload(random_matrix(generator_, 1, columns));
    context_.run(request(Op::column_sum, {{rows, columns}, {1, columns}}), {context_.upload(d), sums});
    expect_close(context_.download(sums, 1, columns), expected, GetParam().dtype, std::sqrt(static_cast<double>(rows)));
  }
}

const std::vector<catalogue::Activation> kActivations = catalogue::all_of<catalogue::Activation>();

TEST_P(ElementwiseTest, ActivationInPlaceAndApart) {
  for (const auto& [rows, columns] : kMatrices) {
    for (const catalogue::Activation activation : kActivations) {
      Dense z = random_matrix(generator_, rows, columns);
      z.values.front() = activation == catalogue::Activation::relu ? 0 : 30;  // a kink, and saturation
      if (z.values.size() > 2) z.values[1] = -30;
      Dense expected = z;
      for (double& value : expected.values) value = activate(activation, value);
      // Where 30 stays 30, it is a factor, and its rounding that of its magnitude. All other entries are of about 1.
      const double factor = std::max(1.0, expected.values.front());
      const auto expect_activated = [&](Dense actual) {
        Dense wanted = expected;
        for (Dense* entries : {&actual, &wanted}) {
          entries->values.front() /= factor;
          if (entries->values.size() > 2) entries->values[1] /= factor;
        }
        expect_close(actual, wanted, GetParam().dtype, 1);
      };
      Request call = request(Op::activation, {{rows, columns}, {rows, columns}});
      call.activation = activation;
      const Buffer input = context_.upload(z);
      const Buffer output = context_.upload(Dense(rows, columns));
      context_.run(call, {input, output});
      expect_activated(context_.download(output, rows, columns));
      context_.run(call, {input, input});
      expect_activated(context_.download(input, rows, columns));
    }
  }
}

// Against a central difference of the activation at z; exactly 0 where relu's result is 0.
TEST_P(ElementwiseTest, ActivationGradientIsTheDerivative) {
  for (const catalogue::Activation activation : kActivations) {
    const Dense z = random_matrix(generator_, 13, 17);
    Dense a = z;
    Dense d = random_matrix(generator_, 13, 17);
    Dense expected = d;
    for (std::size_t i = 0; i < z.values.size(); ++i) {
      constexpr double kStep = 1e-6;
      const double value = z.values[i];
      if (!catalogue::reads_input(activation)) a.values[i] = activate(activation, value);
      const double slope = (activate(activation, value + kStep) - activate(activation, value - kStep)) / (2 * kStep);
      expected.values[i] *= slope;
    }
    Request call = request(Op::activation_gradient, {{13, 17}, {13, 17}});
    call.activation = activation;
    const Buffer result = context_.upload(d);
    context_.run(call, {context_.upload(a), result});
    const Dense actual = context_.download(result, 13, 17);
    for (std::size_t i = 0; i < actual.values.size(); ++i) {
      EXPECT_NEAR(actual.values[i], expected.values[i], 3e-6) << "activation " << name_of(activation) << " entry " << i;
    }
  }
  Request relu = request(Op::activation_gradient, {{1, 3}, {1, 3}});
  relu.activation = catalogue::Activation::relu;
  Dense a(1, 3);
  a.values = {0, 2, 0};
  Dense d(1, 3);
  d.values = {5, 6, 7};
  const Buffer result = context_.upload(d);
  context_.run(relu, {context_.upload(a), result});
  EXPECT_EQ(context_.download(result, 1, 3).values, (std::vector<double>{0, 6, 0}));
}

TEST_P(ElementwiseTest, CombineApartAndInPlace) {
  constexpr std::pair<double, double> kFactors[] = {{1, 1}, {1, 0}, {-0.5, 0}, {2, -0.25}};
  for (const auto& [rows, columns] : kMatrices) {
    for (const auto& [alpha, beta] : kFactors) {
      const Dense a = random_matrix(generator_, rows, columns);
      Dense b = random_matrix(generator_, rows, columns);
      if (beta == 0) b.values.front() = std::nan("");  // must not be read
      Dense expected = a;
      for (std::size_t i = 0; i < expected.values.size(); ++i) {
        expected.values[i] = alpha * a.values[i] + (beta == 0 ? 0 : beta * b.values[i]);
      }
      Request combine = request(Op::combine, {{rows, columns}, {rows, columns}, {rows, columns}});
      combine.alpha = alpha;
      combine.beta = beta;
      const Buffer first = context_.upload(a);
      const Buffer second = context_.upload(b);
      const Buffer third = context_.upload(Dense(rows, columns));
      for (const Buffer& result : {third, second, first}) {
        context_.run(combine, {first, second, result});
        expect_close(context_.download(result, rows, columns), expected, GetParam().dtype, 1);
        if (result == second) context_.overwrite(second, b);
      }
    }
  }
}

TEST_P(ElementwiseTest, MultiplyApartAndInPlace) {
  for (const auto& [rows, columns] : kMatrices) {
    const Dense a = random_matrix(generator_, rows, columns);
    const Dense b = random_matrix(generator_, rows, columns);
    Dense expected = a;
    for (std::size_t i = 0; i < expected.values.size(); ++i) expected.values[i] *= b.values[i];
    const Request multiply = request(Op::multiply, {{rows, columns}, {rows, columns}, {rows, columns}});
    const Buffer first = context_.upload(a);
    const Buffer second = context_.upload(b);
    const Buffer third = context_.upload(Dense(rows, columns));
    for (const Buffer& result : {third, second, first}) {
      context_.run(multiply, {first, second, result});
      expect_close(context_.download(result, rows, columns), expected, GetParam().dtype, 1);
      if (result == second) context_.overwrite(second, b);
    }
  }
  EXPECT_EQ(context_.bind_status(request(Op::multiply, {{2, 3}, {2, 3}, {3, 2}})), GDBENCH_INVALID);
  EXPECT_EQ(context_.bind_status(request(Op::combine, {{2, 3}, {3, 2}, {2, 3}})), GDBENCH_INVALID);
}

// Devices gather rows by themselves; on a CPU the loader does.
TEST_P(ElementwiseTest, GathersRowsOrSaysThatItDoesNot) {
  for (const auto& [rows, count, columns] : {std::tuple(4, 3, 2), {1, 5, 1}, {97, 300, 7}, {9, 1, 784}}) {
    const Request gather = request(Op::gather, {{rows, columns}, {count, 1}, {count, columns}});
    if (!is_device(GetParam().backend)) {
      EXPECT_EQ(context_.bind_status(gather), GDBENCH_UNSUPPORTED);
      continue;
    }
    const Dense a = random_matrix(generator_, rows, columns);
    std::uniform_int_distribution<std::uint32_t> row(0, static_cast<std::uint32_t>(rows - 1));
    std::vector<std::uint32_t> index;
    Dense expected(count, columns);
    for (std::int64_t r = 0; r < count; ++r) {
      index.push_back(row(generator_));
      for (std::int64_t c = 0; c < columns; ++c) expected.at(r, c) = a.at(index.back(), c);
    }
    const Buffer result = context_.upload(random_matrix(generator_, count, columns));
    context_.run(gather,
                 {context_.upload(a), context_.upload_bytes(index.data(), index.size() * sizeof(index[0])), result});
    EXPECT_EQ(context_.download(result, count, columns).values, expected.values);
  }
}

double mean_loss(const Dense& p, const Dense& y, const catalogue::LossFunction& loss) {
  double sum = 0;
  for (std::size_t i = 0; i < p.values.size(); ++i) sum += loss_term(loss, p.values[i], y.values[i]);
  return sum / static_cast<double>(p.values.size());
}

double cross_entropy(const Dense& p, const std::vector<std::int32_t>& labels) {
  double total = 0;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < p.columns; ++j) sum += std::exp(p.at(i, j) - p.at(i, 0));
    total += std::log(sum) + p.at(i, 0) - p.at(i, labels[static_cast<std::size_t>(i)]);
  }
  return total / static_cast<double>(p.rows);
}

// d f / d p by central differences.
template <class Function>
Dense numeric_gradient(Dense p, Function f) {
  constexpr double kStep = 1e-5;
  Dense gradient(p.rows, p.columns);
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    const double value = p.values[i];
    p.values[i] = value + kStep;
    const double above = f(p);
    p.values[i] = value - kStep;
    gradient.values[i] = (above - f(p)) / (2 * kStep);
    p.values[i] = value;
  }
  return gradient;
}

void expect_gradient(const Dense& actual, const Dense& expected) {
  for (std::size_t i = 0; i < actual.values.size(); ++i) ASSERT_NEAR(actual.values[i], expected.values[i], 2e-6);
}

TEST_P(ElementwiseTest, LossesOfEntries) {
  for (const auto& [rows, columns] : kMatrices) {
    if (rows * columns > 400) continue;  // the numeric gradient is quadratic
    for (const catalogue::Loss kind : catalogue::all_of<catalogue::Loss>()) {
      if (catalogue::row_of(kind).couples_columns) continue;
      const catalogue::LossFunction loss(kind, 0.7);
      const Dense p = random_matrix(generator_, rows, columns);
      const Dense y = random_matrix(generator_, rows, columns);
      Request value = request(Op::loss, {{rows, columns}, {rows, columns}, {1, 1}});
      value.loss = loss;
      value.alpha = rows % 2 == 0 ? 0.25 : 1;
      const double zero = 0;
      const Buffer output = context_.upload_bytes(&zero, sizeof(zero));
      const Buffer predictions = context_.upload(p);
      const Buffer targets = context_.upload(y);
      context_.run(value, {predictions, targets, output});
      EXPECT_NEAR(context_.download_double(output), value.alpha * mean_loss(p, y, loss), 1e-12);

      Request gradient = request(Op::loss_gradient, {{rows, columns}, {rows, columns}, {rows, columns}});
      gradient.loss = loss;
      gradient.alpha = value.alpha;
      context_.run(gradient, {predictions, targets, predictions});  // in place
      const auto error = [&, loss](const Dense& at) { return value.alpha * mean_loss(at, y, loss); };
      expect_gradient(context_.download(predictions, rows, columns), numeric_gradient(p, error));
    }
  }
}

TEST_P(ElementwiseTest, CrossEntropy) {
  for (const auto& [rows, columns] : kMatrices) {
    if (rows * columns > 400) continue;
    const Dense p = random_matrix(generator_, rows, columns);
    std::vector<std::int32_t> labels;
    for (std::int64_t i = 0; i < rows; ++i) labels.push_back(static_cast<std::int32_t>((3 * i + 1) % columns));
    Request value = request(Op::loss, {{rows, columns}, {rows, 1}, {1, 1}});
    value.loss = catalogue::Loss::softmax_cross_entropy;
    value.alpha = rows % 2 == 0 ? 0.25 : 1;
    const double zero = 0;
    const Buffer output = context_.upload_bytes(&zero, sizeof(zero));
    const Buffer logits = context_.upload(p);
    const Buffer targets = context_.upload_bytes(labels.data(), labels.size() * sizeof(std::int32_t));
    context_.run(value, {logits, targets, output});
    EXPECT_NEAR(context_.download_double(output), value.alpha * cross_entropy(p, labels),
                GetParam().dtype == catalogue::Dtype::f32 ? 2e-6 : 1e-13);

    Request gradient = request(Op::loss_gradient, {{rows, columns}, {rows, 1}, {rows, columns}});
    gradient.loss = catalogue::Loss::softmax_cross_entropy;
    gradient.alpha = value.alpha;
    context_.run(gradient, {logits, targets, logits});
    const auto entropy = [&](const Dense& at) { return value.alpha * cross_entropy(at, labels); };
    expect_gradient(context_.download(logits, rows, columns), numeric_gradient(p, entropy));
  }
}

TEST_P(ElementwiseTest, CrossEntropyOfLargeLogitsIsFinite) {
  Dense p(1, 3);
  p.values = {1000, 999, -1000};
  const std::int32_t label = 1;
  Request value = request(Op::loss, {{1, 3}, {1, 1}, {1, 1}});
  value.loss = catalogue::Loss::softmax_cross_entropy;
  const double zero = 0;
  const Buffer output = context_.upload_bytes(&zero, sizeof(zero));
  context_.run(value, {context_.upload(p), context_.upload_bytes(&label, sizeof(label)), output});
  EXPECT_NEAR(context_.download_double(output), 1 + std::log1p(std::exp(-1.0)), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Backends, ElementwiseTest, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
