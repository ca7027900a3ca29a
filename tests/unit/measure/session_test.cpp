// Whole runs over workers that follow a script, without a process: what is measured, in which order, and what is kept.
#include "harness/measure/session.h"

#include <algorithm>

#include "harness/measure/verify_cell.h"
#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using report::CellState;

using SessionTest = FakeRun;

TEST_F(SessionTest, ATrainingThatDivergesIsAskedOfNoWorker) {
  add("a/right");
  make_plan({"linreg-300x2"}, {{"learning_rate", "1.5"}});
  report::Journal nowhere = report::Journal::nowhere();
  for (const Status& status : {run_session(plan_, options_, report_, nowhere), verify_all(plan_, options_, report_)}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
  }
  EXPECT_TRUE(log_.empty()) << log_.front();
  expect_status(0, CellState::pending, "");
}

TEST_F(SessionTest, AWorkerThatDiesLosesNothingThatWasMeasured) {
  add("a/steady");
  add("b/mortal");
  // Dies within the second launch, after its first step, five requests of none and one block.
  int starts = 0;
  int runs = 0;
  on_request_["b/mortal"] = [&](const std::string& request) {
    if (request == "start") ++starts;
    if (request == "start") runs = 0;
    if (request == "run") ++runs;
    return starts == 3 && runs == 8 ? Status(Error{ErrorKind::crashed, "signal 11"}) : Status();
  };
  plan_and_run();
  expect_status(0, CellState::ok, "");
  EXPECT_EQ(cell(0).samples.size(), 6U);
  expect_status(1, CellState::crashed, "signal 11");
  EXPECT_EQ(cell(1).samples.size(), 4U) << "the first launch's, and one of the second";
  EXPECT_EQ(cell(1).launches.size(), 1U) << "only whole ones";

  const auto read = report::parse_journal(tests::text_of(journal_.path()), "journal");
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (const std::size_t index : {0U, 1U}) {
    EXPECT_EQ(read->cells.at(index).samples.size(), cell(index).samples.size());
    EXPECT_EQ(read->cells.at(index).launches.size(), cell(index).launches.size());
    EXPECT_EQ(read->cells.at(index).status.reason, cell(index).status.reason);
  }
}

TEST_F(SessionTest, AFailureBeforeTheFirstBlockIsTheRowsStatus) {
  add("a/refuses");
  add("b/hangs");
  add("c/missing");
  on_request_["a/refuses"] = fail_after(0, "prepare", unsupported("three layers only"));
  on_request_["b/hangs"] = fail_after(0, "run", Error{ErrorKind::timed_out, "no answer within 60 s"});
  on_request_["c/missing"] = fail_after(0, "start", Error{ErrorKind::crashed, "cannot be started"});
  plan_and_run();
  expect_status(0, CellState::unsupported, "three layers only");
  expect_status(1, CellState::timed_out, "no answer within 60 s");
  expect_status(2, CellState::crashed, "cannot be started");
  for (const report::Cell& cell : report_.cells) EXPECT_TRUE(cell.launches.empty()) << cell.id;
}

TEST_F(SessionTest, ABudgetThatIsSpentStillBuysTheMinimumOfLaunches) {
  add("a/plain");
  options_.launches = 0;
  options_.minimum_launches = 3;
  options_.budget_seconds = 0;
  std::string warnings;
  options_.warn = [&](const std::string& text) { warnings += text; };
  plan_and_run({"linreg-3x2", "linreg-300x2"});
  for (const report::Cell& cell : report_.cells) EXPECT_EQ(cell.launches.size(), 3U) << cell.id;
  EXPECT_TRUE(warnings.starts_with("the budget of 0 s is too short for 2 cells")) << warnings;
}

TEST_F(SessionTest, OfSeveralGoalsTheBudgetIsForOneAndTheCellsOfOthersSayWhatTheyNeed) {
  add("a/plain");
  add("b/plain");
  options_.launches = 0;
  options_.minimum_launches = 1;
  options_.decisive_launches = 3;
  options_.budget_seconds = 0;
  options_.goals = {{"first", {0}}, {"second", {0, 1, 2, 3}}};
  plan_and_run({"linreg-3x2", "linreg-300x2"});
  EXPECT_EQ(cell(0).launches.size(), 1U) << "the least, of what is cheapest";
  for (const std::size_t index : {1U, 2U, 3U}) {
    EXPECT_TRUE(cell(index).launches.empty());
    expect_status(index, CellState::pending, "the budget left no time for it; second, after what is cheaper,...");
  }

  options_.budget_seconds = 1000;
  options_.max_launches = 4;
  options_.started = std::chrono::steady_clock::now();
  plan_and_run({"linreg-3x2", "linreg-300x2"});
  for (const report::Cell& cell : report_.cells) EXPECT_EQ(cell.launches.size(), 4U) << cell.id;
}

TEST_F(SessionTest, CellsOfAGoalThatIsChosenLateAreVerifiedBeforeAnyOfItsLaunches) {
  add("a/quick");
  add("b/slow");
  options_.launches = 0;
  options_.minimum_launches = 1;
  options_.decisive_launches = options_.max_launches = 3;
  options_.budget_seconds = 0;  // until the first verification
  options_.goals = {{"first", {0, 2}}, {"second", {0, 1, 2, 3}}};
  on_request_["a/quick"] = [&](const std::string& request) {
    if (request == "start") options_.budget_seconds = 1000;
    return Status();
  };
  plan_and_run({"linreg-3x2", "linreg-300x2"});
  for (const report::Cell& cell : report_.cells) EXPECT_EQ(cell.launches.size(), 3U) << cell.id;
}

TEST_F(SessionTest, AScenarioEndsOnceItIsDecided) {
  add("a/one");
  options_.launches = 0;
  options_.budget_seconds = 1e6;
  options_.max_launches = 9;
  options_.open_cells = [](const report::Report& report, const std::vector<std::size_t>& cells) {
    return cells.front() == 0 && report.cells[0].launches.size() >= 5 ? std::vector<std::size_t>() : cells;
  };
  std::string last;
  options_.progress = [&](const ProgressState& progress) {
    if (progress.phase.find("launch") != std::string::npos) last = progress.phase;
  };
  plan_and_run({"linreg-3x2", "linreg-300x2"});
  EXPECT_EQ(cell(0).launches.size(), 5U);
  EXPECT_EQ(cell(1).launches.size(), 9U) << "as many as there may be";
  EXPECT_EQ(last, "measure linreg-300x2, launch 9; decided: 1 of 2");
}

TEST_F(SessionTest, ACellRestsWhileItIsDecidedAndGoesOnWhenItIsOpenAgain) {
  add("a/one");
  add("b/other");
  options_.launches = 0;
  options_.budget_seconds = 1e6;
  options_.max_launches = 9;
  options_.open_cells = [](const report::Report& report, const std::vector<std::size_t>&) {
    const std::size_t others = report.cells[1].launches.size();
    return others == 3 || others == 4 ? std::vector<std::size_t>{1} : std::vector<std::size_t>{0, 1};
  };
  plan_and_run();
  EXPECT_EQ(cell(1).launches.size(), 9U);
  ASSERT_EQ(cell(0).launches.size(), 7U);
  EXPECT_EQ(cell(0).launches[3].launch, 5) << "launches keep their numbers, by which cells are paired";
}

TEST_F(SessionTest, EndsOnceThePrecisionIsReached) {
  add("a/steady");
  tests::FakeWorker& restless = add("b/restless");
  options_.launches = 0;
  options_.precision = 0.05;
  options_.budget_seconds = 1e6;
  options_.max_launches = 12;
  plan_and_run();
  EXPECT_EQ(cell(0).launches.size(), 3U) << "all samples are alike";

  // One of three launches takes twice as long: no interval is that narrow.
  int starts = 0;
  on_request_["b/restless"] = [&](const std::string& request) {
    if (request == "start") restless.step_ns = ++starts % 3 == 0 ? 200'000 : 100'000;
    return Status();
  };
  plan_and_run();
  EXPECT_EQ(cell(0).launches.size(), 12U) << "cells are launched side by side";
  EXPECT_EQ(cell(1).launches.size(), 12U);
}

TEST_F(SessionTest, StopsWhenItIsCancelledAndBlamesNobody) {
  add("a/first");
  add("b/second");
  bool cancelled = false;
  options_.cancelled = [&] { return cancelled; };
  int runs = 0;
  on_request_["b/second"] = [&](const std::string& request) {
    if (request == "start") runs = 0;
    // In a launch: the verification's worker is asked for other blocks.
    cancelled |= request == "run" && ++runs == 8 && !report_.cells[0].samples.empty();
    return cancelled ? Status(failure("cancelled")) : Status();
  };
  plan_and_run();
  EXPECT_TRUE(cancelled);
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::ok, "");
  EXPECT_TRUE(cell(0).launches.empty());
  EXPECT_GE(cell(0).samples.size(), 1U);
}

const std::vector<scenario::Setting> kRates = {{"learning_rate", "0.01"}, {"learning_rate", "0.02"}};

TEST_F(SessionTest, ValuesOfSetAreVisitedInTheSameRoundsOfTheSameLaunches) {
  add("a/plain");
  add("b/plain");
  plan_and_run({"linreg-300x2", "linreg-3x2"}, {}, kRates);
  ASSERT_EQ(report_.cells.size(), 8U);
  const auto visits = visits_of({report_.cells.begin(), report_.cells.begin() + 4});
  EXPECT_EQ(visits.size(), 6U) << "two launches of three rounds";
  for (const auto& [place, order] : visits) {
    ASSERT_EQ(order.size(), 4U) << "of both values and implementations";
    EXPECT_EQ(std::ranges::count(order, ""), 0) << "every position is taken";
  }
  for (const report::Cell& cell : report_.cells) EXPECT_EQ(cell.launches.size(), 2U) << cell.id;
  EXPECT_EQ(report_.cells[4].samples.front().launch, 0) << "another base scenario has launches of its own";

  plan_and_run({"linreg-300x2"}, {}, kRates);
  std::string starts;
  for (const std::string& line : log_) {
    if (line.ends_with(" start")) starts += line.front();
  }
  EXPECT_TRUE(starts.ends_with("aabbbbaa")) << "next to each other, in turn from either end: " << starts;
  const auto last_launch = std::find(log_.rbegin(), log_.rend(), "a/plain start") + 1;
  const auto its_start = std::find(last_launch, log_.rend(), "a/plain bye");
  EXPECT_EQ(std::count(last_launch, its_start, "b/plain run"), 12)
      << "first steps, and requests of none; no block is timed before all workers are there";
}

TEST_F(SessionTest, WithoutMemoryForAllTheValuesOfAnImplementationStayTogether) {
  add("a/plain");
  add("b/plain");
  options_.keep_free_bytes = std::uint64_t{1} << 60;
  plan_and_run({"linreg-300x2"}, {}, kRates);
  const auto visits = visits_of({report_.cells[0], report_.cells[2]});
  for (const auto& [place, order] : visits) EXPECT_EQ(order.size(), 2U) << "of one implementation";
  ASSERT_EQ(report_.notes.size(), 1U);
  EXPECT_TRUE(report_.notes[0].starts_with("not all workers of a scenario fit into the memory"));
}

TEST_F(SessionTest, AValueThatFailsLeavesTheOthers) {
  add("a/plain");
  int starts = 0;
  on_request_["a/plain"] = [&](const std::string& request) {
    starts += request == "start" ? 1 : 0;
    return request == "start" && starts == 6 ? Status(Error{ErrorKind::crashed, "signal 11"}) : Status();
  };
  plan_and_run({"linreg-300x2"}, {}, kRates);
  expect_status(0, CellState::crashed, "signal 11");  // in the second launch, where it starts last
  EXPECT_EQ(cell(0).launches.size(), 1U);
  expect_status(1, CellState::ok, "");
  EXPECT_EQ(cell(1).launches.size(), 2U);
}

TEST_F(SessionTest, ConfirmsUnitsInLaunchesOfTheirOwnAndValuesOfSetTogether) {
  add("a/close");
  add("b/far");
  plan_and_run({"linreg-300x2"}, {}, kRates);
  const auto& scenarios = plan_.scenarios;
  const std::set<std::size_t> units = {scenarios[0]->cells[0].unit, scenarios[1]->cells[0].unit};
  const Status confirmed = confirm(plan_, units, options_, report_, journal_);
  ASSERT_TRUE(confirmed.ok()) << confirmed.error().message;
  const auto visits = visits_of({report_.cells[0], report_.cells[2]});
  EXPECT_EQ(visits.at({3, 1}).size(), 2U);
  EXPECT_EQ(cell(2).launches.size(), 4U);
  EXPECT_EQ(cell(2).confirmed_from, 2);
  EXPECT_EQ(cell(1).launches.size(), 2U);
  EXPECT_FALSE(cell(1).confirmed_from.has_value());
}

}  // namespace
}  // namespace gdbench::measure
