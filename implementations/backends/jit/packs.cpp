#include "implementations/backends/jit/packs.h"

#include <algorithm>

namespace gdbench::backends::jit {
namespace {

// copy(entry, packed) for each entry of the matrix and its place in the pack.
template <class Matrix, class Packed, class Copy>
void for_each_entry(const Pack& pack, Matrix* matrix, Packed* packed, const Copy& copy) {
  for (std::int64_t begin = 0; begin < pack.rows; begin += pack.block_rows) {
    const std::int64_t rows = std::min(pack.block_rows, pack.rows - begin);
    Packed* block = packed + begin / pack.block_rows * pack.stride * pack.columns;
    for (std::int64_t row = 0; row < rows; ++row) {
      Matrix* line = matrix + pack.first + (begin + row) * pack.row_stride;
      for (std::int64_t column = 0; column < pack.columns; ++column) {
        copy(line[column * pack.column_stride], block[column * pack.stride + row]);
      }
    }
  }
}

}  // namespace

void copy_to_pack(const Pack& pack, Dtype dtype, const void* matrix, void* packed) {
  catalogue::with_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_entry(pack, static_cast<const T*>(matrix), static_cast<T*>(packed),
                   [](const T& entry, T& copy) { copy = entry; });
  });
}

void copy_from_pack(const Pack& pack, Dtype dtype, const void* packed, void* matrix) {
  catalogue::with_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_entry(pack, static_cast<T*>(matrix), static_cast<const T*>(packed),
                   [](T& entry, const T& copy) { entry = copy; });
  });
}

}  // namespace gdbench::backends::jit
