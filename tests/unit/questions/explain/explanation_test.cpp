#include "harness/report/explanation.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>

#include "harness/questions/explain/explain.h"
#include "harness/report/report.h"
#include "tests/support/reports/explained_report.h"

namespace gdbench::explain {
namespace {

using tests::add_profile;
using tests::exact_cell;
using tests::explain_first_two;
using tests::explained_report;
using tests::op_of;
using tests::phase_of;
using tests::report_of;

// The ratio times a step of 41 us would be 634 us [624, 645].
TEST(Explain, HasTheDifferencesOfTheLaunches) {
  const double less_ns[] = {509e3, 773e3, 513e3, 1095e3, 714e3, 555e3};
  std::vector<report::Cell> cells = {exact_cell("fast/loops", 0, 6), exact_cell("slow/loops", 0, 6)};
  for (report::Sample& sample : cells[0].samples) sample.real_ns = less_ns[sample.launch] / 16;
  for (report::Sample& sample : cells[1].samples) sample.real_ns = less_ns[sample.launch] * (1 + 1.0 / 16);
  const report::CellDifference whole = explain_first_two(report_of(std::move(cells))).whole;
  EXPECT_EQ(whole.comparison.verdict, stats::Verdict::faster);
  EXPECT_NEAR(whole.comparison.ratio.interval.low, whole.comparison.ratio.interval.high, 1e-9);
  EXPECT_NEAR(whole.difference_ns.value, -(555e3 + 714e3) / 2, 1e-6);
  EXPECT_NEAR(whole.difference_ns.interval.low, -1095e3, 1e-6);
  EXPECT_NEAR(whole.difference_ns.interval.high, -509e3, 1e-6);
}

TEST(Explain, GivesTwinsNoCauseWhateverTheirProfilesSay) {
  report::Report report = report_of({exact_cell("one/loops", 10000), exact_cell("twin/loops", 10020)});
  add_profile(report.cells[0], {{.phase = report::Phase::forward, .op = "product", .calls = 1, .time_ns = 9000}});
  add_profile(report.cells[1], {{.phase = report::Phase::backward, .op = "product", .calls = 1, .time_ns = 9000}});
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::equivalent);
  EXPECT_FALSE(explanation.differs() || explanation.profiles || explanation.start);
  EXPECT_TRUE(explanation.paths.empty());
  EXPECT_TRUE(explanation.missing.empty());
}

// Either way round: what the slower one lacks is named.
report::Explanation explained(const report::Report& report, std::size_t a, std::size_t b, bool slower_first) {
  if (!slower_first) std::swap(a, b);
  return explain(report, report.cells[a], report.cells[b]);
}

TEST(Explain, AdvisesTheLargestAxisWhereSeveralDiffer) {
  const report::Report report = explained_report();
  for (const bool slower_first : {true, false}) {
    const report::Explanation explanation = explained(report, 0, 2, slower_first);
    ASSERT_TRUE(explanation.advice.has_value());
    EXPECT_EQ(explanation.advice->subject + " " + explanation.advice->value, "strategy fast");
    EXPECT_NEAR(explanation.advice->saving_ns, 3700, 50) << "of slow/loops itself, not of slow/matrix on the way";
  }
}

// slow/matrix, the one row between the two, is far slower than both: what "fast" would save there, slow/loops has not.
TEST(Explain, AdvisesNothingThatOnlyAnotherCellWouldSave) {
  const report::Report report =
      report_of({exact_cell("slow/loops", 13700), exact_cell("fast/matrix", 8000), exact_cell("slow/matrix", 200000)});
  for (const bool slower_first : {true, false}) {
    const report::Explanation explanation = explained(report, 0, 1, slower_first);
    EXPECT_FALSE(explanation.paths.empty());
    EXPECT_FALSE(explanation.advice.has_value()) << explanation.advice->saving_ns;
  }
}

TEST(Explain, HasNoDifferenceOfCellsThatShareNoLaunch) {
  report::Report report = explained_report();
  for (report::Cell& cell : report.cells) {
    cell.target.emplace().state = report::TargetState::reached;
    cell.target->steps = 100;
  }
  for (report::Sample& sample : report.cells[1].samples) sample.launch += 100;
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_EQ(explanation.whole.difference_ns.value, 0);
  ASSERT_TRUE(explanation.target.has_value());
  EXPECT_FALSE(explanation.target->time.has_value());
  EXPECT_EQ(explain(report, report.cells[0], report.cells[2]).paths.size(), 1U) << "not over the second cell";
}

TEST(ExplainMissing, OfAStepInOnePieceIsAnAblation) {
  report::Report report = explained_report();
  report.notes = {"slow/loops offers no profile"};
  report.cells[0].profile.reset();
  add_profile(report.cells[1], {{.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 1e6},
                                {.phase = report::Phase::other, .op = "step", .calls = 1, .time_ns = 10000}});
  const std::vector<report::MissingEvidence> missing = explain_first_two(report).missing;
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].lack, report::Lack::no_profile);
  EXPECT_EQ(missing[1].command, "gdbench ablate scenario-3x2 --impl fast/loops");
}

TEST(ExplainMissing, AsksForBothValuesOfWhatDiffers) {
  report::Report report = explained_report();
  for (report::Cell* cell : {&report.cells[0], &report.cells[1]}) cell->profile.reset();
  report.cells[0].repeat += " --set impl.update=each --threads 2";
  report.cells[0].threads = 2;
  report.cells[1].default_options = std::map<std::string, std::string>{{"update", "merged"}};
  const report::Explanation explanation = explain_first_two(report);
  ASSERT_FALSE(explanation.missing.empty());
  EXPECT_EQ(explanation.missing[0].command,
            "gdbench run --scenario scenario-3x2 --impl slow/loops --impl fast/loops --set impl.update=each "
            "--set impl.update=merged --threads 2 --threads 1 --launches 12");
}

// The same implementation under two optimizers, in scenarios of one name.
report::Report report_of_optimizers() {
  report::Report report = report_of({exact_cell("one/loops", 10000, 8), exact_cell("one/loops", 12000, 8)});
  report::ScenarioRecord adam = report.scenarios[0];
  report.scenarios[0].resolved.text = R"({"optimizer": {"kind": "sgd", "learning_rate": 0.1}})";
  adam.resolved.text = R"({"optimizer": {"kind": "adam", "learning_rate": 0.1, "beta1": 0.9}})";
  adam.key = "other";
  adam.label = adam.name + "[optimizer=adam]";
  report.scenarios.push_back(adam);
  report::Cell& cell = report.cells[1];
  cell.scenario = "other";
  cell.id = adam.label + "/one/loops";
  cell.repeat += " --set optimizer=adam";
  return report;
}

TEST(ExplainAcross, AsksForBothScenarios) {
  const report::Report report = report_of_optimizers();
  EXPECT_EQ(explain(report, report.cells[1], report.cells[0]).missing.at(0).command,
            "gdbench run --scenario scenario-3x2 --impl one/loops --set optimizer=adam --set optimizer=sgd "
            "--launches 16");
}

// A control of either scenario that was off by half lets no verdict of 20% stand.
TEST(ExplainAcross, KeepsToTheStricterOfBothScenarios) {
  for (const char* scenario : {"key", "other"}) {
    report::Report report = report_of_optimizers();
    report::Control control{scenario, "x", "y", {}};
    control.comparison.ratio = {1.5, {1.4, 1.6}, 8, false};
    report.controls = {control};
    report.cells[1].summary->ratio.reset();  // a baseline is of one's own scenario
    const report::Explanation explanation = explain(report, report.cells[1], report.cells[0]);
    EXPECT_NE(explanation.whole.comparison.verdict, stats::Verdict::slower) << scenario;
  }
}

TEST(ExplainPhases, RankTheDelayedOneFirst) {
  const report::Explanation explanation = explain_first_two(explained_report());
  ASSERT_TRUE(explanation.profiles.has_value());
  const report::PhasePart& first = explanation.profiles->phases.front();
  EXPECT_EQ(first.phase, report::Phase::backward);
  EXPECT_EQ(first.contribution.standing, report::Standing::cause);
  EXPECT_NEAR(first.contribution.difference_ns, 4000, 50);
  EXPECT_NEAR(first.contribution.share, 4000.0 / 3700, 0.01);
  EXPECT_EQ(phase_of(explanation, "update").contribution.standing, report::Standing::opposed);
  EXPECT_EQ(phase_of(explanation, "forward").contribution.standing, report::Standing::unclear) << "it does not differ";
  EXPECT_THROW(phase_of(explanation, "compile"), std::out_of_range) << "it is no part of a step";
}

// Four layers, some 900 ns each between the cells, whose profiled processes are slower than the timed ones.
TEST(ExplainOps, AreMergedWhereOnlyTogetherTheyHaveAStanding) {
  const auto parts_at = [](double drift_ns) {
    report::Report report = explained_report();
    for (const auto& [cell, time_ns] : {std::pair(0, 3400.0), {1, 2500.0}}) {
      std::vector<report::ProfileRecord> records;
      for (std::int64_t layer = 0; layer < 4; ++layer)
        records.push_back(
            {.phase = report::Phase::backward, .op = "mm", .calls = 1, .time_ns = time_ns, .layers = {{layer}}});
      add_profile(report.cells[static_cast<std::size_t>(cell)], records, drift_ns, drift_ns);
    }
    return explain_first_two(report).profiles->ops;
  };
  EXPECT_EQ(parts_at(100).size(), 4U);
  const std::vector<report::OpPart> merged = parts_at(600);
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_FALSE(merged[0].layers.has_value());
  EXPECT_EQ(merged[0].contribution.standing, report::Standing::cause);
  EXPECT_EQ(merged[0].a_calls, 4);
}

// Forward has no standing, and the update is opposed: 700 ns more of an op in 300 ns less.
TEST(ExplainOps, HaveNoStandingThatTheirPhaseHasNot) {
  for (const auto& [phase, op, standing] :
       {std::tuple("forward", "product", report::Standing::unclear), {"update", "sgd", report::Standing::opposed}}) {
    report::Report report = explained_report();
    for (report::ProfileRecord& record : report.cells[0].profile->records) {
      if (name_of(record.phase) == std::string(phase)) record.op = "fused";
    }
    const report::Explanation explanation = explain_first_two(report);
    EXPECT_GT(op_of(explanation, phase, "fused").contribution.share_interval.low, 0);
    EXPECT_EQ(op_of(explanation, phase, "fused").contribution.standing, report::Standing::unclear);
    EXPECT_EQ(op_of(explanation, phase, op).contribution.standing, standing);
  }
}

}  // namespace
}  // namespace gdbench::explain
