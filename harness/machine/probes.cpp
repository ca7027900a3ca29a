#include "harness/machine/probes.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

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

const ScalarTypeLoops& loops_of(const Probe& probe) { return probe.f64 ? probe.kernels->f64 : probe.kernels->f32; }

// Null for what is no function.
FunctionLoop function_of(const Probe& probe) {
  const ScalarTypeLoops& loops = loops_of(probe);
  switch (probe.quantity) {
    case Quantity::exponential:
      return loops.exponential;
    case Quantity::division:
      return loops.division;
    case Quantity::root:
      return loops.root;
    case Quantity::refined_division:
      return loops.refined_division;
    case Quantity::refined_root:
      return loops.refined_root;
    default:
      return nullptr;
  }
}

constexpr Quantity kFunctions[] = {Quantity::exponential, Quantity::division, Quantity::root,
                                   Quantity::refined_division, Quantity::refined_root};

MemoryLoop memory_loop_of(const Probe& probe) {
  if (probe.quantity == Quantity::update) return probe.kernels->update[1][0];
  if (probe.quantity == Quantity::span && probe.span.written > 0) {
    return probe.kernels->update[probe.span.read_only > 0 ? 1 : 0][probe.span.written - 1];
  }
  return probe.kernels->read[static_cast<std::size_t>(probe.streams - 1)];
}

std::int64_t compute(const Probe& probe, std::int64_t iterations) {
  const ScalarTypeLoops& loops = loops_of(probe);
  const ArithmeticLoop loop = probe.quantity == Quantity::fma_rate      ? loops.fma_rate
                              : probe.quantity == Quantity::bf16_rate   ? probe.kernels->bf16_rate
                              : probe.quantity == Quantity::fma_latency ? loops.fma_latency
                                                                        : loops.addition_latency;
  const int lanes = probe.kernels->bits / (probe.f64 ? 64 : 32);
  // A half and one converge to two: neither overflow nor denormals.
  volatile double result = loop(iterations, 0.5, 1);
  static_cast<void>(result);
  const int operations = probe.quantity == Quantity::fma_rate    ? 2 * probe.kernels->rate_accumulators * lanes
                         : probe.quantity == Quantity::bf16_rate ? 4 * probe.kernels->rate_accumulators * lanes
                                                                 : kChainLength;
  return iterations * operations;
}

// Repeats one probe with a length that it finds at the first call.
class Repetition {
 public:
  Reading once(const Probe& probe, std::span<const Level> levels, ProbeTeam& team) {
    const auto nothing = [](const Part&) {};
    if (const FunctionLoop function = function_of(probe)) {
      return until_long_enough(team, nothing, [&](const Part& part) { return function(part.scratch, length_ * 16); });
    }
    switch (probe.quantity) {
      case Quantity::read:
      case Quantity::update:
        return of_level(probe, levels[probe.level], team);
      case Quantity::span:
        return of_span(probe, team);
      default:
        return until_long_enough(team, nothing, [&](const Part&) { return compute(probe, length_ * 256); });
    }
  }

 private:
  Reading of_level(const Probe& probe, const Level& level, ProbeTeam& team) {
    const MemoryLoop loop = memory_loop_of(probe);
    const auto nothing = [](const Part&) {};
    const auto passes = [&](const Part& part) {
      return loop(part.begin(offset_, level.pass_bytes), part.share(level.pass_bytes), length_, Order::forward);
    };
    if (level.span_bytes == level.pass_bytes) return until_long_enough(team, nothing, passes);
    // Each pass takes the next part of the span, so that a large last-level cache has dropped it since the last visit.
    const Reading reading = team.time(nothing, passes);
    offset_ = offset_ + 2 * level.pass_bytes <= level.span_bytes ? offset_ + level.pass_bytes : 0;
    return reading;
  }

  // After a pass that leaves the caches as a step leaves them to the next one. Turning passes miss them least: what
  // caches of C bytes keep of a span of W, they need not fetch again, and only W - C comes from beyond.
  Reading of_span(const Probe& probe, ProbeTeam& team) {
    const MemoryLoop loop = memory_loop_of(probe);
    const std::int64_t bytes = probe.span.bytes;
    return until_long_enough(
        team, [&](const Part& part) { loop(part.begin(0, bytes), part.share(bytes), 1, Order::forward); },
        [&](const Part& part) { return loop(part.begin(0, bytes), part.share(bytes), length_, Order::turning); });
  }

  Reading until_long_enough(ProbeTeam& team, const std::function<void(const Part&)>& warm_up,
                            const std::function<std::int64_t(const Part&)>& timed) {
    Reading reading = team.time(warm_up, timed);
    while (!calibrated_ && reading.nanoseconds < kRepetitionNs) {
      length_ *= 2;
      reading = team.time(warm_up, timed);
    }
    calibrated_ = true;
    return reading;
  }

  std::int64_t length_ = 1;
  std::int64_t offset_ = 0;
  bool calibrated_ = false;
};

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
      width.bf16_gflop_per_second = best;
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
    Repetition repetition;
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
