// Programs of loops: what is checked before they are compiled, that the text that is printed computes what is compiled,
// and how exact the elementary functions are.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <regex>
#include <string>
#include <vector>

#include "implementations/backends/jit/loops/builder.h"
#include "implementations/backends/jit/loops/check.h"
#include "implementations/backends/jit/loops/functions.h"
#include "implementations/backends/jit/loops/text.h"
#include "tests/support/implementations/jit_targets.h"

namespace gdbench::backends::jit {
namespace {

Array array_of(const char* name, Scalar element, std::size_t argument, std::int64_t size) {
  return {name, element, argument, 0, size, bytes_of(element)};
}

// y[i] = f(x[i]) for `size` entries, a multiple of `lanes`.
template <class Function>
Program map_program(Scalar real, int lanes, std::int64_t size, const Function& function) {
  Program program;
  program.name = "map";
  Builder builder(program);
  const ArrayId x = builder.array(array_of("x", real, 0, size));
  const ArrayId y = builder.array(array_of("y", real, 1, size));
  builder.loop(0, size, lanes, [&](const Affine& i) {
    builder.store({y, i}, function(builder, builder.load({x, i}, lanes)));
  });
  return program;
}

template <class T, class Function>
std::vector<T> mapped(const Target& target, const std::vector<T>& x, const Function& function) {
  const Scalar real = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
  const Program program = map_program(real, target.lanes(real), static_cast<std::int64_t>(x.size()), function);
  EXPECT_EQ(program_error(program), "");
  const auto compiled = compiled_for(target, program);
  std::vector<T> y(x.size());
  void* arguments[] = {const_cast<T*>(x.data()), y.data()};
  if (compiled != nullptr) compiled->function(arguments, 1);
  return y;
}

// Distance in units of the last place of the exact value.
template <class T>
double error_in_ulp(T actual, long double exact) {
  const auto magnitude = static_cast<T>(std::abs(exact));
  const T ulp = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::abs(static_cast<long double>(actual) - exact) / static_cast<long double>(ulp));
}

template <class T>
std::vector<T> points(long double from, long double to) {
  constexpr int kCount = 1 << 16;
  std::vector<T> values;
  for (int i = 0; i < kCount; ++i) values.push_back(static_cast<T>(from + (to - from) * i / (kCount - 1)));
  return values;
}

template <class T, class Function, class Exact>
double worst_error(const Target& target, const std::vector<T>& x, const Function& function, const Exact& exact) {
  const std::vector<T> y = mapped(target, x, function);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, error_in_ulp(y[i], exact(static_cast<long double>(x[i]))));
  }
  return worst;
}

template <class T>
class JitFunctionsTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(JitFunctionsTest, Reals);

TYPED_TEST(JitFunctionsTest, AreAsExactAsTheySay) {
  const long double most = sizeof(TypeParam) == 4 ? 87 : 708;
  const auto exp_of = [](long double x) { return std::exp(x); };
  const auto sigmoid_of = [](long double x) { return 1 / (1 + std::exp(-x)); };
  const auto tanh_of = [](long double x) { return std::tanh(x); };
  const auto softplus_of = [](long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); };
  const auto slope_of = [](long double a) { return -std::expm1(-a); };
  const auto distribution = [](Builder& builder, Register z) { return normal(builder, z).distribution; };
  const auto distribution_of = [](long double z) { return std::erfc(-z / std::numbers::sqrt2_v<long double>) / 2; };
  for_each_target([&](const Target& target) {
    for (const long double range : {1e-4L, 0.5L, 4.0L, 30.0L, most}) {
      SCOPED_TRACE(static_cast<double>(range));
      const std::vector<TypeParam> x = points<TypeParam>(-range, range);
      EXPECT_LE(worst_error(target, x, exponential, exp_of), 2.0);
      EXPECT_LE(worst_error(target, x, sigmoid, sigmoid_of), 3.0);
      EXPECT_LE(worst_error(target, x, hyperbolic_tangent, tanh_of), 3.0);
      EXPECT_LE(worst_error(target, x, softplus, softplus_of), 4.0);
      // From a value on, at which the slope is taken.
      const std::vector<TypeParam> a = points<TypeParam>(range / 65536, range);
      EXPECT_LE(worst_error(target, a, softplus_slope, slope_of), 2.0);
      // Below, the distribution is no normal number.
      const long double least = sizeof(TypeParam) == 4 ? 12.9L : 37.4L;
      const std::vector<TypeParam> z = points<TypeParam>(-std::min(range, least), range);
      EXPECT_LE(worst_error(target, z, distribution, distribution_of), 7.0);
    }
  });
}

TYPED_TEST(JitFunctionsTest, GoOnBeyondTheirRange) {
  constexpr TypeParam kInfinity = std::numeric_limits<TypeParam>::infinity();
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  std::vector<TypeParam> x(16, 0);
  x[0] = kInfinity;
  x[1] = -kInfinity;
  x[2] = 1e30F;
  x[3] = -1e30F;
  x[4] = nan;
  const std::pair<Register (*)(Builder&, Register), std::vector<TypeParam>> rows[] = {
      {exponential, {kInfinity, 0, kInfinity, 0, nan, 1}},
      {sigmoid, {1, 0, 1, 0, nan, TypeParam(0.5)}},
      {hyperbolic_tangent, {1, -1, 1, -1, nan, 0}},
      {softplus, {kInfinity, 0, TypeParam(1e30F), 0, nan}}};
  for_each_target([&](const Target& target) {
    for (const auto& [function, expected] : rows) {
      const std::vector<TypeParam> found = mapped(target, x, function);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) << x[i];
      }
    }
  });
}

// Estimates are AVX-512's.
template <class Body>
void for_each_target_with_estimates(const Body& body) {
  if (!this_machine()->avx512) GTEST_SKIP() << "needs AVX-512";
  for_each_target([&](const Target& target) {
    if (target.avx512) body(target);
  });
}

// Of both signs of the exponent, with mantissas that differ from one to the next.
std::vector<float> magnitudes(int least_exponent, int greatest_exponent) {
  constexpr int kMantissas = 1024;
  std::vector<float> values;
  for (int exponent = least_exponent; exponent < greatest_exponent; ++exponent) {
    for (int i = 0; i < kMantissas; ++i) {
      const float shift = static_cast<float>((exponent - least_exponent) % 8) / 8;
      values.push_back(std::ldexp(1 + (static_cast<float>(i) + shift) / kMantissas, exponent));
    }
  }
  return values;
}

TEST(JitRefinementTest, IsAsExactAsItSays) {
  for_each_target_with_estimates([](const Target& target) {
    std::vector<float> x = magnitudes(-126, 126);
    EXPECT_LE(worst_error(target, x, refined_reciprocal, [](long double a) { return 1 / a; }), 0.6);
    for (float& value : x) value = -value;
    EXPECT_LE(worst_error(target, x, refined_reciprocal, [](long double a) { return 1 / a; }), 0.6);
    EXPECT_LE(worst_error(target, magnitudes(-126, 128), refined_root, [](long double a) { return std::sqrt(a); }),
              1.0);
  });
}

TEST(JitCheckTest, SeesWhatLiesOutsideOfAnArray) {
  const auto error_of = [](std::int64_t size, std::int64_t count, std::int64_t step, std::int64_t offset, int lanes) {
    Program program;
    Builder builder(program);
    const ArrayId x = builder.array(array_of("x", Scalar::f32, 0, size));
    builder.loop(0, count, step, [&](const Affine& i) { builder.load({x, i * 2 + Affine(offset)}, 4, lanes); });
    return program_error(program);
  };
  EXPECT_EQ(error_of(20, 9, 1, 0, 4), "");
  EXPECT_NE(error_of(19, 9, 1, 0, 4), "");
  EXPECT_EQ(error_of(19, 9, 1, 0, 3), "");  // the fourth lane is not read
  EXPECT_NE(error_of(19, 9, 1, -1, 3), "");
  EXPECT_EQ(error_of(18, 9, 3, 2, 4), "");  // the last counter is 6
  EXPECT_NE(error_of(17, 9, 3, 2, 4), "");
}

TEST(JitCheckTest, SeesWhatIsNotSet) {
  Program program;
  Builder builder(program);
  const VariableId sum = builder.variable({Scalar::f32, 4});
  builder.get(sum);
  EXPECT_NE(program_error(program).find("variable 0 is not set"), std::string::npos) << program_error(program);

  Program scoped;
  Builder inner(scoped);
  Register inside = 0;
  inner.loop(0, 4, 1, [&](const Affine&) { inside = inner.constant({Scalar::f32, 4}, 1); });
  inner.add(inside, inside);
  EXPECT_NE(program_error(scoped).find("not set here"), std::string::npos) << program_error(scoped);
}

TEST(JitCheckTest, SeesTypesThatDoNotFit) {
  Program program;
  Builder builder(program);
  builder.add(builder.constant({Scalar::f32, 4}, 1), builder.constant({Scalar::f32, 8}, 1));
  EXPECT_NE(program_error(program).find("types"), std::string::npos) << program_error(program);
  for (const Type type : {Type{Scalar::f64, 8}, Type{Scalar::f32, 1}}) {
    Program without_estimate;
    Builder other(without_estimate);
    other.reciprocal_estimate(other.constant(type, 1));
    EXPECT_NE(program_error(without_estimate).find("types"), std::string::npos) << program_error(without_estimate);
  }
}

// The sum of a dot product, its function of it, a count, masks, a variable over steps and a place that is looked up;
// estimates where the target has them.
Program sample_program(const Target& target) {
  const int lanes = target.lanes(Scalar::f32);
  constexpr std::int64_t kSize = 50;
  Program program;
  program.name = "sample";
  Builder builder(program);
  const ArrayId x = builder.array(array_of("x", Scalar::f32, 0, kSize));
  const ArrayId y = builder.array(array_of("y", Scalar::f32, 1, kSize));
  const ArrayId labels = builder.array(array_of("labels", Scalar::i32, 2, kSize));
  const VariableId sum = builder.variable({Scalar::f32, lanes});
  builder.set(sum, builder.constant({Scalar::f32, lanes}, 0.25));
  builder.steps([&](const Affine&) {
    const auto visit = [&](const Affine& i, int active) {
      const Register value = builder.load({x, i}, lanes, active);
      builder.set(sum, builder.multiply_add(value, sigmoid(builder, value), builder.get(sum)));
      const Register label = builder.load({labels, i}, lanes, active);
      const Register matches = builder.equal(builder.whole_numbers(i, lanes), label);
      const Register chosen = builder.select(matches, hyperbolic_tangent(builder, builder.get(sum)), value);
      Register root = builder.square_root(builder.multiply(chosen, chosen));
      if (target.avx512) root = builder.multiply(refined_root(builder, root), refined_reciprocal(builder, chosen));
      builder.store({y, i}, root, active);
    };
    const std::int64_t whole = kSize / lanes * lanes;
    builder.loop(0, whole, lanes, [&](const Affine& i) { visit(i, lanes); });
    if (whole < kSize) visit(whole, static_cast<int>(kSize - whole));
  });
  builder.fence();
  // Entry 2 labels[3] of x.
  const Register label = builder.convert(builder.load({labels, 3}, 1), Scalar::i64);
  const Register place = builder.multiply(label, builder.constant({Scalar::i64, 1}, 2));
  builder.store({y, 0}, builder.load({x, 0, place}, 1));
  std::vector<Register> sums;
  for (int i = 0; i < 3; ++i) sums.push_back(builder.load({x, 3 * i}, lanes));
  builder.store({y, 1}, sums_of_lanes(builder, sums), 3);
  builder.store({y, 7},
                builder.divide(sums_of_lanes(builder, {builder.get(sum)}), builder.maximum_of_lanes(builder.get(sum))));
  return program;
}

// AVX2 has neither vectors of 512 bits nor registers for masks nor the upper half of the others, NEON none of
// AVX-512's.
TEST(JitCompilerTest, UsesNoInstructionsButThoseItMay) {
  for_each_target([](const Target& target) {
    Listing listing;
    compiled_for(target, sample_program(target), &listing);
    const auto uses = [&](const char* pattern) { return std::regex_search(listing.assembly, std::regex(pattern)); };
    EXPECT_EQ(uses("%zmm"), target.vector_bits == 512);
    EXPECT_EQ(uses("vrcp14ps"), target.avx512);
    EXPECT_EQ(uses("vrsqrt14ps"), target.avx512);
    EXPECT_EQ(uses("%k[0-7]|%[xy]mm(1[6-9]|[23][0-9])"), target.avx512);
  });
}

TEST(JitCheckTest, SeesTilesThatReachBeyondTheirArrays) {
  const auto error_of = [](std::int64_t size, std::int64_t row_stride, int tile, Scalar element) {
    Program program;
    Builder builder(program);
    const ArrayId pairs = builder.array(array_of("pairs", element, 0, size));
    builder.loop(0, 2, 1, [&](const Affine& i) { builder.tile_load(tile, {pairs, i * 16}, row_stride); });
    return program_error(program);
  };
  EXPECT_EQ(error_of(16 * 17, 16, 7, Scalar::i32), "");
  EXPECT_NE(error_of(16 * 17 - 1, 16, 7, Scalar::i32), "");
  EXPECT_NE(error_of(16 * 17, 17, 7, Scalar::i32), "");
  EXPECT_NE(error_of(16 * 17, 15, 7, Scalar::i32), "");
  EXPECT_NE(error_of(16 * 17, 16, 8, Scalar::i32), "");
  EXPECT_NE(error_of(16 * 17, 16, 7, Scalar::f64), "");
}

#if defined(__x86_64__)
const std::string kWithFusedMultiplyAdd = "-mfma ";
#else
const std::string kWithFusedMultiplyAdd;  // every AArch64 has them
#endif

// What is printed of a program, compiled as `name`; never unloaded.
Function printed(const Program& program, const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "gdbench-jit-text";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / name).string();
  std::ofstream(path + ".cpp") << text_of(program);
  const std::string command = std::string(GDBENCH_CXX_COMPILER) + " -std=c++20 -O1 " + kWithFusedMultiplyAdd +
                              "-ffp-contract=off -shared -fPIC " + path + ".cpp -o " + path + ".so";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  void* library = dlopen((path + ".so").c_str(), RTLD_NOW);
  EXPECT_NE(library, nullptr) << dlerror();
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, "run"));
}

// C += A B of bfloat16, twice, into a tile that begins with C or with 0.
Program tile_program() {
  Program program;
  program.name = "tiles";
  Builder builder(program);
  const ArrayId a = builder.array(array_of("a", Scalar::i32, 0, 256));
  const ArrayId b = builder.array(array_of("b", Scalar::i32, 1, 512));
  const ArrayId c = builder.array(array_of("c", Scalar::f32, 2, 512));
  builder.tile_load(0, {c, 0}, 32);
  builder.tile_zero(1);
  builder.tile_load(4, {a, 0}, 16);
  builder.tile_load(6, {b, 0}, 32);
  builder.steps([&](const Affine&) {
    builder.tile_multiply(0, 4, 6);
    builder.tile_multiply(1, 4, 6);
  });
  builder.tile_store(0, {c, 0}, 32);
  builder.tile_store(1, {c, 16}, 32);
  return program;
}

// Where there are tiles, what is printed computes the same as they do, denormal numbers included, to the last bit.
TEST(JitTextTest, TilesAreWhatRuns) {
  const Program program = tile_program();
  ASSERT_EQ(program_error(program), "");
  std::vector<std::uint32_t> pairs[2] = {std::vector<std::uint32_t>(256), std::vector<std::uint32_t>(512)};
  std::uint32_t state = 1;
  for (std::vector<std::uint32_t>& operand : pairs) {
    for (std::uint32_t& pair : operand) {
      const auto half = [&] {
        state = state * 1664525 + 1013904223;
        // Of either sign: denormal numbers, and from 1/2 to 2.
        const std::uint32_t exponent = (state >> 30 & 1) != 0 ? 0x3f00 : 0;
        return (state >> 16 & 0x8000) | exponent | (state >> 8 & (exponent != 0 ? 0xff : 0x7f));
      };
      pair = half() | half() << 16;
    }
  }
  std::vector<float> sums(512);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = i % 5 == 0 ? 1e-39F : std::sin(static_cast<float>(i));
  const auto results_of = [&](Function function) {
    std::vector<float> results = sums;
    void* arguments[] = {pairs[0].data(), pairs[1].data(), results.data()};
    function(arguments, 2);
    return results;
  };
  const Function text = printed(program, "tiles");
  ASSERT_NE(text, nullptr);
  const std::vector<float> expected = results_of(text);
  EXPECT_NE(expected, sums);
  const Target* target = this_machine(InstructionSet::amx);
  if (target == nullptr) GTEST_SKIP() << "needs AMX, and a Linux that lets it be used";
  Listing listing;
  const auto compiled = compiled_for(*target, program, &listing);
  EXPECT_NE(listing.assembly.find("tdpbf16ps"), std::string::npos);
  const std::vector<float> found = results_of(compiled->function);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], expected[i]) << i;
}

TEST(JitTextTest, IsWhatRuns) {
  const Target& target = *this_machine();
  const Program program = sample_program(target);
  ASSERT_EQ(program_error(program), "");
  Listing listing;
  const auto compiled = compiled_for(target, program, &listing);
  EXPECT_NE(listing.intermediate.find("llvm.fma"), std::string::npos);
  EXPECT_TRUE(std::regex_search(listing.assembly, std::regex("vfmadd|fmla|fmadd")));
  const Function text = printed(program, "sample");
  ASSERT_NE(text, nullptr);

  std::vector<float> x(50);
  std::vector<std::int32_t> labels(50);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(static_cast<float>(i)) * 3;
    labels[i] = static_cast<std::int32_t>(i % 3 == 0 ? i : 0);
  }
  std::vector<float> results[2] = {std::vector<float>(50), std::vector<float>(50)};
  for (const auto& [function, result] : {std::pair(compiled->function, &results[0]), std::pair(text, &results[1])}) {
    void* arguments[] = {x.data(), result->data(), labels.data()};
    function(arguments, 3);
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace gdbench::backends::jit
