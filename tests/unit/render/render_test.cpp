#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "harness/base/text.h"
#include "reports/render/attribution.h"
#include "reports/render/console.h"
#include "reports/render/first_screen.h"
#include "reports/render/format.h"
#include "reports/render/markdown.h"
#include "reports/render/table.h"
#include "tests/support/reports/example_report.h"

namespace gdbench::render {
namespace {

using tests::example_report;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(stream, line)) lines.push_back(line);
  return lines;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Records of RFC 4180, strictly: throws away nothing and accepts no stray quote.
std::vector<std::vector<std::string>> records_of(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      EXPECT_TRUE(field.empty()) << "a quote inside a field";
      quoted = true;
    } else if (c == ',') {
      record.push_back(std::exchange(field, {}));
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      record.push_back(std::exchange(field, {}));
      records.push_back(std::exchange(record, {}));
    } else {
      field += c;
    }
  }
  EXPECT_TRUE(field.empty() && record.empty()) << "text after the last record";
  return records;
}

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
  const ConsoleOptions wide{.width = 1000};
  EXPECT_EQ(console(report, wide).find("smaller learning rate"), std::string::npos);
  report.scenarios[0].resolved.learning_rate = 0.25;
  report::Cell& cell = *std::ranges::find(report.cells, "example/loops", &report::Cell::implementation);
  cell.block = report::Block{.steps = 2000, .learning_rate = 0.0125, .reduced_learning_rate = true};
  EXPECT_NE(console(report, wide).find(words), std::string::npos);
  EXPECT_NE(markdown(report).find(words), std::string::npos);
}

TEST(FormatDuration, HasThreeSignificantDigits) {
  EXPECT_EQ(format_duration_ns(18.3), "18.3 ns");
  EXPECT_EQ(format_duration_ns(104'000), "104 us");
  EXPECT_EQ(format_duration_ns(1'250'000), "1.25 ms");
  EXPECT_EQ(format_duration_ns(2.1e9), "2.1 s");
  EXPECT_EQ(format_duration_ns(0), "0 ns");
  EXPECT_EQ(format_duration_ns(0.1234), "0.123 ns");
  EXPECT_EQ(format_duration_ns(3.6e12), "3600 s");
}

TEST(FormatDuration, ChangesTheUnitAfterRounding) {
  EXPECT_EQ(format_duration_ns(999.4), "999 ns");
  EXPECT_EQ(format_duration_ns(999.6), "1 us");
  EXPECT_EQ(format_duration_ns(999'600), "1 ms");
  EXPECT_EQ(format_duration_ns(999.6e6), "1 s");
  EXPECT_EQ(format_duration_ns(1000), "1 us");
}

TEST(FormatDuration, HasADashForWhatIsNoNumber) {
  EXPECT_EQ(format_duration_ns(std::nan("")), "-");
  EXPECT_EQ(format_duration_ns(std::numeric_limits<double>::infinity()), "-");
}

TEST(FormatBytes, HasThreeDigitsAndABinaryUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(640), "640 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(12.0 * 1024 * 1024), "12 MiB");
  EXPECT_EQ(format_bytes(5e12), "4657 GiB");
}

TEST(FormatDifference, HasOneUnitAndSigns) {
  EXPECT_EQ(format_difference_ns({24.25, {23.5, 25.125}, 5, false}), "+24.2 ns [+23.5, +25.1]");
  EXPECT_EQ(format_difference_ns({-59'250, {-60'500, 900}, 5, false}), "-59.2 us [-60.5, +0.9]");
  EXPECT_EQ(format_difference_ns({0, {0, 0}, 5, false}), "+0.00 ns [+0.00, +0.00]");
  EXPECT_EQ(format_difference_ns({std::nan(""), {0, 0}, 5, false}), "-");
  EXPECT_EQ(format_estimate_ns({999.7, {990, 1010}, 5, false}), "1.00 us [0.99, 1.01]");
}

TEST(FormatChange, IsSignedPerCent) {
  EXPECT_EQ(format_change({2.33, {2.26, 2.38}, 5, false}), "+133% [+126, +138]");
  EXPECT_EQ(format_change({0.98, {0.975, 1.001}, 5, false}), "-2.0% [-2.5, +0.1]");
}

TEST(Attribution, SaysFromWhichStepOnACellIsAhead) {
  const std::string text = console(example_report(), {false, 200});
  EXPECT_NE(text.find("example/loops overtakes example/matrix after 41 steps [30, 55], example/matrix packed=true "
                      "unit=\u00b5 after at least 800 steps."),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("example/matrix+replay overtakes"), std::string::npos) << "policies are in Markdown";
  EXPECT_NE(markdown(example_report()).find("matrix+replay overtakes example/loops from the start."),
            std::string::npos);
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

TEST(Attribution, WhatIsUndecidedIsInMarkdownOnly) {
  const std::string words = "overtakes example/loops at an undecided step.";
  EXPECT_EQ(console(example_report(), {false, 200}).find(words), std::string::npos);
  EXPECT_NE(markdown(example_report()).find(words), std::string::npos);
}

TEST(Attribution, IsSilentWithoutOne) {
  report::Report report = example_report();
  report.attribution.reset();
  for (const std::string& text : {console(report, {}), markdown(report)}) {
    for (const char* part : {"what the strategy costs", " overtakes ", "fitted"}) {
      EXPECT_EQ(text.find(part), std::string::npos) << part;
    }
  }
}

TEST(Attribution, SkipsRecordsOfCellsThatAreNotThere) {
  report::Report report = example_report();
  report.attribution->taxes[0].cell = "gone";
  report.attribution->break_evens[0].other = "gone";
  EXPECT_EQ(console(report, {false, 200}).find("gone"), std::string::npos);
}

TEST(Console, FitsAHundredColumns) {
  for (const std::string& line : lines_of(console(example_report(), {}))) EXPECT_LE(characters(line), 100U) << line;
}

TEST(Console, StaysWholeInAnyWidth) {
  for (int width = -1; width < 140; width += 3) {
    const std::string text = console(example_report(), {false, width});
    EXPECT_NE(text.find("18.3 ns"), std::string::npos) << "a time is never left out, width " << width;
    // No row name of the example is longer than 40 characters.
    for (const std::string& line : lines_of(text)) EXPECT_LE(characters(line), std::max(60, width)) << line;
  }
}

TEST(Console, SaysWhatItLeavesOutForLackOfWidth) {
  EXPECT_EQ(console(example_report(), {false, 180}).find("Left out"), std::string::npos);
  EXPECT_NE(console(example_report(), {false, 60}).find("Left out"), std::string::npos);
}

TEST(Console, IsColouredOnlyWhenAsked) {
  const std::string plain = console(example_report(), {false, 100});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  std::string coloured = console(example_report(), {true, 100});
  EXPECT_NE(coloured.find("\x1b[32m"), std::string::npos);
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
    } else {
      stripped += coloured[i];
    }
  }
  EXPECT_EQ(stripped, plain) << "colour moves text";
}

TEST(Console, OrdersRowsFastestFirstAndThoseWithoutATimeLast) {
  const std::string text = console(example_report(), {false, 120});
  const auto at = [&text](const std::string& part) {
    const std::size_t position = text.find(part);
    EXPECT_NE(position, std::string::npos) << part;
    return position;
  };
  EXPECT_LT(at("example/matrix @2 #base"), at("example/loops  "));
  EXPECT_LT(at("example/loops  "), at("example/matrix packed=true"));
  EXPECT_LT(at("example/matrix packed=true"), at("not ranked"));
  EXPECT_LT(at("not ranked"), at("example/matrix+replay"));
  EXPECT_LT(at("example/matrix+replay"), at("unsupported: example/half has no f32"));
}

TEST(Console, MarksWhatWasMeasuredWithinOneProcess) {
  report::Report report = example_report();
  EXPECT_NE(console(report, {}).find("* within one process"), std::string::npos);
  for (report::Cell& cell : report.cells) {
    if (cell.summary) cell.summary->step_ns.within_one_process = false;
  }
  EXPECT_EQ(console(report, {}).find("* within one process"), std::string::npos);
}

TEST(Console, TellsWhoWonOnlyWhereItIsDecided) {
  report::Report report = example_report();
  std::erase_if(report.cells, [](const report::Cell& cell) {
    return cell.threads != 1 || !cell.options.empty() || cell.scenario != "00000000000000aa";
  });
  EXPECT_NE(console(report, {false, 200})
                .find("example/loops (18.3 ns) wins: example/matrix (42.5 ns) takes 2.33x [2.26, 2.38] as long."),
            std::string::npos);
  stats::Comparison& comparison = report.find_cell("example-3x2/example/matrix")->summary->ratio->comparison;
  comparison.verdict = stats::Verdict::equivalent;
  EXPECT_NE(console(report, {false, 200}).find("are equivalent."), std::string::npos);
  comparison.verdict = stats::Verdict::inconclusive;
  comparison.remark = "too few";
  EXPECT_NE(console(report, {false, 200}).find("is not told apart from example/matrix (42.5 ns) (too few)."),
            std::string::npos);
}

TEST(Renderers, AcceptAnEmptyReport) {
  const report::Report report;
  EXPECT_NE(console(report, {}).find("0 cells"), std::string::npos);
  EXPECT_NE(markdown(report).find("0 cells"), std::string::npos);
  EXPECT_EQ(records_of(csv(report)).size(), 1U);
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
  EXPECT_EQ(console(report, {}).find("nan"), std::string::npos);
  EXPECT_EQ(markdown(report).find("nan"), std::string::npos);
  EXPECT_EQ(csv(report).find("nan"), std::string::npos);
}

TEST(Markdown, HasTablesOfEqualWidth) {
  std::size_t bars = 0;
  for (const std::string& line : lines_of(markdown(example_report()))) {
    if (line.empty() || line[0] != '|') {
      bars = 0;
      continue;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i) count += line[i] == '|' && line[i - (i > 0)] != '\\' ? 1 : 0;
    EXPECT_EQ(count, bars == 0 ? count : bars) << line;
    bars = count;
  }
}

TEST(Markdown, NamesTheEnvironment) {
  const std::string text = markdown(example_report());
  for (const char* part : {"Example Processor 9000", "2 logical processors", "Linux 6.1.0-example",
                           "ExampleCompiler 1.0", "git 0123456789ab with changes"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(Csv, HasOneRecordPerCellAndTheSameFieldsInEach) {
  const report::Report report = example_report();
  const auto records = records_of(csv(report));
  ASSERT_EQ(records.size(), report.cells.size() + 1);
  for (const auto& record : records) EXPECT_EQ(record.size(), records[0].size());
  for (const char* name : {"cell", "state", "step_ns", "step_low_ns", "step_high_ns", "ratio", "verdict", "repeat"}) {
    EXPECT_EQ(std::count(records[0].begin(), records[0].end(), name), 1) << name;
  }
}

TEST(Csv, KeepsAwkwardTextOnOneLine) {
  for (const std::string reason :
       {"a \"quote\"", "a, comma", "a\nline feed", "a\rcarriage return", "a\r\nline", "\x1b[31m"}) {
    report::Report report = example_report();
    report.find_cell("example-3x2/example/liar")->status.reason = reason;
    const auto records = records_of(csv(report));
    const auto column =
        static_cast<std::size_t>(std::find(records[0].begin(), records[0].end(), "reason") - records[0].begin());
    EXPECT_EQ(records.size(), report.cells.size() + 1);
    EXPECT_TRUE(std::any_of(records.begin(), records.end(), [&](const auto& record) {
      return record.size() > column && record[column] == one_line(reason);
    })) << reason;
  }
}

TEST(Csv, HasNumbersThatReadBackExactly) {
  report::Report report = example_report();
  report.cells[0].summary->step_ns.value = 1.0 / 3;
  const auto records = records_of(csv(report));
  const auto column =
      static_cast<std::size_t>(std::find(records[0].begin(), records[0].end(), "step_ns") - records[0].begin());
  EXPECT_TRUE(std::any_of(records.begin() + 1, records.end(), [&](const auto& record) {
    return !record[column].empty() && std::stod(record[column]) == 1.0 / 3;
  }));
}

// The text of a console line's column, by the position of its title.
std::string under(const std::string& title, const std::string& row, const std::vector<std::string>& lines) {
  const auto header = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find("implementation") != std::string::npos && line.find(title) != std::string::npos;
  });
  if (header == lines.end()) return "no column";
  const auto found = std::find_if(header, lines.end(), [&](const std::string& line) { return line.starts_with(row); });
  if (found == lines.end()) return "no row";
  const std::size_t end = header->find(title) + title.size();
  const std::size_t begin = found->rfind(' ', end - 1) + 1;
  return found->substr(begin, end - begin);
}

TEST(Console, SaysWhatPartOfAStepIsDataAndWhoseMemoryItTakes) {
  report::Report report = example_report();
  const auto shown = [&](const std::string& title, const std::string& row) {
    return under(title, "  " + row, lines_of(console(report, {.colour = false, .width = 400})));
  };
  EXPECT_EQ(shown("  data", "example/loops"), "no column") << "no profile has any";
  EXPECT_EQ(shown("own memory", "example/loops"), "no column");
  report::Cell& cell = *report.find_cell("example-3x2/example/loops");
  cell.profile->profiled_step_ns = 10'000;
  cell.profile->records.push_back({report::Phase::data, "batch", report::Clock::host, 1, 2'500, 0, 0, 0});
  cell.summary->peak_anonymous_bytes = 3 << 20;
  EXPECT_EQ(shown("  data", "example/loops"), "25%");
  EXPECT_EQ(shown("  data", "example/matrix "), "-");
  EXPECT_EQ(shown("own memory", "example/matrix "), "-");
  cell.profile->records.back().time_ns = 99;
  EXPECT_EQ(shown("  data", "example/loops"), "no column") << "hardly more than the clock readings";
}

TEST(Console, SaysThatAStepHasSeveralGradients) {
  report::Report report = example_report();
  EXPECT_EQ(console(report, {.colour = false, .width = 400}).find("gradients per step"), std::string::npos);
  for (report::ScenarioRecord& scenario : report.scenarios) {
    scenario.resolved.task = report::Task::gradients;
    scenario.outputs = 8;
  }
  EXPECT_NE(console(report, {.colour = false, .width = 400}).find("8 gradients per step"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::render
