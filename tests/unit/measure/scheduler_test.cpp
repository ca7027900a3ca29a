#include "harness/measure/scheduler.h"

#include <gtest/gtest.h>

namespace gdbench::measure {
namespace {

using Indices = std::vector<std::size_t>;

Progress after(int launches, double seconds = 1, double precision = 0.1) {
  return {true, launches, seconds, precision};
}

TEST(NextTurn, EverybodyHasTheFirstLaunch) {
  EXPECT_EQ(next_launches({after(0), after(0), after(0)}, {}, 10), (Indices{0, 1, 2}));
  EXPECT_EQ(next_launches({after(1), after(0), {false, 0, 0, 0}}, {}, 10), Indices{1}) << "in turn, and no dead ones";
  EXPECT_EQ(next_launches({after(0)}, {}, -1), Indices{0}) << "the minimum is measured even without time";
}

TEST(NextTurn, ACountIsKeptWhateverTheBudget) {
  RunOptions options;
  options.launches = 4;
  EXPECT_EQ(next_launches({after(3, 100), after(4), after(2)}, options, 0), (Indices{0, 2}));
  EXPECT_TRUE(next_launches({after(4), after(4)}, options, 1000).empty());
}

TEST(NextTurn, TheBudgetEndsItOnceTheMinimumIsThere) {
  EXPECT_TRUE(next_launches({after(3, 2)}, {}, 1.9).empty());
  EXPECT_EQ(next_launches({after(3, 2)}, {}, 2.1), Indices{0});
  EXPECT_EQ(next_launches({after(2, 2)}, {}, 0), Indices{0});
  RunOptions options;
  options.max_launches = 5;
  EXPECT_TRUE(next_launches({after(5)}, options, 1000).empty());
}

TEST(NextTurn, ALaunchBeyondTheMinimumIsBegunWhereItFits) {
  EXPECT_TRUE(has_time(after(3, 2), {}, 2.1));
  EXPECT_FALSE(has_time(after(3, 2), {}, 1.9));
  EXPECT_TRUE(has_time(after(2, 2), {}, 0)) << "the minimum";
  RunOptions options;
  options.launches = 10;
  EXPECT_TRUE(has_time(after(9, 2), options, 0)) << "a count";
}

TEST(NextTurn, PreciseEnoughIsDone) {
  RunOptions options;
  options.precision = 0.02;
  EXPECT_EQ(next_launches({after(5, 1, 0.03), after(5, 1, 0.01)}, options, 100), Indices{0});
  EXPECT_EQ(next_launches({after(1, 1, 0)}, options, 100), Indices{0}) << "not before the minimum";
}

TEST(NextTurn, WhereThereIsNotTimeForAllTheCheapestAreDecided) {
  RunOptions options;
  options.minimum_launches = 1;
  options.decisive_launches = 3;
  // Two more of each: 20, 2 and 4 seconds.
  EXPECT_EQ(next_launches({after(1, 10), after(1, 1), after(1, 2)}, options, 10), (Indices{1, 2}));
  // Nothing is left for the dear one, which has no more; the others go on.
  EXPECT_EQ(next_launches({after(1, 10), after(3, 1), after(3, 1)}, options, 4), (Indices{1, 2}));
  EXPECT_TRUE(next_launches({after(1, 10)}, options, 10).empty());
  EXPECT_TRUE(is_short(after(2), options));
  EXPECT_FALSE(is_short(after(3), options));
}

TEST(NextTurn, NoneOfThoseThatDecideAGoalIsAhead) {
  RunOptions options;
  options.minimum_launches = 1;
  options.decisive_launches = 3;
  options.goals = {{"claim", {0, 1, 2}}};
  EXPECT_EQ(next_launches({after(1, 10), after(2, 1), after(1, 2)}, options, 15), (Indices{0, 2}));
  EXPECT_EQ(next_launches({after(1, 10), after(2, 1), after(1, 2)}, options, 5), Indices{2}) << "as far as time goes";
  EXPECT_EQ(next_launches({after(2, 1), after(2, 1), after(3, 1)}, options, 100), (Indices{0, 1}));
}

TEST(NextTurn, LaunchesGoWhereTheyNarrowAnIntervalMost) {
  EXPECT_EQ(next_launches({after(5, 1, 0.20), after(5, 1, 0.01)}, {}, 100), Indices{0}) << "wide";
  EXPECT_EQ(next_launches({after(5, 1, 0.10), after(5, 20, 0.10)}, {}, 100), Indices{0}) << "cheap";
  EXPECT_EQ(next_launches({after(5, 1, 0.10), after(60, 1, 0.10)}, {}, 100), Indices{0}) << "few";
  EXPECT_EQ(next_launches({after(5, 1, 0.10), after(5, 1, 0.05)}, {}, 100), (Indices{0, 1})) << "near enough";
}

}  // namespace
}  // namespace gdbench::measure
