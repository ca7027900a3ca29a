#include "implementations/backends/common/cpu/muon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gdbench::backends::cpu {
namespace {

struct alignas(GDBENCH_ALIGNMENT) Line {
  std::byte bytes[GDBENCH_ALIGNMENT];
};
using Lines = std::vector<Line>;

// A matrix that steps overwrite.
template <class T>
Lines lines_of(const Operand& matrix) {
  return Lines(static_cast<std::size_t>(matrix.rows * matrix.columns) * sizeof(T) / sizeof(Line) + 1);
}

// Of W [rows, columns]. X stands for what becomes orthogonal, S for its square of the shorter side.
template <class T>
struct MatrixUpdateCall : ShapedCall {
  explicit MatrixUpdateCall(const Request& request)
      : ShapedCall(request.operands[2]),
        weight(static_cast<T>(request.optimizer->momentum)),
        rest(static_cast<T>(1 - request.optimizer->momentum)),
        weight_decay(request.optimizer->weight_decay),
        scale(std::sqrt(std::max(1.0, static_cast<double>(columns) / static_cast<double>(rows)))) {}

  std::int64_t shorter() const { return std::min(rows, columns); }

  T weight;  // of the momentum
  T rest;    // 1 - weight
  double weight_decay;
  double scale;        // of the learning rate
  CallPointer square;  // X, X, S
  CallPointer fourth;  // S, S, P: C times the product
  CallPointer moved;   // P and X in the order of the product, X
  // Overwritten in every step, by the one thread that runs calls.
  mutable Lines x, next, s, p;
};

// Brings the momentum M up to date and returns the sum of squares of U, which it writes to x. Four sums side by side do
// not wait for each other's additions.
template <class T>
double make_direction(const MatrixUpdateCall<T>& self, const T* gradient, T* momentum, T* x) {
  double sums[4] = {};
  for (std::int64_t i = 0; i < self.size(); ++i) {
    momentum[i] = self.weight * momentum[i] + self.rest * gradient[i];
    x[i] = self.rest * gradient[i] + self.weight * momentum[i];
    sums[i % 4] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// P = A I + B S + P.
template <class T>
void complete_polynomial(const T* s, T* p, std::int64_t side) {
  for (std::int64_t i = 0; i < side * side; ++i) p[i] += static_cast<T>(GDBENCH_MUON_B) * s[i];
  for (std::int64_t i = 0; i < side; ++i) p[i * (side + 1)] += static_cast<T>(GDBENCH_MUON_A);
}

template <class T>
void run_matrix_update(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const MatrixUpdateCall<T>&>(*call);
  const double rate = data<const UpdateScalars>(buffers[1])->learning_rate;
  const auto buffer_of = [](Lines& lines) { return reinterpret_cast<Buffer>(lines.data()); };
  Buffer x = buffer_of(self.x);
  Buffer next = buffer_of(self.next);
  const Buffer s = buffer_of(self.s);
  const Buffer p = buffer_of(self.p);
  const double squares = make_direction(self, data<const T>(buffers[0]), data<T>(buffers[3]), data<T>(x));
  const T factor = static_cast<T>(1 / std::max(std::sqrt(squares), GDBENCH_MUON_EPSILON));
  for (std::int64_t i = 0; i < self.size(); ++i) data<T>(x)[i] *= factor;

  const bool tall = self.rows > self.columns;
  for (int step = 0; step < GDBENCH_MUON_STEPS; ++step) {
    const Buffer squared[] = {x, x, s};
    self.square->run(self.square.get(), squared, stream);
    const Buffer fourth[] = {s, s, p};
    self.fourth->run(self.fourth.get(), fourth, stream);
    complete_polynomial(data<const T>(s), data<T>(p), self.shorter());
    const Buffer moved[] = {tall ? x : p, tall ? p : x, next};
    self.moved->run(self.moved.get(), moved, stream);
    std::swap(x, next);
  }

  const T kept = static_cast<T>(1 - rate * self.weight_decay);
  const T descent = static_cast<T>(rate * self.scale);
  T* w = data<T>(buffers[2]);
  for (std::int64_t i = 0; i < self.size(); ++i) w[i] = kept * w[i] - descent * data<const T>(x)[i];
}

Request product_of(Dtype dtype, const Operand& a, const Operand& b, const Operand& c) {
  return {.op = Op::product, .dtype = dtype, .operand_count = 3, .operands = {a, b, c}};
}

}  // namespace

Binding bind_matrix_update(const Request& request, const std::function<Binding(const Request& product)>& bind) {
  const Dtype dtype = catalogue::storage_of(request.dtype);
  return catalogue::with_element(dtype, [&](auto zero) -> Binding {
    using T = decltype(zero);
    MatrixUpdateCall<T> call(request);
    const bool tall = call.rows > call.columns;
    const Operand w = {call.rows, call.columns};
    const Operand side = {call.shorter(), call.shorter()};
    Request square = product_of(dtype, w, w, side);
    (tall ? square.transpose_a : square.transpose_b) = true;
    Request fourth = product_of(dtype, side, side, side);
    fourth.alpha = GDBENCH_MUON_C;
    const Request moved = product_of(dtype, tall ? w : side, tall ? side : w, w);
    const char* reason = nullptr;
    const auto bound = [&](const Request& product, CallPointer& place) {
      const Binding binding = bind(product);
      reason = binding.reason;
      place.reset(binding.call);
      return binding.call != nullptr;
    };
    if (!bound(square, call.square) || !bound(fourth, call.fourth) || !bound(moved, call.moved)) {
      return unsupported(reason);
    }
    call.x = call.next = lines_of<T>(w);
    call.s = call.p = lines_of<T>(side);
    return make_binding(std::move(call), run_matrix_update<T>);
  });
}

}  // namespace gdbench::backends::cpu
