#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "harness/questions/explain/explain.h"
#include "harness/questions/explain/phases.h"
#include "harness/report/explanation.h"
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

// Half the width of a share's interval, in nanoseconds of a step.
double reach_ns(const report::PhasePart& phase, const report::Explanation& explanation) {
  const stats::Interval& share = phase.contribution.share_interval;
  const report::Contribution& largest = explanation.profiles->phases.front().contribution;
  return (share.high - share.low) / 2 * std::abs(largest.difference_ns / largest.share);
}

// An interval beyond the margin, but wide: what is surely a cause at its worst end is one.
TEST(ExplainPhases, AreNamedThoughTheRatioIsWide) {
  const report::Report report = explained_report();
  stats::Estimate ratio = explain_first_two(report).whole.comparison.ratio;
  ratio.interval = {1.2, 3};
  const report::ProfileDifference difference = *profile_difference(report.cells[0], report.cells[1], ratio);
  const report::Contribution& backward = difference.phases.front().contribution;
  EXPECT_EQ(difference.phases.front().phase, report::Phase::backward);
  EXPECT_EQ(backward.standing, report::Standing::cause);
  EXPECT_LT(backward.share_interval.high - backward.share_interval.low, 2);
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

TEST(ExplainPhases, AddUpToTheMeasuredSteps) {
  report::Report report = explained_report();
  report.cells[0].profile->profiled_step_ns *= 1.25;
  const report::Explanation explanation = explain_first_two(report);
  double a_ns = 0;
  double b_ns = 0;
  double shares = 0;
  for (const report::PhasePart& phase : explanation.profiles->phases) {
    a_ns += phase.contribution.a_ns;
    b_ns += phase.contribution.b_ns;
    shares += phase.contribution.share;
  }
  EXPECT_NEAR(b_ns, report.cells[1].summary->step_ns.value, 1e-6);
  EXPECT_NEAR(a_ns, b_ns * explanation.whole.comparison.ratio.value, 1e-6);
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST(ExplainPhases, AreNotNamedBelowWhatProfilingCosts) {
  report::Report report = explained_report();
  const std::vector<report::ProfileRecord> records = report.cells[0].profile->records;
  add_profile(report.cells[0], records, 12000);
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_GT(explanation.profiles->a.overhead_ns, 5000);
  for (const report::PhasePart& phase : explanation.profiles->phases) {
    EXPECT_NE(phase.contribution.standing, report::Standing::cause) << phase.name();
  }
  for (const report::OpPart& op : explanation.profiles->ops)
    EXPECT_NE(op.contribution.standing, report::Standing::cause) << op.op;
}

TEST(ExplainPhases, AnswerForTheirPartOfWhatProfilingCosts) {
  report::Report report = explained_report();
  stats::Estimate ratio = explain_first_two(report).whole.comparison.ratio;
  ratio.interval = {ratio.value, ratio.value};
  // forward has one of six calls and 3000 of about 14700 ns, update as many calls and less time.
  add_profile(report.cells[0], report.cells[0].profile->records, 1000);
  report::Explanation explanation;
  explanation.profiles = profile_difference(report.cells[0], report.cells[1], ratio);
  const double overhead_ns = explanation.profiles->a.overhead_ns;
  EXPECT_NEAR(overhead_ns, 1000 * 13700 / 14700.0, 10);
  const double time_part = 3000 / report.cells[0].profile->profiled_step_ns;
  EXPECT_NEAR(reach_ns(phase_of(explanation, "forward"), explanation), overhead_ns * time_part, 1e-6) << "by time";
  EXPECT_NEAR(reach_ns(phase_of(explanation, "update"), explanation), overhead_ns / 6, 1e-6) << "by calls";
  EXPECT_EQ(phase_of(explanation, "backward").contribution.standing, report::Standing::cause);
}

TEST(ExplainPhases, AreNotNamedBelowTheDriftOfTheProfiledProcess) {
  report::Report report = explained_report();
  report.cells[1].profile->step_ns += 6000;
  report.cells[1].profile->profiled_step_ns += 6000;
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_NEAR(explanation.profiles->b.drift_ns, 6000, 1e-9);
  for (const report::PhasePart& phase : explanation.profiles->phases) {
    if (!phase.phase) continue;  // what the process was slower by lies there in this report
    EXPECT_NE(phase.contribution.standing, report::Standing::opposed) << phase.name();
  }
  EXPECT_EQ(phase_of(explanation, "update").contribution.standing, report::Standing::unclear);
}

// Three processes that agree say more than one that is off.
TEST(ExplainPhases, RestOnHowProfilesScatter) {
  report::Report report = explained_report();
  for (report::Cell* cell : {&report.cells[0], &report.cells[1]}) {
    cell->profile->step_ns += 3000;
    cell->profile->profiled_step_ns += 3000;
    for (report::ProfileRecord& record : cell->profile->records) record.time_ns *= 1.2;
  }
  const report::Explanation one = explain_first_two(report);
  EXPECT_EQ(phase_of(one, "update").contribution.standing, report::Standing::unclear) << "3 us off";
  for (report::Cell* cell : {&report.cells[0], &report.cells[1]})
    cell->other_profiles = {*cell->profile, *cell->profile};
  const report::Explanation three = explain_first_two(report);
  EXPECT_EQ(three.profiles->a.profiles, 3);
  EXPECT_EQ(phase_of(three, "backward").contribution.standing, report::Standing::cause);
  EXPECT_EQ(phase_of(three, "update").contribution.standing, report::Standing::opposed);
  const double agreed = reach_ns(phase_of(three, "backward"), three);
  report.cells[0].other_profiles->front().records[1].time_ns /= 4;
  EXPECT_GT(reach_ns(phase_of(explain_first_two(report), "backward"), three), 2 * agreed) << "one disagrees";
}

// Twice the time and more: even if all of the piece were that phase, the rest of it is a cause.
TEST(ExplainPhases, AreBoundedBesideAStepInOnePiece) {
  report::Report report = report_of({exact_cell("slow/loops", 60000), exact_cell("fast/jit", 10000)});
  add_profile(report.cells[0], {{.phase = report::Phase::backward, .op = "product", .calls = 1, .time_ns = 45000},
                                {.phase = report::Phase::forward, .op = "product", .calls = 1, .time_ns = 15000}});
  for (const bool profiled : {true, false}) {
    if (profiled)
      add_profile(report.cells[1], {{.phase = report::Phase::other, .op = "step", .calls = 1, .time_ns = 10000}});
    if (!profiled) report.cells[1].profile.reset();
    const report::Explanation explanation = explain_first_two(report);
    ASSERT_TRUE(explanation.profiles.has_value());
    const report::PhasePart& backward = explanation.profiles->phases.front();
    EXPECT_EQ(backward.phase, report::Phase::backward);
    EXPECT_TRUE(backward.only_bounded);
    EXPECT_NEAR(backward.contribution.share_interval.low, 35.0 / 50, 0.02);
    EXPECT_NEAR(backward.contribution.share_interval.high, 45.0 / 50, 0.02);
    EXPECT_EQ(backward.contribution.standing, report::Standing::cause);
    EXPECT_TRUE(explanation.profiles->ops.empty());
    EXPECT_TRUE(explanation.missing.empty());
  }
}

TEST(ExplainOps, TellMoreCallsFromLongerOnes) {
  const report::Explanation more = explain_first_two(explained_report());
  EXPECT_EQ(more.profiles->ops.front().op, "product");
  const report::OpPart& by_calls = op_of(more, "backward", "product");
  EXPECT_EQ(by_calls.contribution.standing, report::Standing::cause);
  EXPECT_NEAR(by_calls.by_calls_ns, 4000, 50) << "2 more calls of 2000 ns";
  EXPECT_NEAR(by_calls.by_length_ns, 0, 50);

  report::Report report = explained_report();
  report.cells[0].profile->records[1].calls = 2;
  const report::Explanation longer = explain_first_two(report);
  EXPECT_NEAR(op_of(longer, "backward", "product").by_calls_ns, 0, 1e-6);
  EXPECT_NEAR(op_of(longer, "backward", "product").by_length_ns, 4000, 50);

  report.cells[0].profile->records[1].calls = 5;
  const report::OpPart mixed = op_of(explain_first_two(report), "backward", "product");
  EXPECT_NEAR(mixed.by_calls_ns, 3 * (1600 + 2000) / 2.0, 50);
  EXPECT_NEAR(mixed.by_calls_ns + mixed.by_length_ns, mixed.contribution.difference_ns, 1e-6);
}

TEST(ExplainOps, OfOneCellAloneDifferByCalls) {
  report::Report report = explained_report();
  report.cells[0].profile->records[1].op = "fused";
  const report::Explanation explanation = explain_first_two(report);
  EXPECT_NEAR(op_of(explanation, "backward", "fused").by_calls_ns, 8000, 50);
  EXPECT_NEAR(op_of(explanation, "backward", "product").by_calls_ns, -4000, 50);
  EXPECT_NEAR(phase_of(explanation, "backward").contribution.difference_ns, 4000, 50)
      << "the phase sees through the names";
}

report::ProfileRecord product(std::vector<std::int64_t> layers, double time_ns,
                              report::Phase phase = report::Phase::backward) {
  report::ProfileRecord record{.phase = phase, .op = "product", .calls = 1, .time_ns = time_ns};
  if (!layers.empty()) record.layers = std::move(layers);
  return record;
}

// The parts of the one op of both cells, by layers; 3700 ns between the cells, whose profiled processes are `drift_ns`
// slower than the timed ones.
std::vector<report::OpPart> parts_between(std::vector<report::ProfileRecord> a, std::vector<report::ProfileRecord> b,
                                          double drift_ns = 0) {
  report::Report report = explained_report();
  add_profile(report.cells[0], std::move(a), drift_ns, drift_ns);
  add_profile(report.cells[1], std::move(b), drift_ns, drift_ns);
  std::vector<report::OpPart> parts = explain_first_two(report).profiles->ops;
  std::sort(parts.begin(), parts.end(),
            [](const report::OpPart& x, const report::OpPart& y) { return x.layers < y.layers; });
  return parts;
}

TEST(ExplainOps, ArePairedByLayerWhereBothSidesNameTheSame) {
  const std::vector<report::ProfileRecord> by_layer = {product({0}, 2000), product({1}, 6000), product({1}, 1000)};
  const std::vector<report::OpPart> parts = parts_between(by_layer, {product({1}, 4000), product({0}, 1900)});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].layers, std::vector<std::int64_t>{0});
  EXPECT_EQ(parts[1].layers, std::vector<std::int64_t>{1});
  EXPECT_EQ(parts[1].a_calls, 2) << "two records are one op";
  EXPECT_GT(parts[1].contribution.difference_ns, 10 * parts[0].contribution.difference_ns);
  const std::vector<report::OpPart> apart = parts_between(by_layer, {product({0}, 1000, report::Phase::forward)});
  ASSERT_EQ(apart.size(), 3U);
  for (const report::OpPart& part : apart) {
    EXPECT_TRUE(part.layers.has_value()) << "that one cell alone has: " << name_of(part.phase);
  }
  // One side names no layer, or groups them in another way.
  for (const std::vector<std::int64_t>& layers : {std::vector<std::int64_t>{}, {0, 1}}) {
    report::ProfileRecord other = product(layers, 4000);
    other.calls = 3;
    const std::vector<report::OpPart> merged = parts_between(by_layer, {other});
    ASSERT_EQ(merged.size(), 1U);
    EXPECT_FALSE(merged[0].layers.has_value());
    EXPECT_EQ(merged[0].a_calls, 3);
    EXPECT_NEAR(merged[0].by_calls_ns, 0, 1e-6) << "three calls on either side";
  }
}

// Four layers, some 900 ns each between the cells.
TEST(ExplainOps, AreMergedWhereOnlyTogetherTheyHaveAStanding) {
  std::vector<report::ProfileRecord> a;
  std::vector<report::ProfileRecord> b;
  for (std::int64_t layer = 0; layer < 4; ++layer) {
    a.push_back(product({layer}, 3400));
    b.push_back(product({layer}, 2500));
  }
  EXPECT_EQ(parts_between(a, b, 100).size(), 4U);
  const std::vector<report::OpPart> merged = parts_between(a, b, 600);
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
