#include "harness/verify/products.h"

#include <gtest/gtest.h>

#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

using testing::Random;

struct Size {
  std::int64_t m, k, n;
};

// Smaller, as large as and larger than tiles and blocks, by one and by more; one column, one row.
constexpr Size kSizes[] = {{1, 1, 1},       {3, 7, 5},       {64, 784, 10},  {5, 1000, 61}, {61, 127, 31},
                           {256, 128, 128}, {257, 129, 129}, {255, 300, 7},  {511, 64, 1},  {1, 640, 500},
                           {6, 6, 6000},    {261, 257, 133}, {48, 129, 130}, {700, 1, 300}};

template <class T>
std::vector<T> random_entries(std::int64_t count, Random& random) {
  std::vector<T> entries;
  for (std::int64_t i = 0; i < count; ++i) entries.push_back(static_cast<T>(random.uniform(-1, 1)));
  return entries;
}

template <class T>
class ProductsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, long double>;
TYPED_TEST_SUITE(ProductsTest, Types);

TYPED_TEST(ProductsTest, AreThoseOfThreePlainLoopsBitForBitWithAnyNumberOfThreadsAndAnyVectors) {
  using T = TypeParam;
  Random random(7);
  for (const auto& [m, k, n] : kSizes) {
    const std::vector<T> a = random_entries<T>(m * k, random);
    const std::vector<T> b = random_entries<T>(k * n, random);
    const std::vector<T> before = random_entries<T>(m * n, random);
    std::vector<T> expected = before;
    std::vector<T> from_zero(expected.size());
    std::vector<T> a_transposed(a.size());
    std::vector<T> b_transposed(b.size());
    const auto at = [](std::int64_t place) { return static_cast<std::size_t>(place); };
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        for (std::int64_t i = 0; i < k; ++i) {
          const T product = a[at(row * k + i)] * b[at(i * n + column)];
          expected[at(row * n + column)] += product;
          from_zero[at(row * n + column)] += product;
          a_transposed[at(i * m + row)] = a[at(row * k + i)];
          b_transposed[at(column * k + i)] = b[at(i * n + column)];
        }
      }
    }
    const std::string size = std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
    for (const std::size_t threads : {1U, 2U, 7U}) {
      std::vector<T> c = before;
      add_product<T>({a.data(), k, 1}, {b.data(), n, 1}, c.data(), m, k, n, threads);
      EXPECT_TRUE(c == expected) << size << ", threads " << threads;
    }
    for (const std::size_t vector_bytes : {16U, 32U}) {
      std::vector<T> c = before;
      add_product<T>({a.data(), k, 1}, {b.data(), n, 1}, c.data(), m, k, n, 1, vector_bytes);
      EXPECT_TRUE(c == expected) << size << ", vectors of " << vector_bytes << " bytes";
    }
    std::vector<T> c = before;
    add_product(a.data(), b.data(), c.data(), m, k, n);
    EXPECT_TRUE(c == expected) << size;
    c = before;
    add_transposed_product(a_transposed.data(), b.data(), c.data(), k, m, n);
    EXPECT_TRUE(c == expected) << size << ", A transposed";
    c = before;  // is overwritten
    product_with_transposed(a.data(), b_transposed.data(), c.data(), m, k, n);
    EXPECT_TRUE(c == from_zero) << size << ", B transposed";
  }
}

TEST(ParallelTest, SmallProductsStartNoThread) {
  EXPECT_EQ(threads_for(1e6), 1U);
  EXPECT_EQ(threads_for(1e15), processor_count());
}

}  // namespace
}  // namespace gdbench::verify
