#include <cpuid.h>
#include <immintrin.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "harness/abi/tile_permission.h"
#define GDBENCH_VECTOR_TARGET [[gnu::target("avx512f")]]
#define GDBENCH_VECTOR_BYTES 64
#define GDBENCH_RATE_ACCUMULATORS 12
#include "harness/machine/vector_kernels_body.h"
#include "harness/machine/x86_64/widths.h"

namespace gdbench::machine {

namespace {

[[gnu::target("avx512f,avx512bf16"), gnu::noinline]] double bf16_rate(std::int64_t iterations, double multiplier,
                                                                      double addend) {
  const __m512 addends = _mm512_set1_ps(static_cast<float>(addend));
  const __m512 halves = _mm512_set1_ps(static_cast<float>(multiplier) / 2);
  const __m512bh m = _mm512_cvtne2ps_pbh(halves, halves);
  // Each another one, or the compiler would compute one of them.
  __m512 a0 = addends, a1 = a0 + addends, a2 = a1 + addends, a3 = a2 + addends, a4 = a3 + addends, a5 = a4 + addends;
  __m512 a6 = a5 + addends, a7 = a6 + addends, a8 = a7 + addends, a9 = a8 + addends, a10 = a9 + addends;
  __m512 a11 = a10 + addends;
  for (std::int64_t i = 0; i < iterations; ++i) {
    a0 = _mm512_dpbf16_ps(a0, m, m);
    a1 = _mm512_dpbf16_ps(a1, m, m);
    a2 = _mm512_dpbf16_ps(a2, m, m);
    a3 = _mm512_dpbf16_ps(a3, m, m);
    a4 = _mm512_dpbf16_ps(a4, m, m);
    a5 = _mm512_dpbf16_ps(a5, m, m);
    a6 = _mm512_dpbf16_ps(a6, m, m);
    a7 = _mm512_dpbf16_ps(a7, m, m);
    a8 = _mm512_dpbf16_ps(a8, m, m);
    a9 = _mm512_dpbf16_ps(a9, m, m);
    a10 = _mm512_dpbf16_ps(a10, m, m);
    a11 = _mm512_dpbf16_ps(a11, m, m);
  }
  const __m512 sum = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11;
  double total = 0;
  for (int lane = 0; lane < 16; ++lane) total += static_cast<double>(sum[lane]);
  return total;
}

// LDTILECFG's operand, as Intel's manual has it.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_of_rows[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Four sums of two tiles by two.
[[gnu::target("avx512f,avx512bf16,amx-tile,amx-bf16"), gnu::noinline]] double tile_rate(std::int64_t iterations,
                                                                                        double multiplier,
                                                                                        double addend) {
  alignas(64) float sums[16][16];
  alignas(64) __m512bh factors[16];
  const __m512 halves = _mm512_set1_ps(static_cast<float>(multiplier) / 2);
  std::fill_n(factors, 16, _mm512_cvtne2ps_pbh(halves, halves));
  std::fill_n(&sums[0][0], 16 * 16, static_cast<float>(addend));
  const TileConfiguration configuration;
  _tile_loadconfig(&configuration);
  _tile_loadd(0, sums, 64);
  _tile_loadd(1, sums, 64);
  _tile_loadd(2, sums, 64);
  _tile_loadd(3, sums, 64);
  _tile_loadd(4, factors, 64);
  _tile_loadd(5, factors, 64);
  _tile_loadd(6, factors, 64);
  _tile_loadd(7, factors, 64);
  for (std::int64_t i = 0; i < iterations; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  double total = 0;
  const auto add = [&] {
    for (const auto& row : sums) total += std::accumulate(std::begin(row), std::end(row), 0.0);
  };
  _tile_stored(0, sums, 64);
  add();
  _tile_stored(1, sums, 64);
  add();
  _tile_stored(2, sums, 64);
  add();
  _tile_stored(3, sums, 64);
  add();
  _tile_release();
  return total;
}

// Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID: leaf 7, subleaf 1, EAX bit 5.
bool multiplies_bf16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx512f") != 0 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 5 & 1) != 0;
}

constexpr VectorKernels with_bf16(VectorKernels kernels) {
  kernels.bf16_rate = bf16_rate;
  kernels.multiplies_bf16 = multiplies_bf16;
  kernels.tile_rate = tile_rate;
  kernels.multiplies_tiles = may_use_bf16_tiles;
  return kernels;
}

}  // namespace

const VectorKernels kAvx512Kernels =
    with_bf16(make_kernels("avx512f", [] { return __builtin_cpu_supports("avx512f") != 0; }));

}  // namespace gdbench::machine
