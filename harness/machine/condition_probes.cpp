#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/machine/conditions.h"

namespace gdbench::machine {

namespace {

using report::Condition;
using report::Severity;

constexpr int kBlocks = 200;
constexpr std::int64_t kBlockNs = 2'000'000;
constexpr int kReadings = 20'000;
constexpr int kRepetitions = 20;
constexpr double kWideScatter = 0.05;  // of a block, from the fastest to the slowest tenth
constexpr double kSlowClockNs = 200;

// A chain of dependent multiplications and additions that `operand` goes through and stays as it is.
float chain(std::int64_t iterations, float operand, float factor) {
  __m128 value = _mm_set_ss(operand);
  const __m128 scale = _mm_set_ss(factor);
  for (std::int64_t i = 0; i < iterations; ++i) {
    value = _mm_mul_ss(value, scale);
    asm volatile("" : "+x"(value));
  }
  return _mm_cvtss_f32(value);
}

double nanoseconds_of_chain(std::int64_t iterations, float operand) {
  const std::int64_t start = monotonic_ns();
  volatile float sink = chain(iterations, operand, 1);
  static_cast<void>(sink);
  return static_cast<double>(monotonic_ns() - start);
}

Condition scatter() {
  std::int64_t iterations = 100'000;
  iterations =
      static_cast<std::int64_t>(static_cast<double>(iterations) * kBlockNs / nanoseconds_of_chain(iterations, 1));
  std::vector<double> blocks;
  for (int i = 0; i < kBlocks; ++i) blocks.push_back(nanoseconds_of_chain(iterations, 1));
  std::sort(blocks.begin(), blocks.end());
  const double least = blocks.front();
  const double middle = blocks[blocks.size() / 2] / least - 1;
  const double slow = blocks[blocks.size() * 9 / 10] / least - 1;
  Condition condition{
      "scatter", Severity::fine,
      formatted("blocks of 2 ms: middle +%.1f%%, slowest tenth +%.1f%% over the fastest", 100 * middle, 100 * slow), "",
      ""};
  if (slow > kWideScatter) {
    condition.severity = Severity::warning;
    condition.effect = "intervals are wide, small differences are not found";
    condition.advice = "more launches (--launches, --budget); gdbench calibrate says what is found";
  }
  return condition;
}

Condition clock_reading() {
  std::int64_t min_step = std::numeric_limits<std::int64_t>::max();
  const std::int64_t start = monotonic_ns();
  std::int64_t before = start;
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t now = monotonic_ns();
    if (now > before) min_step = std::min(min_step, now - before);
    before = now;
  }
  const double reading_ns = static_cast<double>(before - start) / kReadings;
  Condition condition{
      "clock", Severity::fine,
      formatted("a reading takes %.0f ns, steps of %lld ns", reading_ns, static_cast<long long>(min_step)), "", ""};
  if (reading_ns > kSlowClockNs) {
    condition.severity = Severity::warning;
    condition.effect = "profiles of short steps show the clock";
  }
  return condition;
}

Condition denormal_cost() {
  constexpr std::int64_t kIterations = 20'000;
  double normal = std::numeric_limits<double>::infinity();
  double denormal = normal;
  for (int i = 0; i < kRepetitions; ++i) {
    normal = std::min(normal, nanoseconds_of_chain(kIterations, 1));
    denormal = std::min(denormal, nanoseconds_of_chain(kIterations, 1e-40F));
  }
  return {
      "denormal arithmetic", Severity::fine, formatted("an operation takes %.1f times as long", denormal / normal),
      denormal > 2 * normal ? "training that reaches its fixed point gets slower: blocks start from a set state" : "",
      ""};
}

// Adds up vectors from `first` on; `count` floats, a multiple of 16.
float add_up(const float* first, std::size_t count) {
  __m128 sums[4] = {_mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps()};
  for (std::size_t i = 0; i < count; i += 16) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      sums[lane] = _mm_add_ps(sums[lane], _mm_loadu_ps(first + i + 4 * lane));
    }
  }
  return _mm_cvtss_f32(_mm_add_ps(_mm_add_ps(sums[0], sums[1]), _mm_add_ps(sums[2], sums[3])));
}

Condition unaligned_cost() {
  constexpr std::size_t kCount = 4096;  // 16 KiB: the nearest cache
  constexpr std::size_t kLine = 16;     // floats
  std::vector<float> memory(kCount + 2 * kLine, 0.5F);
  const std::size_t offset = (kLine - reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(float) % kLine) % kLine;
  double times[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kRepetitions; ++i) {
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
      const std::int64_t start = monotonic_ns();
      for (int pass = 0; pass < 100; ++pass) {
        volatile float sink = add_up(memory.data() + offset + shift, kCount);
        static_cast<void>(sink);
      }
      times[shift] = std::min(times[shift], static_cast<double>(monotonic_ns() - start));
    }
  }
  return {"unaligned vectors", Severity::fine, formatted("reading them takes %.2f times as long", times[1] / times[0]),
          "data of every worker is aligned to 64 bytes", ""};
}

}  // namespace

std::vector<Condition> measured_conditions(int processor) {
  std::vector<Condition> conditions;
  // In a thread of its own, so that this one keeps its place.
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(processor), &set);
    sched_setaffinity(0, sizeof set, &set);
    conditions = {scatter(), clock_reading(), denormal_cost(), unaligned_cost()};
  }).join();
  return conditions;
}

}  // namespace gdbench::machine
