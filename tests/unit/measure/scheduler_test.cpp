#include "harness/measure/scheduler.h"

#include <gtest/gtest.h>

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
}

TEST(NextTurn, ALaunchBeyondTheMinimumIsBegunWhereItFits) {
  EXPECT_TRUE(has_time(after(3, 2), {}, 2.1));
  EXPECT_FALSE(has_time(after(3, 2), {}, 1.9));
  EXPECT_TRUE(has_time(after(2, 2), {}, 0)) << "the minimum";
  EXPECT_TRUE(has_time(after(9, 2), options_with(10), 0)) << "a count";
  EXPECT_TRUE(is_short(after(2), deciding()));
  EXPECT_FALSE(is_short(after(3), deciding()));
}

}  // namespace
}  // namespace gdbench::measure
