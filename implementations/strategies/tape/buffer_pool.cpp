#include "implementations/strategies/tape/buffer_pool.h"

namespace gdbench::strategies::tape {

backends::Buffer BufferPool::allocate(std::uint32_t size_class) {
  const std::size_t bytes = bytes_of(size_class);
  const backends::Buffer buffer = session_.allocate(bytes);
  free_[size_class].reserve(++made_[size_class]);
  ++allocations_;
  allocated_bytes_ += bytes;
  return buffer;
}

}  // namespace gdbench::strategies::tape
