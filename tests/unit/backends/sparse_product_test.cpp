// C = alpha op(A) B + beta C with A in compressed sparse rows, against three plain loops.
#include <algorithm>
#include <cmath>

#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {
namespace {

// The arrays behind a CsrMatrix. `unused` entries stand before the first row's, as in a slice of rows.
struct Csr {
  Csr(const Dense& matrix, catalogue::Dtype dtype, std::int32_t unused) {
    columns.assign(static_cast<std::size_t>(unused), 0);
    wide.assign(columns.size(), 1e30);
    offsets.push_back(unused);
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.columns; ++j) {
        if (matrix.at(i, j) == 0) continue;
        columns.push_back(static_cast<std::int32_t>(j));
        wide.push_back(matrix.at(i, j));
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    narrow.assign(wide.begin(), wide.end());
    view = {offsets.data(), columns.data(),
            dtype == catalogue::Dtype::f32 ? static_cast<const void*>(narrow.data())
                                           : static_cast<const void*>(wide.data())};
  }
  Csr(const Csr&) = delete;
  Csr& operator=(const Csr&) = delete;

  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> wide;
  std::vector<float> narrow;
  CsrMatrix view;
};

struct SparseShape {
  std::int64_t m, n, k;  // of the product
};

class SparseProductTest : public BackendTest {
 protected:
  // Row 1 and column 2 are empty, and what `density` says.
  Dense sparse_matrix(std::int64_t rows, std::int64_t columns, double density) {
    Dense matrix = random_matrix(generator_, rows, columns);
    std::bernoulli_distribution kept(density);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (i == 1 || j == 2 || !kept(generator_)) matrix.at(i, j) = 0;
      }
    }
    return matrix;
  }

  static Dense plain_product(const Dense& a, bool transpose, const Dense& b, const Dense& c, double alpha,
                             double beta) {
    Dense result = c;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        double sum = 0;
        for (std::int64_t p = 0; p < b.rows; ++p) sum += (transpose ? a.at(p, i) : a.at(i, p)) * b.at(p, j);
        // beta = 0 must ignore what C held, NaN included.
        result.at(i, j) = alpha * sum + (beta == 0 ? 0 : beta * c.at(i, j));
      }
    }
    return result;
  }

  Request product_of(const Dense& a, const Dense& b, const Dense& c, bool transpose) const {
    Request product =
        request(Op::product, {{a.rows, a.columns, Layout::sparse_csr, 1}, {b.rows, b.columns}, {c.rows, c.columns}});
    product.transpose_a = transpose;
    return product;
  }

  void check(const SparseShape& shape, double density, bool transpose, double alpha, double beta) {
    SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.n << "x" << shape.k << " transposed " << transpose
                                    << " density " << density << " alpha " << alpha << " beta " << beta);
    const Dense a = transpose ? sparse_matrix(shape.k, shape.m, density) : sparse_matrix(shape.m, shape.k, density);
    const Dense b = random_matrix(generator_, shape.k, shape.n);
    Dense c = random_matrix(generator_, shape.m, shape.n);
    if (beta == 0) c.at(0, 0) = std::nan("");
    Request product = product_of(a, b, c, transpose);
    product.alpha = alpha;
    product.beta = beta;
    const Csr csr(a, GetParam().dtype, density < 0.5 ? 3 : 0);
    const Buffer result = context_.upload(c);
    context_.run(product, {context_.upload_bytes(&csr.view, sizeof(csr.view)), context_.upload(b), result});
    expect_close(context_.download(result, c.rows, c.columns), plain_product(a, transpose, b, c, alpha, beta),
                 GetParam().dtype, std::abs(alpha) * static_cast<double>(shape.k) + 1);
  }
};

TEST_P(SparseProductTest, MatchesPlainLoops) {
  for (const SparseShape& shape :
       {SparseShape{1, 1, 1}, {3, 1, 2}, {5, 4, 1}, {1, 5, 7}, {40, 1, 30}, {33, 17, 50}, {9, 64, 100}}) {
    for (const double density : {0.0, 0.1, 0.6, 1.0}) {
      for (const bool transpose : {false, true}) {
        check(shape, density, transpose, 1, 0);
        check(shape, density, transpose, -0.5, 1);
        check(shape, density, transpose, 2, 0.25);
      }
    }
  }
}

// C -= learning rate times A' B, the rate read when it runs.
TEST_P(SparseProductTest, EpilogueOfAnUpdate) {
  const Dense a = sparse_matrix(20, 30, 0.2);
  const Dense b = random_matrix(generator_, 20, 6);
  const Dense c = random_matrix(generator_, 30, 6);
  Request product = product_of(a, b, c, true);
  product.operands[product.operand_count++] = {1, 1};
  product.epilogue_update = true;
  product.optimizer = &plain_sgd();
  const Csr csr(a, GetParam().dtype, 0);
  const UpdateScalars scalars{0.125, 3};
  const Buffer result = context_.upload(c);
  context_.run(product, {context_.upload_bytes(&csr.view, sizeof(csr.view)), context_.upload(b), result,
                         context_.upload_bytes(&scalars, sizeof(scalars))});
  expect_close(context_.download(result, 30, 6), plain_product(a, true, b, c, -0.125, 1), GetParam().dtype, 4);
}

TEST_P(SparseProductTest, ThreadsShareRows) {
  const Backend& backend = backend_named(GetParam().backend);
  if (backend.shares == nullptr) GTEST_SKIP() << "its ops are not shared";
  for (const bool transpose : {false, true}) {
    const Dense a = sparse_matrix(2011, 301, 0.3);
    const Dense b = random_matrix(generator_, transpose ? 2011 : 301, 3);
    const Dense c = random_matrix(generator_, transpose ? 301 : 2011, 3);
    const Csr csr(a, GetParam().dtype, 3);
    Request product = product_of(a, b, c, transpose);
    product.beta = 0.25;
    product.operands[0].entries = csr.offsets.back();
    for (const std::int32_t threads : {2, 3, 8}) {
      EXPECT_TRUE(backend.shares(product, threads));
      TestContext context(backend, GetParam().dtype, settings_for(threads));
      const Buffer result = context.upload(c);
      context.run(product, {context.upload_bytes(&csr.view, sizeof(csr.view)), context.upload(b), result});
      expect_close(context.download(result, c.rows, c.columns), plain_product(a, transpose, b, c, 1, 0.25),
                   GetParam().dtype, 600);
    }
  }
}

TEST_P(SparseProductTest, AllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc";
  for (const bool transpose : {false, true}) {
    for (const std::int64_t n : {1, 64}) {
      const Dense a = sparse_matrix(300, 200, 0.1);
      const Dense b = random_matrix(generator_, transpose ? 300 : 200, n);
      const Dense c(transpose ? 200 : 300, n);
      const Csr csr(a, GetParam().dtype, 0);
      const Buffer buffers[] = {context_.upload_bytes(&csr.view, sizeof(csr.view)), context_.upload(b),
                                context_.upload(c)};
      Call* call = context_.bind(product_of(a, b, c, transpose));
      ASSERT_NE(call, nullptr) << context_.error();
      const std::uint64_t before = allocation_count();
      call->run(call, buffers, nullptr);
      EXPECT_EQ(allocation_count() - before, 0u) << "transposed " << transpose << " columns " << n;
      context_.unbind(call);
    }
  }
}

TEST_P(SparseProductTest, RefusesWhatItLacks) {
  Request product = request(Op::product, {{2, 3, Layout::sparse_csr, 1}, {5, 3}, {2, 5}});
  product.transpose_b = true;
  EXPECT_EQ(context_.bind_status(product), GDBENCH_UNSUPPORTED);
  Request sum = request(Op::column_sum, {{2, 3, Layout::sparse_csr, 1}, {1, 3}});
  EXPECT_EQ(context_.bind_status(sum), GDBENCH_UNSUPPORTED);
}

std::vector<BackendCase> sparse_cases() {
  std::vector<BackendCase> cases = all_cases();
  std::erase_if(cases,
                [](const BackendCase& backend) { return (backend_named(backend.backend).flags & kSparse) == 0; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Backends, SparseProductTest, testing::ValuesIn(sparse_cases()), case_name);

TEST(SparseProduct, IsRefusedByBackendsWithoutIt) {
  for (const BackendCase& backend : all_cases()) {
    if ((backend_named(backend.backend).flags & kSparse) != 0) continue;
    TestContext context(backend_named(backend.backend), backend.dtype);
    Request product;
    product.op = Op::product;
    product.dtype = backend.dtype;
    product.operand_count = 3;
    product.operands[0] = {2, 3, Layout::sparse_csr, 1};
    product.operands[1] = {3, 5};
    product.operands[2] = {2, 5};
    EXPECT_EQ(context.bind_status(product), GDBENCH_UNSUPPORTED) << backend.backend;
  }
}

}  // namespace
}  // namespace gdbench::backends
