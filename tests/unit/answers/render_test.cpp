#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/text.h"
#include "reports/answers/attribution.h"
#include "reports/answers/console.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"
#include "reports/answers/table.h"
#include "reports/answers/words.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using tests::details_of;
using tests::example_report;
using tests::lines_of;
using tests::says;
using tests::styled_parts;
using tests::without_colour;

TEST(Format, CutsBetweenLetters) {
  const std::string letters = "\u00b5\u20ac\U0001f600z";
  EXPECT_EQ(cut(letters, 4), letters);
  EXPECT_EQ(cut(letters, 3), "\u00b5..");
  EXPECT_EQ(cut(letters, 1), "..");
  EXPECT_EQ(bytes_of(letters, 0), 0U);
  EXPECT_EQ(bytes_of(letters, 2), 5U);
  EXPECT_EQ(bytes_of(letters, 9), letters.size());
}

TEST(Format, KnowsItsOwnStyles) {
  const std::string text = styled("a", Style::bad, true);
  EXPECT_EQ(length_of_style(text), text.find('a'));
  EXPECT_GT(length_of_style(text.substr(text.find('a') + 1)), 0U);
  for (const char* other : {"a", "", "\x1b", "\x1b[8m", "\x1b[2J"}) EXPECT_EQ(length_of_style(other), 0U);
}

TEST(FirstScreen, DividesLongWordsBetweenLetters) {
  report::Report report = example_report();
  std::string word;
  for (int i = 0; i < 300; ++i) word += "\u20ac";
  report.notes = {word};
  report.cells.clear();
  report.conditions.reset();
  const std::string screen = first_screen(report, {.width = 40});
  EXPECT_TRUE(is_utf8(screen));
  EXPECT_NE(screen.find(word.substr(0, 40 * 3)), std::string::npos) << screen;
}

TEST(Render, SaysWhichLearningRatesWereReduced) {
  report::Report report = example_report();
  const std::string words = "with a smaller learning rate than its 0.25: example/loops 0.0125.";
  EXPECT_EQ(details_of(report).find("smaller learning rate"), std::string::npos);
  report.scenarios[0].resolved.learning_rate = 0.25;
  report::Cell& cell = *std::ranges::find(report.cells, "example/loops", &report::Cell::implementation);
  cell.block = report::Block{.steps = 2000, .learning_rate = 0.0125, .reduced_learning_rate = true};
  EXPECT_NE(details_of(report).find(words), std::string::npos);
}

TEST(Format, HasThreeSignificantDigitsAndAUnit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [nanoseconds, words] : {std::pair(18.3, "18.3 ns"),
                                           {104'000, "104 us"},
                                           {1'250'000, "1.25 ms"},
                                           {2.1e9, "2.1 s"},
                                           {0, "0 ns"},
                                           {0.1234, "0.123 ns"},
                                           {3.6e12, "3600 s"},
                                           {999.4, "999 ns"},
                                           {999.6, "1 us"},
                                           {999'600, "1 ms"},
                                           {999.6e6, "1 s"},
                                           {1000, "1 us"},
                                           {std::nan(""), "-"},
                                           {kInfinity, "-"}}) {
    EXPECT_EQ(format_duration_ns(nanoseconds), words);
  }
  for (const auto& [bytes, words] :
       {std::pair(0.0, "0 B"), {640, "640 B"}, {1536, "1.5 KiB"}, {12.0 * 1024 * 1024, "12 MiB"}, {5e12, "4657 GiB"}}) {
    EXPECT_EQ(format_bytes(bytes), words);
  }
}

TEST(Format, GivesAnEstimateAndItsIntervalOneUnit) {
  EXPECT_EQ(format_difference_ns({24.25, {23.5, 25.125}, 5, false}), "+24.2 ns [+23.5, +25.1]");
  EXPECT_EQ(format_difference_ns({-59'250, {-60'500, 900}, 5, false}), "-59.2 us [-60.5, +0.9]");
  EXPECT_EQ(format_difference_ns({0, {0, 0}, 5, false}), "+0.00 ns [+0.00, +0.00]");
  EXPECT_EQ(format_difference_ns({std::nan(""), {0, 0}, 5, false}), "-");
  EXPECT_EQ(format_estimate_ns({999.7, {990, 1010}, 5, false}), "1.00 us [0.99, 1.01]");
  EXPECT_EQ(format_change({0.98, {0.975, 1.001}, 5, false}), "-2.0% [-2.5, +0.1]");
}

TEST(Ceilings, AreNamedByWhatTakesMostOfTheOperations) {
  report::CeilingShare ceiling;
  ceiling.bound_by = report::BoundBy::operations;
  ceiling.operations_ns = 100;
  for (const auto& [functions_ns, roots_ns, name] : {std::tuple(20, 30, "fma"), {60, 20, "exp"}, {20, 60, "div"}}) {
    ceiling.functions_ns = functions_ns;
    ceiling.roots_ns = roots_ns;
    EXPECT_EQ(bound_words(ceiling), name);
  }
}

TEST(Builds, NameEachVersionOnce) {
  report::Report report = example_report();
  report.cells[0].build = "by hand, lib 2.0, other 3.1";
  report.cells[1].build = "lib 2.0, 4 cores";
  EXPECT_EQ(versions_words(report), "lib 2.0, other 3.1");
}

TEST(Attribution, ACoefficientAtItsBoundIsAtMost) {
  report::Report report = example_report();
  const auto texts = [&](std::size_t column) { return AttributionWords(report).fits()[column].texts; };
  EXPECT_EQ(texts(1), (std::vector<std::string>{"12.2 ns [11.5, 13.0]", "at most 26 ns *"}));
  report::CostFit& fit = report.attribution->fits[0];
  fit.at_bound = {"step_ns", "operation_ns"};
  fit.step_ns.value = fit.step_ns.interval.low = fit.step_ns.interval.high = 0;
  EXPECT_EQ(texts(1)[0], "0 (bound)") << "in every resample";
  EXPECT_EQ(texts(2)[0], "4.50 ns [4.25, 4.75]");
  EXPECT_EQ(texts(3)[0], "at most 813 us");
}

TEST(Attribution, SkipsRecordsOfCellsThatAreNotThere) {
  report::Report report = example_report();
  report.attribution->taxes[0].cell = "gone";
  report.attribution->break_evens[0].other = "gone";
  EXPECT_EQ(details_of(report, 200).find("gone"), std::string::npos);
}

TEST(Details, StaysWholeInAnyWidth) {
  for (int width = 20; width < 140; width += 3) {
    const std::string text = details_of(example_report(), width);
    EXPECT_NE(text.find("18.3 ns"), std::string::npos) << "a time is never left out, width " << width;
    EXPECT_EQ(says(text, "Left out of a table for lack of width"), width < 140) << width;
    // No row name of the example is longer than 40 characters.
    for (const std::string& line : lines_of(text))
      EXPECT_LE(display_width(line), static_cast<std::size_t>(std::max(60, width))) << line;
  }
  EXPECT_FALSE(says(details_of(example_report(), 220), "Left out"));
}

TEST(Details, IsColouredOnlyWhenAsked) {
  const std::string plain = details_of(example_report(), 120);
  const std::string coloured = details_of(example_report(), 120, true);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_EQ(without_colour(coloured), plain) << "colour moves text";
  const std::vector<std::string> parts = styled_parts(coloured);
  for (const char* part :
       {"1 example-3x2", "31 slower", "32 faster", "33 inconclusive", "31 crashed: signal 11 in request run",
        "2 unsupported: example/half has no f32", "2 pending", "2 implementation", "32 0.62x [0.56, 0.69] faster"})
    EXPECT_EQ(std::ranges::count(parts, part), 1) << part;
}

TEST(Details, TellsWhoWonOnlyWhereItIsDecided) {
  report::Report report = example_report();
  std::erase_if(report.cells, [](const report::Cell& cell) {
    return cell.threads != 1 || !cell.options.empty() || cell.scenario != "00000000000000aa";
  });
  EXPECT_NE(details_of(report, 200).find("example/loops (18.3 ns) wins: "), std::string::npos);
  stats::Comparison& comparison = report.find_cell("example-3x2/example/matrix")->summary->ratio->comparison;
  comparison.verdict = stats::Verdict::equivalent;
  EXPECT_NE(details_of(report, 200).find("are equivalent."), std::string::npos);
  comparison.verdict = stats::Verdict::inconclusive;
  comparison.remark = "too few";
  EXPECT_NE(details_of(report, 200).find("cannot be distinguished from example/matrix (42.5 ns) (too few)."),
            std::string::npos);
}

TEST(Renderers, AcceptAnEmptyReport) {
  EXPECT_NE(details_of({}).find("0 cells"), std::string::npos);
  EXPECT_EQ(lines_of(csv({})).size(), 1U);
}

TEST(Renderers, AcceptFiguresThatAreNotFinite) {
  report::Report report = example_report();
  const double nan = std::nan("");
  for (report::Cell& cell : report.cells) {
    if (!cell.summary) continue;
    cell.summary->step_ns = {nan, {nan, nan}, 3, false};
    cell.summary->first_step_ns = nan;
    for (report::Sample& sample : cell.samples) sample.cpu_ns = nan;
  }
  for (const std::string& text : {details_of(report), csv(report)}) EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Csv, KeepsAwkwardTextOnOneLine) {
  for (const auto& [reason, field] : {std::pair("a \"quote\"", R"("a ""quote""")"),
                                      {"a, comma", R"("a, comma")"},
                                      {"a\nline feed", "a line feed"},
                                      {"a\rcarriage return", "a carriage return"},
                                      {"a\r\nline", "a  line"},
                                      {"\x1b[31m", "\\u001b[31m"}}) {
    report::Report report = example_report();
    report.find_cell("example-3x2/example/liar")->status.reason = reason;
    const std::string text = csv(report);
    EXPECT_EQ(lines_of(text).size(), report.cells.size() + 1);
    EXPECT_NE(text.find(std::string(",wrong,") + field + ","), std::string::npos) << field;
  }
}

// The text of a column of the first scenario's table, in the row of that implementation.
std::string shown(const report::Report& report, const std::string& title, const std::string& implementation) {
  const Columns columns = text_table(tables_of(report).at(0).ranked);
  const auto column = std::ranges::find(columns, title, &document::Column::title);
  if (column == columns.end()) return "no column";
  const auto row = std::ranges::find(columns[0].texts, implementation);
  return column->texts.at(static_cast<std::size_t>(row - columns[0].texts.begin()));
}

TEST(Details, SaysWhatPartOfAStepIsDataAndWhoseMemoryItTakes) {
  report::Report report = example_report();
  EXPECT_EQ(shown(report, "data", "example/loops"), "no column") << "no profile has any";
  EXPECT_EQ(shown(report, "own memory", "example/loops"), "no column");
  report::Cell& cell = *report.find_cell("example-3x2/example/loops");
  cell.profile->profiled_step_ns = 10'000;
  cell.profile->records.push_back({report::Phase::data, "batch", report::Clock::host, 1, 2'500, 0, 0, 0});
  cell.summary->peak_anonymous_bytes = 3 << 20;
  EXPECT_EQ(shown(report, "data", "example/loops"), "25%");
  EXPECT_EQ(shown(report, "data", "example/matrix"), "-");
  EXPECT_EQ(shown(report, "own memory", "example/matrix"), "-");
  cell.profile->records.back().time_ns = 99;
  EXPECT_EQ(shown(report, "data", "example/loops"), "no column") << "hardly more than the clock readings";
}

TEST(Details, SaysThatAStepHasSeveralGradients) {
  report::Report report = example_report();
  for (report::ScenarioRecord& scenario : report.scenarios) {
    scenario.resolved.task = report::Task::gradients;
    scenario.outputs = 8;
  }
  EXPECT_NE(details_of(report, 400).find("8 gradients per step"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::answers
