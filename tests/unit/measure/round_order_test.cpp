#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/measure/scheduler.h"

namespace gdbench::measure {
namespace {

class RoundOrder : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t count_ = GetParam();
  const int rounds_ = static_cast<int>(GetParam());
};

TEST_P(RoundOrder, VisitsEveryCellOnce) {
  for (int round = 0; round < 3 * rounds_; ++round) {
    std::vector<std::size_t> order = round_order(count_, round, 2, 11);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < count_; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST_P(RoundOrder, PutsEveryCellIntoEveryPositionOnce) {
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (int round = 0; round < rounds_; ++round) {
    const std::vector<std::size_t> order = round_order(count_, round, 0, 5);
    for (std::size_t position = 0; position < count_; ++position) places.insert({position, order[position]});
  }
  EXPECT_EQ(places.size(), count_ * count_);
}

// First-order carry-over: how often each cell directly follows each other one.
TEST_P(RoundOrder, BalancesNeighbours) {
  const bool even = count_ % 2 == 0;
  std::map<std::pair<std::size_t, std::size_t>, int> follows;
  for (int round = 0; round < (even ? 1 : 2) * rounds_; ++round) {
    const std::vector<std::size_t> order = round_order(count_, round, 3, 7);
    for (std::size_t i = 0; i + 1 < count_; ++i) ++follows[{order[i], order[i + 1]}];
  }
  EXPECT_EQ(follows.size(), count_ * (count_ - 1));
  for (const auto& [pair, times] : follows) EXPECT_EQ(times, even ? 1 : 2) << pair.first << " before " << pair.second;
}

TEST_P(RoundOrder, IsRepeatedBySeedAndLaunch) {
  for (int round = 0; round < rounds_; ++round) {
    EXPECT_EQ(round_order(count_, round, 4, 9), round_order(count_, round, 4, 9));
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, RoundOrder, testing::Range(std::size_t{1}, std::size_t{10}));

TEST(RoundOrderSeeds, SeedAndLaunchChangeTheOrder) {
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (int launch = 0; launch < 5; ++launch) orders.insert(round_order(9, 0, launch, seed));
  }
  EXPECT_GT(orders.size(), 20U);
}

TEST(RoundOrderOfUnits, KeepsAUnitTogetherAndItsOrderBalanced) {
  const std::vector<std::size_t> units = {7, 7, 3, 9, 9, 9};
  std::map<std::pair<std::size_t, std::size_t>, int> first;
  for (int launch = 0; launch < 2; ++launch) {
    for (int round = 0; round < 6; ++round) {
      const std::vector<std::size_t> order = round_order(units, round, launch, 5);
      ASSERT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), units.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        const bool begins = i == 0 || units[order[i - 1]] != units[order[i]];
        if (begins) ++first[{units[order[i]], order[i]}];
      }
    }
  }
  int beginnings = 0;
  for (const auto& [cell, times] : first) {
    beginnings += times;
    EXPECT_EQ(times, cell.first == 7 ? 6 : cell.first == 3 ? 12 : 4) << "cell " << cell.second;
  }
  EXPECT_EQ(beginnings, 3 * 12) << "each unit begins once in a round";
}

TEST(RoundOrderSeeds, NoCellsNoOrder) { EXPECT_TRUE(round_order(0, 3, 1, 1).empty()); }

}  // namespace
}  // namespace gdbench::measure
