// What --json of the commands that compare cells writes: other programs read it by these names.
#include <gtest/gtest.h>

#include <string>

#include "harness/base/text.h"
#include "harness/report/comparison.h"

namespace gdbench::report {
namespace {

stats::Estimate estimate(double value) {
  return {value, {value - 1, value + 1}, 6, false, stats::IntervalMethod::order_statistics};
}

std::string text_of(const stats::Estimate& estimate) {
  return formatted(R"({"value":%.1f,"interval":{"low":%.1f,"high":%.1f},"launches":6,"within_one_process":false,)"
                   R"("method":"order statistics"})",
                   estimate.value, estimate.interval.low, estimate.interval.high);
}

TEST(ComparisonDocument, NamesWhatWasFound) {
  ReportComparison comparison;
  comparison.base = "a.json";
  comparison.next = "b.json";
  comparison.paired = true;
  comparison.margin = 0.02;
  comparison.confidence = 0.95;
  comparison.noise_floor = 0.01;
  comparison.remarks = {"another kernel"};
  ComparedCell& cell = comparison.cells.emplace_back();
  cell.id = "s/a";
  cell.change = Change::regressed;
  cell.base = estimate(10);
  cell.next = estimate(20);
  cell.ratio = estimate(2);
  const std::string head =
      R"({"schema":"gdbench-comparison","schema_version":{"major":1,"minor":4},"base":"a.json","new":"b.json",)";
  const std::string middle =
      R"("paired":true,"margin":0.02,"confidence":0.95,"noise_floor":0.01,"not_comparable":"",)"
      R"("remarks":["another kernel"],"cells":[{"id":"s/a","quantity":"step","change":"regressed","remark":"","base_ns":)" +
      text_of(estimate(10)) + R"(,"new_ns":)" + text_of(estimate(20)) + R"(,"ratio":)" + text_of(estimate(2));
  EXPECT_EQ(to_json(comparison).dump(), head + middle + "}]}") << "nothing of builds and layouts that nobody knows";
  comparison.base_build = "gdbench 1";
  comparison.next_build = "gdbench 2";
  cell.layout = 0.25;
  cell.layouts = {1.5, 2.5};
  EXPECT_EQ(to_json(comparison).dump(), head + R"("base_build":"gdbench 1","new_build":"gdbench 2",)" + middle +
                                            R"(,"layout":0.25,"layouts":[1.5,2.5]}]})");
  cell.quantity = Quantity::peak_memory;
  comparison.gates = {{Quantity::peak_memory, 0.05}};
  const OrderedJson json = to_json(comparison);
  EXPECT_EQ(json["gates"].dump(), R"([{"quantity":"peak_memory","margin":0.05}])");
  EXPECT_EQ(json["cells"][0]["base"].dump(), text_of(estimate(10)));
  EXPECT_FALSE(json["cells"][0].contains("base_ns"));
}

TEST(CalibrationDocument, HasTheLevelsBesideTheOutcomes) {
  Calibration calibration;
  calibration.launches = 12;
  calibration.margin = 0.02;
  calibration.confidence = 0.95;
  calibration.planned = 3;
  calibration.outcomes = {{7, "mlp/hand/a", 0.25, Change::regressed, 1.5, {1.25, 1.75}, 2}};
  const std::string lower_limit = OrderedJson(levels_of(calibration).front().lower_limit).dump();
  EXPECT_EQ(
      to_json(calibration).dump(),
      R"({"schema":"gdbench-calibration","schema_version":{"major":1,"minor":2},"launches":12,"margin":0.02,)"
      R"("confidence":0.95,"planned":3,"smallest_detectable_slowdown":0.25,"levels":[{"slowdown":0.25,"comparisons":1,)"
      R"("regressed":1,"improved":0,"share":1.0,"lower_limit":)" +
          lower_limit +
          R"(,"upper_limit":1.0,"median_ratio":1.5,"seconds":2.0}],"outcomes":[{"number":7,)"
          R"("workload":"mlp/hand/a","slowdown":0.25,"change":"regressed","ratio":1.5,)"
          R"("interval":{"low":1.25,"high":1.75},"seconds":2.0}]})");
}

TEST(AblationDocument, NamesEveryVariant) {
  Ablation ablation;
  ablation.scenario = "mlp-10-50-1";
  ablation.implementation = "jit/fused";
  ablation.option = "passes";
  ablation.confidence = 0.98;
  ablation.variants.resize(3);
  for (AblationVariant& variant : ablation.variants) variant.status.state = CellState::ok;
  ablation.variants[0].value = "all";
  ablation.variants[0].step_ns = estimate(10);
  AblationVariant& without = ablation.variants[1];
  without.without = "tile";
  without.value = "all,-tile";
  without.description = "cuts loops into tiles";
  without.step_ns = estimate(20);
  without.comparison.emplace().ratio = estimate(2);
  without.difference_ns = estimate(11);
  without.fired = 3;
  ablation.variants[2].everything_off = true;
  ablation.variants[2].value = "none";
  ablation.variants[2].status = {CellState::crashed, "signal 11"};
  EXPECT_EQ(
      to_json(ablation).dump(),
      R"({"schema":"gdbench-ablation","schema_version":{"major":1,"minor":1},"scenario":"mlp-10-50-1",)"
      R"("implementation":"jit/fused","option":"passes","confidence":0.98,"variants":[{"variant":"as it is",)"
      R"("value":"all","status":{"state":"ok","reason":""},"step_ns":)" +
          text_of(estimate(10)) +
          R"(},{"variant":"without","value":"all,-tile","status":{"state":"ok","reason":""},"without":"tile",)"
          R"("description":"cuts loops into tiles","step_ns":)" +
          text_of(estimate(20)) + R"(,"comparison":{"ratio":)" + text_of(estimate(2)) +
          R"(,"verdict":"inconclusive","remark":""},"difference_ns":)" + text_of(estimate(11)) +
          R"(,"fired":3.0},{"variant":"all off","value":"none","status":{"state":"crashed","reason":"signal 11"}}]})");
}

}  // namespace
}  // namespace gdbench::report
