#include "reports/page/crossover_page.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/reports/example_crossover.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

using stats::Verdict;
using tests::crossover;
using tests::point;
using tests::steps_crossover;

bool has(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

TEST(Golden, CrossoverPage) {
  expect_golden_page("crossover", crossover_page(crossover({point(3, 200, 100, Verdict::slower),
                                                            point(300, 1000, 1000, Verdict::equivalent),
                                                            point(30000, 50000, 100000, Verdict::faster)})));
}

TEST(CrossoverPage, MarksWhereTheWinnerChanges) {
  const std::string direct =
      crossover_page(crossover({point(1, 200, 100, Verdict::slower), point(3, 200, 100, Verdict::slower),
                                point(9, 100, 200, Verdict::faster), point(27, 100, 200, Verdict::faster)}));
  EXPECT_TRUE(has(direct, ">crossing, 3 to 9</text>"));
  EXPECT_TRUE(has(direct, ">two/y faster</text>"));
  const std::string open =
      crossover_page(crossover({point(3, 200, 100, Verdict::slower), point(5, 100, 100, Verdict::inconclusive),
                                point(9, 100, 200, Verdict::faster)}));
  EXPECT_TRUE(has(open, ">undecided, 3 to 9</text>"));
  EXPECT_TRUE(has(crossover_page(crossover({point(3, 200, 100, Verdict::slower)})), "One winner from end to end."));
}

TEST(CrossoverPage, HasNoPictureWhereNothingWasMeasured) {
  const std::string page = crossover_page(crossover({}));
  EXPECT_TRUE(has(page, "Undecided: nothing was measured."));
  EXPECT_FALSE(has(page, "<svg "));
}

TEST(CrossoverPage, DrawsTheIntervalOfStepsAsFarAsItIsFinite) {
  const std::string known = crossover_page(steps_crossover(stats::Overtaking::after, 5000, {4800, 5200}));
  EXPECT_TRUE(has(known, ">from 5000 [4800, 5200]</text>"));
  EXPECT_TRUE(has(known, ">ready + steps, logarithmic</text>"));
  for (const char* curve : {"<path class=\"c s0\" d=\"M76 ", "<path class=\"c s1\" d=\"M76 "})
    EXPECT_TRUE(has(known, curve));
  const std::string open = crossover_page(steps_crossover(stats::Overtaking::undecided, 5000, {100, INFINITY}));
  EXPECT_TRUE(has(open, ">undecided, from 100 on</text>"));
  const std::string never = crossover_page(steps_crossover(stats::Overtaking::never, INFINITY, {INFINITY, INFINITY}));
  EXPECT_TRUE(has(never, "No crossing is drawn."));
}

}  // namespace
}  // namespace gdbench::page
