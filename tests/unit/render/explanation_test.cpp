#include "reports/render/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "tests/unit/result/explained_report.h"

namespace gdbench::render {
namespace {

std::string words_of(const result::Report& report, std::size_t a, std::size_t b) {
  return explanation_words(result::explain(report, report.cells[a], report.cells[b]), 0);
}

// Every line is the heading, opens a list, or ends with its evidence.
void expect_evidence(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    EXPECT_TRUE(line.empty() || line.ends_with(':') || line.ends_with(']')) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

TEST(ExplanationWords, NameWhatEachSentenceRestsOn) {
  result::Report report = tests::explained_report();
  expect_evidence(words_of(report, 0, 1));
  expect_evidence(words_of(report, 0, 2));
  report.cells[0].summary->ceiling = result::CeilingShare{result::BoundBy::bytes, "L2", 100, 50, 100, 20, 0.01, false};
  report.cells[1].summary->ceiling = result::CeilingShare{result::BoundBy::chain, "L1", 20, 5, 10, 20, 1.2, true};
  const std::string text = words_of(report, 0, 1);
  expect_evidence(text);
  EXPECT_NE(text.find("slow/loops reaches 1.0% of its ceiling, bound by bytes from L2"), std::string::npos) << text;
  EXPECT_NE(text.find("bound by chain (floor 20 ns), so that ceiling is wrong"), std::string::npos) << text;
}

TEST(ExplanationWords, RankTheDelayedPhaseFirst) {
  const std::string text = words_of(tests::explained_report(), 0, 1);
  EXPECT_NE(text.find("1. backward: 4 us more"), std::string::npos) << text;
  EXPECT_NE(text.find("4 us more by the number of calls (4 instead of 2 per step)"), std::string::npos) << text;
  EXPECT_NE(text.find("2. update: 300 ns less, against the difference"), std::string::npos) << text;
  EXPECT_EQ(text.find("forward:"), std::string::npos) << text;
}

TEST(ExplanationWords, SayThatThereIsNoDifferenceAndNothingElse) {
  const result::Report twins =
      tests::report_of({tests::exact_cell("one/loops", 10000), tests::exact_cell("twin/loops", 10020)});
  const std::string same = words_of(twins, 0, 1);
  EXPECT_NE(same.find("No difference: one/loops takes"), std::string::npos) << same;
  EXPECT_EQ(std::count(same.begin(), same.end(), '\n'), 2) << same;
  const result::Report few =
      tests::report_of({tests::exact_cell("one/loops", 10000, 1), tests::exact_cell("two/loops", 20000, 1)});
  const std::string unknown = words_of(few, 0, 1);
  EXPECT_NE(unknown.find("No difference can be told"), std::string::npos) << unknown;
  EXPECT_EQ(std::count(unknown.begin(), unknown.end(), '\n'), 2) << unknown;
  for (const std::string& text : {same, unknown}) expect_evidence(text);
}

TEST(ExplanationWords, SayWhichEndOfABreakEvenHasABound) {
  const result::Report report = tests::explained_report();
  result::Explanation explanation = result::explain(report, report.cells[0], report.cells[1]);
  ASSERT_TRUE(explanation.start.has_value());
  stats::BreakEven& answer = explanation.start->break_even.result;
  answer = {stats::Overtaking::at_latest, 40, {0, 300}, 6};
  EXPECT_NE(explanation_words(explanation, 0).find("is ahead after at most 300 steps;"), std::string::npos);
  answer = {stats::Overtaking::at_earliest, 4000, {800, std::numeric_limits<double>::infinity()}, 6};
  EXPECT_NE(explanation_words(explanation, 0).find("is ahead after at least 800 steps:"), std::string::npos);
}

TEST(ExplanationWords, FitTheWidth) {
  const result::Report report = tests::explained_report();
  const result::Explanation explanation = result::explain(report, report.cells[0], report.cells[1]);
  std::istringstream whole(explanation_words(explanation, 0));
  std::istringstream narrow(explanation_words(explanation, 60));
  std::string expected;
  std::string word;
  while (whole >> expected) {
    narrow >> word;
    EXPECT_EQ(word, expected) << "wrapping changes words";
  }
  std::istringstream lines(explanation_words(explanation, 60));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60U) << line;
}

TEST(ExplanationWords, SayWhichProfileIsMissing) {
  result::Report report = tests::explained_report();
  report.cells[1].profile.reset();
  const std::string text = words_of(report, 0, 1);
  EXPECT_NE(text.find("[lacking: fast/loops]"), std::string::npos) << text;
  EXPECT_EQ(text.find("backward"), std::string::npos) << text;
}

}  // namespace
}  // namespace gdbench::render
