#include "implementations/backends/jit/lower/rates.h"

#include <algorithm>
#include <chrono>

namespace gdbench::backends::jit {
namespace {

constexpr int kOperations = 12;  // of a group, each on a register of its own: more than are ever under way

// A group of them. Registers begin with 0, which no operation slows down.
#if defined(__x86_64__)
#define GDBENCH_CLOBBERED \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12"
#define GDBENCH_GROUPS(operation, vector)                                                               \
  asm volatile(                                                                                         \
      ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12\n vpxor %%xmm\\r, %%xmm\\r, %%xmm\\r\n .endr\n"              \
      "1:\n .irp r,0,1,2,3,4,5,6,7,8,9,10,11\n " operation " %%" vector "12, %%" vector "12, %%" vector \
      "\\r\n .endr\n dec %0\n jnz 1b\n vzeroupper"                                                      \
      : "+r"(groups)::GDBENCH_CLOBBERED, "cc")

void run(VectorOperation operation, std::int64_t groups) {
  switch (operation) {
    case VectorOperation::multiply_add_512:
      GDBENCH_GROUPS("vfmadd231ps", "zmm");
      return;
    case VectorOperation::add_pairs:
      GDBENCH_GROUPS("vdpbf16ps", "zmm");
      return;
    default:
      GDBENCH_GROUPS("vfmadd231ps", "ymm");
  }
}
#else
void run(VectorOperation /*operation*/, std::int64_t groups) {
  asm volatile(
      ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12\n movi v\\r\\().4s, #0\n .endr\n"
      "1:\n .irp r,0,1,2,3,4,5,6,7,8,9,10,11\n fmla v\\r\\().4s, v12.4s, v12.4s\n .endr\n"
      "subs %0, %0, #1\n b.ne 1b"
      : "+r"(groups)::"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "cc");
}
#endif

}  // namespace

double nanoseconds_of(VectorOperation operation) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kGroups = 20000 / kOperations;
  double least = 0;
  for (int round = 0; round < 3; ++round) {
    const Clock::time_point start = Clock::now();
    run(operation, kGroups);
    const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    least = round == 0 ? elapsed : std::min(least, elapsed);
  }
  return least / static_cast<double>(kGroups * kOperations);
}

}  // namespace gdbench::backends::jit
