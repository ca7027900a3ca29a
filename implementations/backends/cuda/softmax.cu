// The gradient of softmax cross-entropy: a block to every few rows, a group of threads to a row.
#include <cmath>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/launch.h"

namespace gdbench::backends::cuda {
namespace {

// (softmax(P) - one_hot(label)) times scale; G may be P's buffer. `width` threads share a row: each its largest logit
// and its sum of exponentials, then every one reads those of all.
template <class T>
struct SoftmaxGradient {
  static constexpr int kPhases = 3;
  struct Shared {
    T largest[kBlockThreads];
    T sums[kBlockThreads];
  };

  const T* p;
  const std::int32_t* labels;
  T* g;
  std::int64_t rows;
  std::int64_t columns;
  int width;  // a power of two, at most 32
  T scale;

  GDBENCH_HOST_DEVICE void run(int phase, std::int64_t block, int thread, Shared& shared) const {
    const std::int64_t row = block * (kBlockThreads / width) + thread / width;
    if (row >= rows) return;
    const int member = thread % width;
    const int group = thread - member;
    const T* logits = p + row * columns;
    switch (phase) {
      case 0: {
        T largest = logits[0];
        for (std::int64_t j = member; j < columns; j += width) largest = logits[j] > largest ? logits[j] : largest;
        shared.largest[thread] = largest;
        return;
      }
      case 1: {
        const T shift = largest_of(shared, group);
        T sum = 0;
        for (std::int64_t j = member; j < columns; j += width) sum += std::exp(logits[j] - shift);
        shared.sums[thread] = sum;
        return;
      }
      case 2: {
        const T shift = largest_of(shared, group);
        T sum = 0;
        for (int l = 0; l < width; ++l) sum += shared.sums[group + l];
        const T factor = scale / sum;
        for (std::int64_t j = member; j < columns; j += width) {
          const T share = std::exp(logits[j] - shift) * factor;
          g[row * columns + j] = j == labels[row] ? share - scale : share;
        }
        return;
      }
      default:
        return;
    }
  }

  GDBENCH_HOST_DEVICE T largest_of(const Shared& shared, int group) const {
    T largest = shared.largest[group];
    for (int l = 1; l < width; ++l) {
      largest = shared.largest[group + l] > largest ? shared.largest[group + l] : largest;
    }
    return largest;
  }
};

template <class T>
OwnedCall* bind_of(Context& context, const Request& request) {
  const Operand outputs = request.operands[0];
  int width = 1;
  while (width < 32 && width * 2 <= outputs.columns) width *= 2;
  const double scale = request.alpha * loss_scale(request);
  return make_call(context, "loss_gradient", [outputs, width, scale](Context& to, const Buffer* buffers) {
    const std::int64_t rows_of_a_block = kBlockThreads / width;
    launch_blocks(
        to.stream, (outputs.rows + rows_of_a_block - 1) / rows_of_a_block,
        SoftmaxGradient<T>{data<const T>(buffers[0]), data<const std::int32_t>(buffers[1]), data<T>(buffers[2]),
                           outputs.rows, outputs.columns, width, static_cast<T>(scale * to.loss_scale)});
  });
}

}  // namespace

OwnedCall* bind_loss_gradient(Context& context, const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, request); });
}

}  // namespace gdbench::backends::cuda
