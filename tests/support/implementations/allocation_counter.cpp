#include "tests/support/implementations/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#ifndef GDBENCH_COUNTS_ALLOCATIONS

namespace gdbench {
bool allocations_are_counted() { return false; }
std::uint64_t allocation_count() { return 0; }
}  // namespace gdbench

#else

namespace {
std::atomic<std::uint64_t> count{0};
}

namespace gdbench {
bool allocations_are_counted() { return true; }
std::uint64_t allocation_count() { return count.load(); }
}  // namespace gdbench

// glibc's own names for what is replaced here; libraries opened later find the replacements first.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t entries, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(std::size_t entries, std::size_t size) {
  ++count;
  return __libc_calloc(entries, size);
}
__attribute__((visibility("default"))) void* realloc(void* memory, std::size_t size) {
  ++count;
  return __libc_realloc(memory, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++count;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}

#endif
