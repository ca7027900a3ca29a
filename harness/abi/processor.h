// The few things of a processor that C++ has no words for, for x86-64 and AArch64. Both halves of the program
// include it: no other file of theirs needs to know which of the two it is compiled for, but for kernels and vectors.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "gdbench knows x86-64 and AArch64: another processor needs its part of this file"
#endif

namespace gdbench::processor {

// The control word of floating-point arithmetic, without the flags of what happened so far. Every process starts with
// kUsualControlWord: rounding to nearest, every exception masked, denormals as they are.
#if defined(__x86_64__)

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.2.3.
inline constexpr char kControlWordName[] = "MXCSR";
inline constexpr std::uint32_t kUsualControlWord = 0x1f80;
inline constexpr std::uint32_t kFlushToZero = 0x8000;
inline constexpr std::uint32_t kDenormalsAreZero = 0x0040;

inline std::uint32_t control_word() {
  constexpr std::uint32_t kFlags = 0x3f;
  return _mm_getcsr() & ~kFlags;
}
inline void set_control_word(std::uint32_t word) { _mm_setcsr(word); }

// In loops that wait for another thread.
inline void pause() { _mm_pause(); }

// IEEE 754's binary16, as the compiler converts to and from it.
using Binary16 = _Float16;

#else

// Arm Architecture Reference Manual, FPCR: FZ does both; FIZ, of newer processors, the second alone.
inline constexpr char kControlWordName[] = "FPCR";
inline constexpr std::uint32_t kUsualControlWord = 0;
inline constexpr std::uint32_t kFlushToZero = 1U << 24;
inline constexpr std::uint32_t kDenormalsAreZero = kFlushToZero | 1U;

inline std::uint32_t control_word() {
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return static_cast<std::uint32_t>(word);
}
inline void set_control_word(std::uint32_t word) { asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{word})); }

inline void pause() { asm volatile("yield"); }

using Binary16 = __fp16;  // g++ has _Float16 here since version 13

#endif

}  // namespace gdbench::processor
