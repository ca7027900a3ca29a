#include "harness/report/explanation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/pairing.h"
#include "harness/base/text.h"
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

using Words = std::vector<std::string>;

std::vector<std::string> commands_for(const report::Explanation& explanation, const std::vector<report::Lack>& lacks) {
  std::vector<std::string> commands;
  std::vector<report::Lack> found;
  for (const report::MissingEvidence& missing : explanation.missing) {
    found.push_back(missing.lack);
    commands.push_back(missing.command);
  }
  EXPECT_EQ(found, lacks);
  return commands;
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
  EXPECT_EQ(commands_for(explanation, {report::Lack::launches}),
            Words{"gdbench run --scenario scenario-3x2 --impl one/loops --impl two/loops --launches 12"});
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
  report.cells[0].profile->floor = {{"empty tape", 900}, {"cheapest op", 137}};
  report.cells[1].profile->dispatches_per_step = 2;  // but no floor: nothing to multiply by
  report::Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.a_dispatches.has_value());
  EXPECT_DOUBLE_EQ(explanation.a_dispatches->least_ns, 2740);
  EXPECT_DOUBLE_EQ(explanation.a_dispatches->share, 2740 / explanation.a_step_ns.value);
  EXPECT_FALSE(explanation.b_dispatches.has_value());
  ASSERT_TRUE(explanation.calls.has_value()) << "the other one has no framework to call";
  EXPECT_EQ(explanation.calls->b_calls, 0);
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
    EXPECT_EQ(explanation.advice->remedy, report::Remedy::axis);
    EXPECT_EQ(explanation.advice->cell, report.cells[0].id);
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

// "strategy slow instead of fast: 3.7 us" of each part, the larger one first.
std::vector<std::string> words_of(const std::vector<report::AxisPath>& paths) {
  std::vector<std::string> words;
  for (const report::AxisPath& path : paths) {
    std::string& word = words.emplace_back();
    for (const report::AxisPart& part : path.parts) {
      word += formatted("%s%s %s instead of %s: %.1f us", word.empty() ? "" : ", ", part.axis.c_str(),
                        part.value.c_str(), part.base_value.c_str(), 1e-3 * part.difference.difference_ns.value);
    }
  }
  return words;
}

TEST(Explain, FollowsBothWaysThroughTheAxes) {
  report::Report report = explained_report();
  const report::Explanation explanation = explain(report, report.cells[0], report.cells[2]);
  EXPECT_EQ(words_of(explanation.paths),
            (Words{"strategy slow instead of fast: 3.7 us, backend loops instead of matrix: 2.0 us",
                   "strategy slow instead of fast: 4.1 us, backend loops instead of matrix: 1.6 us"}));
  EXPECT_EQ(explanation.paths[0].parts[0].difference.base, "scenario-3x2/fast/loops");
  EXPECT_EQ(explanation.paths[1].parts[0].difference.cell, "scenario-3x2/slow/matrix");
  for (const report::AxisPath& path : explanation.paths) {
    double sum_ns = path.rest_ns;
    for (const report::AxisPart& part : path.parts) sum_ns += part.difference.difference_ns.value;
    EXPECT_NEAR(sum_ns, explanation.whole.difference_ns.value, 1e-9);
  }
  EXPECT_EQ(words_of(explain_first_two(report).paths), Words{"strategy slow instead of fast: 3.7 us"});
  for (report::Cell& cell : report.cells) cell.summary->import_seconds = 2.5;
  EXPECT_EQ(words_of(explain(report, report.cells[0], report.cells[2]).paths)[0],
            "framework slow instead of fast: 3.7 us, mode loops instead of matrix: 2.0 us");
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
  report.cells[3].summary.reset();
  const auto explained_by = [&](const std::string& implementation) {
    report.cells[1].implementation = implementation;
    return explain(report, report.cells[0], report.cells[2]);
  };
  EXPECT_EQ(words_of(explained_by("third/loops").paths), Words{}) << "it is two axes away from fast/matrix";
  const report::Explanation walked = explained_by("third/matrix");
  EXPECT_EQ(words_of(walked.paths),
            Words{cat(report::kWholeImplementation, " slow/loops instead of third/matrix: 3.7 us, ",
                      report::kWholeImplementation, " third/matrix instead of fast/matrix: 2.0 us")});
  EXPECT_FALSE(walked.advice.has_value()) << "the faster cell itself would help more";
  report.cells[1].arm = report::kControlArm;
  EXPECT_EQ(words_of(explained_by("fast/matrix").paths), Words{}) << "a control is one of both again";
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
  using report::Lack;
  const std::string both = "gdbench run --scenario scenario-3x2 --impl slow/loops --impl fast/loops --launches 12";
  report::Report report = explained_report();
  report.cells[0].profile.reset();
  report.cells[1].profile.reset();
  report::Explanation explanation = explain_first_two(report);
  EXPECT_FALSE(explanation.profiles.has_value());
  EXPECT_EQ(commands_for(explanation, {Lack::profile, Lack::profile}), (Words{both, both}));
  EXPECT_EQ(explanation.missing[0].cell, "scenario-3x2/slow/loops");
  report.notes = {"slow/loops offers no profile"};
  add_profile(report.cells[1], {{.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 1e6},
                                {.phase = report::Phase::other, .op = "step", .calls = 1, .time_ns = 10000}});
  EXPECT_EQ(commands_for(explain_first_two(report), {Lack::no_profile, Lack::one_piece}),
            (Words{"", "gdbench ablate scenario-3x2 --impl fast/loops"}));
  report = explained_report();  // in which no phase stands out
  for (report::Cell* cell : {&report.cells[0], &report.cells[1]}) {
    cell->profile->step_ns += 6000;
    cell->profile->profiled_step_ns += 6000;
  }
  EXPECT_EQ(commands_for(explain_first_two(report), {Lack::repeats}), Words{both});
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
    report.cells[1].summary->ratio.reset();  // a baseline is of one's own scenario
    const report::Explanation explanation = explain(report, report.cells[1], report.cells[0]);
    EXPECT_NE(explanation.whole.comparison.verdict, stats::Verdict::slower) << scenario;
  }
}

}  // namespace
}  // namespace gdbench::explain
