#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_crossover.h"

namespace gdbench::answers {
namespace {

using stats::Verdict;
using tests::crossover;
using tests::point;
using tests::steps_crossover;

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

std::string words_of(const auto& crossover) { return document::text_of(document_of(crossover), {}); }

// The charts of its figures, in their order.
std::vector<document::Plane> planes_of(const auto& crossover) {
  std::vector<document::Plane> planes;
  for (const document::Section& section : document_of(crossover).sections) {
    for (const document::Block& block : section.blocks) {
      if (const auto* figure = std::get_if<document::Figure>(&block.content)) {
        planes.push_back(std::get<document::Plane>(figure->chart));
      }
    }
  }
  return planes;
}

TEST(Golden, Crossover) {
  tests::expect_golden_answer("crossover", document_of(crossover({point(3, 200, 100, Verdict::slower),
                                                                  point(300, 1000, 1000, Verdict::equivalent),
                                                                  point(30000, 50000, 100000, Verdict::faster)})));
}

TEST(Golden, StepsCrossover) {
  tests::expect_golden_answer("steps-crossover",
                              document_of(steps_crossover(stats::Overtaking::after, 5000, {4800, 5200})));
}

// Equal times are equivalent, and those within 2% of each other are not distinguished.
report::CrossoverPoint measured(std::int64_t size, double a_ns, double b_ns) {
  const double ratio = a_ns / b_ns;
  if (ratio == 1) return point(size, a_ns, b_ns, Verdict::equivalent);
  if (std::abs(ratio - 1) < 0.02) return point(size, a_ns, b_ns, Verdict::inconclusive);
  return point(size, a_ns, b_ns, ratio < 1 ? Verdict::faster : Verdict::slower);
}

TEST(Crossover, NamesTheZonesAndNoSizeBetweenThem) {
  using Points = std::vector<report::CrossoverPoint>;
  const std::pair<Points, std::string> cases[] = {
      {{measured(3, 160, 100), measured(244, 107, 100), measured(548, 101, 100), measured(7401, 100, 100),
        measured(37669, 92, 100), measured(100000, 89, 100)},
       "One crossing.\nUp to rows=244, one/x is slower than two/y: 1.60x [1.57, 1.63] at 3, 1.07x [1.05, 1.09] at "
       "244.\nBetween rows=244 and 37669, the two cannot be distinguished (equal within 1.0% at 1 of 2 sizes): "
       "1.01x [0.99, 1.03] at 548, 1.00x [0.98, 1.02] at 7401.\nFrom rows=37669 on, one/x is faster than two/y: "},
      // Neighbours leave nothing between them.
      {{measured(1, 128, 100), measured(2, 67, 100), measured(32, 60, 100)},
       "At rows=1, one/x is slower than two/y: 1.28x [1.25, 1.31].\nFrom rows=2 on, one/x is faster than two/y: "},
      {{measured(1, 128, 100), measured(32, 60, 100)},
       ".\nBetween rows=1 and 32 nothing was measured.\nAt rows=32, one/x is faster"},
      {{measured(3, 2, 1), measured(50, 2, 1), measured(51, 1, 2), measured(4999, 1, 2), measured(5000, 2, 1)},
       "The order is not monotone: the winner changes 2 times.\nUp to rows=50, one/x is slower than two/y: "
       "2.00x [1.96, 2.04] at 3, 2.00x [1.96, 2.04] at 50.\nFrom rows=51 to 4999, one/x is faster than two/y: "
       "0.50x [0.49, 0.51] at 51, 0.50x [0.49, 0.51] at 4999.\nAt rows=5000, one/x is slower"},
      {{measured(3, 1, 2), measured(90, 1, 2)},
       "No crossing.\nFrom rows=3 to 90, one/x is faster than two/y: 0.50x [0.49, 0.51] at 3, "},
      // The headline says of which end it does not speak.
      {{measured(3, 2, 1), measured(9, 1015, 1000)},
       "No crossing; undecided above rows=3.\nAt rows=3, one/x is slower than two/y: 2.00x [1.96, 2.04].\n"
       "Above rows=3, the two cannot be distinguished: 1.0"},
      {{measured(3, 101, 100), measured(9, 2, 1), measured(27, 1, 2), measured(81, 99, 100)},
       "One crossing; undecided below rows=9 and above rows=27.\nBelow rows=9, the two cannot be distinguished: "},
      {{measured(3, 103, 101), measured(9, 103, 101)},
       "No crossing; undecided from rows=3 to 9.\nFrom rows=3 to 9, the two cannot be distinguished"},
      {{measured(3, 1, 1), measured(9, 1, 1)}, "No crossing.\nFrom rows=3 to 9, the two are equal within 1.0%: "},
      {{}, "Undecided: nothing was measured.\n"}};
  for (const auto& [points, says] : cases) {
    const std::string words = words_of(crossover(points));
    expect_contains(words, says);
    EXPECT_EQ(words.find("not monotone") == std::string::npos, says.find("not monotone") == std::string::npos);
  }
}

TEST(Crossover, SaysWhatWouldDecideIt) {
  report::Crossover undecided = crossover({point(3, 1, 2, Verdict::faster), point(9, 1, 1, Verdict::inconclusive)});
  undecided.complete = false;
  undecided.need = {{9}, 120, 71.5, 0.0213};
  expect_contains(words_of(undecided), "Undecided whether there is a crossing.\nAt rows=3, one/x is faster than ");
  expect_contains(words_of(undecided), "\nUndecided at rows=9: about 120 more launches would decide (--budget 80s); ");
  const auto need = [&](report::CrossoverNeed given, const std::string& words) {
    undecided.need = std::move(given);
    expect_contains(words_of(undecided), words);
  };
  need({{9, 40}, 0, 71.5, 0}, "Undecided at rows=9 and 40: no number of launches is likely to decide.\n");
  need({{9, 20, 40}, 0, 71.5, 0}, "Undecided at 3 sizes from rows=9 to 40: ");
  need({{9}, 1, 100.5, 0.123}, "about 1 more launch would decide (--budget 2m); within --margin 12.3% the two");
  undecided.need.reset();
  expect_contains(words_of(undecided), "The search ended before it was done: a larger --budget narrows it down.");
}

TEST(StepsCrossover, SaysFromHowManyStepsOn) {
  using enum stats::Overtaking;
  for (const auto& [overtaking, steps, interval, sentence] :
       {std::tuple(from_the_start, 0.0, stats::Interval{0, 0}, "one/x is ahead of two/y from the start"),
        {never, INFINITY, {INFINITY, INFINITY}, "one/x never overtakes two/y"},
        {at_earliest, 5000, {800, INFINITY}, "after at least 800 steps; which step is shorter is undecided; a greater"},
        {undecided, 5000, {100, INFINITY}, "at an undecided step: the interval is [100, never]; a greater "}}) {
    expect_contains(words_of(steps_crossover(overtaking, steps, interval)), sentence);
  }
}

TEST(Crossover, MarksWhereTheWinnerChanges) {
  const auto flags_of = [](std::vector<report::CrossoverPoint> points) {
    std::string flags;
    for (const document::Plane& plane : planes_of(crossover(std::move(points)))) {
      EXPECT_TRUE(plane.bands.size() <= 1);
      for (const document::Rule& rule : plane.rules)
        flags += rule.upright ? rule.text + formatted(" at %g; ", rule.at) : "| ";
    }
    return flags;
  };
  EXPECT_EQ(flags_of({point(1, 200, 100, Verdict::slower), point(3, 200, 100, Verdict::slower),
                      point(9, 100, 200, Verdict::faster), point(27, 100, 200, Verdict::faster)}),
            "crossing, 3 to 9 at 3; | two/y faster at 1; one/x faster at 9; ");
  EXPECT_EQ(flags_of({point(3, 200, 100, Verdict::slower), point(5, 100, 100, Verdict::inconclusive),
                      point(9, 100, 200, Verdict::faster)}),
            "undecided, 3 to 9 at 3; | two/y faster at 3; undecided at 5; one/x faster at 9; ");
  EXPECT_EQ(flags_of({point(3, 200, 100, Verdict::slower)}), "| two/y faster at 3; ");
}

TEST(Crossover, HasNoPictureWhereNothingWasMeasured) { EXPECT_TRUE(planes_of(crossover({})).empty()); }

TEST(StepsCrossover, DrawsTheIntervalOfStepsAsFarAsItIsFinite) {
  const document::Plane open = planes_of(steps_crossover(stats::Overtaking::undecided, 5000, {100, INFINITY})).at(0);
  EXPECT_EQ(open.rules.at(0).text, "at an undecided step");
  EXPECT_EQ(open.bands.at(0).range.high, 1e6);
  const auto never = steps_crossover(stats::Overtaking::never, INFINITY, {INFINITY, INFINITY});
  EXPECT_TRUE(planes_of(never).at(0).bands.empty());
  expect_contains(tests::outline_of(document_of(never)), "No crossing is drawn.");
}

}  // namespace
}  // namespace gdbench::answers
