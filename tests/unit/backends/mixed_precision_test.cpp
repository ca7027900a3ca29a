// Ops of a mixed dtype: what they read is rounded to bfloat16, what they write is not.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {
namespace {

// The nearest number of 8 significant bits; rint takes the even one of two.
double bfloat16_of(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::rint(std::ldexp(fraction, 8)), exponent - 8);
}

// Entries that have more bits than a bfloat16.
Dense wide_matrix(std::mt19937& generator, std::int64_t rows, std::int64_t columns) {
  std::uniform_real_distribution<float> entry(-2, 2);
  Dense matrix(rows, columns);
  for (double& value : matrix.values) value = entry(generator);
  return matrix;
}

class MixedOpsTest : public BackendTest {
 protected:
  // C = alpha op(A) op(B) + beta C.
  void check_product(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b, double alpha,
                     double beta) {
    const Dense a = wide_matrix(generator_, transpose_a ? k : m, transpose_a ? m : k);
    const Dense b = wide_matrix(generator_, transpose_b ? n : k, transpose_b ? k : n);
    const Dense c = wide_matrix(generator_, m, n);
    Request product = request(Op::product, {{a.rows, a.columns}, {b.rows, b.columns}, {m, n}});
    product.transpose_a = transpose_a;
    product.transpose_b = transpose_b;
    product.alpha = alpha;
    product.beta = beta;
    const Buffer result = context_.upload(c);
    context_.run(product, {context_.upload(a), context_.upload(b), result});
    Dense expected = c;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          sum +=
              bfloat16_of(transpose_a ? a.at(l, i) : a.at(i, l)) * bfloat16_of(transpose_b ? b.at(j, l) : b.at(l, j));
        }
        expected.at(i, j) = alpha * sum + beta * c.at(i, j);
      }
    }
    expect_close(context_.download(result, m, n), expected, GetParam().dtype, 4 * std::sqrt(static_cast<double>(k)));
    context_.release_buffers();
  }
};

// Vectors, what is too small for an instruction of its own, and what is not.
TEST_P(MixedOpsTest, ProductsMultiplyRoundedOperands) {
  const std::int64_t shapes[][3] = {{1, 1, 1}, {1, 7, 5}, {9, 1, 33}, {3, 4, 5}, {33, 17, 40}, {64, 48, 31}};
  for (const auto& [m, n, k] : shapes) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        check_product(m, n, k, transpose_a, transpose_b, 1, 0);
        check_product(m, n, k, transpose_a, transpose_b, -0.3, 1);
      }
    }
  }
}

TEST_P(MixedOpsTest, UpdatesMoveParametersThatAreNotRounded) {
  constexpr std::int64_t kRows = 37, kInputs = 29, kOutputs = 23;
  if ((backend_named(GetParam().backend).flags & kEpilogueUpdate) == 0) GTEST_SKIP() << "has no such epilogue";
  const Dense inputs = wide_matrix(generator_, kRows, kInputs);
  const Dense deltas = wide_matrix(generator_, kRows, kOutputs);
  const Dense weights = wide_matrix(generator_, kInputs, kOutputs);
  Request product = request(Op::product, {{kRows, kInputs}, {kRows, kOutputs}, {kInputs, kOutputs}, {1, 1}});
  product.transpose_a = true;
  product.epilogue_update = true;
  product.optimizer = &plain_sgd();
  const UpdateScalars scalars = {.learning_rate = 0.01};
  const Buffer result = context_.upload(weights);
  context_.run(product, {context_.upload(inputs), context_.upload(deltas), result,
                         context_.upload_bytes(&scalars, sizeof scalars)});
  Dense expected = weights;
  for (std::int64_t i = 0; i < kInputs; ++i) {
    for (std::int64_t j = 0; j < kOutputs; ++j) {
      for (std::int64_t r = 0; r < kRows; ++r) {
        expected.at(i, j) -= 0.01 * bfloat16_of(inputs.at(r, i)) * bfloat16_of(deltas.at(r, j));
      }
    }
  }
  expect_close(context_.download(result, kInputs, kOutputs), expected, GetParam().dtype, 2);
}

TEST_P(MixedOpsTest, SumsOfColumnsAddUpWhatIsRounded) {
  const Dense d = wide_matrix(generator_, 50, 21);
  Dense expected(1, 21);
  for (std::int64_t i = 0; i < 50; ++i) {
    for (std::int64_t j = 0; j < 21; ++j) expected.at(0, j) += bfloat16_of(d.at(i, j));
  }
  const Buffer sums = context_.upload(Dense(1, 21));
  context_.run(request(Op::column_sum, {{50, 21}, {1, 21}}), {context_.upload(d), sums});
  expect_close(context_.download(sums, 1, 21), expected, GetParam().dtype, 2 * std::sqrt(50.0));
}

TEST_P(MixedOpsTest, DerivativesAreToldFromWhatIsRounded) {
  for (const catalogue::Activation activation : catalogue::all_of<catalogue::Activation>()) {
    if (catalogue::reads_input(activation)) continue;  // the tests' own derivatives are of results
    Dense a = wide_matrix(generator_, 13, 9);
    for (double& value : a.values) value = static_cast<float>(activate(activation, value));
    const Dense d = wide_matrix(generator_, 13, 9);
    Dense expected = d;
    for (std::size_t i = 0; i < d.values.size(); ++i) {
      expected.values[i] *= activation_slope(activation, bfloat16_of(a.values[i]));
    }
    const Buffer result = context_.upload(d);
    Request gradient = request(Op::activation_gradient, {{13, 9}, {13, 9}});
    gradient.activation = activation;
    context_.run(gradient, {context_.upload(a), result});
    expect_close(context_.download(result, 13, 9), expected, GetParam().dtype, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MixedOpsTest, testing::ValuesIn(mixed_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
