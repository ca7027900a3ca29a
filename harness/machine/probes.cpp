#include "harness/machine/probes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "harness/machine/repetition.h"

namespace gdbench::machine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxSharedCache = std::int64_t{32} << 20;
constexpr std::int64_t kMemoryPass = std::int64_t{32} << 20;
constexpr std::int64_t kPage = 4096;
// Long compared with the clock's own 30 ns, short compared with the periods in which a shared machine is slow.
constexpr double kRepetitionNs = 300'000;
// Memory is the most disturbed part of a shared machine, and a pass over much of it is long: such probes get more
// repetitions and more time.
constexpr int kMinRepetitions = 2;
constexpr int kMinRepetitionsOfSpans = 5;
constexpr double kTimeOfSpans = 8;  // compared with one of others

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::int64_t whole_pages(double bytes) { return std::max<std::int64_t>(1, std::llround(bytes / kPage)) * kPage; }

Level cache(const char* name, std::int64_t capacity, double working_set) {
  const std::int64_t bytes = whole_pages(working_set);
  return {name, capacity, bytes, bytes};
}

constexpr Quantity kFunctions[] = {Quantity::exponential, Quantity::division, Quantity::root,
                                   Quantity::refined_division, Quantity::refined_root};

void store_function(const Probe& probe, double best, report::VectorCeilings& width) {
  std::optional<report::FunctionCeilings>& functions = probe.f64 ? width.functions_f64 : width.functions_f32;
  if (!functions) functions.emplace();
  switch (probe.quantity) {
    case Quantity::exponential:
      functions->exponentials_per_ns = best;
      return;
    case Quantity::division:
      functions->divisions_per_ns = best;
      return;
    case Quantity::root:
      functions->roots_per_ns = best;
      return;
    case Quantity::refined_division:
      functions->refined_divisions_per_ns = best;
      return;
    case Quantity::refined_root:
      functions->refined_roots_per_ns = best;
      return;
    default:
      return;
  }
}

void store_span(const Probe& probe, double best, report::VectorCeilings& width) {
  if (!width.spans) width.spans.emplace();
  const auto known = std::ranges::find(*width.spans, probe.span, &report::SpanCeiling::span);
  if (known == width.spans->end()) {
    width.spans->push_back({probe.span, best});
  } else {
    known->gb_per_second = std::max(known->gb_per_second, best);
  }
}

void store_read(const Probe& probe, double best, report::LevelCeiling& level) {
  if (best <= level.read_gb_per_second) return;
  level.read_gb_per_second = best;
  level.read_streams = probe.streams;
}

void store(const Probe& probe, int threads, double best, report::VectorCeilings& width) {
  switch (probe.quantity) {
    case Quantity::fma_rate:
      (probe.f64 ? width.fma_f64_gflop_per_second : width.fma_f32_gflop_per_second) = best;
      return;
    case Quantity::bf16_rate:
    case Quantity::tile_rate:
      width.bf16_gflop_per_second = std::max(width.bf16_gflop_per_second.value_or(0), best);
      return;
    case Quantity::fma_latency:
      (probe.f64 ? width.fma_f64_latency_ns : width.fma_f32_latency_ns) = threads / best;
      return;
    case Quantity::addition_latency:
      (probe.f64 ? width.addition_f64_latency_ns : width.addition_f32_latency_ns) = threads / best;
      return;
    case Quantity::read:
      return store_read(probe, best, width.levels[probe.level]);
    case Quantity::update:
      width.levels[probe.level].update_gb_per_second = best;
      return;
    case Quantity::span:
      return store_span(probe, best, width);
    default:
      return store_function(probe, best, width);
  }
}

// Each once, as long as it is measured with.
std::vector<report::Span> measured_spans(const std::vector<report::Span>& wanted, const std::vector<Level>& levels) {
  std::vector<report::Span> spans;
  for (report::Span span : wanted) {
    span.bytes = std::clamp(span.bytes, levels.front().pass_bytes, levels.back().span_bytes);
    const bool known = span.written == 0 && span.bytes == levels.front().pass_bytes;  // a read of the first level
    if (!known && std::ranges::find(spans, span) == spans.end()) spans.push_back(span);
  }
  return spans;
}

void add_spans(const VectorKernels& kernels, const std::vector<report::Span>& spans, std::vector<Probe>& probes) {
  for (const report::Span& span : spans) {
    for (int streams = 1; streams <= (span.written > 0 ? 1 : kMaxStreams); ++streams) {
      probes.push_back({&kernels, Quantity::span, false, 0, streams, span});
    }
  }
}

}  // namespace

std::vector<Level> levels_of(const CacheSizes& caches, std::int64_t memory_bytes, int threads) {
  std::vector<Level> levels;
  const std::int64_t l1 = threads * caches.l1;
  const std::int64_t l2 = threads * caches.l2;
  if (l1 > 0) levels.push_back(cache("L1", l1, static_cast<double>(l1) / 2));
  if (l2 > 0) levels.push_back(cache("L2", l2, static_cast<double>(l2) / 2));
  if (caches.l3 > 0) {
    const auto ours = static_cast<double>(std::min(caches.l3, kMaxSharedCache));
    const auto closer = static_cast<double>(l2);
    levels.push_back(cache("L3", caches.l3, closer > 0 && closer < ours ? std::sqrt(closer * ours) : ours / 2));
  }
  // Parts of the span, at least two of them.
  const std::int64_t pass = whole_pages(static_cast<double>(std::min(kMemoryPass, memory_bytes / 4)));
  levels.push_back({"memory", 0, pass, std::max(pass * 2, memory_bytes / pass * pass)});
  return levels;
}

std::vector<Probe> probes_of(const std::vector<Level>& levels, const std::vector<report::Span>& spans) {
  std::vector<Probe> probes;
  const VectorKernels* widest = nullptr;
  for (const VectorKernels* kernels : vector_kernels()) {
    if (!kernels->supported()) continue;
    widest = kernels;
    for (const bool f64 : {false, true}) {
      for (const Quantity quantity : {Quantity::fma_rate, Quantity::fma_latency, Quantity::addition_latency}) {
        probes.push_back({kernels, quantity, f64});
      }
      for (const Quantity quantity : kFunctions) {
        const Probe probe{kernels, quantity, f64};
        if (function_of(probe) != nullptr) probes.push_back(probe);
      }
    }
    if (kernels->bf16_rate != nullptr && kernels->multiplies_bf16()) probes.push_back({kernels, Quantity::bf16_rate});
    if (kernels->tile_rate != nullptr && kernels->multiplies_tiles()) probes.push_back({kernels, Quantity::tile_rate});
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (int streams = 1; streams <= kMaxStreams; ++streams) {
        probes.push_back({kernels, Quantity::read, false, level, streams});
      }
      probes.push_back({kernels, Quantity::update, false, level});
    }
  }
  if (widest != nullptr && !levels.empty()) add_spans(*widest, measured_spans(spans, levels), probes);
  return probes;
}

std::vector<Probe> probes_of(const FloorFigures& figures) {
  std::vector<Probe> probes;
  const auto is_wanted = [&](const Probe& probe) {
    switch (probe.quantity) {
      case Quantity::read:
      case Quantity::update:
        return false;
      case Quantity::bf16_rate:
      case Quantity::tile_rate:
        return figures.bf16;
      case Quantity::exponential:
        return figures.exponentials && figures.f64.contains(probe.f64);
      case Quantity::division:
      case Quantity::refined_division:
        return figures.divisions && figures.f64.contains(probe.f64);
      case Quantity::root:
      case Quantity::refined_root:
        return figures.roots && figures.f64.contains(probe.f64);
      default:
        return figures.f64.contains(probe.f64);
    }
  };
  const VectorKernels* widest = nullptr;
  for (const Probe& probe : probes_of({}, {})) {
    widest = probe.kernels;
    if (is_wanted(probe)) probes.push_back(probe);
  }
  if (widest != nullptr) add_spans(*widest, figures.spans, probes);
  return probes;
}

std::int64_t buffer_bytes(std::span<const Probe> probes, std::span<const Level> levels) {
  std::int64_t longest = 0;
  for (const Level& level : levels) longest = std::max(longest, level.span_bytes);
  for (const Probe& probe : probes) longest = std::max(longest, probe.span.bytes);
  return longest;
}

void run_probes(std::span<const Probe> probes, std::span<const Level> levels, double seconds, ProbeTeam& team,
                std::span<double> best) {
  const auto start = Clock::now();
  struct Turn {
    Repetition repetition{kRepetitionNs};
    double spent = 0;
    int count = 0;
  };
  std::vector<Turn> turns(probes.size());
  while (true) {
    const bool late = seconds_since(start) >= seconds;
    std::optional<std::size_t> next;
    for (std::size_t p = 0; p < probes.size(); ++p) {
      const int least = probes[p].quantity == Quantity::span ? kMinRepetitionsOfSpans : kMinRepetitions;
      if (late && turns[p].count >= least) continue;
      if (!next || turns[p].spent < turns[*next].spent) next = p;
    }
    if (!next) return;
    const auto begin = Clock::now();
    Turn& turn = turns[*next];
    const Reading reading = turn.repetition.once(probes[*next], levels, team);
    if (reading.nanoseconds > 0) best[*next] = std::max(best[*next], reading.units / reading.nanoseconds);
    turn.spent += seconds_since(begin) / (probes[*next].quantity == Quantity::span ? kTimeOfSpans : 1);
    ++turn.count;
  }
}

std::vector<report::VectorCeilings> widths_of(std::span<const Probe> probes, std::span<const Level> levels, int threads,
                                              std::span<const double> best) {
  std::vector<report::VectorCeilings> widths;
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const auto known = std::ranges::find(widths, probes[p].kernels->name, &report::VectorCeilings::vectors);
    report::VectorCeilings& width = known == widths.end() ? widths.emplace_back() : *known;
    if (width.bits == 0) {
      width.vectors = probes[p].kernels->name;
      width.bits = probes[p].kernels->bits;
      for (const Level& level : levels) {
        width.levels.push_back({level.name, level.capacity_bytes, level.span_bytes, 0, 0, 0});
      }
    }
    store(probes[p], threads, best[p], width);
  }
  if (!widths.empty() && has_unmeasured_bf16()) widths.back().bf16_gflop_per_second = 0;
  return widths;
}

}  // namespace gdbench::machine
