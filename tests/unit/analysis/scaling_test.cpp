#include "harness/analysis/scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/summarise.h"
#include "tests/unit/analysis/measured_cell.h"

namespace gdbench::analysis {
namespace {

report::Cell with_threads(const std::string& scenario, int threads, const std::vector<double>& steps_ns) {
  report::Cell cell = measured_cell(scenario, "one/x", steps_ns, threads);
  cell.id += "@" + std::to_string(threads);
  return cell;
}

report::Report report_of(const std::vector<report::Cell>& cells) {
  report::Report report;
  report.run.baseline = "one/x";
  for (const char* key : {"large", "small"}) report.scenarios.emplace_back().key = key;
  report.cells = cells;
  summarise(report);
  return report;
}

const std::vector<double> kSingle = {100, 100, 200, 200, 100, 100};
const std::vector<double> kDouble = {60, 50, 110, 100, 55, 52};  // 0.6, 0.5, 0.55, 0.5, 0.55, 0.52 of it

TEST(ThreadScaling, IsPairedLaunchByLaunch) {
  const report::Report report = report_of({with_threads("large", 1, kSingle), with_threads("large", 2, kDouble)});
  ASSERT_TRUE(report.scaling);
  ASSERT_EQ(report.scaling->size(), 1U);
  const report::ThreadScaling& scaling = report.scaling->front();
  EXPECT_EQ(scaling.cell, "large/one/x@2");
  EXPECT_EQ(scaling.single, "large/one/x@1");
  const double median = std::sqrt(0.52 * 0.55);
  EXPECT_NEAR(scaling.speed_up.value, 1 / median, 1e-12);
  EXPECT_NEAR(scaling.speed_up.interval.low, 1 / 0.6, 1e-12);
  EXPECT_NEAR(scaling.speed_up.interval.high, 1 / 0.5, 1e-12);
  EXPECT_EQ(scaling.speed_up.launches, 6);
  EXPECT_NEAR(scaling.efficiency.value, 0.5 / median, 1e-12);
  EXPECT_NEAR(scaling.efficiency.interval.high, 1, 1e-12);
  EXPECT_EQ(scaling.verdict, stats::Verdict::faster);
  // 10, 0, 10, 0, 5 and 2 beyond a half.
  EXPECT_NEAR(scaling.undivided_ns.value, 3.5, 1e-12);
  EXPECT_NEAR(scaling.undivided_ns.interval.low, 0, 1e-12);
  EXPECT_NEAR(scaling.undivided_ns.interval.high, 10, 1e-12);
  EXPECT_TRUE(scaling.smallest) << "of one scenario";
}

TEST(ThreadScaling, TheShortestSingleBoundsWhatEachNumberOfThreadsCosts) {
  const std::vector<double> small(6, 12);
  const report::Report report = report_of({with_threads("large", 1, kSingle), with_threads("large", 2, kDouble),
                                           with_threads("large", 4, kDouble), with_threads("small", 1, small),
                                           with_threads("small", 2, std::vector<double>(6, 20))});
  ASSERT_EQ(report.scaling->size(), 3U);
  const std::vector<report::ThreadScaling>& rows = *report.scaling;
  EXPECT_FALSE(rows[0].smallest);
  EXPECT_TRUE(rows[1].smallest) << "the only one of four threads";
  EXPECT_NEAR(rows[1].efficiency.value, rows[0].efficiency.value / 2, 1e-12);
  EXPECT_TRUE(rows[2].smallest);
  EXPECT_NEAR(rows[2].undivided_ns.value, 14, 1e-12);
  EXPECT_EQ(rows[2].verdict, stats::Verdict::slower);
}

TEST(ThreadScaling, OnlyTheSameCellWithOneThreadIsItsSingle) {
  for (const auto& change : std::vector<void (*)(report::Cell&)>{
           [](report::Cell& cell) { cell.implementation = "other/x"; },
           [](report::Cell& cell) { cell.scenario = "small"; }, [](report::Cell& cell) { cell.arm = "base"; },
           [](report::Cell& cell) { cell.options["fast"] = "true"; }, [](report::Cell& cell) { cell.threads = 3; },
           [](report::Cell& cell) { cell.status.state = report::CellState::untrusted; },
           // On two processors.
           [](report::Cell& cell) { cell.samples.front().cpu_ns *= 2; }}) {
    report::Cell single = with_threads("large", 1, {100});
    change(single);
    EXPECT_FALSE(report_of({single, with_threads("large", 2, {50})}).scaling);
  }
  EXPECT_TRUE(report_of({with_threads("large", 1, {100}), with_threads("large", 2, {50})}).scaling);
  report::Cell control = with_threads("large", 1, {100});
  control.arm = report::kControlArm;
  report::Cell other = with_threads("large", 2, {50});
  other.arm = report::kControlArm;
  EXPECT_FALSE(report_of({control, other}).scaling) << "a control is another cell again";
}

TEST(ThreadScaling, RanksScaleAsThreadsDo) {
  const auto with_ranks = [](int ranks, int threads, const std::vector<double>& steps_ns) {
    report::Cell cell = with_threads("large", threads, steps_ns);
    cell.implementation = "one/x+mpi";
    cell.id = "large/one/x+mpi?ranks=" + std::to_string(ranks) + "@" + std::to_string(threads);
    cell.ranked = false;
    cell.ranks = ranks;
    cell.options["ranks"] = std::to_string(ranks);
    for (report::Sample& sample : cell.samples) sample.cpu_ns = sample.real_ns * ranks * threads;
    return cell;
  };
  const report::Report report =
      report_of({with_ranks(1, 1, kSingle), with_ranks(2, 1, kDouble), with_ranks(2, 2, {25, 25, 50, 50, 25, 25})});
  ASSERT_TRUE(report.scaling);
  ASSERT_EQ(report.scaling->size(), 2U);
  for (const report::ThreadScaling& scaling : *report.scaling) EXPECT_EQ(scaling.single, "large/one/x+mpi?ranks=1@1");
  EXPECT_NEAR(report.scaling->front().efficiency.value, 0.5 / std::sqrt(0.52 * 0.55), 1e-12);
  EXPECT_NEAR(report.scaling->back().speed_up.value, 4, 1e-12);
  EXPECT_NEAR(report.scaling->back().efficiency.value, 1, 1e-12);
}

}  // namespace
}  // namespace gdbench::analysis
