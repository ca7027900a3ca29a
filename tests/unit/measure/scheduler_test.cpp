#include "harness/measure/scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace gdbench::measure {
namespace {

using Indices = std::vector<std::size_t>;

Progress after(int launches, double seconds = 1, double precision = 0.1) {
  return {true, launches, seconds, precision};
}

RunOptions options_with(int launches, int max_launches = 0, double precision = 0) {
  RunOptions options;
  options.launches = launches;
  if (max_launches > 0) options.max_launches = max_launches;
  if (precision > 0) options.precision = precision;
  return options;
}

RunOptions deciding(std::vector<Goal> goals = {}) {
  RunOptions options;
  options.minimum_launches = 1;
  options.decisive_launches = 3;
  options.goals = std::move(goals);
  return options;
}

struct Turn {
  const char* words;
  std::vector<Progress> progress;
  RunOptions options;
  double seconds_left;
  Indices next;
};

TEST(NextTurn, GoesWhereLaunchesAreNeededMost) {
  const RunOptions claim = deciding({{"claim", {0, 1, 2}}});
  const Turn turns[] = {
      {"each has a first launch", {after(0), after(0), after(0)}, {}, 10, {0, 1, 2}},
      {"in turn, and no dead ones", {after(1), after(0), {false, 0, 0, 0}}, {}, 10, {1}},
      {"the minimum is measured even without time", {after(0)}, {}, -1, {0}},
      {"a count is kept at any budget", {after(3, 100), after(4), after(2)}, options_with(4), 0, {0, 2}},
      {"and no more than that", {after(4), after(4)}, options_with(4), 1000, {}},
      {"no time beyond the minimum", {after(3, 2)}, {}, 1.9, {}},
      {"time for one more", {after(3, 2)}, {}, 2.1, {0}},
      {"below the minimum", {after(2, 2)}, {}, 0, {0}},
      {"the most", {after(5)}, options_with(0, 5), 1000, {}},
      {"what is decided has no more", {after(5), {true, 5, 1, 0.2, true}}, {}, 100, {0}},
      {"one is precise enough", {after(5, 1, 0.03), after(5, 1, 0.01)}, options_with(0, 0, 0.02), 100, {0}},
      {"but not before the minimum", {after(1, 1, 0)}, options_with(0, 0, 0.02), 100, {0}},
      // Two more of each: 20, 2 and 4 seconds.
      {"the cheapest are decided", {after(1, 10), after(1, 1), after(1, 2)}, deciding(), 10, {1, 2}},
      {"nothing is left for the dear one", {after(1, 10), after(3, 1), after(3, 1)}, deciding(), 4, {1, 2}},
      {"nor where it is alone", {after(1, 10)}, deciding(), 10, {}},
      {"none that decides a goal is ahead", {after(1, 10), after(2, 1), after(1, 2)}, claim, 15, {0, 2}},
      {"as far as time goes", {after(1, 10), after(2, 1), after(1, 2)}, claim, 5, {2}},
      {"all but the decided one", {after(2, 1), after(2, 1), after(3, 1)}, claim, 100, {0, 1}},
      {"where an interval is wide", {after(5, 1, 0.20), after(5, 1, 0.01)}, {}, 100, {0}},
      {"where launches are cheap", {after(5, 1, 0.10), after(5, 20, 0.10)}, {}, 100, {0}},
      {"where there are few", {after(5, 1, 0.10), after(60, 1, 0.10)}, {}, 100, {0}},
      {"near enough", {after(5, 1, 0.10), after(5, 1, 0.05)}, {}, 100, {0, 1}}};
  for (const Turn& turn : turns) {
    EXPECT_EQ(next_launches(turn.progress, turn.options, turn.seconds_left), turn.next) << turn.words;
  }
  EXPECT_TRUE(has_time(after(9, 2), options_with(10), 0)) << "a count, while its launches go on";
}

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
