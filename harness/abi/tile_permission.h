// AMX's tiles, registers that Linux has to be asked for.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace gdbench {

// Whether the processor multiplies tiles of bfloat16.
inline bool has_bf16_tiles() {
#if defined(__x86_64__)
  // Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID: leaf 7, subleaf 0, EDX bits 22 and 24.
  constexpr unsigned kBfloat16 = 1U << 22;
  constexpr unsigned kTiles = 1U << 24;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kBfloat16) != 0 && (d & kTiles) != 0;
#else
  return false;
#endif
}

// Whether it does, and this process and the threads that it will start may, from now on.
inline bool may_use_bf16_tiles() {
#if defined(__x86_64__)
  // asm/prctl.h of Linux 5.16; number 18 is the state of tiles' data.
  constexpr int kRequestPermission = 0x1023;
  constexpr int kTileData = 18;
  return has_bf16_tiles() && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace gdbench
