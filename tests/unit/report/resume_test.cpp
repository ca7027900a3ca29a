#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/report/journal.h"
#include "tests/support/reports/temporary_folder.h"
#include "tests/unit/report/journals.h"

namespace gdbench::report {
namespace {

Report planned_run() {
  Report report;
  report.run.id = "planned";
  report.scenarios.push_back({});
  report.scenarios[0].key = "s";
  for (const char* id : {"s/a", "s/b"}) {
    Cell cell;
    cell.id = id;
    cell.implementation = cell.id.substr(2);
    cell.scenario = "s";
    cell.build = "build 1";
    report.cells.push_back(cell);
  }
  return report;
}

TEST(TakeOver, LosesNothingOfACell) {
  Report killed = planned_run();
  killed.run.id = "killed";
  killed.run.status = "killed";
  killed.run.started_at = "2026-01-01T00:00:00Z";
  killed.run.finished_at = "2026-01-01T00:01:00Z";
  killed.notes = {"seen"};
  killed.ceilings.emplace().measurements.resize(2);
  Cell& known = killed.cells[1];
  known.status = {CellState::untrusted, "has 2 threads, declared 1"};
  known.verification.emplace().steps = 5;
  known.block.emplace().steps = 20;
  known.profile.emplace().steps = 7;
  known.other_profiles.emplace(2);
  known.target.emplace().steps = 90;
  known.runtime.emplace()["threads"] = "1";
  known.confirmed_from = 3;
  known.launches.resize(4);
  known.samples.resize(8);
  Report planned = planned_run();
  planned.notes = {"of this command"};
  planned.cells[0].status = {CellState::unsupported, "not installed"};
  ASSERT_TRUE(take_over(killed, "j", planned).ok());
  EXPECT_EQ(planned.run.id, "killed");
  EXPECT_EQ(planned.run.measuring_seconds, 60) << "of that part; the pause is none of it";
  EXPECT_EQ(planned.ceilings->measurements.size(), 2U);
  EXPECT_EQ(planned.notes, (std::vector<std::string>{"of this command", "seen"}));
  EXPECT_EQ(to_json(planned)["cells"][1], to_json(killed)["cells"][1]);
  EXPECT_EQ(planned.cells[0].status.reason, "not installed") << "what the plan knows of a cell is kept";
}

TEST(TakeOver, WhatWasBegunApartIsNotSideBySide) {
  Report killed = planned_run();
  Report planned = planned_run();
  planned.scenarios[0].side_by_side = killed.scenarios[0].side_by_side = {"s", {{"batch", "5"}}};
  ASSERT_TRUE(take_over(killed, "j", planned).ok());
  EXPECT_TRUE(planned.scenarios[0].side_by_side);
  killed.scenarios[0].side_by_side.reset();
  ASSERT_TRUE(take_over(killed, "j", planned).ok());
  EXPECT_FALSE(planned.scenarios[0].side_by_side);
}

TEST(TakeOver, RefusesAnotherRun) {
  const std::pair<void (*)(Report&), std::string> refusals[] = {
      {[](Report& other) { other.run.seed = 9; }, "/run/seed: found 9, expected 1"},
      {[](Report& other) { other.cells.pop_back(); }, "found 1 cells, expected the 2 of this command"},
      {[](Report& other) { other.cells[1].id = "s/c"; }, "found no cell s/b, expected the cells of this command"},
      {[](Report& other) { other.cells[1].build = "build 2"; },
       "cell s/b: found \"build 2\", expected the build \"build 1\" and the same scenario"},
      {[](Report& other) { other.cells[1].scenario = "another"; },
       "cell s/b: found \"build 1\", expected the build \"build 1\" and the same scenario"},
      {[](Report& other) { other.scenarios[0].data_digest = "other"; },
       "cell s/a: found data that are not those of now, expected the same"},
      {[](Report& other) { other.run.status = "complete"; },
       "found a run that is complete, expected one that was stopped (--overwrite, or another --out, begins a new "
       "one)"}};
  for (const auto& [change, message] : refusals) {
    Report other = planned_run();
    change(other);
    Report planned = planned_run();
    const Status status = take_over(other, "j", planned);
    EXPECT_EQ(status.ok() ? "" : status.error().message, "j: " + message);
  }
}

TEST(JournalResume, DropsHalfALineAndGoesOn) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path() / "x.journal.jsonl";
  Report report = planned_run();
  {
    Result<Journal> journal = begun(path, report);
    ASSERT_TRUE(journal->sample("s/a", Sample{}).ok());
  }
  std::ofstream(path, std::ios::app) << "{\"event\":\"sample\",\"cell\":\"s/";
  {
    Result<Journal> journal = gone_on(path, "2026-01-01T00:00:00Z");
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    ASSERT_TRUE(journal->sample("s/b", Sample{}).ok());
  }
  const Result<Report> read = read_report(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->cells[0].samples.size(), 1U);
  EXPECT_EQ(read->cells[1].samples.size(), 1U);
  EXPECT_EQ(read->run.status, "killed");
  EXPECT_FALSE(gone_on(folder.path() / "nothing", "").ok());
}

TEST(JournalResume, ARunThatEndedIsUnderWayAgain) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("j");
  report::Run run = planned_run().run;
  run.status = "interrupted";
  {
    Result<Journal> journal = begun(path, planned_run());
    ASSERT_TRUE(journal.ok() && journal->end(run).ok());
  }
  EXPECT_EQ(read_report(path)->run.status, "interrupted");
  Result<Journal> journal = gone_on(path, "2026-01-01T00:00:00Z");
  EXPECT_EQ(read_report(path)->run.status, "killed") << "until it ends once more";
  run.status = "complete";
  ASSERT_TRUE(journal->end(run).ok());
  EXPECT_EQ(read_report(path)->run.status, "complete");
}

// A run takes its journal before it measures anything, and leaves no trace where it ends before it begins.
TEST(JournalResume, IsTakenBeforeAnythingIsWrittenAndByOneRunAtATime) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("j");
  const std::string refusal = path + ": found a run that is still going on, expected no other that writes it";
  Result<Journal> first = Journal::take(path);
  EXPECT_EQ(Journal::take(path).error().message, refusal);
  first->leave();
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    Result<Journal> journal = begun(path, planned_run());
    ASSERT_TRUE(journal.ok() && journal->note("kept").ok());
    EXPECT_EQ(begun(path, planned_run()).error().message, refusal);
    EXPECT_EQ(gone_on(path, "").error().message, refusal);
  }
  Result<Journal> again = Journal::take(path);
  again->leave();
  EXPECT_EQ(read_report(path)->notes, std::vector<std::string>{"kept"}) << "what was there stays";
}

}  // namespace
}  // namespace gdbench::report
