#include "harness/result/explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/result/implementation_name.h"
#include "tests/unit/result/explained_report.h"

namespace gdbench::result {
namespace {

using tests::add_profile;
using tests::exact_cell;
using tests::explained_report;
using tests::report_of;

Explanation explain_first_two(const Report& report) { return explain(report, report.cells[0], report.cells[1]); }

void expect_no_causes(const Explanation& explanation) {
  EXPECT_FALSE(explanation.differs());
  EXPECT_TRUE(explanation.paths.empty());
  EXPECT_FALSE(explanation.profiles.has_value());
  EXPECT_FALSE(explanation.start.has_value());
  EXPECT_FALSE(explanation.a_ceiling.has_value() || explanation.b_ceiling.has_value());
}

const PhasePart& phase_of(const Explanation& explanation, const std::string& name) {
  for (const PhasePart& phase : explanation.profiles->phases) {
    if (phase.phase == name) return phase;
  }
  throw std::out_of_range(name);
}

const OpPart& op_of(const Explanation& explanation, const std::string& phase, const std::string& name) {
  for (const OpPart& op : explanation.profiles->ops) {
    if (op.phase == phase && op.op == name) return op;
  }
  throw std::out_of_range(name);
}

TEST(ImplementationName, SpellsTheAxes) {
  const ImplementationName whole = parse_implementation("one/two+three");
  EXPECT_EQ(whole.strategy + "|" + whole.backend + "|" + whole.policy, "one|two|three");
  const ImplementationName bare = parse_implementation("one");
  EXPECT_EQ(bare.strategy + "|" + bare.backend + "|" + bare.policy, "one||");
}

TEST(Explain, ComparesPairByPair) {
  const Explanation explanation = explain_first_two(explained_report());
  EXPECT_EQ(explanation.whole.cell, "scenario-3x2/slow/loops");
  EXPECT_EQ(explanation.whole.base, "scenario-3x2/fast/loops");
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::slower);
  EXPECT_DOUBLE_EQ(explanation.whole.difference_ns.value, 3700);
  EXPECT_DOUBLE_EQ(explanation.whole.difference_ns.interval.low, 3700) << "the drift between launches is paired away";
  EXPECT_DOUBLE_EQ(explanation.whole.difference_ns.interval.high, 3700);
}

TEST(Explain, GivesTwinsNoCauseWhateverTheirProfilesSay) {
  Report report = report_of({exact_cell("one/loops", 10000), exact_cell("twin/loops", 10020)});
  add_profile(report.cells[0], {{.phase = "forward", .op = "product", .calls = 1, .time_ns = 9000}});
  add_profile(report.cells[1], {{.phase = "backward", .op = "product", .calls = 1, .time_ns = 9000}});
  const Explanation explanation = explain_first_two(report);
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::equivalent);
  expect_no_causes(explanation);
}

TEST(Explain, GivesNoCauseToWhatIsInconclusive) {
  const Explanation explanation =
      explain_first_two(report_of({exact_cell("one/loops", 10000, 2), exact_cell("two/loops", 20000, 2)}));
  EXPECT_EQ(explanation.whole.comparison.verdict, stats::Verdict::inconclusive);
  EXPECT_FALSE(explanation.whole.comparison.remark.empty());
  expect_no_causes(explanation);
}

TEST(Explain, CountsCallsIntoTheFramework) {
  Report report = explained_report();
  report.cells[0].profile->dispatches_per_step = 20;
  report.cells[0].profile->floor = {{"cheapest op", 137}, {"empty tape", 900}};
  report.cells[1].profile->dispatches_per_step = 2;  // but no floor: nothing to multiply by
  const Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.a_dispatches.has_value());
  EXPECT_DOUBLE_EQ(explanation.a_dispatches->least_ns, 2740);
  EXPECT_DOUBLE_EQ(explanation.a_dispatches->share, 2740 / explanation.a_step_ns.value);
  EXPECT_FALSE(explanation.b_dispatches.has_value());
}

TEST(Explain, AdvisesTheLargestPhaseWhereOneAxisDiffers) {
  const Explanation explanation = explain_first_two(explained_report());
  ASSERT_TRUE(explanation.advice.has_value());
  EXPECT_EQ(explanation.advice->remedy, Remedy::phase);
  EXPECT_EQ(explanation.advice->cell, explanation.a);
  EXPECT_EQ(explanation.advice->subject, "backward");
  EXPECT_NEAR(explanation.advice->saving_ns, phase_of(explanation, "backward").difference_ns, 1e-9);
}

TEST(Explain, AdvisesTheLargestAxisWhereSeveralDiffer) {
  const Report report = explained_report();
  // slow/loops beside fast/matrix, either way round: what the slower one lacks is named.
  for (const bool slower_first : {true, false}) {
    const Explanation explanation = slower_first ? explain(report, report.cells[0], report.cells[2])
                                                 : explain(report, report.cells[2], report.cells[0]);
    ASSERT_TRUE(explanation.advice.has_value());
    EXPECT_EQ(explanation.advice->remedy, Remedy::axis);
    EXPECT_EQ(explanation.advice->cell, report.cells[0].id);
    EXPECT_EQ(explanation.advice->subject, "strategy");
    EXPECT_EQ(explanation.advice->value, "fast");
    EXPECT_DOUBLE_EQ(explanation.advice->saving_ns, 4100);
  }
}

TEST(Explain, HasNoAdviceWithoutACause) {
  Report report = explained_report();
  report.cells[0].profile.reset();
  EXPECT_FALSE(explain_first_two(report).advice.has_value());
}

TEST(Explain, FollowsBothWaysThroughTheAxes) {
  const Report report = explained_report();
  const Explanation explanation = explain(report, report.cells[0], report.cells[2]);
  ASSERT_EQ(explanation.paths.size(), 2U);
  const std::vector<AxisPart>& first = explanation.paths[0].parts;
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].axis, "strategy");
  EXPECT_EQ(first[0].value + " " + first[0].base_value, "slow fast");
  EXPECT_EQ(first[0].difference.base, "scenario-3x2/fast/loops");
  EXPECT_DOUBLE_EQ(first[0].difference.difference_ns.value, 3700);
  EXPECT_EQ(first[1].axis, "backend");
  EXPECT_DOUBLE_EQ(first[1].difference.difference_ns.value, 2000);
  const std::vector<AxisPart>& second = explanation.paths[1].parts;
  EXPECT_EQ(second[0].axis, "strategy") << "the larger part comes first";
  EXPECT_EQ(second[0].difference.cell, "scenario-3x2/slow/matrix");
  EXPECT_DOUBLE_EQ(second[0].difference.difference_ns.value, 4100);
  EXPECT_DOUBLE_EQ(second[1].difference.difference_ns.value, 1600);
  for (const AxisPath& path : explanation.paths) EXPECT_NEAR(path.rest_ns, 0, 1e-9);
}

TEST(Explain, CallsThePartsOfAFrameworksIdByTheirName) {
  Report report = explained_report();
  for (Cell& cell : report.cells) cell.summary->import_seconds = 2.5;
  const Explanation explanation = explain(report, report.cells[0], report.cells[2]);
  ASSERT_EQ(explanation.paths.size(), 2U);
  EXPECT_EQ(explanation.paths[0].parts[0].axis, "framework");
  EXPECT_EQ(explanation.paths[0].parts[1].axis, "mode");
}

TEST(Explain, WalksOnlyOverCellsThatWereTimed) {
  Report report = explained_report();
  report.cells[3].summary.reset();
  EXPECT_EQ(explain(report, report.cells[0], report.cells[2]).paths.size(), 1U);
  report.cells[1].options = {{"packed", "true"}};
  EXPECT_TRUE(explain(report, report.cells[0], report.cells[2]).paths.empty()) << "its options differ from both";
}

TEST(Explain, NamesTheOnlyAxisThatDiffers) {
  const Explanation explanation = explain_first_two(explained_report());
  ASSERT_EQ(explanation.paths.size(), 1U);
  ASSERT_EQ(explanation.paths[0].parts.size(), 1U);
  EXPECT_EQ(explanation.paths[0].parts[0].axis, "strategy");
  EXPECT_DOUBLE_EQ(explanation.paths[0].parts[0].difference.difference_ns.value, 3700);
}

TEST(ExplainPhases, RankTheDelayedOneFirst) {
  const Explanation explanation = explain_first_two(explained_report());
  ASSERT_TRUE(explanation.profiles.has_value());
  const PhasePart& first = explanation.profiles->phases.front();
  EXPECT_EQ(first.phase, "backward");
  EXPECT_EQ(first.standing, Standing::cause);
  EXPECT_NEAR(first.difference_ns, 4000, 1e-6);
  EXPECT_NEAR(first.share, 4000.0 / 3700, 1e-9);
  EXPECT_EQ(phase_of(explanation, "update").standing, Standing::opposed);
  EXPECT_EQ(phase_of(explanation, "forward").standing, Standing::unclear) << "it does not differ";
  EXPECT_THROW(phase_of(explanation, "compile"), std::out_of_range) << "it is no part of a step";
}

TEST(ExplainPhases, AddUpToTheMeasuredSteps) {
  Report report = explained_report();
  report.cells[0].profile->profiled_step_ns *= 1.25;
  const Explanation explanation = explain_first_two(report);
  double a_ns = 0;
  double b_ns = 0;
  double shares = 0;
  for (const PhasePart& phase : explanation.profiles->phases) {
    a_ns += phase.a_ns;
    b_ns += phase.b_ns;
    shares += phase.share;
  }
  EXPECT_NEAR(a_ns, report.cells[0].summary->step_ns.value, 1e-6);
  EXPECT_NEAR(b_ns, report.cells[1].summary->step_ns.value, 1e-6);
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_NEAR(explanation.profiles->a.scale, 0.8, 1e-9);
}

TEST(ExplainPhases, AreNotNamedBelowWhatProfilingCosts) {
  Report report = explained_report();
  const std::vector<ProfileRecord> records = report.cells[0].profile->records;
  add_profile(report.cells[0], records, 5000);
  const Explanation explanation = explain_first_two(report);
  EXPECT_NEAR(explanation.profiles->largest_limit_ns, 5000 * explanation.profiles->a.scale, 1e-6);
  for (const PhasePart& phase : explanation.profiles->phases) EXPECT_NE(phase.standing, Standing::cause) << phase.phase;
  for (const OpPart& op : explanation.profiles->ops) EXPECT_NE(op.standing, Standing::cause) << op.op;
}

TEST(ExplainPhases, AnswerForTheirPartOfWhatProfilingCosts) {
  Report report = explained_report();
  // forward has one of six calls and 3000 of about 14700 ns, update as many calls and less time.
  add_profile(report.cells[0], report.cells[0].profile->records, 1000);
  const Explanation explanation = explain_first_two(report);
  const double overhead_ns = explanation.profiles->a.overhead_ns;
  EXPECT_NEAR(overhead_ns, 1000 * explanation.profiles->a.scale, 1e-6);
  const double time_part = 3000 / report.cells[0].profile->profiled_step_ns;
  EXPECT_NEAR(phase_of(explanation, "forward").limit_ns, overhead_ns * time_part, 1e-6) << "by time";
  EXPECT_NEAR(phase_of(explanation, "update").limit_ns, overhead_ns / 6, 1e-6) << "by calls";
  EXPECT_NEAR(phase_of(explanation, "unattributed").limit_ns, overhead_ns, 1e-6);
  EXPECT_EQ(phase_of(explanation, "backward").standing, Standing::cause);
}

TEST(ExplainPhases, AreNotNamedBelowTheDriftOfTheProfiledProcess) {
  Report report = explained_report();
  report.cells[1].profile->step_ns += 6000;
  report.cells[1].profile->profiled_step_ns += 6000;
  const Explanation explanation = explain_first_two(report);
  EXPECT_NEAR(explanation.profiles->largest_limit_ns, 6000, 1e-9);
  for (const PhasePart& phase : explanation.profiles->phases) EXPECT_EQ(phase.standing, Standing::unclear);
}

TEST(ExplainPhases, AreNotNamedBelowTheNoise) {
  PairedDifference whole = explain_first_two(explained_report()).whole;
  whole.difference_ns.interval = {3700 - 4100, 3700 + 50};
  const Report report = explained_report();
  const ProfileDifference difference = profile_difference(report.cells[0], report.cells[1], whole);
  EXPECT_DOUBLE_EQ(difference.noise_ns, 4100);
  for (const PhasePart& phase : difference.phases) EXPECT_EQ(phase.standing, Standing::unclear) << phase.phase;
}

TEST(ExplainPhases, AreNotNamedWhereMediansContradictThePairs) {
  const Report report = explained_report();
  PairedDifference whole = explain_first_two(report).whole;
  whole.difference_ns = {-100, {-101, -99}, 6, false};
  const ProfileDifference difference = profile_difference(report.cells[0], report.cells[1], whole);
  for (const PhasePart& phase : difference.phases) EXPECT_EQ(phase.standing, Standing::unclear) << phase.phase;
}

TEST(ExplainPhases, NeedBothProfiles) {
  Report report = explained_report();
  report.cells[1].profile.reset();
  const Explanation explanation = explain_first_two(report);
  EXPECT_FALSE(explanation.profiles.has_value());
  EXPECT_EQ(explanation.unprofiled, std::vector<std::string>{"scenario-3x2/fast/loops"});
}

TEST(ExplainOps, TellMoreCallsFromLongerOnes) {
  const Explanation more = explain_first_two(explained_report());
  EXPECT_EQ(more.profiles->ops.front().op, "product");
  const OpPart& by_calls = op_of(more, "backward", "product");
  EXPECT_EQ(by_calls.standing, Standing::cause);
  EXPECT_NEAR(by_calls.by_calls_ns, 4000, 1e-6) << "2 more calls of 2000 ns";
  EXPECT_NEAR(by_calls.by_length_ns, 0, 1e-6);

  Report report = explained_report();
  report.cells[0].profile->records[1].calls = 2;
  const Explanation longer = explain_first_two(report);
  EXPECT_NEAR(op_of(longer, "backward", "product").by_calls_ns, 0, 1e-6);
  EXPECT_NEAR(op_of(longer, "backward", "product").by_length_ns, 4000, 1e-6);

  report.cells[0].profile->records[1].calls = 5;
  const OpPart mixed = op_of(explain_first_two(report), "backward", "product");
  EXPECT_NEAR(mixed.by_calls_ns, 3 * (1600 + 2000) / 2.0, 1e-6);
  EXPECT_NEAR(mixed.by_calls_ns + mixed.by_length_ns, mixed.difference_ns, 1e-6);
}

TEST(ExplainOps, OfOneCellAloneDifferByCalls) {
  Report report = explained_report();
  report.cells[0].profile->records[1].op = "fused";
  const Explanation explanation = explain_first_two(report);
  EXPECT_NEAR(op_of(explanation, "backward", "fused").by_calls_ns, 8000, 1e-6);
  EXPECT_NEAR(op_of(explanation, "backward", "product").by_calls_ns, -4000, 1e-6);
  EXPECT_NEAR(phase_of(explanation, "backward").difference_ns, 4000, 1e-6) << "the phase sees through the names";
}

TEST(ExplainOps, HaveNoStandingInAPhaseThatHasNone) {
  Report report = explained_report();
  for (ProfileRecord& record : report.cells[0].profile->records) {
    if (record.phase == "forward") record.op = "fused";
  }
  const Explanation explanation = explain_first_two(report);
  EXPECT_GT(std::abs(op_of(explanation, "forward", "fused").difference_ns),
            op_of(explanation, "forward", "fused").limit_ns);
  EXPECT_EQ(op_of(explanation, "forward", "fused").standing, Standing::unclear);
  EXPECT_EQ(op_of(explanation, "forward", "product").standing, Standing::unclear);
}

TEST(ExplainOps, AreNoCauseInAPhaseThatIsOpposed) {
  Report report = explained_report();
  for (ProfileRecord& record : report.cells[0].profile->records) {
    if (record.phase == "update") record.op = "fused";
  }
  const Explanation explanation = explain_first_two(report);
  EXPECT_EQ(op_of(explanation, "update", "fused").standing, Standing::unclear) << "700 ns more in 300 ns less";
  EXPECT_EQ(op_of(explanation, "update", "sgd").standing, Standing::opposed);
}

TEST(ExplainStart, TakesTheBreakEvenOfTheReport) {
  Report report = explained_report();
  report.attribution = Attribution{};
  report.attribution->break_evens = {
      {"scenario-3x2/slow/loops", "scenario-3x2/fast/loops", {stats::Overtaking::never, 0, {0, 0}, 6}},
      {"scenario-3x2/fast/loops", "scenario-3x2/slow/loops", {stats::Overtaking::after, 42, {40, 45}, 6}}};
  const Explanation explanation = explain_first_two(report);
  ASSERT_TRUE(explanation.start.has_value());
  EXPECT_EQ(explanation.start->break_even.cell, "scenario-3x2/fast/loops") << "the cell with the faster steps";
  EXPECT_EQ(explanation.start->break_even.result.steps, 42);
  EXPECT_DOUBLE_EQ(explanation.start->a_load_ns, 1e6);
  EXPECT_DOUBLE_EQ(explanation.start->b_prepare_ns, 2e6);
  EXPECT_DOUBLE_EQ(explanation.start->a_first_step_ns, 5 * 13700);
}

TEST(ExplainStart, ComputesTheBreakEvenThatTheReportLacks) {
  Report report = explained_report();
  report.attribution.reset();
  const Explanation explanation = explain_first_two(report);
  EXPECT_EQ(explanation.start->break_even.cell, "scenario-3x2/fast/loops");
  EXPECT_EQ(explanation.start->break_even.other, "scenario-3x2/slow/loops");
  EXPECT_EQ(explanation.start->break_even.result.overtaking, stats::Overtaking::from_the_start);
}

TEST(ExplanationJson, HasWhatWasComputed) {
  Report report = explained_report();
  report.attribution = Attribution{};
  const double infinity = std::numeric_limits<double>::infinity();
  report.attribution->break_evens = {
      {"scenario-3x2/fast/loops", "scenario-3x2/slow/loops", {stats::Overtaking::undecided, 42, {40, infinity}, 6}}};
  const nlohmann::json document = to_ordered_json({explain_first_two(report)});
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
}  // namespace gdbench::result
