// Numbers of fewer bits, and what mixed dtypes have beyond ops (ops_test.cpp).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/abi/processor.h"
#include "implementations/common/mixed_precision/narrow_formats.h"
#include "implementations/common/mixed_precision/stochastic_rounding.h"
#include "tests/unit/backends/op_maker.h"

namespace gdbench::backends {
namespace {

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

class MixedOpsTest : public BackendTest {};

// One update for entries that lie in two places, with a gap between them, on threads that share it.
TEST_P(MixedOpsTest, UpdatesRoundParametersWhereTheyAreAsked) {
  const Backend& backend = backend_named(GetParam().backend);
  if (GetParam().dtype != Dtype::bf16 || (backend.flags & (kNoArithmetic | kDevice)) != 0) GTEST_SKIP();
  constexpr std::int64_t kEntries = 70001, kFirst = 30000, kGap = 7;
  const UpdateScalars scalars = {.learning_rate = 0.25};
  const OpOptimizer sgd({catalogue::OptimizerKind::sgd, 0, false});
  const std::uint64_t seed = 17;
  const NumberedEntries numbered[] = {{0, kFirst, 0}, {kFirst + kGap, kEntries - kFirst - kGap, kFirst}};
  const Dense gradient = wide_matrix(generator_, 1, kEntries);
  const Dense start = wide_matrix(generator_, 1, kEntries);
  for (const auto rounding : {catalogue::ParameterRounding::nearest, catalogue::ParameterRounding::stochastic}) {
    for (const std::int32_t threads : {1, 3}) {
      if (threads > 1 && backend.shares == nullptr) continue;
      TestContext context(backend, GetParam().dtype, settings_for(threads));
      Request update = request(Op::update, {{1, kEntries}, {1, 1}, {1, kEntries}});
      update.optimizer = &sgd.abi;
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
