// The loops of one vector width. Included once by each translation unit that defines
//   GDBENCH_VECTOR_TARGET   function attribute, may be empty
//   GDBENCH_VECTOR_BYTES    bytes of a vector
//   GDBENCH_RATE_ACCUMULATORS  independent accumulators of the rate loop, 12 or 24, whose vectors are to fit the
//                           registers with two operands: more than latency times units, 8 to 10 on x86-64, up to 16
//                           on AArch64
// Accumulators are named variables: an array of them is spilled to the stack and halves the rate. Vectors never cross
// a function's boundary, whose calling convention would depend on the target.
#include "harness/machine/vector_kernels.h"

namespace gdbench::machine {

namespace {

inline constexpr std::int64_t kVectorBytes = GDBENCH_VECTOR_BYTES;
inline constexpr bool kMoreAccumulators = GDBENCH_RATE_ACCUMULATORS == 24;

template <class T>
using Vector [[gnu::vector_size(GDBENCH_VECTOR_BYTES), gnu::may_alias]] = T;

}  // namespace

}  // namespace gdbench::machine

#define GDBENCH_INLINE GDBENCH_VECTOR_TARGET [[gnu::always_inline]] inline
#if defined(__x86_64__)
#include "harness/machine/x86_64/vector_functions.h"
#elif GDBENCH_VECTOR_BYTES == 16
#include "harness/machine/aarch64/neon_functions.h"
#else
#include "harness/machine/aarch64/sve_functions.h"
#endif

namespace gdbench::machine {

namespace {

template <class T>
GDBENCH_VECTOR_TARGET [[gnu::noinline]] double fma_rate(std::int64_t iterations, double multiplier, double addend) {
  const Vector<T> m = Vector<T>{} + static_cast<T>(multiplier);
  const Vector<T> c = Vector<T>{} + static_cast<T>(addend);
  Vector<T> a0 = c, a1 = c + c, a2 = a1 + c, a3 = a2 + c, a4 = a3 + c, a5 = a4 + c;
  Vector<T> a6 = a5 + c, a7 = a6 + c, a8 = a7 + c, a9 = a8 + c, a10 = a9 + c, a11 = a10 + c;
  [[maybe_unused]] Vector<T> b0 = a11 + c, b1 = b0 + c, b2 = b1 + c, b3 = b2 + c, b4 = b3 + c, b5 = b4 + c;
  [[maybe_unused]] Vector<T> b6 = b5 + c, b7 = b6 + c, b8 = b7 + c, b9 = b8 + c, b10 = b9 + c, b11 = b10 + c;
  for (std::int64_t i = 0; i < iterations; ++i) {
    multiply_add(a0, m, c);
    multiply_add(a1, m, c);
    multiply_add(a2, m, c);
    multiply_add(a3, m, c);
    multiply_add(a4, m, c);
    multiply_add(a5, m, c);
    multiply_add(a6, m, c);
    multiply_add(a7, m, c);
    multiply_add(a8, m, c);
    multiply_add(a9, m, c);
    multiply_add(a10, m, c);
    multiply_add(a11, m, c);
    if constexpr (kMoreAccumulators) {
      multiply_add(b0, m, c);
      multiply_add(b1, m, c);
      multiply_add(b2, m, c);
      multiply_add(b3, m, c);
      multiply_add(b4, m, c);
      multiply_add(b5, m, c);
      multiply_add(b6, m, c);
      multiply_add(b7, m, c);
      multiply_add(b8, m, c);
      multiply_add(b9, m, c);
      multiply_add(b10, m, c);
      multiply_add(b11, m, c);
    }
  }
  Vector<T> sum = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
  if constexpr (kMoreAccumulators) sum += b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9 + b10 + b11;
  double total = 0;
  for (std::size_t lane = 0; lane < sizeof(sum) / sizeof(T); ++lane) total += static_cast<double>(sum[lane]);
  return total;
}

template <class T>
GDBENCH_VECTOR_TARGET [[gnu::noinline]] double fma_latency(std::int64_t iterations, double multiplier, double addend) {
  const Vector<T> m = Vector<T>{} + static_cast<T>(multiplier);
  const Vector<T> c = Vector<T>{} + static_cast<T>(addend);
  Vector<T> a = c;
  for (std::int64_t i = 0; i < iterations; ++i) {
    multiply_add(a, m, c);
    multiply_add(a, m, c);
    multiply_add(a, m, c);
    multiply_add(a, m, c);
  }
  return static_cast<double>(a[0]);
}

template <class T>
GDBENCH_VECTOR_TARGET [[gnu::noinline]] double addition_latency(std::int64_t iterations, double multiplier,
                                                                double addend) {
  const Vector<T> c = Vector<T>{} + static_cast<T>(addend);
  Vector<T> a = Vector<T>{} + static_cast<T>(multiplier);
  for (std::int64_t i = 0; i < iterations; ++i) {
    a = a + c;
    a = a + c;
    a = a + c;
    a = a + c;
  }
  return static_cast<double>(a[0]);
}

// Where a pass begins, and how far it moves on after each iteration.
struct Way {
  std::int64_t first;
  std::int64_t step;
};

inline Way way_of(std::int64_t pass, Order order, std::int64_t length, std::int64_t unrolled) {
  if (order == Order::turning && pass % 2 == 0) return {length - unrolled, -unrolled};
  return {0, unrolled};
}

// Streams are equal parts of the buffer. Exclusive or has a latency of one and never meets a slow value.
template <int kStreams>
GDBENCH_VECTOR_TARGET [[gnu::noinline]] std::int64_t read(std::byte* buffer, std::int64_t bytes, std::int64_t passes,
                                                          Order order) {
  constexpr std::int64_t kPerStream = kStreams == 1 ? 8 : kStreams == 2 ? 4 : 2;  // vectors an iteration
  const std::int64_t length = bytes / (kVectorBytes * kStreams * kPerStream) * kPerStream;
  Vector<long long> a0{}, a1{}, a2{}, a3{};
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const Way way = way_of(pass, order, length, kPerStream);
    const auto* p = reinterpret_cast<const Vector<long long>*>(buffer) + way.first;
    const Vector<long long>* q = p + (kStreams > 1 ? length : 0);
    const Vector<long long>* r = q + (kStreams > 2 ? length : 0);
    const Vector<long long>* s = r + (kStreams > 3 ? length : 0);
    for (std::int64_t left = length; left > 0; left -= kPerStream) {
      a0 ^= p[0];
      a1 ^= p[1];
      if constexpr (kStreams < 3) {
        a2 ^= p[2];
        a3 ^= p[3];
      }
      if constexpr (kStreams == 1) {
        a0 ^= p[4];
        a1 ^= p[5];
        a2 ^= p[6];
        a3 ^= p[7];
      }
      if constexpr (kStreams > 1) {
        a2 ^= q[0];
        a3 ^= q[1];
      }
      if constexpr (kStreams == 2) {
        a0 ^= q[2];
        a1 ^= q[3];
      }
      if constexpr (kStreams > 2) {
        a0 ^= r[0];
        a1 ^= r[1];
      }
      if constexpr (kStreams > 3) {
        a2 ^= s[0];
        a3 ^= s[1];
      }
      p += way.step;
      q += way.step;
      r += way.step;
      s += way.step;
    }
    asm volatile("" ::: "memory");  // the next pass reads anew
  }
  const Vector<long long> sum = a0 ^ a1 ^ a2 ^ a3;
  long long folded = 0;
  for (std::size_t lane = 0; lane < sizeof(sum) / sizeof(long long); ++lane) folded ^= sum[lane];
  asm volatile("" ::"r"(folded));  // what was read is used
  return length * kStreams * kVectorBytes * passes;
}

// x -= factor * g, or x -= factor where no array is only read.
template <class T, int kReadOnly, int kWritten>
GDBENCH_VECTOR_TARGET [[gnu::noinline]] std::int64_t update(std::byte* buffer, std::int64_t bytes, std::int64_t passes,
                                                            Order order) {
  constexpr std::int64_t kUnrolled = 4;
  const std::int64_t length = bytes / (kVectorBytes * (kReadOnly + kWritten) * kUnrolled) * kUnrolled;
  T factor = 0;
  asm volatile("" : "+r"(factor));  // a value that is not known when this is compiled: the parameters stay as they are
  const Vector<T> f = Vector<T>{} + factor;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const Way way = way_of(pass, order, length, kUnrolled);
    auto* __restrict x = reinterpret_cast<Vector<T>*>(buffer) + way.first;
    auto* __restrict y = x + (kWritten > 1 ? length : 0);
    auto* __restrict z = y + (kWritten > 2 ? length : 0);
    const auto* __restrict g = z + length;
    for (std::int64_t left = length; left > 0; left -= kUnrolled) {
#pragma GCC unroll 4
      for (int v = 0; v < kUnrolled; ++v) {
        const Vector<T> change = kReadOnly > 0 ? f * g[v] : f;
        x[v] = x[v] - change;
        if constexpr (kWritten > 1) y[v] = y[v] - change;
        if constexpr (kWritten > 2) z[v] = z[v] - change;
      }
      x += way.step;
      y += way.step;
      z += way.step;
      g += way.step;
    }
    asm volatile("" ::: "memory");
  }
  return length * (kReadOnly + 2 * kWritten) * kVectorBytes * passes;
}

}  // namespace

}  // namespace gdbench::machine

#include "harness/machine/function_kernels_body.h"

namespace gdbench::machine {

namespace {

template <class T, class Function>
constexpr FunctionLoop loop_from_estimates() {
  if constexpr (kHasEstimates<T>) return &function<T, Function>;
  return nullptr;
}

template <class T>
constexpr ScalarTypeLoops kLoops = {
    &fma_rate<T>,
    &fma_latency<T>,
    &addition_latency<T>,
    &function<T, Exponential>,
    &function<T, Division>,
    &function<T, Root>,
    loop_from_estimates<T, RefinedDivision>(),
    loop_from_estimates<T, RefinedRoot>(),
};

constexpr VectorKernels make_kernels(const char* name, bool (*supported)()) {
  return {name,
          GDBENCH_VECTOR_BYTES * 8,
          GDBENCH_RATE_ACCUMULATORS,
          supported,
          kLoops<float>,
          kLoops<double>,
          {&read<1>, &read<2>, &read<3>, &read<4>},
          {{&update<float, 0, 1>, &update<float, 0, 2>, &update<float, 0, 3>},
           {&update<float, 1, 1>, &update<float, 1, 2>, &update<float, 1, 3>}},
          nullptr,
          nullptr};
}

}  // namespace

}  // namespace gdbench::machine
