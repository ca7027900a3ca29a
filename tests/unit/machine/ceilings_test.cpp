#include "harness/machine/ceilings.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "harness/machine/ceiling_probe.h"
#include "tests/support/implementations/processors.h"

namespace gdbench::machine {
namespace {

using nlohmann::json;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

std::string environment_with(const json& caches) { return json{{"cpu", {{"caches", caches}}}}.dump(); }

TEST(CacheSizes, AreThoseOfTheDataCachesOr0WhereTheMachineDoesNotSay) {
  const CacheSizes sizes = cache_sizes(environment_with({{{"level", 1}, {"type", "Data"}, {"bytes", 32 * kKiB}},
                                                         {{"level", 1}, {"type", "Instruction"}, {"bytes", 64 * kKiB}},
                                                         {{"level", 2}, {"type", "Unified"}, {"bytes", 512 * kKiB}},
                                                         {{"level", 3}, {"type", "Unified"}, {"bytes", 32 * kMiB}}}));
  EXPECT_EQ(sizes.l1, 32 * kKiB);
  EXPECT_EQ(sizes.l2, 512 * kKiB);
  EXPECT_EQ(sizes.l3, 32 * kMiB);
  for (const std::string& environment :
       {std::string("{}"), environment_with(nullptr), environment_with({{{"level", nullptr}, {"bytes", 5}}}),
        environment_with({{{"level", 2}, {"bytes", nullptr}}, 7, {{"level", 9}, {"bytes", 5}}})}) {
    const CacheSizes none = cache_sizes(environment);
    EXPECT_EQ(none.l1 + none.l2 + none.l3, 0) << environment;
  }
}

TEST(Levels, HaveWorkingSetsThatFitThemAndNotTheCloserOne) {
  for (const CacheSizes& sizes :
       {CacheSizes{48 * kKiB, 2 * kMiB, 480 * kMiB}, CacheSizes{32 * kKiB, kMiB, 16 * kMiB}}) {
    const std::vector<Level> levels = levels_of(sizes, 256 * kMiB);
    ASSERT_EQ(levels.size(), 4U);
    EXPECT_EQ(levels[0].name, "L1");
    EXPECT_EQ(levels[3].name, "memory");
    EXPECT_EQ(levels[0].pass_bytes, sizes.l1 / 2);
    EXPECT_EQ(levels[1].pass_bytes, sizes.l2 / 2);
    EXPECT_GT(levels[2].pass_bytes, 2 * sizes.l2);
    EXPECT_LE(levels[2].pass_bytes, std::min(sizes.l3, 32 * kMiB) / 2);
    EXPECT_EQ(levels[3].span_bytes, 256 * kMiB);
    for (const Level& level : levels) EXPECT_EQ(level.span_bytes % level.pass_bytes, 0) << level.name;
  }
  // Only those that the machine has.
  const std::vector<Level> levels = levels_of({32 * kKiB, 0, 0}, kMiB);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[1].name, "memory");
  EXPECT_GE(levels[1].span_bytes, 2 * levels[1].pass_bytes);
}

TEST(Kernels, ReadAndUpdateWhatTheyWereGiven) {
  std::vector<float> memory(16384 + 16, 2);
  auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  auto* buffer = reinterpret_cast<std::byte*>((address + 63) / 64 * 64);
  constexpr std::int64_t kBytes = 65536;
  constexpr std::int64_t kMaxLeftOut = 4096;
  for (const VectorKernels* kernels : vector_kernels()) {
    if (!kernels->supported()) continue;
    for (const Order order : {Order::forward, Order::turning}) {
      for (const MemoryLoop read : kernels->read) {
        const std::int64_t bytes = read(buffer, kBytes, 3, order);
        EXPECT_LE(bytes, 3 * kBytes) << kernels->name;
        EXPECT_GT(bytes, 3 * (kBytes - kMaxLeftOut)) << kernels->name;
      }
      for (int read_only = 0; read_only < 2; ++read_only) {
        for (int written = 1; written <= kMaxWritten; ++written) {
          const std::int64_t bytes = kernels->update[read_only][written - 1](buffer, kBytes, 3, order);
          const std::int64_t all = 3 * kBytes * (read_only + 2 * written) / (read_only + written);
          EXPECT_LE(bytes, all) << kernels->name;
          EXPECT_GT(bytes, all - 6 * kMaxLeftOut) << kernels->name;
        }
      }
    }
  }
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](float value) { return value == 2; }));
}

#if defined(__x86_64__)
constexpr double kFourMultiplyAdds = 31;  // x <- 2 x + 1 from 1
#else
constexpr double kFourMultiplyAdds = 9;  // x <- x + 2 from 1
#endif

TEST(Kernels, ComputeWhatTheyClaim) {
  for (const VectorKernels* kernels : vector_kernels()) {
    if (!kernels->supported()) continue;
    for (const bool f64 : {false, true}) {
      const ScalarTypeLoops& loops = f64 ? kernels->f64 : kernels->f32;
      const int lanes = kernels->bits / (f64 ? 64 : 32);
      // From 1, 2, 3 and so on, 100 times one more.
      const int accumulators = kernels->rate_accumulators;
      EXPECT_EQ(loops.fma_rate(100, 1, 1), lanes * accumulators * (100 + (accumulators + 1) / 2.0)) << kernels->name;
      EXPECT_EQ(loops.fma_latency(100, 1, 1), 1 + 100 * kChainLength) << kernels->name;
      EXPECT_EQ(loops.fma_latency(1, 2, 1), kFourMultiplyAdds) << kernels->name;
      EXPECT_EQ(loops.addition_latency(10, 5, 1), 5 + 10 * kChainLength) << kernels->name;
    }
  }
}

// From 1, in 16 x 16 entries of four tiles, 32 products of 1/4 and 1/4 each time.
TEST(Kernels, MultiplyTiles) {
  bool found = false;
  for (const VectorKernels* kernels : vector_kernels()) {
    if (!kernels->supported() || kernels->tile_rate == nullptr || !kernels->multiplies_tiles()) continue;
    found = true;
    EXPECT_EQ(kernels->tile_rate(100, 0.5, 1), 4 * 16 * 16 * (1 + 100 * 32 / 16.0));
  }
  if (!found) GTEST_SKIP() << "needs AMX, and a Linux that lets it be used";
}

// Every entry of the second half of the function's memory, computed from x.
template <class T>
std::vector<T> results_of(FunctionLoop function, T x) {
  alignas(64) std::byte memory[kFunctionBytes];
  auto* values = reinterpret_cast<T*>(memory);
  constexpr std::int64_t kEntries = kFunctionBytes / 2 / static_cast<std::int64_t>(sizeof(T));
  std::fill_n(values, 2 * kEntries, x);
  EXPECT_EQ(function(memory, 3), 3 * kEntries);
  return {values + kEntries, values + 2 * kEntries};
}

template <class T>
void expect_functions(const VectorKernels& kernels, const ScalarTypeLoops& loops) {
  const auto expect_near = [&](FunctionLoop function, const char* name, T x, double expected) {
    if (function == nullptr) return;
    constexpr double kUnits = 8;  // in the last place
    for (const T result : results_of(function, x)) {
      ASSERT_NEAR(result, expected, kUnits * std::numeric_limits<T>::epsilon() * expected)
          << kernels.name << ": " << name << " of " << x;
    }
  };
  for (const T x : {T(0.001), T(0.747), T(1), T(3.25), T(9.5)}) {
    const double exact = x;
    const double numerator = static_cast<T>(0.6180339887498949);
    expect_near(loops.exponential, "exponential", x, std::exp(exact));
    expect_near(loops.division, "division", x, numerator / exact);
    expect_near(loops.root, "root", x, std::sqrt(exact));
    expect_near(loops.refined_division, "refined division", x, numerator / exact);
    expect_near(loops.refined_root, "refined root", x, std::sqrt(exact));
  }
}

TEST(Kernels, ComputeFunctions) {
  for (const VectorKernels* kernels : vector_kernels()) {
    if (!kernels->supported()) continue;
    expect_functions<float>(*kernels, kernels->f32);
    expect_functions<double>(*kernels, kernels->f64);
  }
}

TEST(Probes, HaveEachSpanOnceAndNoneThatALevelHas) {
  const std::vector<Level> levels = levels_of({32 * kKiB, 512 * kKiB, 0}, 8 * kMiB);
  const std::vector<Probe> probes =
      probes_of(levels, {{100, 1, 0}, {100, 1, 3}, {200, 1, 3}, {kMiB, 1, 0}, {100 * kMiB, 0, 1}});
  std::set<std::tuple<std::int64_t, int, int>> spans;
  std::size_t count = 0;
  for (const Probe& probe : probes) {
    if (probe.quantity != Quantity::span) continue;
    ++count;
    spans.insert({probe.span.bytes, probe.span.read_only, probe.span.written});
  }
  EXPECT_EQ(spans, (std::set<std::tuple<std::int64_t, int, int>>{{16 * kKiB, 1, 3}, {kMiB, 1, 0}, {8 * kMiB, 0, 1}}));
  EXPECT_EQ(count, 2U + kMaxStreams);
  EXPECT_EQ(buffer_bytes(probes, levels), 8 * kMiB);
}

TEST(Widths, AreReadFromTheProbesInTheirPlaces) {
  const std::vector<Level> levels = levels_of({32 * kKiB, 512 * kKiB, 0}, 8 * kMiB);
  const std::vector<Probe> probes = probes_of(levels, {{kMiB, 1, 0}, {kMiB, 1, 2}});
  std::vector<double> best(probes.size());
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const Probe& probe = probes[p];
    best[p] = probe.quantity == Quantity::read       ? 100.0 * static_cast<double>(probe.level + 1) + probe.streams % 4
              : probe.quantity == Quantity::update   ? 7
              : probe.quantity == Quantity::fma_rate ? (probe.f64 ? 50 : 100)
              : probe.quantity == Quantity::span     ? 30.0 + probe.streams + probe.span.written
              : probe.quantity == Quantity::root     ? (probe.f64 ? 2 : 3)
                                                     : 4;
  }
  const std::vector<report::VectorCeilings> widths = widths_of(probes, levels, 2, best);
  ASSERT_FALSE(widths.empty());
  for (const report::VectorCeilings& width : widths) {
    EXPECT_EQ(width.fma_f32_gflop_per_second, 100);
    EXPECT_EQ(width.fma_f64_gflop_per_second, 50);
    EXPECT_EQ(width.fma_f64_latency_ns, 0.5) << "two threads make four a nanosecond";
    EXPECT_EQ(width.addition_f32_latency_ns, 0.5);
    EXPECT_EQ(width.functions_f32->roots_per_ns, 3);
    EXPECT_EQ(width.functions_f64->roots_per_ns, 2);
    EXPECT_EQ(width.functions_f32->refined_divisions_per_ns, 4);
    ASSERT_EQ(width.levels.size(), 3U);
    EXPECT_EQ(width.levels[1].read_gb_per_second, 203);
    EXPECT_EQ(width.levels[1].read_streams, 3);
    EXPECT_EQ(width.levels[2].update_gb_per_second, 7);
    EXPECT_EQ(width.levels[0].capacity_bytes, 32 * kKiB);
    EXPECT_EQ(width.spans.has_value(), &width == &widths.back()) << "of the widest alone";
  }
  ASSERT_EQ(widths.back().spans->size(), 2U);
  EXPECT_EQ(widths.back().spans->front().gb_per_second, 34) << "the best of four streams";
  EXPECT_EQ(widths.back().spans->back().gb_per_second, 33);
  EXPECT_EQ(widths.back().spans->back().span, (report::Span{kMiB, 1, 2}));
}

CeilingOptions short_options() {
  CeilingOptions options;
  options.processors = {allowed_processors().front()};
  options.caches = {32 * kKiB, 256 * kKiB, 2 * kMiB};
  options.seconds = 0.01;
  options.memory_bytes = 4 * kMiB;
  return options;
}

TEST(Ceilings, HaveTheWidthsThatTheProcessorHas) {
  const Result<report::CeilingsMeasurement> measured = measure_ceilings(short_options());
  ASSERT_TRUE(measured.ok()) << measured.error().message;
#if defined(__x86_64__)
  std::set<std::string> expected = {"sse2"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) expected.insert("avx2");
  if (__builtin_cpu_supports("avx512f")) expected.insert("avx512f");
#else
  std::set<std::string> expected = {"neon"};
  for (const int bits : {256, 512}) {
    const bool has = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) == bits / 8;
    if (has) expected.insert("sve" + std::to_string(bits));
  }
#endif
  std::set<std::string> found;
  for (const report::VectorCeilings& width : measured->widths) {
    found.insert(width.vectors);
    for (const double figure :
         {width.fma_f32_gflop_per_second, width.fma_f64_gflop_per_second, width.fma_f32_latency_ns,
          width.fma_f64_latency_ns, width.addition_f32_latency_ns, width.addition_f64_latency_ns}) {
      EXPECT_GT(figure, 0) << width.vectors;
      EXPECT_LT(figure, 1e5) << width.vectors;
    }
    ASSERT_EQ(width.levels.size(), 4U);
    for (const report::LevelCeiling& level : width.levels) {
      EXPECT_GT(level.read_gb_per_second, 0) << level.level;
      EXPECT_GT(level.update_gb_per_second, 0) << level.level;
      EXPECT_GE(level.read_streams, 1) << level.level;
      EXPECT_LE(level.read_streams, kMaxStreams) << level.level;
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(Ceilings, OfSpansAndOfSeveralThreads) {
  const std::vector<int> allowed = allowed_processors();
  if (allowed.size() < 2) GTEST_SKIP() << "one processor";
  CeilingOptions options = short_options();
  options.processors = {allowed[1], allowed[0]};
  options.spans = {{kMiB, 1, 0}, {3 * kMiB, 1, 3}};
  const Result<report::CeilingsMeasurement> measured = measure_ceilings(options);
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured->threads, 2);
  const report::VectorCeilings& widest = measured->widths.back();
  EXPECT_EQ(widest.levels[0].capacity_bytes, 64 * kKiB) << "two caches";
  EXPECT_GT(widest.functions_f32->exponentials_per_ns, 0);
  ASSERT_TRUE(widest.spans.has_value());
  ASSERT_EQ(widest.spans->size(), 2U);
  for (const report::SpanCeiling& span : *widest.spans) EXPECT_GT(span.gb_per_second, 0);
}

TEST(Ceilings, LeaveThisProcessWhereItWas) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  ASSERT_TRUE(measure_ceilings(short_options()).ok());
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST(Ceilings, SayWhatWentWrong) {
  const auto message = [](int processor, std::int64_t memory_bytes, bool (*cancelled)() = nullptr) {
    CeilingOptions options = short_options();
    options.processors = {processor};
    options.memory_bytes = memory_bytes;
    options.cancelled = cancelled;
    options.seconds = 60;
    return measure_ceilings(options).error().message;
  };
  const int allowed = allowed_processors().front();
  const std::string last = std::to_string(CPU_SETSIZE - 1);
  EXPECT_EQ(message(CPU_SETSIZE - 1, 4 * kMiB), "ceilings: processor " + last + " cannot be used");
  EXPECT_EQ(message(-1, 4 * kMiB), "ceilings: processor -1 cannot be used");
  EXPECT_EQ(message(allowed, std::int64_t{1} << 50), "ceilings: not enough memory");
  EXPECT_EQ(message(allowed, 4 * kMiB, [] { return true; }), "ceilings: interrupted");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

constexpr auto kNever = [] { return false; };

std::vector<FloorFigures> figures_of(std::vector<int> processors) {
  FloorFigures figures;
  figures.processors = std::move(processors);
  figures.f64 = {false};
  figures.divisions = true;
  figures.spans = {{64 * kKiB, 1, 0}, {3 * kMiB, 0, 2}};
  return {figures};
}

TEST(CeilingProbe, MeasuresWhatFloorsNeedWheneverItIsAsked) {
  {
    const std::vector<int> allowed = allowed_processors();
    std::vector<FloorFigures> teams = figures_of({allowed.front()});
    if (allowed.size() > 1) teams.push_back(figures_of({allowed[1], allowed[0]}).front());
    Result<CeilingProbe> probe = CeilingProbe::start(teams);
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    ASSERT_TRUE(probe->measure(false, kNever).ok());
    EXPECT_EQ(probe->measurements().front().widths.back().fma_f32_gflop_per_second, 0) << "it warmed up";
    ASSERT_TRUE(probe->measure(true, kNever).ok());
    const std::vector<report::CeilingsMeasurement> measured = probe->measurements();
    ASSERT_EQ(measured.size(), teams.size());
    for (std::size_t t = 0; t < teams.size(); ++t) {
      EXPECT_EQ(measured[t].threads.value_or(1), static_cast<int>(teams[t].processors.size()));
      const report::VectorCeilings& widest = measured[t].widths.back();
      EXPECT_GT(widest.fma_f32_gflop_per_second, 0);
      EXPECT_GT(widest.addition_f32_latency_ns, 0);
      EXPECT_GT(widest.functions_f32->divisions_per_ns, 0);
      EXPECT_EQ(widest.functions_f32->exponentials_per_ns, 0) << "no floor needs it";
      EXPECT_EQ(widest.fma_f64_gflop_per_second, 0) << "likewise";
      ASSERT_EQ(widest.spans->size(), 2U);
      for (const report::SpanCeiling& span : *widest.spans) EXPECT_GT(span.gb_per_second, 0);
    }
    const double first = measured[0].widths.back().fma_f32_gflop_per_second;
    ASSERT_TRUE(probe->measure(true, kNever).ok());
    EXPECT_GE(probe->measurements()[0].widths.back().fma_f32_gflop_per_second, first) << "the best of all";
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST(CeilingProbe, SaysWhatWentWrong) {
  const auto message = [](std::vector<int> processors, std::int64_t bytes, const std::function<bool()>& cancelled) {
    std::vector<FloorFigures> figures = figures_of(std::move(processors));
    figures.front().spans = {{bytes, 1, 0}};
    Result<CeilingProbe> probe = CeilingProbe::start(figures);
    EXPECT_TRUE(probe.ok());
    return probe->measure(true, cancelled).error().message;
  };
  const int allowed = allowed_processors().front();
  EXPECT_EQ(message({CPU_SETSIZE - 1}, kMiB, kNever),
            "ceilings: processor " + std::to_string(CPU_SETSIZE - 1) + " cannot be used");
  EXPECT_EQ(message({allowed}, std::int64_t{1} << 50, kNever), "ceilings: not enough memory");
  EXPECT_EQ(message({allowed}, 512 * kMiB, [] { return true; }), "ceilings: interrupted");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

}  // namespace
}  // namespace gdbench::machine
