// C = alpha op(A) op(B) + beta C against three plain loops.
#include <cmath>
#include <filesystem>
#include <iterator>
#include <tuple>

#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {
namespace {

struct Shape {
  std::int64_t m, n, k;
};

// Unit dimensions, tiny and prime ones, those of the scenarios, and some beyond one block of Eigen's product.
constexpr Shape kShapes[] = {{1, 1, 1},    {1, 1, 17},    {3, 1, 2},      {2, 1, 3},    {1, 5, 1},     {7, 1, 1},
                             {4, 6, 1},    {1, 9, 7},     {1, 23, 41},    {37, 1, 19},  {300, 1, 10},  {10, 1, 300},
                             {2, 3, 4},    {5, 5, 5},     {7, 11, 13},    {17, 31, 23}, {50, 1, 1000}, {32, 128, 784},
                             {10, 50, 97}, {128, 10, 32}, {67, 129, 301}, {1, 16, 16},  {1, 17, 17}};

Dense plain_product(const Dense& a, const Dense& b, const Dense& c, const Request& request) {
  Dense result = c;
  const std::int64_t depth = request.transpose_a ? a.rows : a.columns;
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < depth; ++p) {
        sum += (request.transpose_a ? a.at(p, i) : a.at(i, p)) * (request.transpose_b ? b.at(j, p) : b.at(p, j));
      }
      // beta = 0 must ignore what C held, NaN included.
      result.at(i, j) = request.alpha * sum + (request.beta == 0 ? 0 : request.beta * c.at(i, j));
    }
  }
  return result;
}

class ProductTest : public BackendTest {
 protected:
  void check(const Shape& shape, bool transpose_a, bool transpose_b, double alpha, double beta) {
    SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.n << "x" << shape.k << " transposed " << transpose_a
                                    << transpose_b << " alpha " << alpha << " beta " << beta);
    const Dense a =
        transpose_a ? random_matrix(generator_, shape.k, shape.m) : random_matrix(generator_, shape.m, shape.k);
    const Dense b =
        transpose_b ? random_matrix(generator_, shape.n, shape.k) : random_matrix(generator_, shape.k, shape.n);
    Dense c = random_matrix(generator_, shape.m, shape.n);
    if (beta == 0) c.at(0, 0) = std::nan("");
    Request product = request(Op::product, {{a.rows, a.columns}, {b.rows, b.columns}, {c.rows, c.columns}});
    product.transpose_a = transpose_a;
    product.transpose_b = transpose_b;
    product.alpha = alpha;
    product.beta = beta;
    const Buffer result = context_.upload(c);
    context_.run(product, {context_.upload(a), context_.upload(b), result});
    expect_close(context_.download(result, c.rows, c.columns), plain_product(a, b, c, product), GetParam().dtype,
                 std::abs(alpha) * static_cast<double>(shape.k) + 1);
  }
};

TEST_P(ProductTest, MatchesPlainLoops) {
  for (const Shape& shape : kShapes) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        check(shape, transpose_a, transpose_b, 1, 0);
        check(shape, transpose_a, transpose_b, -0.5, 1);
        check(shape, transpose_a, transpose_b, 2, 0.25);
      }
    }
  }
}

TEST_P(ProductTest, MatchesPlainLoopsOnRandomShapes) {
  std::uniform_int_distribution<std::int64_t> size(1, 40);
  for (int i = 0; i < 60; ++i) {
    const Shape shape{size(generator_), size(generator_), size(generator_)};
    check(shape, i % 2 == 0, i % 3 == 0, 1, i % 5 == 0 ? 1 : 0);
  }
}

// f(alpha op(A) op(B) + beta C + b), with and without the bias.
TEST_P(ProductTest, EpiloguesOfBiasAndActivation) {
  const std::uint32_t needed = kEpilogueBias | kEpilogueActivation;
  const bool offered = (backend_named(GetParam().backend).flags & needed) == needed;
  for (const Shape& shape : kShapes) {
    for (const catalogue::Activation activation : catalogue::all_of<catalogue::Activation>()) {
      for (const auto& [bias, alpha, beta] : {std::tuple(true, 1.0, 0.0), {true, -0.5, 0.25}, {false, 2.0, 1.0}}) {
        if (!bias && activation == catalogue::Activation::identity) continue;
        const Dense a = random_matrix(generator_, shape.m, shape.k);
        const Dense b = random_matrix(generator_, shape.n, shape.k);
        const Dense row = random_matrix(generator_, 1, shape.n);
        const Dense c = random_matrix(generator_, shape.m, shape.n);
        Request product = request(Op::product, {{a.rows, a.columns}, {b.rows, b.columns}, {c.rows, c.columns}});
        if (bias) product.operands[product.operand_count++] = {1, shape.n};
        product.transpose_b = true;
        product.alpha = alpha;
        product.beta = beta;
        product.epilogue_bias = bias;
        product.epilogue_activation = activation;
        if (!offered) {
          ASSERT_EQ(context_.bind_status(product), GDBENCH_UNSUPPORTED);
          continue;
        }
        Dense expected = plain_product(a, b, c, product);
        for (std::int64_t i = 0; i < c.rows; ++i) {
          for (std::int64_t j = 0; j < c.columns; ++j) {
            expected.at(i, j) = activate(activation, expected.at(i, j) + (bias ? row.at(0, j) : 0));
          }
        }
        const Buffer result = context_.upload(c);
        context_.run(product, {context_.upload(a), context_.upload(b), result, context_.upload(row)});
        SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.n << "x" << shape.k << " activation "
                                        << name_of(activation) << " alpha " << alpha << " beta " << beta);
        expect_close(context_.download(result, c.rows, c.columns), expected, GetParam().dtype,
                     static_cast<double>(shape.k) + 1);
        context_.release_buffers();
      }
    }
  }
}

// C -= learning rate times op(A) op(B), the rate read when it runs.
TEST_P(ProductTest, EpilogueOfAnUpdate) {
  const bool offered = (backend_named(GetParam().backend).flags & (kEpilogueUpdate | kEpilogueLayerUpdate)) != 0;
  for (const Shape& shape : kShapes) {
    const Dense a = random_matrix(generator_, shape.k, shape.m);
    const Dense b = random_matrix(generator_, shape.k, shape.n);
    const Dense c = random_matrix(generator_, shape.m, shape.n);
    Request product = request(Op::product, {{a.rows, a.columns}, {b.rows, b.columns}, {c.rows, c.columns}, {1, 1}});
    product.transpose_a = true;
    product.epilogue_update = true;
    product.optimizer = &plain_sgd();
    if (!offered) {
      EXPECT_EQ(context_.bind_status(product), GDBENCH_UNSUPPORTED);
      continue;
    }
    const UpdateScalars scalars{0.125, 3};
    const Buffer result = context_.upload(c);
    context_.run(product,
                 {context_.upload(a), context_.upload(b), result, context_.upload_bytes(&scalars, sizeof(scalars))});
    Request plain = product;
    plain.alpha = -0.125;
    plain.beta = 1;
    SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.n << "x" << shape.k);
    expect_close(context_.download(result, c.rows, c.columns), plain_product(a, b, c, plain), GetParam().dtype,
                 static_cast<double>(shape.k) / 8 + 1);
    product.epilogue_activation = catalogue::Activation::relu;
    EXPECT_EQ(context_.bind_status(product), GDBENCH_INVALID);
  }
}

// Buffers need not be aligned: a batch may start at any row.
TEST_P(ProductTest, TakesUnalignedSlices) {
  const Dense a = random_matrix(generator_, 9, 7);
  const Dense b = random_matrix(generator_, 7, 5);
  Dense lower(8, 7);
  std::copy(a.values.begin() + 7, a.values.end(), lower.values.begin());
  const Request product = request(Op::product, {{8, 7}, {7, 5}, {8, 5}});
  const Backend& backend = backend_named(GetParam().backend);
  const Buffer slice = backend.slice(context_.upload(a), 7 * (GetParam().dtype == catalogue::Dtype::f32 ? 4 : 8));
  const Buffer c = context_.upload(Dense(8, 5));
  context_.run(product, {slice, context_.upload(b), c});
  expect_close(context_.download(c, 8, 5), plain_product(lower, b, Dense(8, 5), product), GetParam().dtype, 4);
}

// A backend has the compute threads that it was asked for; helpers would spin beside the one that is timed.
TEST_P(ProductTest, StartsNoThreads) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  check({20000, 1, 32}, false, false, 1, 0);
  check({160, 170, 180}, true, false, 1, 0);
  EXPECT_EQ(threads(), before);
}

TEST_P(ProductTest, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(context_.bind_status(request(Op::product, {{2, 3}, {4, 5}, {2, 5}})), GDBENCH_INVALID);
  EXPECT_NE(context_.error().find("2x3"), std::string::npos) << context_.error();
  EXPECT_EQ(context_.bind_status(request(Op::product, {{2, 3}, {3, 5}})), GDBENCH_INVALID);
  EXPECT_EQ(context_.bind_status(request(Op::product, {{0, 3}, {3, 5}, {0, 5}})), GDBENCH_INVALID);
  Request sparse = request(Op::product, {{2, 3}, {3, 5}, {2, 5}});
  sparse.operands[1].layout = Layout::sparse_csr;
  EXPECT_EQ(context_.bind_status(sparse), GDBENCH_UNSUPPORTED);
}

INSTANTIATE_TEST_SUITE_P(Backends, ProductTest, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
