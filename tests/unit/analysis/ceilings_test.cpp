#include "harness/analysis/ceilings.h"

#include <gtest/gtest.h>

#include "harness/analysis/summarise.h"
#include "tests/support/reports/example_report.h"

namespace gdbench::analysis {
namespace {

// 1 operation a nanosecond is 1 GFLOP/s, 1 byte a nanosecond 1 GB/s.
report::VectorCeilings ceilings() {
  report::VectorCeilings width;
  width.vectors = "avx2";
  width.bits = 256;
  width.fma_f32_gflop_per_second = 100;
  width.fma_f64_gflop_per_second = 50;
  width.fma_f32_latency_ns = 1;
  width.fma_f64_latency_ns = 1.25;
  width.addition_f32_latency_ns = 0.5;
  width.addition_f64_latency_ns = 0.75;
  width.levels = {{"L1", 1000, 500, 200, 1, 100}, {"L2", 9000, 4500, 50, 2, 40}, {"memory", 0, 90000, 10, 4, 12}};
  return width;
}

report::ScenarioRecord regression() {
  report::ScenarioRecord scenario;
  scenario.key = "s";
  scenario.rows = scenario.batch_rows = 100;
  scenario.features = 3;
  scenario.outputs = 2;
  scenario.parameters = 6;
  scenario.resolved.dtype = catalogue::Dtype::f32;
  scenario.resolved.loss = catalogue::Loss::mse;
  scenario.resolved.model = catalogue::ModelKind::linear_regression;
  scenario.resolved.bias = false;
  scenario.resolved.optimizer = catalogue::OptimizerKind::sgd;
  return scenario;
}

report::ScenarioRecord network() {
  report::ScenarioRecord scenario = regression();
  scenario.rows = 1000;
  scenario.batch_rows = 10;
  scenario.features = 4;
  scenario.outputs = 3;
  scenario.parameters = 4 * 5 + 5 + 5 * 3;
  scenario.resolved.dtype = catalogue::Dtype::f64;
  scenario.resolved.loss = catalogue::Loss::softmax_cross_entropy;
  scenario.resolved.optimizer = catalogue::OptimizerKind::adam;
  scenario.resolved.model = catalogue::ModelKind::multilayer_perceptron;
  scenario.resolved.layers = {{.width = 5, .bias = true}, {.width = 3, .bias = false}};
  return scenario;
}

TEST(LeastWork, OfALinearRegression) {
  const std::optional<LeastWork> work = least_work(regression(), 7);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->dtype, catalogue::Dtype::f32);
  EXPECT_EQ(work->operations, 2 * 2 * 100 * 3 * 2) << "forward and gradient of W";
  EXPECT_EQ(work->read_bytes, 4 * (100 * (3 + 2) + 6));
  EXPECT_EQ(work->written_bytes, 4 * 6);
  EXPECT_EQ(work->working_set_bytes, work->read_bytes) << "full batch: every step the same rows";
  EXPECT_EQ(work->chain_fmas, 2) << "forward, update";
  EXPECT_EQ(work->chain_additions, 1 + 6) << "of 3 inputs; of 100 rows and the old parameter";
}

TEST(LeastWork, OfANetworkInBatches) {
  const std::optional<LeastWork> work = least_work(network(), 20);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->dtype, catalogue::Dtype::f64);
  EXPECT_EQ(work->operations, 2 * 10 * (2 * 4 * 5 + 3 * 5 * 3));
  const double row = 8 * 4 + 4;     // features and a label
  const double state = 8 * 40 * 3;  // parameters and two slots
  EXPECT_EQ(work->read_bytes, 10 * row + state);
  EXPECT_EQ(work->written_bytes, state);
  EXPECT_EQ(work->working_set_bytes, 200 * row + state) << "20 steps of 10 rows";
  EXPECT_EQ(least_work(network(), 1e6)->working_set_bytes, 1000 * row + state) << "never more than all rows";
  EXPECT_EQ(work->chain_fmas, 2 + 1 + 1) << "forward, backward through the second layer, update";
  EXPECT_EQ(work->chain_additions, 2 + 2 + 1 + 3) << "of 5 and 5 terms forward, 3 backward, 11 in the update";
}

TEST(LeastWork, OfAGradientPerOutput) {
  report::ScenarioRecord scenario = network();
  scenario.resolved.loss = catalogue::Loss::mse;
  const LeastWork train = *least_work(scenario, 20);
  scenario.resolved.task = catalogue::Task::gradients;
  const LeastWork work = *least_work(scenario, 20);
  EXPECT_EQ(work.operations, 2 * 10 * ((1 + 3) * 4 * 5 + 3 * 5 * 3)) << "three sweeps below the last layer";
  EXPECT_EQ(work.read_bytes, train.read_bytes);
  EXPECT_EQ(work.written_bytes, train.written_bytes);
  EXPECT_EQ(work.chain_fmas, train.chain_fmas);
  EXPECT_EQ(work.chain_additions, 2 + 2 + 0 + 4) << "one term backward, 31 in the update";

  report::ScenarioRecord linear = regression();
  const LeastWork whole = *least_work(linear, 7);
  linear.resolved.task = catalogue::Task::gradients;
  EXPECT_EQ(least_work(linear, 7)->operations, whole.operations) << "each column's gradient is that column's";
  EXPECT_EQ(least_work(linear, 7)->chain_additions, whole.chain_additions);
}

TEST(LeastWork, OfAnUpdateIsItsArraysOnce) {
  report::ScenarioRecord scenario = regression();
  scenario.resolved.task = catalogue::Task::update;
  scenario.parameters = 1000;
  const std::optional<LeastWork> sgd = least_work(scenario, 7);
  ASSERT_TRUE(sgd.has_value());
  EXPECT_EQ(sgd->read_bytes, 8000);  // gradient and parameter
  EXPECT_EQ(sgd->written_bytes, 4000);
  EXPECT_EQ(sgd->operations, 0);
  EXPECT_EQ(sgd->chain_fmas, 1);
  scenario.resolved.optimizer = catalogue::OptimizerKind::adam;
  EXPECT_EQ(least_work(scenario, 7)->read_bytes, 16000);
  EXPECT_EQ(least_work(scenario, 7)->written_bytes, 12000);
}

TEST(LeastWork, IsUnknownForWhatHasNoFormula) {
  for (const auto& change : std::vector<void (*)(report::ScenarioRecord&)>{
           [](report::ScenarioRecord& scenario) { scenario.resolved = {}; },
           [](report::ScenarioRecord& scenario) { scenario.resolved.task = catalogue::Task::floor; },
           [](report::ScenarioRecord& scenario) { scenario.resolved.dtype.reset(); },
           [](report::ScenarioRecord& scenario) { scenario.resolved.loss.reset(); },
           [](report::ScenarioRecord& scenario) { scenario.resolved.density = 0.5; },
           [](report::ScenarioRecord& scenario) { scenario.resolved.model.reset(); },
           [](report::ScenarioRecord& scenario) {
             scenario.resolved.model = catalogue::ModelKind::multilayer_perceptron;
           }}) {
    report::ScenarioRecord scenario = regression();
    change(scenario);
    EXPECT_FALSE(least_work(scenario, 1).has_value());
  }
}

LeastWork small_work() { return {catalogue::Dtype::f32, 1000, 400, 100, 500, 2, 3}; }

TEST(CeilingShare, IsBoundByTheLongestOfThree) {
  const std::optional<report::CeilingShare> share = ceiling_share(small_work(), 1, 40, ceilings());
  ASSERT_TRUE(share.has_value());
  EXPECT_DOUBLE_EQ(share->operations_ns, 10);
  EXPECT_DOUBLE_EQ(share->bytes_ns, 2.5) << "500 bytes at 200";
  EXPECT_EQ(share->level, "L1");
  EXPECT_DOUBLE_EQ(share->chain_ns, 2 * 1 + 3 * 0.5);
  EXPECT_EQ(share->bound_by, report::BoundBy::operations);
  EXPECT_DOUBLE_EQ(share->share, 0.25);
  EXPECT_FALSE(share->failed);

  LeastWork chained = small_work();
  chained.chain_fmas = 20;
  EXPECT_EQ(ceiling_share(chained, 1, 40, ceilings())->bound_by, report::BoundBy::chain);
  LeastWork moved = small_work();
  moved.read_bytes = 1e5;
  EXPECT_EQ(ceiling_share(moved, 1, 1e5, ceilings())->bound_by, report::BoundBy::bytes);
}

TEST(CeilingShare, UsesTheFiguresOfTheDtype) {
  LeastWork work = small_work();
  work.dtype = catalogue::Dtype::f64;
  const std::optional<report::CeilingShare> share = ceiling_share(work, 1, 40, ceilings());
  EXPECT_DOUBLE_EQ(share->operations_ns, 20);
  EXPECT_DOUBLE_EQ(share->chain_ns, 2 * 1.25 + 3 * 0.75);
}

TEST(CeilingShare, TakesBytesFromTheLevelThatHasToDeliverThem) {
  LeastWork work = small_work();
  work.working_set_bytes = 2000;  // half of it fits L1: half comes from L2
  std::optional<report::CeilingShare> share = ceiling_share(work, 1, 40, ceilings());
  EXPECT_EQ(share->level, "L2");
  EXPECT_DOUBLE_EQ(share->bytes_ns, 0.5 * 500 / 50);
  work.working_set_bytes = 100'000;  // 10 kB of it fit the caches
  share = ceiling_share(work, 1, 400, ceilings());
  EXPECT_EQ(share->level, "memory");
  EXPECT_DOUBLE_EQ(share->bytes_ns, 0.9 * 500.0 / 12) << "the update mix is faster than reading, and 400 / 10 is less";
  work.written_bytes = 10;
  share = ceiling_share(work, 1, 400, ceilings());
  EXPECT_DOUBLE_EQ(share->bytes_ns, 0.9 * 400 / 10) << "what is read cannot be faster than reading";
}

TEST(CeilingShare, ThreadsShareWorkButNotTheChain) {
  const std::optional<report::CeilingShare> one = ceiling_share(small_work(), 1, 40, ceilings());
  const std::optional<report::CeilingShare> four = ceiling_share(small_work(), 4, 40, ceilings());
  EXPECT_DOUBLE_EQ(four->operations_ns, one->operations_ns / 4);
  EXPECT_DOUBLE_EQ(four->bytes_ns, one->bytes_ns / 4);
  EXPECT_DOUBLE_EQ(four->chain_ns, one->chain_ns);
}

TEST(CeilingShare, AboveOneIsAFailedCeiling) {
  EXPECT_FALSE(ceiling_share(small_work(), 1, 10, ceilings())->failed) << "exactly the floor";
  const std::optional<report::CeilingShare> share = ceiling_share(small_work(), 1, 9.9, ceilings());
  EXPECT_TRUE(share->failed);
  EXPECT_GT(share->share, 1);
}

TEST(CeilingShare, NeedsEveryCeiling) {
  for (const auto& change : std::vector<void (*)(report::VectorCeilings&)>{
           [](report::VectorCeilings& width) { width.fma_f32_gflop_per_second = 0; },
           [](report::VectorCeilings& width) { width.fma_f32_latency_ns = 0; },
           [](report::VectorCeilings& width) { width.addition_f32_latency_ns = 0; },
           [](report::VectorCeilings& width) { width.levels.clear(); }}) {
    report::VectorCeilings width = ceilings();
    change(width);
    EXPECT_FALSE(ceiling_share(small_work(), 1, 40, width).has_value());
  }
}

TEST(BestOf, TakesEachFigureFromWhereItIsBest) {
  report::VectorCeilings narrow = ceilings();
  narrow.vectors = "sse2";
  narrow.bits = 128;
  narrow.fma_f32_gflop_per_second = 40;
  narrow.fma_f32_latency_ns = 2;
  narrow.addition_f32_latency_ns = 0.25;
  narrow.levels[2] = {"memory", 0, 90000, 11, 2, 5};
  report::VectorCeilings later = ceilings();
  later.fma_f64_gflop_per_second = 60;
  const std::optional<report::VectorCeilings> best = best_of({{"t0", 1, {narrow, ceilings()}}, {"t1", 1, {later}}});
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->vectors, "avx2");
  EXPECT_EQ(best->fma_f32_gflop_per_second, 100);
  EXPECT_EQ(best->fma_f64_gflop_per_second, 60);
  EXPECT_EQ(best->fma_f32_latency_ns, 1);
  EXPECT_EQ(best->addition_f32_latency_ns, 0.25);
  EXPECT_EQ(best->levels[2].read_gb_per_second, 11);
  EXPECT_EQ(best->levels[2].read_streams, 2);
  EXPECT_EQ(best->levels[2].update_gb_per_second, 12);
  EXPECT_FALSE(best_of({}).has_value());
}

TEST(AddCeilingShares, IsPartOfTheSummary) {
  report::Report report = tests::example_report();
  for (report::Cell& cell : report.cells) cell.summary.reset();
  report.ceilings->best.reset();
  summarise(report);
  ASSERT_TRUE(report.ceilings->best.has_value());
  int shares = 0;
  for (const report::Cell& cell : report.cells) {
    if (!cell.summary) continue;
    EXPECT_EQ(cell.summary->ceiling.has_value(), cell.ranked) << cell.id << ": what skips arithmetic has no share";
    if (!cell.summary->ceiling) continue;
    ++shares;
    EXPECT_FALSE(cell.summary->ceiling->failed) << cell.id;
    EXPECT_GT(cell.summary->ceiling->share, 0) << cell.id;
  }
  EXPECT_GT(shares, 0);
}

// A ceiling that was measured a hundred times too low must not pass for a good implementation.
TEST(AddCeilingShares, MarksCellsThatBeatTheirCeiling) {
  report::Report report = tests::example_report();
  for (report::CeilingsMeasurement& measurement : report.ceilings->measurements) {
    for (report::VectorCeilings& width : measurement.widths) {
      width.fma_f32_latency_ns *= 100;
      width.addition_f32_latency_ns *= 100;
    }
  }
  summarise(report);
  for (const report::Cell& cell : report.cells) {
    if (!cell.summary || !cell.summary->ceiling || cell.scenario != report.scenarios[0].key) continue;
    EXPECT_TRUE(cell.summary->ceiling->failed) << cell.id;
    EXPECT_EQ(cell.summary->ceiling->bound_by, report::BoundBy::chain) << cell.id;
  }
}

TEST(AddCeilingShares, DoesNothingWithoutCeilings) {
  report::Report report = tests::example_report();
  report.ceilings.reset();
  summarise(report);
  for (const report::Cell& cell : report.cells) EXPECT_FALSE(cell.summary && cell.summary->ceiling) << cell.id;
}

}  // namespace
}  // namespace gdbench::analysis
