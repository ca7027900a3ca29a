#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/report/journal.h"
#include "tests/support/reports/temporary_folder.h"

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
    cell.scenario = "s";
    cell.build = "build 1";
    report.cells.push_back(cell);
  }
  return report;
}

TEST(TakeOver, GivesCellsWhatTheJournalKnows) {
  Report killed = planned_run();
  killed.run.id = "killed";
  killed.run.status = "killed";
  killed.notes = {"seen"};
  killed.cells[0].status = {CellState::ok, ""};
  killed.cells[0].block = Block{};
  killed.cells[0].samples.resize(3);
  killed.cells[0].other_profiles.emplace(2);
  Report planned = planned_run();
  ASSERT_TRUE(take_over(killed, "j", planned).ok());
  EXPECT_EQ(planned.run.id, "killed");
  EXPECT_EQ(planned.notes, killed.notes);
  EXPECT_EQ(planned.cells[0].samples.size(), 3U);
  ASSERT_TRUE(planned.cells[0].other_profiles.has_value());
  EXPECT_EQ(planned.cells[0].other_profiles->size(), 2U);
  EXPECT_EQ(planned.cells[0].status.state, CellState::ok);
  EXPECT_EQ(planned.cells[1].status.state, CellState::pending) << "to be verified still";
}

TEST(TakeOver, RefusesAnotherRun) {
  const auto refusal = [](const Report& killed) {
    Report planned = planned_run();
    const Status status = take_over(killed, "j", planned);
    return status.ok() ? "" : status.error().message;
  };
  Report other = planned_run();
  other.run.seed = 9;
  EXPECT_EQ(refusal(other), "j: /run/seed: found 9, expected 1");
  other = planned_run();
  other.cells.pop_back();
  EXPECT_EQ(refusal(other), "j: found 1 cells, expected the 2 of this command");
  other = planned_run();
  other.cells[1].id = "s/c";
  EXPECT_EQ(refusal(other), "j: found no cell s/b, expected the cells of this command");
  other = planned_run();
  other.cells[1].build = "build 2";
  EXPECT_NE(refusal(other).find("expected the build \"build 1\""), std::string::npos);
  other = planned_run();
  other.run.status = "complete";
  EXPECT_NE(refusal(other).find("expected one that was stopped"), std::string::npos);
}

TEST(JournalResume, DropsHalfALineAndGoesOn) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path() / "x.journal.jsonl";
  Report report = planned_run();
  {
    Result<Journal> journal = Journal::create(path, report);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->sample("s/a", Sample{}).ok());
  }
  std::ofstream(path, std::ios::app) << "{\"event\":\"sample\",\"cell\":\"s/";
  {
    Result<Journal> journal = Journal::resume(path, "2026-01-01T00:00:00Z");
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    ASSERT_TRUE(journal->sample("s/b", Sample{}).ok());
  }
  const Result<Report> read = read_report(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->cells[0].samples.size(), 1U);
  EXPECT_EQ(read->cells[1].samples.size(), 1U);
  EXPECT_EQ(read->run.status, "killed");
  EXPECT_FALSE(Journal::resume(folder.path() / "nothing", "").ok());
}

}  // namespace
}  // namespace gdbench::report
