#include "harness/report/explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/analysis/pairing.h"
#include "harness/questions/explain/calls.h"
#include "harness/questions/explain/explain.h"
#include "harness/questions/explain/phases.h"
#include "harness/report/report.h"
#include "tests/support/reports/explained_report.h"

namespace gdbench::explain {
namespace {

using tests::add_profile;
using tests::exact_cell;
using tests::explain_first_two;
using tests::explained_report;
using tests::phase_of;
using tests::report_of;

void expect_no_causes(const report::Explanation& explanation) {
  EXPECT_FALSE(explanation.differs());
  EXPECT_TRUE(explanation.paths.empty());
  EXPECT_FALSE(explanation.profiles.has_value());
  EXPECT_FALSE(explanation.start.has_value());
  EXPECT_FALSE(explanation.a_ceiling.has_value() || explanation.b_ceiling.has_value());
}

report::TargetRun run_of(std::uint64_t steps) {
  report::TargetRun run;
  run.state = report::TargetState::reached;
  run.target_loss = 0.02;
  run.steps = steps;
  return run;
}

TEST(ImplementationName, SpellsTheAxes) {
  const report::ImplementationName whole = report::parse_implementation("one/two+three@four");
  EXPECT_EQ(whole.strategy + "|" + whole.backend + "|" + whole.policy + "|" + whole.environment, "one|two|three|four");
  const report::ImplementationName bare = report::parse_implementation("one");
  EXPECT_EQ(bare.strategy + "|" + bare.backend + "|" + bare.policy + "|" + bare.environment, "one|||");
}

TEST(Explain, ComparesPairByPair) {
  const report::Report report = explained_report();
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_EQ(explanation.whole.cell, "scenario-3x2/slow/loops");
  EXPECT_EQ(explanation.whole.base, "scenario-3x2/fast/loops");
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::slower);
  const stats::Estimate& difference_ns = explanation.whole.difference_ns;
  const stats::Estimate& ratio = explanation.whole.comparison.ratio;
  EXPECT_NEAR(difference_ns.value, 3700, 5);
  EXPECT_NEAR(difference_ns.value, (ratio.value - 1) * report.cells[1].summary->step_ns.value, 5);
  EXPECT_NEAR(difference_ns.interval.low, 3700, 60) << "the drift between launches is paired away";
  EXPECT_NEAR(difference_ns.interval.high, 3700, 60);
  ASSERT_EQ(explanation.paths.size(), 1U);
  ASSERT_EQ(explanation.paths[0].parts.size(), 1U) << "one axis differs";
  EXPECT_EQ(explanation.paths[0].parts[0].axis, "strategy");
  EXPECT_EQ(explanation.paths[0].parts[0].difference.difference_ns.value, difference_ns.value);
}

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
  expect_no_causes(explanation);
  EXPECT_TRUE(explanation.missing.empty());
}

TEST(Explain, GivesNoCauseToWhatIsInconclusive) {
  const report::Explanation explanation =
      explain_first_two(report_of({exact_cell("one/loops", 10000, 2), exact_cell("two/loops", 20000, 2)}));
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::inconclusive);
  EXPECT_FALSE(explanation.whole.comparison.remark.empty());
  expect_no_causes(explanation);
  ASSERT_EQ(explanation.missing.size(), 1U);
  EXPECT_EQ(explanation.missing[0].lack, report::Lack::launches);
  EXPECT_EQ(explanation.missing[0].command,
            "gdbench run --scenario scenario-3x2 --impl one/loops --impl two/loops --launches 12");
}

TEST(Explain, NamesTheThreeLargestOpsOfAFramework) {
  report::Report report = explained_report();
  report::Profile& profile = *report.cells[0].profile;
  EXPECT_FALSE(explain_first_two(report).a_ops.has_value());
  profile.ops = {.profiler = "a.profiler", .steps = 30, .step_ns = 4 * profile.step_ns, .records = {}};
  for (const double share : {0.4, 0.3, 0.2, 0.05}) {
    profile.ops->records.push_back(
        {.phase = report::Phase::forward, .op = "mm", .calls = 1, .time_ns = share * profile.ops->step_ns});
  }
  const report::Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.a_ops.has_value());
  EXPECT_DOUBLE_EQ(explanation.a_ops->slowdown, 4);
  ASSERT_EQ(explanation.a_ops->ops.size(), 3U);
  EXPECT_DOUBLE_EQ(explanation.a_ops->ops.back().share, 0.2);
  EXPECT_FALSE(explanation.b_ops.has_value());
  profile.ops->step_ns = 0;
  EXPECT_FALSE(explain_first_two(report).a_ops.has_value()) << "of nothing there are no shares";
}

TEST(Explain, CountsCallsIntoTheFramework) {
  report::Report report = explained_report();
  report.cells[0].profile->dispatches_per_step = 20;
  report.cells[0].profile->floor = {{"cheapest op", 137}, {"empty tape", 900}};
  report.cells[1].profile->dispatches_per_step = 2;  // but no floor: nothing to multiply by
  report::Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.a_dispatches.has_value());
  EXPECT_DOUBLE_EQ(explanation.a_dispatches->least_ns, 2740);
  EXPECT_DOUBLE_EQ(explanation.a_dispatches->share, 2740 / explanation.a_step_ns.value);
  EXPECT_FALSE(explanation.b_dispatches.has_value());
  ASSERT_TRUE(explanation.calls.has_value()) << "the other one has no framework to call";
  EXPECT_NEAR(explanation.calls->share, 2740.0 / 3700, 0.01);
  explanation.whole.difference_ns.interval.low = -1;
  EXPECT_FALSE(calls_share(report.cells[0], report.cells[1], explanation).has_value()) << "the difference may be none";
  // The price of a call is as far apart as its profiles.
  report.cells[0].other_profiles = {*report.cells[0].profile};
  report.cells[0].other_profiles->front().floor = {{"empty tape", 900}, {"cheapest op", 177}};
  explanation = explain_first_two(report);
  EXPECT_NEAR(explanation.calls->share, 2740.0 / 3700, 0.01);
  EXPECT_LE(explanation.calls->interval.low, 2740.0 / 3700);
  EXPECT_GE(explanation.calls->interval.high, 3540.0 / 3700);
  report.cells[1].summary->import_seconds = 1;
  EXPECT_FALSE(explain_first_two(report).calls.has_value()) << "it has one and counts no calls";
}

TEST(Explain, AdvisesTheLargestPhaseWhereOneAxisDiffers) {
  report::Report report = explained_report();
  const report::Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.advice.has_value());
  EXPECT_EQ(explanation.advice->remedy, report::Remedy::phase);
  EXPECT_EQ(explanation.advice->cell, explanation.a);
  EXPECT_EQ(explanation.advice->subject, "backward");
  EXPECT_NEAR(explanation.advice->saving_ns, phase_of(explanation, "backward").contribution.difference_ns, 1e-9);
  report.cells[0].profile.reset();
  EXPECT_FALSE(explain_first_two(report).advice.has_value()) << "without a cause";
}

TEST(Explain, AdvisesTheLargestAxisWhereSeveralDiffer) {
  const report::Report report = explained_report();
  // slow/loops beside fast/matrix, either way round: what the slower one lacks is named.
  for (const bool slower_first : {true, false}) {
    const report::Explanation explanation = slower_first ? explain(report, report.cells[0], report.cells[2])
                                                         : explain(report, report.cells[2], report.cells[0]);
    ASSERT_TRUE(explanation.advice.has_value());
    EXPECT_EQ(explanation.advice->remedy, report::Remedy::axis);
    EXPECT_EQ(explanation.advice->cell, report.cells[0].id);
    EXPECT_EQ(explanation.advice->subject, "strategy");
    EXPECT_EQ(explanation.advice->value, "fast");
    EXPECT_NEAR(explanation.advice->saving_ns, 3700, 50) << "of slow/loops itself, not of slow/matrix on the way";
  }
}

// slow/matrix, the one row between the two, is far slower than both: what "fast" would save there, slow/loops has not.
TEST(Explain, AdvisesNothingThatOnlyAnotherCellWouldSave) {
  const report::Report report =
      report_of({exact_cell("slow/loops", 13700), exact_cell("fast/matrix", 8000), exact_cell("slow/matrix", 200000)});
  for (const bool slower_first : {true, false}) {
    const report::Explanation explanation = slower_first ? explain(report, report.cells[0], report.cells[1])
                                                         : explain(report, report.cells[1], report.cells[0]);
    EXPECT_FALSE(explanation.paths.empty());
    EXPECT_FALSE(explanation.advice.has_value()) << explanation.advice->saving_ns;
  }
}

TEST(Explain, FollowsBothWaysThroughTheAxes) {
  report::Report report = explained_report();
  const report::Explanation explanation = explain(report, report.cells[0], report.cells[2]);
  ASSERT_EQ(explanation.paths.size(), 2U);
  const std::vector<report::AxisPart>& first = explanation.paths[0].parts;
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].axis, "strategy");
  EXPECT_EQ(first[0].value + " " + first[0].base_value, "slow fast");
  EXPECT_EQ(first[0].difference.base, "scenario-3x2/fast/loops");
  EXPECT_NEAR(first[0].difference.difference_ns.value, 3700, 50);
  EXPECT_EQ(first[1].axis, "backend");
  EXPECT_NEAR(first[1].difference.difference_ns.value, 2000, 50);
  const std::vector<report::AxisPart>& second = explanation.paths[1].parts;
  EXPECT_EQ(second[0].axis, "strategy") << "the larger part comes first";
  EXPECT_EQ(second[0].difference.cell, "scenario-3x2/slow/matrix");
  EXPECT_NEAR(second[0].difference.difference_ns.value, 4100, 50);
  EXPECT_NEAR(second[1].difference.difference_ns.value, 1600, 50);
  for (const report::AxisPath& path : explanation.paths) {
    double sum_ns = path.rest_ns;
    for (const report::AxisPart& part : path.parts) sum_ns += part.difference.difference_ns.value;
    EXPECT_NEAR(sum_ns, explanation.whole.difference_ns.value, 1e-9);
  }
  for (report::Cell& cell : report.cells) cell.summary->import_seconds = 2.5;
  const std::vector<report::AxisPart> framework = explain(report, report.cells[0], report.cells[2]).paths.at(0).parts;
  EXPECT_EQ(framework.at(0).axis + " " + framework.at(1).axis, "framework mode");
}

TEST(Explain, WalksOnlyOverCellsThatWereTimed) {
  report::Report report = explained_report();
  report.cells[3].summary.reset();
  EXPECT_EQ(explain(report, report.cells[0], report.cells[2]).paths.size(), 1U);
  report.cells[1].options = {{"packed", "true"}};
  EXPECT_TRUE(explain(report, report.cells[0], report.cells[2]).paths.empty()) << "its options differ from both";
}

// Both axes change, no cell has one of them alone, and no profile divides the steps.
TEST(Explain, WalksOverTheRowBetweenWhereNothingElseTells) {
  report::Report report = explained_report();
  for (report::Cell& cell : report.cells) cell.profile.reset();
  report.cells[1].implementation = "third/loops";
  report.cells[3].summary.reset();
  const report::Explanation explanation = explain(report, report.cells[0], report.cells[2]);
  EXPECT_TRUE(explanation.paths.empty()) << "third/loops is two axes away from fast/matrix";
  report.cells[1].implementation = "third/matrix";
  const report::Explanation walked = explain(report, report.cells[0], report.cells[2]);
  ASSERT_EQ(walked.paths.size(), 1U);
  EXPECT_EQ(walked.paths[0].parts[0].axis, report::kWholeImplementation);
  EXPECT_EQ(walked.paths[0].parts[0].base_value, "third/matrix");
  EXPECT_EQ(walked.paths[0].parts[1].value, "third/matrix");
  EXPECT_FALSE(walked.advice.has_value()) << "the faster cell itself would help more";
  report.cells[1].implementation = "fast/matrix";
  report.cells[1].arm = report::kControlArm;
  EXPECT_TRUE(explain(report, report.cells[0], report.cells[2]).paths.empty()) << "a control is one of both again";
}

TEST(Explain, HasNoDifferenceOfCellsThatShareNoLaunch) {
  report::Report report = explained_report();
  for (report::Cell& cell : report.cells) cell.target = run_of(100);
  for (report::Sample& sample : report.cells[1].samples) sample.launch += 100;
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_EQ(explanation.whole.difference_ns.value, 0);
  ASSERT_TRUE(explanation.target.has_value());
  EXPECT_FALSE(explanation.target->time.has_value());
  EXPECT_EQ(explain(report, report.cells[0], report.cells[2]).paths.size(), 1U) << "not over the second cell";
}

TEST(ExplainMissing, NamesWhatHasNoProfileAndTheCommandThatMakesIt) {
  report::Report report = explained_report();
  report.cells[0].profile.reset();
  report.cells[1].profile.reset();
  report::Explanation explanation = explain_first_two(report);
  EXPECT_FALSE(explanation.profiles.has_value());
  ASSERT_EQ(explanation.missing.size(), 2U);
  EXPECT_EQ(explanation.missing[0].lack, report::Lack::profile);
  EXPECT_EQ(explanation.missing[0].cell, "scenario-3x2/slow/loops");
  EXPECT_EQ(explanation.missing[1].command,
            "gdbench run --scenario scenario-3x2 --impl slow/loops --impl fast/loops --launches 12");
  report.notes = {"slow/loops offers no profile"};
  add_profile(report.cells[1], {{.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 1e6},
                                {.phase = report::Phase::other, .op = "step", .calls = 1, .time_ns = 10000}});
  explanation = explain_first_two(report);
  ASSERT_EQ(explanation.missing.size(), 2U);
  EXPECT_EQ(explanation.missing[0].lack, report::Lack::no_profile);
  EXPECT_EQ(explanation.missing[0].command, "");
  EXPECT_EQ(explanation.missing[1].lack, report::Lack::one_piece);
  EXPECT_EQ(explanation.missing[1].command, "gdbench ablate scenario-3x2 --impl fast/loops");

  report = explained_report();  // in which no phase stands out
  for (report::Cell* cell : {&report.cells[0], &report.cells[1]}) {
    cell->profile->step_ns += 6000;
    cell->profile->profiled_step_ns += 6000;
  }
  explanation = explain_first_two(report);
  ASSERT_EQ(explanation.missing.size(), 1U);
  EXPECT_EQ(explanation.missing[0].lack, report::Lack::repeats);
  EXPECT_NE(explanation.missing[0].command.find("--launches 12"), std::string::npos);
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

TEST(ExplainStart, TakesTheBreakEvenOfTheReportOrComputesIt) {
  report::Report report = explained_report();
  report.attribution = report::Attribution{};
  report.attribution->break_evens = {
      {"scenario-3x2/slow/loops", "scenario-3x2/fast/loops", {stats::Overtaking::never, 0, {0, 0}, 6}},
      {"scenario-3x2/fast/loops", "scenario-3x2/slow/loops", {stats::Overtaking::after, 42, {40, 45}, 6}}};
  const report::Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.start.has_value());
  EXPECT_EQ(explanation.start->break_even.cell, "scenario-3x2/fast/loops") << "the cell with the faster steps";
  EXPECT_EQ(explanation.start->break_even.result.steps, 42);
  EXPECT_DOUBLE_EQ(explanation.start->a_load_ns, 1e6);
  EXPECT_DOUBLE_EQ(explanation.start->b_prepare_ns, 2e6);
  EXPECT_DOUBLE_EQ(explanation.start->a_first_step_ns, 5 * 13700);
  report.attribution.reset();
  const report::BreakEvenRecord computed = explain_first_two(report).start->break_even;
  EXPECT_EQ(computed.cell, "scenario-3x2/fast/loops");
  EXPECT_EQ(computed.other, "scenario-3x2/slow/loops");
  EXPECT_EQ(computed.result.overtaking, stats::Overtaking::from_the_start);
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
  report.cells[0].target = run_of(200);
  cell.target = run_of(100);
  return report;
}

TEST(ExplainAcross, ComparesOptimizersPerStepAndToTheTarget) {
  report::Report report = report_of_optimizers();
  const report::Explanation explanation = explain(report, report.cells[1], report.cells[0]);
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::slower);
  ASSERT_EQ(explanation.differing.size(), 2U);
  EXPECT_EQ(explanation.differing[0].key, "optimizer.beta1");
  EXPECT_EQ(explanation.differing[0].b, "");
  EXPECT_EQ(explanation.differing[1].key, "optimizer.kind");
  EXPECT_EQ(explanation.differing[1].a + " " + explanation.differing[1].b, "\"adam\" \"sgd\"");
  ASSERT_TRUE(explanation.target.has_value() && explanation.target->time.has_value());
  EXPECT_EQ(explanation.target->time->comparison.verdict, stats::Verdict::faster);
  EXPECT_NEAR(explanation.target->time->comparison.ratio.value, 0.6, 0.02) << "half the steps at 1.2 times the time";
  EXPECT_FALSE(explanation.start.has_value() || explanation.advice.has_value());
  EXPECT_TRUE(explanation.paths.empty());
  ASSERT_FALSE(explanation.missing.empty());
  EXPECT_EQ(explanation.missing[0].command,
            "gdbench run --scenario scenario-3x2 --impl one/loops --set optimizer=adam --set optimizer=sgd "
            "--launches 16");

  EXPECT_FALSE(explanation.paired);
  const std::string key = report.scenarios[0].key;
  for (report::ScenarioRecord& scenario : report.scenarios) scenario.side_by_side = {key, {}};
  report.cells[1].target->state = report::TargetState::unreached;
  const report::Explanation beside = explain(report, report.cells[1], report.cells[0]);
  EXPECT_TRUE(beside.paired) << "what was launched together";
  const stats::Comparison paired = stats::compare(analysis::pairs_of(report.cells[0], report.cells[1]), {});
  EXPECT_EQ(beside.whole.comparison.ratio.interval.low, paired.ratio.interval.low);
  EXPECT_EQ(beside.whole.comparison.ratio.interval.high, paired.ratio.interval.high);
  EXPECT_EQ(beside.differing.size(), 2U);
  ASSERT_TRUE(beside.target.has_value());
  EXPECT_FALSE(beside.target->time.has_value()) << "one missed it";
}

// A control of either scenario that was off by half lets no verdict of 20% stand.
TEST(ExplainAcross, KeepsToTheStricterOfBothScenarios) {
  for (const char* scenario : {"key", "other"}) {
    report::Report report = report_of_optimizers();
    report::Control control{scenario, "x", "y", {}};
    control.comparison.ratio = {1.5, {1.4, 1.6}, 8, false};
    report.controls = {control};
    const report::Explanation explanation = explain(report, report.cells[1], report.cells[0]);
    EXPECT_NE(explanation.whole.comparison.verdict, stats::Verdict::slower) << scenario;
  }
}

TEST(ExplanationJson, HasWhatWasComputed) {
  report::Report report = explained_report();
  report.attribution = report::Attribution{};
  const double infinity = std::numeric_limits<double>::infinity();
  report.attribution->break_evens = {
      {"scenario-3x2/fast/loops", "scenario-3x2/slow/loops", {stats::Overtaking::undecided, 42, {40, infinity}, 6}}};
  const nlohmann::json document = report::to_json({explain_first_two(report)});
  EXPECT_EQ(document["schema"], "gdbench-explanation");
  const nlohmann::json& explanation = document["explanations"][0];
  EXPECT_EQ(explanation["a"], "scenario-3x2/slow/loops");
  EXPECT_EQ(explanation["whole"]["comparison"]["verdict"], "slower");
  EXPECT_EQ(explanation["profiles"]["phases"][0]["phase"], "backward");
  EXPECT_EQ(explanation["profiles"]["phases"][0]["standing"], "cause");
  EXPECT_EQ(explanation["profiles"]["ops"][0]["b_calls"], 2);
  EXPECT_EQ(explanation["start"]["break_even"]["overtaking"], "undecided");
  EXPECT_TRUE(explanation["start"]["break_even"]["interval"]["high"].is_null()) << "JSON has no infinity";
  EXPECT_FALSE(explanation.contains("a_ceiling"));
}

}  // namespace
}  // namespace gdbench::explain
