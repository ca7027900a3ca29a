/*
 * A library to be preloaded (LD_PRELOAD) into a worker that is profiled, never into one that is timed: counts what the
 * process allocates. operator new and the containers of C++ end in malloc and are counted there. Memory that is mapped
 * directly is not seen.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

static atomic_uint_fast64_t calls;
static atomic_uint_fast64_t bytes;

static void count(size_t size) {
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

/* Calls and requested bytes of all threads since the process began; what was freed is not subtracted. */
EXPORTED void gdbench_allocation_totals(uint64_t* total_calls, uint64_t* total_bytes) {
  *total_calls = atomic_load_explicit(&calls, memory_order_relaxed);
  *total_bytes = atomic_load_explicit(&bytes, memory_order_relaxed);
}

/* glibc's own names for what is replaced here; its free takes what they return. */
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t entries, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

EXPORTED void* malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

EXPORTED void* calloc(size_t entries, size_t size) {
  count(entries * size); /* where the product overflows, calloc fails */
  return __libc_calloc(entries, size);
}

/* A block that changes its size is an allocation of the new size. */
EXPORTED void* realloc(void* memory, size_t size) {
  count(size);
  return __libc_realloc(memory, size);
}

EXPORTED void* memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  count(size);
  void* allocated = __libc_memalign(alignment, size);
  if (allocated == NULL) return ENOMEM;
  *memory = allocated;
  return 0;
}
