#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "harness/measure/scheduler.h"

namespace gdbench::measure {
namespace {

using Places = std::map<std::pair<std::size_t, std::size_t>, int>;

TEST(RoundOrder, EveryCellIsInEveryPositionOnce) {
  for (std::size_t count = 0; count < 10; ++count) {
    Places places;
    for (std::size_t round = 0; round < count; ++round) {
      const std::vector<std::size_t> order = round_order(count, static_cast<int>(round), 2, 11);
      EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), count) << "each is visited once";
      for (std::size_t position = 0; position < count; ++position) ++places[{position, order.at(position)}];
    }
    EXPECT_EQ(places.size(), count * count);
  }
  EXPECT_TRUE(round_order(0, 3, 1, 1).empty());
}

// First-order carry-over: how often each cell directly follows each other one.
TEST(RoundOrder, BalancesNeighbours) {
  for (std::size_t count = 1; count < 10; ++count) {
    const std::size_t times = count % 2 == 0 ? 1 : 2;
    Places follows;
    for (std::size_t round = 0; round < times * count; ++round) {
      const std::vector<std::size_t> order = round_order(count, static_cast<int>(round), 3, 7);
      for (std::size_t i = 0; i + 1 < count; ++i) ++follows[{order[i], order[i + 1]}];
    }
    EXPECT_EQ(follows.size(), count * (count - 1));
    for (const auto& [pair, found] : follows) EXPECT_EQ(found, times) << pair.first << " before " << pair.second;
  }
}

TEST(RoundOrder, SeedAndLaunchChangeIt) {
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (int launch = 0; launch < 5; ++launch) orders.insert(round_order(9, 0, launch, seed));
  }
  EXPECT_GT(orders.size(), 20U);
}

TEST(RoundOrder, KeepsAUnitTogetherAndItsOrderBalanced) {
  const std::vector<std::size_t> units = {7, 7, 3, 9, 9, 9};
  Places first;
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

}  // namespace
}  // namespace gdbench::measure
