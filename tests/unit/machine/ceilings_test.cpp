#include "harness/machine/ceilings.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace gdbench::machine {
namespace {

using nlohmann::json;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

std::string environment_with(const json& caches) { return json{{"cpu", {{"caches", caches}}}}.dump(); }

TEST(CacheSizes, AreThoseOfTheDataCaches) {
  const CacheSizes sizes = cache_sizes(environment_with({{{"level", 1}, {"type", "Data"}, {"bytes", 32 * kKiB}},
                                                         {{"level", 1}, {"type", "Instruction"}, {"bytes", 64 * kKiB}},
                                                         {{"level", 2}, {"type", "Unified"}, {"bytes", 512 * kKiB}},
                                                         {{"level", 3}, {"type", "Unified"}, {"bytes", 32 * kMiB}}}));
  EXPECT_EQ(sizes.l1, 32 * kKiB);
  EXPECT_EQ(sizes.l2, 512 * kKiB);
  EXPECT_EQ(sizes.l3, 32 * kMiB);
}

TEST(CacheSizes, AreZeroWhereTheMachineDoesNotSay) {
  for (const std::string& environment :
       {std::string("{}"), environment_with(nullptr), environment_with({{{"level", nullptr}, {"bytes", 5}}}),
        environment_with({{{"level", 2}, {"bytes", nullptr}}, 7, {{"level", 9}, {"bytes", 5}}})}) {
    const CacheSizes sizes = cache_sizes(environment);
    EXPECT_EQ(sizes.l1 + sizes.l2 + sizes.l3, 0) << environment;
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
}

TEST(Levels, AreOnlyThoseThatTheMachineHas) {
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
  for (const VectorKernels* kernels : kVectorKernels) {
    if (!kernels->supported()) continue;
    for (const MemoryLoop read : kernels->read) {
      const std::int64_t bytes = read(buffer, kBytes, 3);
      EXPECT_LE(bytes, 3 * kBytes) << kernels->name;
      EXPECT_GT(bytes, 3 * (kBytes - kMaxLeftOut)) << kernels->name;
    }
    EXPECT_EQ(kernels->update(buffer, kBytes, 2), 2 * kBytes / 2 * 3) << kernels->name;
  }
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](float value) { return value == 2; }));
}

TEST(Kernels, ComputeWhatTheyClaim) {
  for (const VectorKernels* kernels : kVectorKernels) {
    if (!kernels->supported()) continue;
    for (const bool f64 : {false, true}) {
      const ScalarTypeLoops& loops = f64 ? kernels->f64 : kernels->f32;
      const int lanes = kernels->bits / (f64 ? 64 : 32);
      // x <- x / 2 + 1 converges to 2 from anywhere.
      EXPECT_EQ(loops.fma_rate(100, 0.5, 1), 2.0 * kRateAccumulators * lanes) << kernels->name;
      EXPECT_EQ(loops.fma_latency(100, 0.5, 1), 2) << kernels->name;
      EXPECT_EQ(loops.fma_latency(1, 2, 1), 31) << kernels->name << ": four times x <- 2 x + 1 from 1";
      EXPECT_EQ(loops.addition_latency(10, 5, 1), 5 + 10 * kChainLength) << kernels->name;
    }
  }
}

TEST(Widths, AreReadFromTheProbesInTheirPlaces) {
  const std::vector<Level> levels = levels_of({32 * kKiB, 512 * kKiB, 0}, 8 * kMiB);
  const std::vector<Probe> probes = probes_of(levels);
  std::vector<double> best(probes.size());
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const Probe& probe = probes[p];
    best[p] = probe.quantity == Quantity::read       ? 100.0 * static_cast<double>(probe.level + 1) + probe.streams % 4
              : probe.quantity == Quantity::update   ? 7
              : probe.quantity == Quantity::fma_rate ? (probe.f64 ? 50 : 100)
                                                     : 4;
  }
  const std::vector<report::VectorCeilings> widths = widths_of(probes, levels, best);
  ASSERT_FALSE(widths.empty());
  for (const report::VectorCeilings& width : widths) {
    EXPECT_EQ(width.fma_f32_gflop_per_second, 100);
    EXPECT_EQ(width.fma_f64_gflop_per_second, 50);
    EXPECT_EQ(width.fma_f64_latency_ns, 0.25);
    EXPECT_EQ(width.addition_f32_latency_ns, 0.25);
    ASSERT_EQ(width.levels.size(), 3U);
    EXPECT_EQ(width.levels[1].read_gb_per_second, 203);
    EXPECT_EQ(width.levels[1].read_streams, 3);
    EXPECT_EQ(width.levels[2].update_gb_per_second, 7);
    EXPECT_EQ(width.levels[0].capacity_bytes, 32 * kKiB);
  }
}

int first_allowed_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  int processor = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(processor), &set)) ++processor;
  return processor;
}

CeilingOptions short_options() {
  CeilingOptions options;
  options.processor = first_allowed_processor();
  options.caches = {32 * kKiB, 256 * kKiB, 2 * kMiB};
  options.seconds = 0.01;
  options.memory_bytes = 4 * kMiB;
  return options;
}

TEST(Ceilings, HaveTheWidthsThatTheProcessorHas) {
  const Result<report::CeilingsMeasurement> measured = measure_ceilings(short_options());
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  std::set<std::string> expected = {"sse2"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) expected.insert("avx2");
  if (__builtin_cpu_supports("avx512f")) expected.insert("avx512f");
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
  CeilingOptions options = short_options();
  options.processor = CPU_SETSIZE - 1;
  EXPECT_EQ(measure_ceilings(options).error().message,
            "ceilings: processor " + std::to_string(CPU_SETSIZE - 1) + " cannot be used");
  options = short_options();
  options.processor = -1;
  EXPECT_EQ(measure_ceilings(options).error().message, "ceilings: processor -1 cannot be used");
  options = short_options();
  options.memory_bytes = std::int64_t{1} << 50;
  EXPECT_EQ(measure_ceilings(options).error().message, "ceilings: not enough memory");
}

TEST(Ceilings, CanBeCancelled) {
  CeilingOptions options = short_options();
  options.seconds = 60;
  options.cancelled = [] { return true; };
  const Result<report::CeilingsMeasurement> measured = measure_ceilings(options);
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().message, "ceilings: interrupted");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

}  // namespace
}  // namespace gdbench::machine
