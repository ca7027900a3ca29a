// The control word of floating-point arithmetic, without the flags of what happened so far: MXCSR of x86-64, FPCR of
// AArch64. Every process starts with kUsualControlWord: rounds to nearest, masks every exception, keeps denormals.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gdbench::processor {

#if defined(__x86_64__)

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.2.3.
inline constexpr char kControlWordName[] = "MXCSR";
inline constexpr std::uint32_t kUsualControlWord = 0x1f80;
inline constexpr std::uint32_t kFlushToZero = 0x8000;
inline constexpr std::uint32_t kDenormalsAreZero = 0x0040;
inline constexpr std::uint32_t kFlushingControlWord = kUsualControlWord | kFlushToZero | kDenormalsAreZero;

inline std::uint32_t control_word() {
  constexpr std::uint32_t kFlags = 0x3f;
  return _mm_getcsr() & ~kFlags;
}
inline void set_control_word(std::uint32_t word) { _mm_setcsr(word); }

#else

// Arm Architecture Reference Manual, FPCR: FZ does both; FIZ, of newer processors, the second alone.
inline constexpr char kControlWordName[] = "FPCR";
inline constexpr std::uint32_t kUsualControlWord = 0;
inline constexpr std::uint32_t kFlushToZero = 1U << 24;
inline constexpr std::uint32_t kDenormalsAreZero = kFlushToZero | 1U;
inline constexpr std::uint32_t kFlushingControlWord = kUsualControlWord | kFlushToZero;

inline std::uint32_t control_word() {
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return static_cast<std::uint32_t>(word);
}
inline void set_control_word(std::uint32_t word) { asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{word})); }

#endif

}  // namespace gdbench::processor
