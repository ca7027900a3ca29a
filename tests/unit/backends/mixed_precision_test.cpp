// Ops of a mixed dtype: what they read is rounded, what they write is not.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/abi/processor.h"
#include "implementations/common/mixed_precision/narrow_formats.h"
#include "implementations/common/mixed_precision/stochastic_rounding.h"
#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {
namespace {

// The nearest number of so many significant bits; rint takes the even one of two.
double rounded_to_bits(double value, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::rint(std::ldexp(fraction, bits)), exponent - bits);
}

// Entries that have more bits than the operands of any mixed dtype, and are large enough to be normal numbers of it.
Dense wide_matrix(std::mt19937& generator, std::int64_t rows, std::int64_t columns) {
  std::uniform_real_distribution<float> entry(-2, 2);
  Dense matrix(rows, columns);
  for (double& value : matrix.values) {
    do value = entry(generator);
    while (std::abs(value) < 0x1p-10);
  }
  return matrix;
}

// All finite binary16, what lies between them, and what lies beyond: the compiler's own type says the same.
TEST(NarrowFormatsTest, Binary16IsTheCompilersOwn) {
  const auto expect_same = [](float value) {
    const auto expected = static_cast<float>(static_cast<processor::Binary16>(value));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(implementations::rounded_to_binary16(value)),
              std::bit_cast<std::uint32_t>(expected))
        << value;
  };
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto number = static_cast<float>(std::bit_cast<processor::Binary16>(static_cast<std::uint16_t>(bits)));
    const auto next = static_cast<float>(std::bit_cast<processor::Binary16>(static_cast<std::uint16_t>(bits + 1)));
    const float middle = std::isinf(next) ? 65520 : number + (next - number) / 2;
    for (const float value : {number, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
      expect_same(value);
      expect_same(-value);
    }
  }
  for (const float value : {1e-30F, 70000.0F, 1e30F, std::numeric_limits<float>::infinity()}) expect_same(value);
  EXPECT_TRUE(std::isnan(implementations::rounded_to_binary16(std::nanf(""))));
}

TEST(NarrowFormatsTest, Bfloat16TakesTheNearest) {
  std::mt19937 generator(1);
  for (int i = 0; i < 100000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
    if (!std::isfinite(value) || std::fpclassify(value) == FP_SUBNORMAL) continue;
    if (std::abs(value) > 3.3e38F) continue;
    EXPECT_EQ(implementations::rounded_to_bfloat16(value), rounded_to_bits(value, 8));
  }
  EXPECT_TRUE(std::isnan(implementations::rounded_to_bfloat16(std::bit_cast<float>(0x7fffffffU))));
}

// Published outputs of SplitMix64 for the seed 1234567 (rosettacode.org, "Pseudo-random numbers/Splitmix64").
TEST(StochasticRoundingTest, IsThatOfSplitMix64) {
  const std::uint64_t expected[] = {6457827717110365317U, 3203168211198807973U, 9817491932198370423U};
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(implementations::split_mix_64(1234567, i), expected[i]);
}

// A number is rounded up with a probability equal to what is cut off, and a bfloat16 never.
TEST(StochasticRoundingTest, IsRightOnAverage) {
  for (const float value : {1 + 0x1p-9F, -3 - 0x3p-9F, 1e-3F, 0.7F, -2.5F}) {
    double sum = 0;
    constexpr int kDraws = 100000;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      sum += static_cast<double>(implementations::rounded_stochastically(value, implementations::split_mix_64(3, i)));
    }
    EXPECT_NEAR(sum / kDraws, value, std::abs(value) * 0x1p-7 * 4 / (2 * std::sqrt(kDraws)));
  }
  EXPECT_EQ(implementations::rounded_stochastically(2.5F, ~std::uint64_t{0}), 2.5F);
  EXPECT_TRUE(std::isnan(implementations::rounded_stochastically(std::nanf(""), ~std::uint64_t{0})));
}

class MixedOpsTest : public BackendTest {
 protected:
  double operand_of(double value) const {
    return rounded_to_bits(value, catalogue::row_of(GetParam().dtype).operands.bits);
  }

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
          sum += operand_of(transpose_a ? a.at(l, i) : a.at(i, l)) * operand_of(transpose_b ? b.at(j, l) : b.at(l, j));
        }
        expected.at(i, j) = alpha * sum + beta * c.at(i, j);
      }
    }
    expect_close(context_.download(result, m, n), expected, GetParam().dtype, 4 * std::sqrt(static_cast<double>(k)));
    context_.release_buffers();
  }
};

// Vectors, what is too small for an instruction of its own, and what is not; a long sum, and what a device leaves to
// its library.
TEST_P(MixedOpsTest, ProductsMultiplyRoundedOperands) {
  const std::int64_t shapes[][3] = {{1, 1, 1},    {1, 7, 5},    {9, 1, 33},  {3, 4, 5},
                                    {33, 17, 40}, {64, 48, 31}, {3, 5, 200}, {96, 90, 131}};
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
  const std::uint32_t flags = backend_named(GetParam().backend).flags;
  if ((flags & (kEpilogueUpdate | kEpilogueLayerUpdate)) == 0) GTEST_SKIP() << "has no such epilogue";
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
        expected.at(i, j) -= 0.01 * operand_of(inputs.at(r, i)) * operand_of(deltas.at(r, j));
      }
    }
  }
  expect_close(context_.download(result, kInputs, kOutputs), expected, GetParam().dtype, 2);
}

// One update for entries that lie in two places, with a gap between them, on threads that share it.
TEST_P(MixedOpsTest, UpdatesRoundParametersWhereTheyAreAsked) {
  const Backend& backend = backend_named(GetParam().backend);
  if (GetParam().dtype != Dtype::bf16 || (backend.flags & (kNoArithmetic | kDevice)) != 0) GTEST_SKIP();
  constexpr std::int64_t kEntries = 70001, kFirst = 30000, kGap = 7;
  const UpdateScalars scalars = {.learning_rate = 0.25};
  const std::uint64_t seed = 17;
  const NumberedEntries numbered[] = {{0, kFirst, 0}, {kFirst + kGap, kEntries - kFirst - kGap, kFirst}};
  const Dense gradient = wide_matrix(generator_, 1, kEntries);
  const Dense start = wide_matrix(generator_, 1, kEntries);
  for (const auto rounding : {catalogue::ParameterRounding::nearest, catalogue::ParameterRounding::stochastic}) {
    for (const std::int32_t threads : {1, 3}) {
      if (threads > 1 && backend.shares == nullptr) continue;
      TestContext context(backend, GetParam().dtype, settings_for(threads));
      Request update = request(Op::update, {{1, kEntries}, {1, 1}, {1, kEntries}});
      update.optimizer = &plain_sgd();
      update.parameter_rounding = rounding;
      update.rounding_seed = &seed;
      update.numbered = numbered;
      const Buffer parameter = context.upload(start);
      context.run(update, {context.upload(gradient), context.upload_bytes(&scalars, sizeof scalars), parameter});
      const Dense found = context.download(parameter, 1, kEntries);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < kEntries; ++i) {
        const bool in_gap = i >= kFirst && i < kFirst + kGap;
        if (in_gap && rounding == catalogue::ParameterRounding::stochastic) continue;
        const float moved = static_cast<float>(start.at(0, i)) - 0.25F * static_cast<float>(gradient.at(0, i));
        const auto number = static_cast<std::uint64_t>(i < kFirst ? i : i - kGap);
        const std::uint64_t random = implementations::split_mix_64(seed, number);
        const float expected = rounding == catalogue::ParameterRounding::nearest
                                   ? implementations::rounded_to_bfloat16(moved)
                                   : implementations::rounded_stochastically(moved, random);
        wrong += static_cast<float>(found.at(0, i)) != expected ? 1 : 0;
      }
      EXPECT_LE(wrong, kEntries / 1000) << threads << " threads";  // the update itself is rounded otherwise
    }
  }
}

TEST_P(MixedOpsTest, SumsOfColumnsAddUpWhatIsRounded) {
  const Dense d = wide_matrix(generator_, 50, 21);
  Dense expected(1, 21);
  for (std::int64_t i = 0; i < 50; ++i) {
    for (std::int64_t j = 0; j < 21; ++j) expected.at(0, j) += operand_of(d.at(i, j));
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
      expected.values[i] *= activation_slope(activation, operand_of(a.values[i]));
    }
    const Buffer result = context_.upload(d);
    Request gradient = request(Op::activation_gradient, {{13, 9}, {13, 9}});
    gradient.activation = activation;
    context_.run(gradient, {context_.upload(a), result});
    expect_close(context_.download(result, 13, 9), expected, GetParam().dtype, 2);
  }
}

// A power of two rounds nothing.
TEST_P(MixedOpsTest, GradientsOfALossAreScaledAndDividedAgain) {
  const Backend& backend = backend_named(GetParam().backend);
  if (!catalogue::scales_loss(GetParam().dtype)) GTEST_SKIP() << "does not scale the loss";
  const Dense outputs = wide_matrix(generator_, 12, 7);
  const Dense targets = wide_matrix(generator_, 12, 7);
  const Request gradient = request(Op::loss_gradient, {{12, 7}, {12, 7}, {12, 7}});
  const auto compute = [&](float scale) {
    backend.loss_scaling.set(context_.get(), scale);
    const Buffer result = context_.upload(Dense(12, 7));
    context_.run(gradient, {context_.upload(outputs), context_.upload(targets), result});
    return result;
  };
  const Dense plain = context_.download(compute(1), 12, 7);
  const Buffer scaled = compute(1024);
  for (std::size_t i = 0; i < plain.values.size(); ++i) {
    EXPECT_EQ(context_.download(scaled, 12, 7).values[i], 1024 * plain.values[i]);
  }
  EXPECT_TRUE(backend.loss_scaling.unscale(context_.get(), scaled, 12 * 7));
  EXPECT_EQ(context_.download(scaled, 12, 7).values, plain.values);
  for (const double fault : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    Dense overflown = plain;
    overflown.values[50] = fault;
    EXPECT_FALSE(backend.loss_scaling.unscale(context_.get(), context_.upload(overflown), 12 * 7));
  }
}

TEST_P(MixedOpsTest, OneKernelOfAllStepsIsRefused) {
  const Backend& backend = backend_named(GetParam().backend);
  if (backend.regions.bind == nullptr) GTEST_SKIP() << "has no regions";
  RegionCall* call = nullptr;
  EXPECT_EQ(backend.regions.bind(context_.get(), {.dtype = GetParam().dtype}, &call), GDBENCH_UNSUPPORTED);
  EXPECT_NE(context_.error().find("rounds no operands"), std::string::npos) << context_.error();
}

INSTANTIATE_TEST_SUITE_P(Backends, MixedOpsTest, testing::ValuesIn(mixed_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
