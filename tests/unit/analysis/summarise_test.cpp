#include "harness/analysis/summarise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "harness/analysis/pairing.h"
#include "harness/analysis/verdicts.h"
#include "harness/report/quantity.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/analysis/measured_cell.h"

namespace gdbench::analysis {
namespace {

report::Sample block(int launch, int round, double real_ns, bool cold = false) {
  return {.launch = launch, .round = round, .cold = cold, .steps = 10, .real_ns = real_ns, .cpu_ns = real_ns};
}

// Machine speed drifts by the launch; the candidate always takes `factor` times as long.
report::Report drifting(double factor, int launches = 8) {
  report::Report report;
  report.run.baseline = "example/base";
  report.scenarios.push_back({});
  report.scenarios[0].key = "s";
  report::Cell base = measured_cell("s", "example/base");
  report::Cell candidate = measured_cell("s", "example/candidate");
  for (int launch = 0; launch < launches; ++launch) {
    const double speed = 100 + 10 * launch;
    base.samples.push_back(block(launch, 0, 5 * speed, true));
    candidate.samples.push_back(block(launch, 0, 7 * speed, true));
    for (int round = 1; round < 4; ++round) {
      base.samples.push_back(block(launch, round, speed + round));
      candidate.samples.push_back(block(launch, round, (speed + round) * factor));
    }
  }
  report.cells = {base, candidate};
  return report;
}

TEST(Summarise, LeavesColdBlocksOut) {
  report::Report report = drifting(2, 1);
  summarise(report);
  ASSERT_TRUE(report.cells[0].summary.has_value());
  EXPECT_DOUBLE_EQ(report.cells[0].summary->step_ns.value, 102);  // of 101, 102, 103
  EXPECT_DOUBLE_EQ(report.cells[0].summary->median_absolute_deviation_ns, 1);
  EXPECT_EQ(report.cells[0].summary->samples, 3);
  EXPECT_TRUE(report.cells[0].summary->step_ns.within_one_process);
}

const stats::Comparison& comparison_of(const report::Report& report, std::size_t cell = 1) {
  return report.cells.at(cell).summary.value().ratio.value().comparison;
}

// Unpaired, the drift of 70% between launches would widen the interval.
TEST(Summarise, PairsByLaunchAndVisit) {
  const std::function<void(report::Report&)> changes[] = {
      [](report::Report&) {}, [](report::Report& report) { std::ranges::reverse(report.cells[1].samples); },
      // Blocks of one visit are paired in their order.
      [](report::Report& report) {
        for (report::Cell& cell : report.cells) {
          for (report::Sample& sample : cell.samples) sample.round = 0;
        }
      },
      // A second block that only one side has counts not.
      [](report::Report& report) {
        for (report::Sample& sample : std::vector(report.cells[1].samples)) {
          sample.real_ns *= 0.1;
          report.cells[1].samples.push_back(sample);
        }
      },
      // Nor do visits that one side lacks.
      [](report::Report& report) {
        report.cells[1].samples.resize(report.cells[1].samples.size() - 2);
        report.cells[1].samples.push_back(block(99, 1, 1e9));
      },
      // Nor do those where one side has no time.
      [](report::Report& report) {
        report.cells[0].samples[1].real_ns = 0;
        report.cells[1].samples[2].real_ns = std::nan("");
      }};
  for (const auto& change : changes) {
    report::Report report = drifting(0.5);
    change(report);
    summarise(report);
    const stats::Comparison& comparison = comparison_of(report);
    EXPECT_NEAR(comparison.ratio.value, 0.5, 1e-12);
    EXPECT_NEAR(comparison.ratio.interval.low, 0.5, 1e-12);
    EXPECT_NEAR(comparison.ratio.interval.high, 0.5, 1e-12);
    EXPECT_EQ(comparison.ratio.launches, 8);
    EXPECT_EQ(comparison.verdict, stats::Verdict::faster);
  }
}

TEST(Summarise, ComparesWithinThreadsArmAndScenario) {
  for (const auto& change : std::vector<void (*)(report::Cell&)>{[](report::Cell& cell) { cell.threads = 2; },
                                                                 [](report::Cell& cell) { cell.arm = "base"; },
                                                                 [](report::Cell& cell) { cell.scenario = "other"; }}) {
    report::Report report = drifting(0.5);
    change(report.cells[1]);
    summarise(report);
    ASSERT_TRUE(report.cells[1].summary.has_value());
    EXPECT_FALSE(report.cells[1].summary->ratio.has_value());
  }
}

// Of each cell, "" where it is compared with none.
std::vector<std::string> baselines_of(report::Report& report) {
  summarise(report);
  std::vector<std::string> baselines;
  for (const report::Cell& cell : report.cells) {
    const bool is_compared = cell.summary && cell.summary->ratio;
    baselines.push_back(is_compared ? cell.summary->ratio->baseline : "");
  }
  return baselines;
}

using Names = std::vector<std::string>;

TEST(Summarise, PrefersTheBaselineWithDefaultOptionsAndThenTheFirst) {
  report::Report report = drifting(0.5);
  EXPECT_EQ(baselines_of(report), (Names{"", "s/example/base"})) << "the baseline has no ratio";
  report::Cell tuned = report.cells[0];
  tuned.id = "s/example/base?fast=true";
  tuned.options = {{"fast", "true"}};
  report.cells.insert(report.cells.begin(), tuned);
  EXPECT_EQ(baselines_of(report), (Names{"s/example/base", "", "s/example/base"}))
      << "a tuned baseline is compared with the plain one";
  EXPECT_NEAR(comparison_of(report, 0).ratio.value, 1, 1e-12);
  report.cells[1].options = {{"faster", "true"}};
  for (report::Sample& sample : report.cells[1].samples) sample.real_ns /= 4;
  EXPECT_EQ(baselines_of(report)[2], tuned.id);
}

TEST(Summarise, WithoutTheBaselineTheFastestRankedRowIsTaken) {
  report::Report report = drifting(0.5);
  report.run.baseline = "example/absent";
  report::Cell busy = report.cells[1];  // would be the fastest
  busy.id = "s/example/busy";
  for (report::Sample& sample : busy.samples) {
    sample.real_ns /= 2;
    sample.cpu_ns = 2 * sample.real_ns;
  }
  report.cells.push_back(busy);
  EXPECT_EQ(baselines_of(report), (Names{"s/example/candidate", "", "s/example/candidate"}));
  EXPECT_NEAR(comparison_of(report, 0).ratio.value, 2, 1e-12);

  report.run.baseline = "example/candidate";
  for (report::Sample& sample : report.cells[1].samples) sample.cpu_ns = 2 * sample.real_ns;
  EXPECT_EQ(baselines_of(report)[0], "s/example/candidate") << "the run's own need not be ranked";
}

TEST(Summarise, GivesNoSummaryToWhatIsNotOkOrHasNoUsableBlock) {
  report::Report report = drifting(0.5);
  summarise(report);
  report.cells[0].status = {report::CellState::untrusted, "example"};
  EXPECT_EQ(baselines_of(report)[1], "") << "there is no baseline any more";
  EXPECT_FALSE(report.cells[0].summary.has_value()) << "nor what it had";
  report.cells[0].status = {report::CellState::ok, ""};
  report.cells[0].samples = {block(0, 0, 10, true), block(0, 1, std::nan("")), block(0, 2, 0), block(0, 3, -5)};
  summarise(report);
  EXPECT_FALSE(report.cells[0].summary.has_value());
  report.cells[0].samples.push_back(block(0, 4, 0.5));
  summarise(report);
  EXPECT_EQ(report.cells[0].summary->step_ns.value, 0.5);
}

TEST(Summarise, TakesMediansOverLaunches) {
  report::Report report = drifting(1, 3);
  report::Cell& cell = report.cells[0];
  for (int launch = 0; launch < 3; ++launch) {
    const double value = launch == 2 ? 100 : launch + 1;  // 1, 2, 100
    cell.launches.push_back({launch, "", value, 2 * value, 3 * value, 4 * value, 5 * value, launch * 1000});
  }
  cell.launches[0].peak_anonymous_bytes = 500;
  cell.launches[2].peak_anonymous_bytes = 400;  // the other launch is an older version's
  cell.launches[0].import_seconds = 7;
  cell.launches[1].import_seconds = 9;
  cell.launches[1].imported_resident_bytes = 300;
  cell.launches.emplace_back().start_seconds = std::nan("");
  for (double report::Launch::*field : {&report::Launch::load_seconds, &report::Launch::prepare_seconds,
                                        &report::Launch::first_step_ns, &report::Launch::total_seconds}) {
    cell.launches.back().*field = std::numeric_limits<double>::infinity();
  }
  summarise(report);
  EXPECT_EQ(cell.summary->peak_anonymous_bytes, 500);
  EXPECT_DOUBLE_EQ(cell.summary->start_seconds, 2);
  EXPECT_DOUBLE_EQ(cell.summary->load_seconds, 4);
  EXPECT_DOUBLE_EQ(cell.summary->prepare_seconds, 6);
  EXPECT_DOUBLE_EQ(cell.summary->first_step_ns, 8);
  EXPECT_DOUBLE_EQ(cell.summary->launch_seconds, 10);
  EXPECT_EQ(cell.summary->peak_resident_bytes, 2000);
  EXPECT_DOUBLE_EQ(cell.summary->import_seconds.value(), 8);
  EXPECT_EQ(cell.summary->imported_resident_bytes, 300);
  EXPECT_FALSE(report.cells[1].summary->import_seconds) << "no launch imports anything";
}

TEST(Summarise, AScriptsStepsAreComparedWithThoseOfTheirLaunch) {
  report::Report report = drifting(1, 6);
  report::Cell& cell = report.cells[0];
  for (const auto& [launch, step_ns] : step_by_launch(cell)) {
    report::Launch& made = cell.launches.emplace_back();
    made.launch = launch;
    made.script = {2 * step_ns, 10.0 * launch};
  }
  cell.launches.emplace_back().launch = 17;  // without samples
  cell.launches.back().script = {1};
  summarise(report);
  const report::ScriptTime& script = cell.summary->script.value();
  EXPECT_DOUBLE_EQ(script.ratio.value, 2);
  EXPECT_EQ(script.ratio.launches, 6);
  EXPECT_DOUBLE_EQ(script.page_faults.value(), 25);
  EXPECT_TRUE(is_named(script));
  EXPECT_FALSE(report.cells[1].summary->script);
}

TEST(Summarise, AScriptIsNamedWhereAllOfItsIntervalIsBeyondTenPercent) {
  for (const auto& [low, high, is_named] :
       {std::tuple(1.11, 3.0, true), {1.09, 3.0, false}, {0.5, 0.92, false}, {0.5, 0.9, true}}) {
    EXPECT_EQ(report::is_named({.ratio = {.value = low, .interval = {low, high}}}), is_named) << low << " " << high;
  }
}

TEST(Summarise, AColdStepIsOverAWarmOneOfItsLaunch) {
  report::Report report = tests::example_report();
  report::Cell& cell = report.cells.front();
  summarise(report);
  EXPECT_FALSE(cell.summary->cold);
  for (std::size_t i = 0; i < cell.launches.size(); ++i) {
    const double speed = i % 2 == 0 ? 1 : 2;
    cell.launches[i].cold_steps = {15, 300 * speed, 200 * speed};
  }
  summarise(report);
  EXPECT_EQ(cell.summary->cold->cold_ns, 300);
  EXPECT_NEAR(cell.summary->cold->ratio.value, 1.5, 1e-12);
  EXPECT_NEAR(cell.summary->cold->ratio.interval.high, 1.5, 1e-9) << "paired";
}

TEST(Summarise, SingleStepsAreMediansOverLaunchesAndTheLongestOfAll) {
  report::Report report = drifting(1, 3);
  report::Cell& cell = report.cells[0];
  const auto values = [&] { return by_launch(report::Quantity::step_p99, 0, cell); };
  for (int launch = 0; launch < 3; ++launch) {
    const double factor = 1 + launch;
    cell.launches.emplace_back().launch = launch;
    cell.launches.back().single_steps = {100 * (launch + 1), factor, 2 * factor, 3 * factor, 9 - factor, 0.01 * factor};
  }
  summarise(report);
  const report::SingleSteps& steps = cell.summary->single_steps.value();
  EXPECT_EQ(steps.steps, 600);
  EXPECT_DOUBLE_EQ(steps.p50_ns, 2);
  EXPECT_DOUBLE_EQ(steps.p95_ns, 4);
  EXPECT_DOUBLE_EQ(steps.p99_ns, 6);
  EXPECT_DOUBLE_EQ(steps.max_ns, 8);
  EXPECT_DOUBLE_EQ(steps.cost, 0.02);
  EXPECT_EQ(values(), (ByLaunch{{0, 3}, {1, 6}, {2, 9}}));
  cell.launches[0].single_steps->cost = 0.09;
  summarise(report);
  EXPECT_TRUE(values().empty()) << "timing them costs 3%";
}

TEST(Summarise, FiguresOfABlockAreMediansOverWarmOnes) {
  report::Report report = drifting(1, 1);
  std::vector<report::Sample>& samples = report.cells[0].samples;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].cpu_ns = samples[i].real_ns * (i == 0 ? 9 : 1.01);
    samples[i].exchange_ns = samples[i].real_ns * (i == 0 ? 0.9 : 0.1 * static_cast<double>(i));
    samples[i].page_faults = i == 0 ? 900 : static_cast<double>(i);
  }
  samples.push_back(block(0, 5, 0));
  summarise(report);
  EXPECT_NEAR(report.cells[0].summary->cpu_per_wall.value(), 1.01, 1e-12);
  EXPECT_NEAR(report.cells[0].summary->exchange_share.value(), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(report.cells[0].summary->page_faults_per_step.value(), 2);
  EXPECT_FALSE(report.cells[1].summary->exchange_share) << "no rank";
  EXPECT_FALSE(report.cells[1].summary->page_faults_per_step) << "an older report";
}

TEST(Summarise, AReportThatCannotBeReadIsAWrongInput) {
  const Result<report::Report> report = read_summarised("/no-such-folder/report.json");
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_NE(report.error().message.find("/no-such-folder/report.json: "), std::string::npos) << report.error().message;
}

TEST(RelativePrecision, IsHalfTheIntervalOverTheValue) {
  for (const report::Cell& cell : {drifting(1, 2).cells[0], report::Cell()}) {
    EXPECT_TRUE(std::isinf(relative_precision(cell))) << "below three launches";
  }
  EXPECT_FALSE(std::isinf(relative_precision(drifting(1, 3).cells[0])));
  // Launches of 101, 111 ... 171: with eight of them the interval at 95% reaches from the least to the largest.
  EXPECT_DOUBLE_EQ(relative_precision(drifting(1).cells[0]), 35.0 / 136);
}

TEST(ProcessorUse, RowsThatUseMoreThanTheirThreadsAreNotRanked) {
  struct Use {
    int threads;
    std::vector<double> processors;  // of warm samples; a cold one does not count
    const char* reason;
  };
  for (const auto& [threads, processors, reason] :
       {Use{1, {1.79, 1.5, 1.9}, "used 1.79 processors, has 1 thread"},
        Use{2, {2.4, 2.4, 1}, "used 2.40 processors, has 2 threads"}, Use{2, {1.79, 1.5, 1.9}, ""},
        Use{1, {1.02, 0.98, 2}, ""},  // helper threads that wake and wait
        Use{1, {}, ""}, Use{1, {1.14}, ""}, Use{1, {1.16}, "used 1.16 processors, has 1 thread"}}) {
    report::Cell cell;
    cell.threads = threads;
    cell.samples.push_back({.cold = true, .real_ns = 10, .cpu_ns = 80});
    for (const double used : processors) cell.samples.push_back({.real_ns = 10, .cpu_ns = 10 * used});
    EXPECT_EQ(reason_not_ranked(cell), reason);
  }
}

}  // namespace
}  // namespace gdbench::analysis
