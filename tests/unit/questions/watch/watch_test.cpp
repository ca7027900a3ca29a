#include "harness/questions/watch/watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace gdbench::watch {
namespace {

constexpr std::int64_t kSteps = 50;  // of a block

// A training of `count` blocks, whose steps take 1000 ns but for 2% of scatter, before `change` spoils each.
report::Watched judged(
    int count, const std::function<void(int block, report::WatchedBlock& made)>& change = [](int, auto&) {}) {
  report::Watched watched{.scenario = "s", .implementation = "a/b", .control = "c/d", .margin = 0.1};
  std::mt19937_64 generator(5);
  std::normal_distribution<double> scatter(1, 0.02);
  for (int i = 0; i < count; ++i) {
    report::WatchedBlock block{.first = 100 + i * kSteps, .steps = kSteps};
    block.step_ns = 1000 * scatter(generator);
    block.control_ns = 300 * scatter(generator);
    block.own_bytes = (8 << 20) + (i % 3) * 4096;
    change(i, block);
    watched.blocks.push_back(block);
  }
  judge(watched);
  return watched;
}

TEST(Watch, NothingChanges) {
  const report::Watched watched = judged(200);
  EXPECT_EQ(watched.change, stats::Verdict::equivalent);
  ASSERT_EQ(watched.levels.size(), 1U);
  EXPECT_NEAR(watched.levels[0].step_ns, 1000, 10);
  EXPECT_FALSE(watched.memory.bytes_per_step);
  EXPECT_EQ(watched.pauses.blocks, 0);
}

TEST(Watch, StepsBecomeSlower) {
  const report::Watched watched = judged(200, [](int i, auto& block) { block.step_ns *= i < 120 ? 1 : 1.9; });
  EXPECT_EQ(watched.change, stats::Verdict::slower);
  ASSERT_EQ(watched.levels.size(), 2U);
  EXPECT_EQ(watched.levels[1].first, 100 + 120 * kSteps);
  EXPECT_EQ(watched.levels[0].end, watched.levels[1].first);
  EXPECT_NEAR(watched.levels[1].ratio, 1.9, 0.02);
  EXPECT_LT(watched.levels[1].ratio_interval.low, 1.9);
  EXPECT_GT(watched.levels[1].ratio_interval.high, 1.9);
}

TEST(Watch, StepsBecomeFaster) {
  EXPECT_EQ(judged(200, [](int i, auto& block) { block.step_ns *= i < 50 ? 1 : 0.7; }).change, stats::Verdict::faster);
}

TEST(Watch, WhatTheControlHasTooIsTheMachines) {
  const auto slow_machine = [](int i, auto& block) {
    block.step_ns *= i < 100 ? 1 : 1.5;
    block.control_ns = *block.control_ns * (i < 100 ? 1 : 1.5);
  };
  EXPECT_EQ(judged(200, slow_machine).change, stats::Verdict::equivalent);
  const auto without_control = [&](int i, auto& block) {
    slow_machine(i, block);
    block.control_ns.reset();
  };
  EXPECT_EQ(judged(200, without_control).change, stats::Verdict::slower);
}

TEST(Watch, ABurstOrLessThanTheMarginIsNoLevel) {
  const auto burst = [](int i, auto& block) { block.step_ns *= i >= 90 && i < 95 ? 2 : 1; };
  const auto little = [](int i, auto& block) { block.step_ns *= i < 100 ? 1 : 1.05; };
  for (const report::Watched& watched : {judged(200, burst), judged(200, little)}) {
    EXPECT_EQ(watched.levels.size(), 1U);
    EXPECT_EQ(watched.change, stats::Verdict::equivalent);
  }
}

TEST(Watch, BlocksThatWaitedDoNotCountUnlessTheyAreMost) {
  const auto disturbed_from = [](int first) {
    return [first](int i, auto& block) {
      block.step_ns *= i < first ? 1 : 2;
      block.waiting_ns = i < first ? 0 : block.step_ns * kSteps / 2;
    };
  };
  EXPECT_EQ(judged(200, disturbed_from(110)).change, stats::Verdict::equivalent);
  EXPECT_EQ(judged(200, disturbed_from(90)).change, stats::Verdict::slower);
}

TEST(Watch, ScatterIsUndecided) {
  std::mt19937_64 generator(7);
  std::lognormal_distribution<double> wide(0, 0.8);
  const report::Watched watched = judged(200, [&](int, auto& block) { block.step_ns *= wide(generator); });
  EXPECT_EQ(watched.change, stats::Verdict::inconclusive);
}

TEST(Watch, FewBlocksSayNothing) {
  const report::Watched watched = judged(14, [](int i, auto& block) {
    block.traces = i == 3 ? 2 : 0;
    if (i == 5) block.loss = std::numeric_limits<double>::infinity();
  });
  EXPECT_TRUE(watched.levels.empty());
  EXPECT_EQ(watched.change, stats::Verdict::inconclusive);
  EXPECT_EQ(watched.traces, 2);
  EXPECT_EQ(watched.last_trace, 100 + 3 * kSteps);
  EXPECT_EQ(watched.first_not_finite, 100 + 6 * kSteps);
}

TEST(Watch, MemoryThatGrowsWithTheSteps) {
  const report::Watched watched = judged(200, [](int i, auto& block) { block.own_bytes += i * kSteps * 1300; });
  ASSERT_TRUE(watched.memory.bytes_per_step);
  EXPECT_NEAR(*watched.memory.bytes_per_step, 1300, 5);
}

TEST(Watch, MemoryOnADeviceThatGrows) {
  EXPECT_FALSE(judged(200, [](int, auto&) {}).device_memory) << "no device";
  const report::Watched watched = judged(200, [](int i, auto& block) { block.device_bytes = i * kSteps * 900; });
  EXPECT_FALSE(watched.memory.bytes_per_step);
  EXPECT_TRUE(watched.keeps_growing());
  ASSERT_TRUE(watched.device_memory && watched.device_memory->bytes_per_step);
  EXPECT_NEAR(*watched.device_memory->bytes_per_step, 900, 5);
}

TEST(Watch, MemoryThatGrowsOnceDoesNotGrow) {
  const auto later = [](int first) {
    return [first](int i, auto& block) { block.own_bytes += i < first ? 0 : 64 << 20; };
  };
  for (const int first : {20, 70, 120, 180}) EXPECT_FALSE(judged(200, later(first)).memory.bytes_per_step) << first;
}

TEST(Watch, Pauses) {
  const report::Watched watched = judged(200, [](int i, auto& block) {
    block.step_ns *= i == 40 ? 5 : i == 150 ? 9 : 1;
  });
  EXPECT_EQ(watched.pauses.blocks, 2);
  EXPECT_EQ(watched.pauses.worst, 100 + 150 * kSteps);
  EXPECT_NEAR(watched.pauses.worst_ns, 8 * 1000.0 * kSteps, 0.1 * 8 * 1000 * kSteps);
  EXPECT_NEAR(watched.pauses.share, 12.0 / 212, 0.005);
  EXPECT_EQ(watched.levels.size(), 1U);
}

TEST(Watch, TheLastLookOfALevelIsItsOwn) {
  const report::Watched watched = judged(200, [](int i, auto& block) {
    block.step_ns *= i < 100 ? 1 : 2;
    if (i % 10 == 0) block.subnormals = {.state = i / 1000.0, .activations = 0, .gradients = 0};
  });
  ASSERT_EQ(watched.levels.size(), 2U);
  EXPECT_EQ(watched.levels[0].subnormals->state, 0.09);
  EXPECT_EQ(watched.levels[1].subnormals->state, 0.19);
}

}  // namespace
}  // namespace gdbench::watch
