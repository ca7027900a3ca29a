#include "harness/report/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/reports/example_report.h"
#include "tests/support/reports/temporary_folder.h"
#include "tests/unit/report/full_disk.h"
#include "tests/unit/report/journals.h"

namespace gdbench::report {
namespace {

using tests::example_report, tests::TemporaryFolder, tests::text_of, tests::write_text;

// What is known before measuring.
Report before_measuring(Report report) {
  report.run.status = "running";
  report.run.finished_at.clear();
  report.notes.clear();
  report.attribution.reset();
  report.ceilings->launches.reset();
  for (Cell& cell : report.cells) {
    cell.status = {};
    cell.build.clear();
    cell.runtime.reset();
    cell.verification.reset();
    cell.block.reset();
    cell.profile.reset();
    cell.other_profiles.reset();
    cell.summary.reset();
    cell.launches.clear();
    cell.samples.clear();
  }
  return report;
}

// Journals everything but the end.
Journal journal_of(const Report& report, const std::string& path) {
  Result<Journal> created = begun(path, before_measuring(report));
  EXPECT_TRUE(created.ok());
  Journal journal = std::move(created).value();
  for (const Cell& cell : report.cells) {
    EXPECT_TRUE(journal.cell(cell).ok());
    for (const Launch& launch : cell.launches) EXPECT_TRUE(journal.launch(cell.id, launch).ok());
    for (const Sample& sample : cell.samples) EXPECT_TRUE(journal.sample(cell.id, sample).ok());
  }
  for (const LaunchCeilings& launch : *report.ceilings->launches) EXPECT_TRUE(journal.ceilings(launch).ok());
  for (const std::string& note : report.notes) EXPECT_TRUE(journal.note(note).ok());
  return journal;
}

// The lines of a whole run but its end.
std::string text_of_run() {
  const TemporaryFolder folder;
  { const Journal journal = journal_of(example_report(), folder.file("j")); }
  return text_of(folder.file("j"));
}

std::string refusal(const std::string& text) {
  const Result<Report> read = parse_journal(text, "j");
  return read.ok() ? "" : read.error().message;
}

TEST(Journal, AddsUpToTheReportAndWithoutAnEndIsAKilledRun) {
  const TemporaryFolder folder;
  Report report = example_report();
  report.cells.front().runtime.emplace()["threads"] = "1 by a setting of its own";
  write_text(folder.file("j"), std::string(100'000, 'x'));  // of an earlier run
  Journal journal = journal_of(report, folder.file("j"));
  EXPECT_EQ(read_report(folder.file("j"))->run.status, "killed");
  ASSERT_TRUE(journal.end(report.run).ok());
  const Result<Report> read = read_report(folder.file("j"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (Cell& cell : report.cells) cell.summary.reset();
  report.attribution.reset();
  EXPECT_EQ(to_json(read.value()), to_json(report));
}

TEST(Journal, DropsATruncatedLastLineWhereverItBreaks) {
  const std::string whole = text_of_run();
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  const Result<Report> without = parse_journal(whole.substr(0, last_line), "j");
  for (std::size_t end = last_line; end < whole.size(); ++end) {
    const Result<Report> read = parse_journal(whole.substr(0, end), "j");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->notes.size(), without->notes.size());
  }
}

TEST(Journal, NamesFileAndLineOfACorruptLine) {
  const std::string text = text_of_run();
  const std::size_t third = text.find('\n', text.find('\n') + 1) + 1;
  const std::string no_event = "found no event, expected one JSON object with the key \"event\"";
  using Cases = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [line, message] :
       Cases{{"#", no_event},
             {R"({"event":"sample","cell":"example-3x2/example/loops","sample":{"launch":"x"}})",
              "/sample/launch: found \"x\", expected an integer"},
             {R"({"event":"note","text":1})", "/text: found 1, expected a string"},
             {R"({"event":"dance"})",
              "/event: found \"dance\", expected one of run, cell, sample, launch, ceilings, note, resume, end"},
             {R"({"event":"sample","cell":"nobody"})", "/cell: found \"nobody\", expected the id of a cell of line 1"}})
    EXPECT_EQ(refusal(std::string(text).insert(third, line + "\n")), "j: line 3: " + message);
  for (const char* all : {"[]\n", "{}\n", "{\"event\":1}\n", "\n"})
    EXPECT_EQ(refusal(all), "j: line 1: " + no_event) << all;
  for (const auto& [all, message] :
       Cases{{"{\"event\":\"note\",\"text\":\"a\"}\n",
              "found the event \"note\", expected the event \"run\" on line 1 only"},
             {"{\"event\":\"run\",\"rep", "found no whole line, expected the event \"run\""},
             {"", "found no whole line, expected the event \"run\""},
             {"{\"event\":\"run\"}\n", "/report: found nothing, expected this key"}})
    EXPECT_EQ(refusal(all), "j: line 1: " + message);
  EXPECT_EQ(refusal(text + text), "j: line " + std::to_string(std::ranges::count(text, '\n') + 1) +
                                      ": found the event \"run\", expected the event \"run\" on line 1 only");
}

TEST(Journal, UnknownKeysAreErrorsUnlessItIsOfANewerVersion) {
  std::string text = text_of_run() + "{\"event\":\"note\",\"text\":\"a\",\"of a newer version\":1}\n";
  EXPECT_NE(refusal(text), "");
  const std::string minor = "\"minor\":" + std::to_string(kSchemaMinor);
  ASSERT_NE(text.find(minor), std::string::npos);
  text.replace(text.find(minor), minor.size(), "\"minor\":" + std::to_string(kSchemaMinor + 1));
  EXPECT_EQ(refusal(text), "");
}

TEST(Journal, HasOneLinePerEventThoughATextHasLineBreaks) {
  const TemporaryFolder folder;
  Result<Journal> journal = begun(folder.file("j"), before_measuring(example_report()));
  ASSERT_TRUE(journal->note("two\nlines, and bytes that are no UTF-8: \xff").ok());
  const std::string text = text_of(folder.file("j"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_TRUE(parse_journal(text, "j").ok());
}

TEST(Journal, ReportsWhatCannotBeWritten) {
  for (const auto& [path, reason] :
       {std::pair("/dev/full", "No space left on device"), {"/no-such-folder/j", "No such file or directory"}}) {
    const Result<Journal> journal = begun(path, example_report());
    EXPECT_EQ(journal.error().message, std::string(path) + ": cannot be written: " + reason);
  }
}

TEST(Journal, StaysReadableAndClosedAfterTheDiskBecameFull) {
  const TemporaryFolder folder;
  Journal journal = journal_of(example_report(), folder.file("j"));
  Status full;
  tests::with_largest_file(std::filesystem::file_size(folder.file("j")) + 10,
                           [&] { full = journal.note("this does not fit"); });
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().message, folder.file("j") + ": cannot be written: File too large");
  const Status closed = journal.note("this would follow half a line");
  ASSERT_FALSE(closed.ok());
  EXPECT_EQ(closed.error().message, folder.file("j") + ": the journal is closed");
  EXPECT_TRUE(read_report(folder.file("j")).ok());
}

TEST(Journal, CanBeMoved) {
  const TemporaryFolder folder;
  Journal first = journal_of(example_report(), folder.file("a"));
  Journal second = std::move(first);
  EXPECT_EQ(second.path(), folder.file("a"));
  EXPECT_TRUE(second.note("still open").ok());
  EXPECT_FALSE(first.note("closed").ok());  // NOLINT(bugprone-use-after-move): a moved-from journal is closed
}

// A worker that outlives its run would hold the lock that keeps others from going on with it.
TEST(Journal, IsNotOpenInProcessesThatAreStarted) {
  const TemporaryFolder folder;
  const Journal journal = journal_of(example_report(), folder.file("j"));
  const std::string listing = folder.file("listing");
  ASSERT_EQ(std::system(("ls -l /proc/self/fd > " + listing).c_str()), 0);
  EXPECT_NE(text_of(listing).find(listing), std::string::npos);
  EXPECT_EQ(text_of(listing).find(folder.file("j")), std::string::npos) << text_of(listing);
}

}  // namespace
}  // namespace gdbench::report
