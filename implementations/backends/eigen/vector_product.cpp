#include "implementations/backends/eigen/maps.h"
#include "implementations/backends/eigen/product.h"

namespace gdbench::backends::eigen {
namespace {

// y[rows] = alpha M x[inner] + beta y. M is op(A), or op(B)' where C has one row.
template <class T>
struct MatrixVectorCall : ProductCall<T> {
  using ProductCall<T>::ProductCall;
  std::size_t matrix = 0;  // which operand is M; the other one is x
  std::size_t vector = 1;
  std::int64_t rows = 0;
  std::int64_t inner = 0;
};

// M lies as [rows, inner].
template <class T>
void run_matrix_vector(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const MatrixVectorCall<T>&>(*call);
  auto y = output_vector<T>(buffers[2], self.rows);
  scale_result(y, self.beta());
  y.noalias() += self.alpha(buffers) * (input_matrix<T>(buffers[self.matrix], self.rows, self.inner) *
                                        input_vector<T>(buffers[self.vector], self.inner));
}

// M' lies as [inner, rows].
template <class T>
void run_transposed_matrix_vector(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const MatrixVectorCall<T>&>(*call);
  auto y = output_vector<T>(buffers[2], self.rows);
  scale_result(y, self.beta());
  y.noalias() += self.alpha(buffers) * (input_matrix<T>(buffers[self.matrix], self.inner, self.rows).transpose() *
                                        input_vector<T>(buffers[self.vector], self.inner));
}

// Rows of M too short for vector instructions: the inner dimension is known to the compiler.
template <class T, int inner>
void run_narrow(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const MatrixVectorCall<T>&>(*call);
  const T* matrix = cpu::data<const T>(buffers[self.matrix]);
  const Eigen::Matrix<T, inner, 1> x =
      self.alpha(buffers) * Eigen::Map<const Eigen::Matrix<T, inner, 1>>(cpu::data<const T>(buffers[self.vector]));
  T* y = cpu::data<T>(buffers[2]);
  const T beta = self.beta();
  for (std::int64_t row = 0; row < self.rows; ++row) {
    const T value = Eigen::Map<const Eigen::Matrix<T, inner, 1>>(matrix + row * inner).dot(x);
    y[row] = beta == T(0) ? value : value + beta * y[row];
  }
}

template <class T, int rows>
void run_transposed_narrow(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  using Row = Eigen::Matrix<T, rows, 1>;
  const auto& self = static_cast<const MatrixVectorCall<T>&>(*call);
  const T* matrix = cpu::data<const T>(buffers[self.matrix]);
  const T* x = cpu::data<const T>(buffers[self.vector]);
  // Several sums, because one would be a chain of additions that wait for each other.
  constexpr int kSums = 4;
  Row sums[kSums] = {Row::Zero(), Row::Zero(), Row::Zero(), Row::Zero()};
  std::int64_t i = 0;
  for (; i + kSums <= self.inner; i += kSums) {
    for (int s = 0; s < kSums; ++s) sums[s] += x[i + s] * Eigen::Map<const Row>(matrix + (i + s) * rows);
  }
  for (; i < self.inner; ++i) sums[0] += x[i] * Eigen::Map<const Row>(matrix + i * rows);
  Eigen::Map<Row> y(cpu::data<T>(buffers[2]));
  scale_result(y, self.beta());
  y += self.alpha(buffers) * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// The narrow functions for widths of 2 to kWidestNarrow; beyond, Eigen's own products fill their vectors.
constexpr std::size_t kWidestNarrow = 16;

template <class T, std::size_t... width>
cpu::Run choose_narrow(std::size_t wanted, bool transposed, std::index_sequence<width...>) {
  constexpr cpu::Run kNarrow[] = {run_narrow<T, static_cast<int>(width) + 2>...};
  constexpr cpu::Run kTransposedNarrow[] = {run_transposed_narrow<T, static_cast<int>(width) + 2>...};
  return transposed ? kTransposedNarrow[wanted - 2] : kNarrow[wanted - 2];
}

template <class T>
cpu::Run choose_matrix_vector(const MatrixVectorCall<T>& call, bool transposed) {
  const auto width = static_cast<std::size_t>(transposed ? call.rows : call.inner);
  if (width <= kWidestNarrow) {
    return choose_narrow<T>(width, transposed, std::make_index_sequence<kWidestNarrow - 1>());
  }
  return transposed ? run_transposed_matrix_vector<T> : run_matrix_vector<T>;
}

// m = n = 1.
template <class T>
void run_dot(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  const std::int64_t k = self.shape.k;
  const T value = self.alpha(buffers) * input_vector<T>(buffers[0], k).dot(input_vector<T>(buffers[1], k));
  T& c = *cpu::data<T>(buffers[2]);
  c = self.beta() == T(0) ? value : value + self.beta() * c;
}

// k = 1 and one more dimension is: C is one operand times the other, which is a single number.
template <class T, std::size_t number>
void run_scaled_vector(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  const std::int64_t size = self.shape.m * self.shape.n;
  const T factor = self.alpha(buffers) * *cpu::data<const T>(buffers[number]);
  const auto values = input_array<T>(buffers[1 - number], size);
  auto c = output_array<T>(buffers[2], size);
  if (self.beta() == T(0)) {
    c = factor * values;
  } else {
    c = factor * values + self.beta() * c;
  }
}

// k = 1. A vector is contiguous whether it is transposed or not.
template <class T>
void run_outer(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  const std::int64_t m = self.shape.m;
  const std::int64_t n = self.shape.n;
  const T* a = cpu::data<const T>(buffers[0]);
  const T* b = cpu::data<const T>(buffers[1]);
  T* c = cpu::data<T>(buffers[2]);
  const T alpha = self.alpha(buffers);
  const T beta = self.beta();
  for (Eigen::Index i = 0; i < m; ++i, c += n) {
    const T factor = alpha * a[i];
    for_segments(n, [&](Eigen::Index j, auto width) {
      auto to = segment<width>(c + j);
      if (beta == T(0)) {
        to = factor * segment<width>(b + j);
      } else {
        to = factor * segment<width>(b + j) + beta * to;
      }
    });
  }
}

}  // namespace

template <class T>
cpu::Binding bind_vector_product(const Request& request) {
  const auto [m, n, k] = product_shape(request);
  if (k == 1) {
    if (n == 1) return cpu::make_binding(ProductCall<T>(request), run_scaled_vector<T, 1>);
    if (m == 1) return cpu::make_binding(ProductCall<T>(request), run_scaled_vector<T, 0>);
    return cpu::make_binding(ProductCall<T>(request), run_outer<T>);
  }
  if (m == 1 && n == 1) return cpu::make_binding(ProductCall<T>(request), run_dot<T>);

  MatrixVectorCall<T> call(request);
  call.inner = k;
  bool transposed = request.transpose_a;
  if (n == 1) {
    call.rows = m;
  } else {
    call.rows = n;
    call.matrix = 1;
    call.vector = 0;
    transposed = !request.transpose_b;
  }
  return cpu::make_binding(call, choose_matrix_vector(call, transposed));
}

template cpu::Binding bind_vector_product<float>(const Request&);
template cpu::Binding bind_vector_product<double>(const Request&);

}  // namespace gdbench::backends::eigen
