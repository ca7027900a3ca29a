#include "harness/machine/ceiling_probes.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace gdbench::machine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxSharedCache = std::int64_t{32} << 20;
constexpr std::int64_t kMemoryPass = std::int64_t{32} << 20;
constexpr std::int64_t kPage = 4096;
// Long beside the clock's own 30 ns, short beside the spells in which a shared machine is slow.
constexpr double kRepetitionNs = 300'000;
constexpr int kMinRounds = 2;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

std::int64_t whole_pages(double bytes) { return std::max<std::int64_t>(1, std::llround(bytes / kPage)) * kPage; }

Level cache(const char* name, std::int64_t capacity, double working_set) {
  const std::int64_t bytes = whole_pages(working_set);
  return {name, capacity, bytes, bytes};
}

// One timed repetition: operations or bytes, and how long they took.
struct Reading {
  double units = 0;
  double nanoseconds = 0;
};

Reading time_arithmetic(const Probe& probe, std::int64_t iterations) {
  const ScalarTypeLoops& loops = probe.f64 ? probe.kernels->f64 : probe.kernels->f32;
  const ArithmeticLoop loop = probe.quantity == Quantity::fma_rate      ? loops.fma_rate
                              : probe.quantity == Quantity::fma_latency ? loops.fma_latency
                                                                        : loops.addition_latency;
  const int lanes = probe.kernels->bits / (probe.f64 ? 64 : 32);
  const double per_iteration = probe.quantity == Quantity::fma_rate ? 2.0 * kRateAccumulators * lanes : kChainLength;
  const auto start = Clock::now();
  // A half and one converge to two: neither overflow nor denormals.
  volatile double result = loop(iterations, 0.5, 1);
  static_cast<void>(result);
  return {per_iteration * static_cast<double>(iterations), nanoseconds_since(start)};
}

Reading time_memory(const Probe& probe, const Level& level, std::byte* buffer, std::int64_t passes) {
  const MemoryLoop loop = probe.quantity == Quantity::update
                              ? probe.kernels->update
                              : probe.kernels->read[static_cast<std::size_t>(probe.streams - 1)];
  const auto start = Clock::now();
  const std::int64_t bytes = loop(buffer, level.pass_bytes, passes);
  return {static_cast<double>(bytes), nanoseconds_since(start)};
}

// Repeats one probe with a length that it finds at the first call.
class Repetition {
 public:
  Reading once(const Probe& probe, std::span<const Level> levels, std::byte* buffer) {
    if (probe.quantity != Quantity::read && probe.quantity != Quantity::update) {
      return until_long_enough([&] { return time_arithmetic(probe, length_ * 256); });
    }
    const Level& level = levels[probe.level];
    if (level.span_bytes == level.pass_bytes) {
      return until_long_enough([&] { return time_memory(probe, level, buffer, length_); });
    }
    // Each pass takes the next part of the span, so that a large last-level cache has dropped it since the last visit.
    const Reading reading = time_memory(probe, level, buffer + offset_, 1);
    offset_ = offset_ + 2 * level.pass_bytes <= level.span_bytes ? offset_ + level.pass_bytes : 0;
    return reading;
  }

 private:
  template <class Timed>
  Reading until_long_enough(Timed timed) {
    Reading reading = timed();
    while (!calibrated_ && reading.nanoseconds < kRepetitionNs) {
      length_ *= 2;
      reading = timed();
    }
    calibrated_ = true;
    return reading;
  }

  std::int64_t length_ = 1;
  std::int64_t offset_ = 0;
  bool calibrated_ = false;
};

void store_arithmetic(const Probe& probe, double best, report::VectorCeilings& width) {
  switch (probe.quantity) {
    case Quantity::fma_rate:
      (probe.f64 ? width.fma_f64_gflop_per_second : width.fma_f32_gflop_per_second) = best;
      return;
    case Quantity::fma_latency:
      (probe.f64 ? width.fma_f64_latency_ns : width.fma_f32_latency_ns) = 1 / best;
      return;
    case Quantity::addition_latency:
      (probe.f64 ? width.addition_f64_latency_ns : width.addition_f32_latency_ns) = 1 / best;
      return;
    case Quantity::read:
    case Quantity::update:
      return;
  }
}

void store_memory(const Probe& probe, double best, report::LevelCeiling& level) {
  if (probe.quantity == Quantity::update) level.update_gb_per_second = best;
  if (probe.quantity != Quantity::read || best <= level.read_gb_per_second) return;
  level.read_gb_per_second = best;
  level.read_streams = probe.streams;
}

}  // namespace

std::vector<Level> levels_of(const CacheSizes& caches, std::int64_t memory_bytes) {
  std::vector<Level> levels;
  if (caches.l1 > 0) levels.push_back(cache("L1", caches.l1, static_cast<double>(caches.l1) / 2));
  if (caches.l2 > 0) levels.push_back(cache("L2", caches.l2, static_cast<double>(caches.l2) / 2));
  if (caches.l3 > 0) {
    const auto ours = static_cast<double>(std::min(caches.l3, kMaxSharedCache));
    const auto closer = static_cast<double>(caches.l2);
    levels.push_back(cache("L3", caches.l3, closer > 0 && closer < ours ? std::sqrt(closer * ours) : ours / 2));
  }
  // Parts of the span, at least two of them.
  const std::int64_t pass = whole_pages(static_cast<double>(std::min(kMemoryPass, memory_bytes / 4)));
  levels.push_back({"memory", 0, pass, std::max(pass * 2, memory_bytes / pass * pass)});
  return levels;
}

std::vector<Probe> probes_of(const std::vector<Level>& levels) {
  std::vector<Probe> probes;
  for (const VectorKernels* kernels : all_vector_kernels()) {
    if (!kernels->supported()) continue;
    for (const bool f64 : {false, true}) {
      for (const Quantity quantity : {Quantity::fma_rate, Quantity::fma_latency, Quantity::addition_latency}) {
        probes.push_back({kernels, quantity, f64, 0, 1});
      }
    }
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (int streams = 1; streams <= kMaxStreams; ++streams) {
        probes.push_back({kernels, Quantity::read, false, level, streams});
      }
      probes.push_back({kernels, Quantity::update, false, level, 1});
    }
  }
  return probes;
}

void run_probes(std::span<const Probe> probes, std::span<const Level> levels, double seconds, std::byte* buffer,
                std::span<double> best) {
  const auto start = Clock::now();
  std::vector<Repetition> repetitions(probes.size());
  for (int round = 0; round < kMinRounds || nanoseconds_since(start) < seconds * 1e9; ++round) {
    for (std::size_t p = 0; p < probes.size(); ++p) {
      const Reading reading = repetitions[p].once(probes[p], levels, buffer);
      if (reading.nanoseconds > 0) best[p] = std::max(best[p], reading.units / reading.nanoseconds);
    }
  }
}

std::vector<report::VectorCeilings> widths_of(std::span<const Probe> probes, std::span<const Level> levels,
                                              std::span<const double> best) {
  std::vector<report::VectorCeilings> widths;
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const Probe& probe = probes[p];
    if (widths.empty() || widths.back().vectors != probe.kernels->name) {
      report::VectorCeilings& width = widths.emplace_back();
      width.vectors = probe.kernels->name;
      width.bits = probe.kernels->bits;
      for (const Level& level : levels) {
        width.levels.push_back({level.name, level.capacity_bytes, level.span_bytes, 0, 0, 0});
      }
    }
    store_arithmetic(probe, best[p], widths.back());
    if (!levels.empty()) store_memory(probe, best[p], widths.back().levels[probe.level]);
  }
  return widths;
}

}  // namespace gdbench::machine
