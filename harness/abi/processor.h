// The few things of a processor that C++ has no words for and both halves of the program need, for x86-64 and AArch64.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "another processor needs its part of this file and of harness/base/control_word.h"
#endif

namespace gdbench::processor {

#if defined(__x86_64__)

// In loops that wait for another thread.
inline void pause() { _mm_pause(); }

// IEEE 754's binary16, as the compiler converts to and from it.
using Binary16 = _Float16;

#else

inline void pause() { asm volatile("yield"); }

using Binary16 = __fp16;  // g++ has _Float16 here since version 13

#endif

}  // namespace gdbench::processor
