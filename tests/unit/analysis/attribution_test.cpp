#include "harness/report/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/analysis/attribution.h"
#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "tests/unit/analysis/measured_cell.h"

namespace gdbench::analysis {
namespace {

constexpr int kLaunches = 5;

// A cell whose blocks take `step_ns`, a launch later 1 ns more, ready after `ready_ns`.
report::Cell timed(const std::string& scenario, const std::string& implementation, double step_ns,
                   double ready_ns = 1000) {
  report::Cell cell = measured_cell(scenario, implementation);
  cell.verification.emplace();
  for (int launch = 0; launch < kLaunches; ++launch) {
    const double now_ns = step_ns + launch;
    cell.launches.push_back({launch, "", 0.01, ready_ns * 1e-9, 0, now_ns, 0.1, 0});
    for (int round = 0; round < 3; ++round) {
      cell.samples.push_back({launch, round, 0, round == 0, 10, now_ns, now_ns, 0, 0});
    }
  }
  return cell;
}

report::Cell profiled(report::Cell cell, std::vector<report::ProfileRecord> records, double profiled_step_ns) {
  cell.profile.emplace();
  cell.profile->records = std::move(records);
  cell.profile->profiled_step_ns = profiled_step_ns;
  return cell;
}

report::Report report_with(std::vector<report::Cell> cells) {
  report::Report report;
  report.run.baseline = "hand/naive";
  for (const report::Cell& cell : cells) {
    if (report.find_scenario(cell.scenario) == nullptr) {
      report.scenarios.emplace_back();
      report.scenarios.back().key = cell.scenario;
      report.scenarios.back().resolved.dtype = catalogue::Dtype::f32;
    }
    report.cells.push_back(cell);
  }
  return report;
}

report::Attribution summarised(std::vector<report::Cell> cells) {
  report::Report report = report_with(std::move(cells));
  summarise(report);
  return report.attribution.value_or(report::Attribution{});
}

std::vector<std::string> words_of(const report::Attribution& attribution) {
  std::vector<std::string> words;
  for (const report::FrameworkTax& tax : attribution.taxes) {
    words.push_back(formatted("%s beside %s: %g ns", tax.cell.c_str(), tax.base.c_str(), tax.difference_ns.value));
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(FrameworkTax, StandsBesideTheBaselinesStrategyOnTheSameBackend) {
  report::Cell option = timed("s", "tape/eigen", 150);
  option.id += "?a=b";
  option.options = {{"a", "b"}};
  report::Cell threads = timed("s", "tape/eigen", 160);
  threads.threads = 2;
  report::Cell arm = timed("s", "graph/eigen", 160);
  arm.arm = "base";
  const report::Attribution attribution =
      summarised({timed("s", "hand/naive", 400), timed("s", "hand/eigen", 100), timed("s", "tape/eigen", 160),
                  timed("s", "tape/eigen+replay", 130), option, timed("s", "tape/naive", 440),
                  timed("s", "tape/onednn", 90), threads, arm, timed("r", "tape/eigen", 100)});
  EXPECT_EQ(words_of(attribution),
            (Words{"s/tape/eigen beside s/hand/eigen: 60 ns", "s/tape/eigen+replay beside s/hand/eigen: 30 ns",
                   "s/tape/eigen?a=b beside s/hand/eigen: 50 ns", "s/tape/naive beside s/hand/naive: 40 ns"}))
      << "nothing stands beside tape/onednn, nor what has other threads, another arm or another scenario";
  const report::FrameworkTax& eigen = attribution.taxes.at(0);
  EXPECT_DOUBLE_EQ(eigen.difference_ns.interval.low, 60) << "what differs between launches is common to both";
  EXPECT_DOUBLE_EQ(eigen.difference_ns.interval.high, 60);
  EXPECT_NEAR(eigen.ratio.ratio.value, 162.0 / 102, 1e-12);
  EXPECT_EQ(eigen.ratio.verdict, stats::Verdict::slower);
  EXPECT_EQ(eigen.calls_per_step, 0) << "without a profile";
}

TEST(FrameworkTax, StandsBesideHandWhereTheBaselineIsAloneOnItsBackend) {
  for (const auto& [baseline, words] : {std::pair("loop/plain", "s/tape/eigen beside s/hand/eigen: 60 ns"),
                                        {"hand/eigen", "s/tape/eigen beside s/hand/eigen: 60 ns"},
                                        {"tape/onednn", "s/hand/eigen beside s/tape/eigen: -60 ns"}}) {
    report::Report report = report_with({timed("s", "loop/plain", 300), timed("s", "hand/eigen", 100),
                                         timed("s", "tape/eigen", 160), timed("s", "tape/onednn", 90)});
    report.run.baseline = baseline;
    summarise(report);
    EXPECT_EQ(words_of(*report.attribution), Words{words}) << baseline;
  }
}

TEST(FrameworkTax, CountsKernelCallsAndComparesOps) {
  const report::Cell hand = profiled(timed("s", "hand/eigen", 100),
                                     {{.phase = catalogue::Phase::forward, .op = "product", .calls = 2, .time_ns = 50},
                                      {.phase = catalogue::Phase::update, .op = "sgd", .calls = 1, .time_ns = 10}},
                                     80);
  const report::Cell tape = profiled(timed("s", "tape/eigen", 160),
                                     {{.phase = catalogue::Phase::compile, .op = "bind", .calls = 1, .time_ns = 9000},
                                      {.phase = catalogue::Phase::data, .op = "batch", .calls = 1, .time_ns = 0},
                                      {.phase = catalogue::Phase::record, .op = "tape", .calls = 1, .time_ns = 55},
                                      {.phase = catalogue::Phase::forward, .op = "product", .calls = 3, .time_ns = 52}},
                                     137);
  report::Cell framework = tape;  // whose records are phases
  for (report::Launch& launch : framework.launches) launch.import_seconds = 1;
  EXPECT_EQ(summarised({hand, framework}).taxes[0].calls_per_step, 0) << "it does not count";
  framework.profile->dispatches_per_step = 58;
  EXPECT_EQ(summarised({hand, framework}).taxes[0].calls_per_step, 58);
  const report::Attribution attribution = summarised({hand, tape});
  ASSERT_EQ(attribution.taxes.size(), 1U);
  const report::FrameworkTax& tax = attribution.taxes[0];
  EXPECT_DOUBLE_EQ(tax.calls_per_step, 3) << "batches, recording and compiling are no kernel calls";
  EXPECT_DOUBLE_EQ(tax.difference_per_call_ns, 20);
  ASSERT_EQ(tax.ops.size(), 5U) << "compiling is no part of a step";
  EXPECT_EQ(tax.ops[0].op, "tape");
  EXPECT_EQ(tax.ops[0].base_time_ns, 0);
  EXPECT_EQ(tax.ops[1].op, "unattributed");
  EXPECT_DOUBLE_EQ(tax.ops[1].time_ns, 30);
  EXPECT_DOUBLE_EQ(tax.ops[1].base_time_ns, 20);
  EXPECT_EQ(tax.ops[3].op, "product");
  EXPECT_EQ(tax.ops[3].calls, 3);
  EXPECT_EQ(tax.ops[3].base_calls, 2);
}

bool asks(const report::Attribution& attribution, const std::string& cell, const std::string& other) {
  return std::any_of(attribution.break_evens.begin(), attribution.break_evens.end(),
                     [&](const report::BreakEvenRecord& record) {
                       return record.cell == "s/" + cell && record.other == "s/" + other;
                     });
}

TEST(BreakEvens, AreAskedWhereWaitingCanPay) {
  report::Cell null = timed("s", "hand/null", 1, 1e9);
  null.verification.reset();
  null.ranked = false;
  const report::Attribution attribution =
      summarised({timed("s", "hand/naive", 400, 10), timed("s", "hand/eigen", 100, 1000),
                  timed("s", "tape/eigen", 160, 5000), timed("s", "graph/eigen", 80, 9000),
                  timed("s", "graph/onednn", 120, 70'000), timed("s", "hand/onednn", 130, 60'000), null});
  EXPECT_TRUE(asks(attribution, "graph/eigen", "hand/eigen")) << "one backend";
  EXPECT_TRUE(asks(attribution, "graph/onednn", "hand/onednn")) << "one backend";
  EXPECT_TRUE(asks(attribution, "tape/eigen", "hand/naive")) << "the baseline";
  EXPECT_FALSE(asks(attribution, "graph/onednn", "tape/eigen")) << "neither";
  EXPECT_FALSE(asks(attribution, "tape/eigen", "hand/eigen")) << "slower";
  EXPECT_FALSE(asks(attribution, "graph/eigen", "hand/onednn")) << "faster and ready sooner";
  EXPECT_FALSE(asks(attribution, "hand/null", "hand/naive")) << "does nothing";
}

TEST(BreakEvens, AreLeftOutWhereStepsAreNotToldApart) {
  const report::Cell base = timed("s", "hand/naive", 1000, 1000);
  const auto count = [&](const report::Cell& other, std::vector<report::Cell> beside = {}) {
    beside.insert(beside.begin(), {base, other});
    return summarised(beside).break_evens.size();
  };
  EXPECT_EQ(count(timed("s", "hand/eigen", 980, 6000)), 1U);
  EXPECT_EQ(count(timed("s", "hand/eigen", 995, 6000)), 0U) << "within the margin";
  report::Cell two = timed("s", "hand/eigen", 500, 6000);
  std::erase_if(two.launches, [](const report::Launch& launch) { return launch.launch > 1; });
  std::erase_if(two.samples, [](const report::Sample& sample) { return sample.launch > 1; });
  EXPECT_EQ(count(two), 0U) << "two launches give no verdict";

  report::Cell control = base;
  control.arm = report::kControlArm;
  control.id += "#control";
  for (report::Sample& sample : control.samples) sample.real_ns *= sample.launch % 2 == 0 ? 1.05 : 0.98;
  EXPECT_EQ(count(timed("s", "hand/eigen", 980, 6000), {control}), 0U) << "within what the control is off by";
  const report::Attribution noisy = summarised({base, control, timed("s", "hand/eigen", 900, 6000)});
  ASSERT_EQ(noisy.break_evens.size(), 1U);
  EXPECT_NEAR(noisy.break_evens[0].result.margin.value_or(0), 0.05, 1e-9);
}

TEST(BreakEvens, CountLoadPrepareAndTheFirstStep) {
  report::Report report = report_with({timed("s", "hand/naive", 100, 1000), timed("s", "hand/eigen", 50, 6000)});
  summarise(report);
  const std::vector<report::BreakEvenRecord>& found = report.attribution.value().break_evens;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].result.steps, 5000.0 / 50, 1e-9);
  EXPECT_EQ(found[0].result.overtaking, stats::Overtaking::after);
  report.cells[1].summary->not_ranked = "used 1.79 processors";
  EXPECT_TRUE(attribution_of(report).break_evens.empty());
}

// Scenario number `size` of an implementation that takes 20 ns a step, 5 a call and 0.5 an operation.
report::Cell of_size(int size, const std::string& implementation, bool arithmetic = true) {
  const double calls = size % 2 == 0 ? 3 : 8;
  const double operations = arithmetic ? 100.0 * size * size : 0;
  return profiled(timed("s" + std::to_string(size), implementation, 20 + 5 * calls + 0.5 * operations),
                  {{.phase = catalogue::Phase::forward, .op = "product", .calls = calls}}, 0);
}

report::Report sizes(int count, const std::string& implementation, bool arithmetic = true) {
  std::vector<report::Cell> cells;
  for (int size = 1; size <= count; ++size) {
    cells.push_back(of_size(size, implementation, arithmetic));
    if (!arithmetic) cells.back().verification.reset();
  }
  report::Report report = report_with(std::move(cells));
  for (int size = 1; size <= count; ++size) {
    report.scenarios[static_cast<std::size_t>(size - 1)].operations_per_step = 100.0 * size * size;
  }
  return report;
}

TEST(CostFit, FindsWhatAStepACallAndAnOperationCostAndNamesThoseAtTheirBound) {
  report::Report report = sizes(6, "hand/naive");
  summarise(report);
  ASSERT_TRUE(report.attribution.has_value());
  ASSERT_EQ(report.attribution->fits.size(), 1U);
  const report::CostFit found = report.attribution->fits[0];
  EXPECT_EQ(found.implementation, "hand/naive");
  EXPECT_EQ(found.dtype, "f32");
  EXPECT_EQ(found.scenarios, 6);
  EXPECT_NEAR(found.step_ns.value, 22, 1e-6);  // the median launch takes 2 ns more
  EXPECT_NEAR(found.call_ns.value, 5, 1e-6);
  EXPECT_NEAR(found.operation_ns.value, 0.5, 1e-9);
  EXPECT_LE(found.operation_ns.interval.low, 0.5);
  EXPECT_GE(found.operation_ns.interval.high, 0.5);
  EXPECT_LT(found.largest_relative_residual, 1e-9);
  EXPECT_EQ(found.at_bound, Words{});

  for (report::Cell& cell : report.cells) {
    for (report::Sample& sample : cell.samples) sample.real_ns -= 60;  // less than nothing is left for the step itself
    std::erase_if(cell.samples, [](const report::Sample& sample) { return sample.real_ns <= 0; });
  }
  summarise(report);
  const report::CostFit& bound = report.attribution->fits.at(0);
  EXPECT_EQ(bound.at_bound, Words{"step_ns"});
  EXPECT_EQ(bound.step_ns.value, 0);
  EXPECT_EQ(bound.step_ns.interval.low, 0);
}

TEST(CostFit, NeedsFourSizesProfilesAndWhatVaries) {
  report::Report few = sizes(3, "hand/naive");
  summarise(few);
  EXPECT_FALSE(few.attribution.has_value());
  report::Report report = sizes(6, "hand/null", false);
  summarise(report);
  EXPECT_NEAR(report.attribution.value().fits.at(0).call_ns.value, 5, 1e-6);
  EXPECT_EQ(report.attribution->fits[0].operation_ns.launches, 0) << "there is no arithmetic";
  report = sizes(6, "hand/naive");
  for (report::Cell& cell : report.cells) cell.profile->records[0].calls = 3;
  summarise(report);
  EXPECT_EQ(report.attribution.value().fits.at(0).call_ns.launches, 0) << "calls are not told from the step";
  EXPECT_GT(report.attribution->fits[0].step_ns.launches, 0);
  for (report::Cell& cell : report.cells) cell.profile.reset();
  summarise(report);
  EXPECT_FALSE(report.attribution.has_value());
}

}  // namespace
}  // namespace gdbench::analysis
