// What is known of a program before it is compiled: what its loops take, and that they may be straight lines as well.
#include "implementations/backends/jit/loops/cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "implementations/backends/jit/loops/builder.h"
#include "implementations/backends/jit/loops/check.h"
#include "implementations/backends/jit/loops/unroll.h"

namespace gdbench::backends::jit {
namespace {

const CoreModel kCore;
constexpr int kLanes = 8;
constexpr Type kVector{Scalar::f32, kLanes};

ArrayId floats(Builder& builder, std::int64_t size) {
  return builder.array({"x", Scalar::f32, 0, 0, size, sizeof(float)});
}

// In each step `sweeps` times over x, whose vectors are added to one of `sums`.
Program sum_program(std::int64_t size, std::int64_t sweeps, std::int64_t sums) {
  Program program;
  program.name = "sums";
  Builder builder(program);
  const ArrayId x = floats(builder, size);
  std::vector<VariableId> variables;
  for (std::int64_t i = 0; i < sums; ++i) {
    variables.push_back(builder.variable(kVector));
    builder.set(variables.back(), builder.constant(kVector, 0));
  }
  builder.steps([&](const Affine&) {
    builder.loop(0, sweeps, 1, [&](const Affine&) {
      builder.note("a sweep");
      builder.loop(0, size, sums * kLanes, [&](const Affine& first) {
        for (std::int64_t i = 0; i < sums; ++i) {
          const VariableId sum = variables[static_cast<std::size_t>(i)];
          builder.set(sum, builder.add(builder.get(sum), builder.load({x, first + Affine(i * kLanes)}, kLanes)));
        }
      });
    });
  });
  return program;
}

TEST(JitCostTest, CountsInstructionsByTheirLoops) {
  const Cost cost = cost_of(sum_program(1024, 10, 8), kCore);
  const double additions = 10 * 128 / kCore.arithmetic_per_cycle;
  EXPECT_GE(cost.instruction_cycles, additions);
  EXPECT_LE(cost.instruction_cycles, additions + 11 * kCore.cycles_per_loop);
  ASSERT_EQ(cost.noted_cycles.size(), 1U);
  EXPECT_EQ(cost.noted_cycles[0].first, "a sweep");
  EXPECT_NEAR(cost.noted_cycles[0].second, cost.instruction_cycles, kCore.cycles_per_loop);
}

TEST(JitCostTest, AdditionsToOneSumWaitForEachOther) {
  const double waiting = cost_of(sum_program(1024, 10, 1), kCore).instruction_cycles;
  EXPECT_GE(waiting, 10 * 128 * kCore.addition_latency);
}

TEST(JitCostTest, BytesComeFromWhereTheyAreKept) {
  const auto first = static_cast<std::int64_t>(kCore.first_cache.bytes) / 4;
  const auto second = static_cast<std::int64_t>(kCore.second_cache.bytes) / 4;
  const Cost small = cost_of(sum_program(first / 2, 10, 8), kCore);
  EXPECT_EQ(small.second_cache_bytes, 0);
  EXPECT_EQ(small.beyond_bytes, 0);
  const Cost middle = cost_of(sum_program(second / 2, 10, 8), kCore);
  EXPECT_EQ(middle.second_cache_bytes, 10 * kCore.second_cache.bytes / 2);
  EXPECT_EQ(middle.beyond_bytes, 0);
  const Cost large = cost_of(sum_program(4 * second, 10, 8), kCore);
  EXPECT_EQ(large.beyond_bytes, 10 * kCore.second_cache.bytes * 4);
  EXPECT_GE(large.cycles, large.beyond_bytes / kCore.beyond_bytes_per_cycle);
}

// In each step `sweeps` times over `rows` vectors that are `stride` entries apart, fetched ahead or not.
Program strided_program(std::int64_t rows, std::int64_t stride, std::int64_t sweeps, bool fetches) {
  Program program;
  program.name = "strided";
  Builder builder(program);
  const ArrayId x = floats(builder, rows * stride);
  const VariableId sum = builder.variable(kVector);
  builder.set(sum, builder.constant(kVector, 0));
  builder.steps([&](const Affine&) {
    builder.loop(0, sweeps, 1, [&](const Affine&) {
      builder.loop(0, rows, 1, [&](const Affine& row) {
        if (fetches) builder.prefetch({x, row * stride + Affine(8 * stride)});
        builder.set(sum, builder.add(builder.get(sum), builder.load({x, row * stride}, kLanes)));
      });
    });
  });
  return program;
}

TEST(JitCostTest, StridesOfPagesShareFewSetsOfACache) {
  // 64 lines are little for a cache of 512, but where all of them are a multiple of its sets apart, it keeps 8.
  const double period = kCore.first_cache.bytes / kCore.first_cache.ways / 4;
  const auto stride = static_cast<std::int64_t>(period);
  const Cost shared = cost_of(strided_program(64, stride, 10, false), kCore);
  const Cost spread = cost_of(strided_program(64, stride + 16, 10, false), kCore);
  EXPECT_EQ(spread.second_cache_bytes, 0);
  EXPECT_EQ(shared.second_cache_bytes, 10 * 64 * kLanes * 4);
  EXPECT_EQ(shared.unfetched_bytes, 0);  // the second cache has them
}

TEST(JitCostTest, MostOfWhatIsFetchedAheadIsHidden) {
  // Close enough that a processor fetches by itself, and more than the first cache holds.
  const Cost alone = cost_of(strided_program(4096, 32, 10, false), kCore);
  const Cost fetched = cost_of(strided_program(4096, 32, 10, true), kCore);
  EXPECT_EQ(alone.fetched_bytes, 0);
  EXPECT_GT(fetched.fetched_bytes, 0);
  EXPECT_LE(fetched.fetched_bytes, fetched.second_cache_bytes);
  const auto late = [](const Cost& cost) { return cost.cycles - cost.instruction_cycles; };
  EXPECT_NEAR(late(alone), alone.second_cache_bytes / kCore.second_cache_bytes_per_cycle, 1e-6);
  EXPECT_NEAR(late(fetched),
              (fetched.second_cache_bytes - kCore.hidden_part_of_fetched * fetched.fetched_bytes) /
                  kCore.second_cache_bytes_per_cycle,
              1e-6);
}

TEST(JitCostTest, WhatNobodyFetchesIsWaitedFor) {
  const auto lines = static_cast<std::int64_t>(kCore.second_cache.bytes) / 64;
  const Cost waited = cost_of(strided_program(lines, 1024, 3, false), kCore);
  const Cost fetched = cost_of(strided_program(lines, 1024, 3, true), kCore);
  EXPECT_EQ(waited.unfetched_bytes, 3.0 * static_cast<double>(lines) * 64);
  EXPECT_EQ(fetched.unfetched_bytes, 0);
  EXPECT_GT(waited.cycles, fetched.cycles);
}

TEST(JitUnrollTest, LongLoopsAndStepsStay) {
  Program steps = sum_program(1024, 2, 8);
  EXPECT_EQ(unroll_short_loops(steps, 100), 0);
  Program both = sum_program(8 * kLanes * 3, 2, 8);
  EXPECT_EQ(unroll_short_loops(both, 150), 2);  // the inner loop, and then the outer one
  EXPECT_EQ(program_error(both), "");
  EXPECT_TRUE(both.body.back().loop->over_steps);
}

}  // namespace
}  // namespace gdbench::backends::jit
