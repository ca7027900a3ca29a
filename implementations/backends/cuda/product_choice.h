// Which of the ways of product.cu a product takes, by its shape alone.
#pragma once

#include <cstdint>

#include "implementations/backends/common/rules/shapes.h"

namespace gdbench::backends::cuda {

enum class ProductKind { entries, tree, blas };

// A launch of cuBLAS is worth its own choice of kernels from a few million multiplications on; estimates, until they
// are measured on a device (scripts/gpu-check).
constexpr std::int64_t kMaxOwnMultiplications = std::int64_t{1} << 22;
constexpr std::int64_t kShortInner = 128;
constexpr std::int64_t kSmallResult = 8192;
constexpr std::int64_t kSplitInner = 2048;  // where the inner dimension is longer, several blocks share it

inline ProductKind choose_product(const ProductShape& shape) {
  if (shape.m * shape.n * shape.k > kMaxOwnMultiplications) return ProductKind::blas;
  if (shape.k <= kShortInner) return ProductKind::entries;
  return shape.m * shape.n <= kSmallResult ? ProductKind::tree : ProductKind::blas;
}

}  // namespace gdbench::backends::cuda
