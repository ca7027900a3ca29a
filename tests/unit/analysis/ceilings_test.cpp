#include "harness/analysis/ceilings.h"

#include <gtest/gtest.h>

#include "harness/analysis/summarise.h"

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

// As two threads may be.
report::VectorCeilings twice_as_fast() {
  report::VectorCeilings width = ceilings();
  width.fma_f32_gflop_per_second *= 2;
  return width;
}

// 1000 operations, 500 bytes that are read of a span as long, 2 dependent FMAs and 3 additions.
LeastWork small_work() {
  LeastWork work;
  work.operations = 1000;
  work.chain_fmas = 2;
  work.chain_additions = 3;
  work.transfers = {{{500, 1, 0}, 500}};
  return work;
}

TEST(CeilingShare, IsBoundByTheLongestOfThree) {
  const std::optional<report::CeilingShare> share = ceiling_share(small_work(), 1, 40, ceilings());
  ASSERT_TRUE(share.has_value());
  EXPECT_DOUBLE_EQ(share->operations_ns, 10);
  EXPECT_DOUBLE_EQ(share->bytes_ns, 2.5) << "500 bytes at 200";
  EXPECT_EQ(share->level, "L1");
  EXPECT_FALSE(share->span.has_value()) << "a level's bandwidth";
  EXPECT_DOUBLE_EQ(share->chain_ns, 2 * 1 + 3 * 0.5);
  EXPECT_EQ(share->bound_by, report::BoundBy::operations);
  EXPECT_DOUBLE_EQ(share->share, 0.25);

  LeastWork chained = small_work();
  chained.chain_fmas = 20;
  EXPECT_EQ(ceiling_share(chained, 1, 40, ceilings())->bound_by, report::BoundBy::chain);
  LeastWork moved = small_work();
  moved.transfers[0].bytes = 1e5;
  EXPECT_EQ(ceiling_share(moved, 1, 1e5, ceilings())->bound_by, report::BoundBy::bytes);

  EXPECT_FALSE(ceiling_share(small_work(), 1, 10, ceilings())->failed) << "exactly the floor";
  const std::optional<report::CeilingShare> failed = ceiling_share(small_work(), 1, 9.9, ceilings());
  EXPECT_TRUE(failed->failed);
  EXPECT_GT(failed->share, 1);
}

TEST(CeilingShare, UsesTheFiguresOfTheDtype) {
  LeastWork work = small_work();
  work.dtype = catalogue::Dtype::f64;
  work.exponentials = 8;
  report::VectorCeilings width = ceilings();
  width.functions_f32 = report::FunctionCeilings{8, 1, 1, 1, 1};
  width.functions_f64 = report::FunctionCeilings{4, 1, 1, 1, 1};
  const std::optional<report::CeilingShare> share = ceiling_share(work, 1, 40, width);
  EXPECT_DOUBLE_EQ(share->operations_ns, 20 + 2);
  EXPECT_DOUBLE_EQ(*share->functions_ns, 2);
  EXPECT_DOUBLE_EQ(share->chain_ns, 2 * 1.25 + 3 * 0.75);
}

// Of a step that moves 1000 bytes of such a span: bytes per nanosecond.
double bandwidth(const report::Span& span, const report::VectorCeilings& width) {
  LeastWork work = small_work();
  work.transfers = {{span, 1000}};
  return 1000 / ceiling_share(work, 1, 1e6, width)->bytes_ns;
}

TEST(CeilingShare, TakesBytesFromTheLongestSpanOfTheSameArraysThatIsNoLonger) {
  report::VectorCeilings width = ceilings();  // levels were measured with 500, 4500 and 90000 bytes
  EXPECT_DOUBLE_EQ(bandwidth({40, 1, 0}, width), 200) << "as fast as what fits";
  EXPECT_DOUBLE_EQ(bandwidth({4499, 1, 0}, width), 200);
  EXPECT_DOUBLE_EQ(bandwidth({4500, 1, 0}, width), 50);
  EXPECT_DOUBLE_EQ(bandwidth({1000000, 1, 0}, width), 10);
  EXPECT_DOUBLE_EQ(bandwidth({90000, 1, 3}, width), 12) << "the better of reading and updating a level";
  width.spans = {{{{20000, 1, 0}, 25}, {{90000, 1, 3}, 8}, {{90000, 0, 3}, 9}, {{500, 1, 1}, 150}}};
  EXPECT_DOUBLE_EQ(bandwidth({19999, 1, 0}, width), 50);
  EXPECT_DOUBLE_EQ(bandwidth({20000, 1, 0}, width), 25);
  EXPECT_DOUBLE_EQ(bandwidth({90000, 1, 3}, width), 8);
  EXPECT_DOUBLE_EQ(bandwidth({90000, 0, 3}, width), 9);
  EXPECT_DOUBLE_EQ(bandwidth({40, 1, 1}, width), 150);
  EXPECT_DOUBLE_EQ(bandwidth({4500, 1, 3}, width), 50) << "only a longer one was measured";
  width.spans->push_back({{30000, 1, 0}, 35});
  EXPECT_DOUBLE_EQ(bandwidth({20000, 1, 0}, width), 35) << "a shorter span is as fast as a longer one";

  LeastWork work = small_work();
  work.transfers = {{{25000, 1, 0}, 1000}};
  std::optional<report::CeilingShare> share = ceiling_share(work, 1, 1e6, width);
  EXPECT_EQ(share->level, "memory") << "caches of 10000 bytes";
  EXPECT_EQ(share->span, (report::Span{20000, 1, 0}));
  work.transfers = {{{4500, 1, 0}, 1000}, {{500, 0, 1}, 6000}};
  share = ceiling_share(work, 1, 40, ceilings());
  EXPECT_DOUBLE_EQ(share->bytes_ns, 30) << "the longest alone: 6000 at 200, 1000 at 50";
  EXPECT_DOUBLE_EQ(share->bytes.value(), 6000);
}

TEST(CeilingShare, ProductsOfAMixedDtypeHaveARateOfTheirOwn) {
  LeastWork work = small_work();
  work.dtype = catalogue::Dtype::bf16;
  work.products = 4000;
  report::VectorCeilings width = ceilings();
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 400, width)->operations_ns, 50) << "rounded, but multiplied as f32";
  width.bf16_gflop_per_second = 400;
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 400, width)->operations_ns, 10 + 10);
  width.bf16_gflop_per_second = 0;
  EXPECT_FALSE(ceiling_share(work, 1, 400, width)) << "faster than anything that was measured";
  work.dtype = catalogue::Dtype::f32;
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 400, width)->operations_ns, 50);
}

// A thousand parameters with Adam: a division and a root each.
TEST(CeilingShare, DividesOnDividerAndMultipliersAtTheSameTime) {
  LeastWork work = small_work();
  work.divisions = work.roots = 1000;
  report::VectorCeilings width = ceilings();
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 40, width)->operations_ns, 10) << "not measured: none are counted";
  width.functions_f32 = report::FunctionCeilings{1, 5, 2.5, 0, 0};
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 40, width)->operations_ns, 200 + 400) << "the divider makes them all";
  EXPECT_DOUBLE_EQ(*ceiling_share(work, 1, 40, width)->roots_ns, 590);
  width.functions_f32 = report::FunctionCeilings{1, 5, 2.5, 10, 10};
  // A part y on the divider takes 600 y, the rest with the multiply-adds 10 + 200 (1 - y): equal at y = 210 / 800.
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 40, width)->operations_ns, 600 * 210 / 800.0);
  work.operations = 1e5;
  EXPECT_DOUBLE_EQ(ceiling_share(work, 1, 40, width)->operations_ns, 1000) << "the divider is done before";
  EXPECT_DOUBLE_EQ(*ceiling_share(work, 1, 40, width)->roots_ns, 0);
}

// Twenty inputs, thirty tanh, five outputs and the squared error, in full batches of five hundred rows.
report::ScenarioRecord tanh_network(std::int64_t rows, std::int64_t inputs) {
  report::ScenarioRecord scenario;
  scenario.key = "s";
  scenario.rows = scenario.batch_rows = rows;
  scenario.features = inputs;
  scenario.outputs = 5;
  scenario.parameters = inputs * 30 + 30 + 30 * 5 + 5;
  scenario.resolved.dtype = catalogue::Dtype::f32;
  scenario.resolved.loss = catalogue::Loss::mse;
  scenario.resolved.optimizer = catalogue::OptimizerKind::adam;
  scenario.resolved.model = catalogue::ModelKind::multilayer_perceptron;
  scenario.resolved.layers = {{30, catalogue::Activation::tanh, true}, {5, catalogue::Activation::identity, true}};
  return scenario;
}

report::VectorCeilings ceilings_with_functions() {
  report::VectorCeilings width = ceilings();
  width.functions_f32 = report::FunctionCeilings{5, 2, 1, 6, 5};
  width.spans = {{{{2000, 1, 0}, 90}, {{50000, 1, 0}, 15}, {{1000, 0, 3}, 60}, {{60000, 0, 3}, 9}}};
  return width;
}

TEST(CeilingShare, NeverShrinksWhereTheProblemGrows) {
  const report::VectorCeilings width = ceilings_with_functions();
  const auto floor_ns = [&](report::ScenarioRecord scenario, bool update) {
    if (update) scenario.resolved.task = catalogue::Task::update;
    return ceiling_share(*least_work(scenario, 7), 1, 1, width)->floor_ns;
  };
  for (const bool update : {false, true}) {
    for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{1}, std::int64_t{32}}) {  // 0: all rows
      const auto scenario = [&](std::int64_t rows, std::int64_t inputs) {
        report::ScenarioRecord made = tanh_network(rows, inputs);
        if (batch > 0) made.batch_rows = std::min(batch, rows);
        return made;
      };
      for (std::int64_t rows = 1; rows < 5000; rows = rows * 5 / 4 + 1) {
        for (std::int64_t inputs = 1; inputs < 3000; inputs = inputs * 5 / 4 + 1) {
          const double here = floor_ns(scenario(rows, inputs), update);
          EXPECT_LE(here, floor_ns(scenario(rows + 1, inputs), update)) << rows << " rows, " << inputs << " inputs";
          EXPECT_LE(here, floor_ns(scenario(rows, inputs + 1), update)) << rows << " rows, " << inputs << " inputs";
        }
      }
    }
  }
}

TEST(CeilingShare, ThreadsShareWorkButNotTheChain) {
  LeastWork work = small_work();
  work.exponentials = 100;
  const std::optional<report::CeilingShare> one = ceiling_share(work, 1, 40, ceilings_with_functions());
  const std::optional<report::CeilingShare> four = ceiling_share(work, 4, 40, ceilings_with_functions());
  EXPECT_DOUBLE_EQ(four->operations_ns, one->operations_ns / 4);
  EXPECT_DOUBLE_EQ(*four->functions_ns, *one->functions_ns / 4);
  EXPECT_DOUBLE_EQ(four->bytes_ns, one->bytes_ns / 4);
  EXPECT_DOUBLE_EQ(four->chain_ns, one->chain_ns);
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

TEST(AddBest, TakesEachFigureFromWhereItIsBestAndKeepsNumbersOfThreadsApart) {
  report::VectorCeilings narrow = ceilings();
  narrow.vectors = "sse2";
  narrow.bits = 128;
  narrow.fma_f32_gflop_per_second = 40;
  narrow.fma_f32_latency_ns = 2;
  narrow.addition_f32_latency_ns = 0.25;
  narrow.levels[2] = {"memory", 0, 90000, 11, 2, 5};
  report::VectorCeilings later = ceilings();
  later.fma_f64_gflop_per_second = 60;
  narrow.functions_f32 = report::FunctionCeilings{1, 2, 3, 4, 0};
  later.functions_f32 = report::FunctionCeilings{2, 1, 4, 3, 0};
  narrow.spans = {{{{700, 1, 0}, 30}}};
  later.spans = {{{{700, 1, 0}, 40}, {{700, 0, 1}, 20}}};
  report::Ceilings measured;
  measured.measurements = {{"t0", 1, {narrow, ceilings()}}, {"t2", 1, {twice_as_fast()}, 2}, {"t1", 1, {later}}};
  add_best(measured);
  ASSERT_TRUE(measured.best.has_value());
  const report::VectorCeilings& best = *measured.best;
  EXPECT_EQ(best.vectors, "avx2");
  EXPECT_EQ(best.fma_f32_gflop_per_second, 100);
  EXPECT_EQ(best.fma_f64_gflop_per_second, 60);
  EXPECT_EQ(best.fma_f32_latency_ns, 1);
  EXPECT_EQ(best.addition_f32_latency_ns, 0.25);
  EXPECT_EQ(best.levels[2].read_gb_per_second, 11);
  EXPECT_EQ(best.levels[2].read_streams, 2);
  EXPECT_EQ(best.levels[2].update_gb_per_second, 12);
  EXPECT_EQ(best.functions_f32->exponentials_per_ns, 2);
  EXPECT_EQ(best.functions_f32->divisions_per_ns, 2);
  EXPECT_EQ(best.functions_f32->refined_roots_per_ns, 0);
  ASSERT_EQ(best.spans->size(), 2U);
  EXPECT_EQ(best.spans->front().gb_per_second, 40);
  ASSERT_TRUE(measured.teams.has_value());
  ASSERT_EQ(measured.teams->size(), 1U);
  EXPECT_EQ(measured.teams->front().threads, 2);
  EXPECT_EQ(measured.teams->front().best.fma_f32_gflop_per_second, 200);
  measured.measurements.erase(measured.measurements.begin() + 1);
  add_best(measured);
  EXPECT_FALSE(measured.teams.has_value());
  EXPECT_FALSE(best_of({}, 1).has_value());
}

// A report with one cell of a network with tanh, of so many threads.
report::Report report_of_a_cell(int threads) {
  report::Report report;
  report.scenarios = {tanh_network(500, 20)};
  report::Cell& cell = report.cells.emplace_back();
  cell.id = "c";
  cell.scenario = "s";
  cell.threads = threads;
  cell.status.state = report::CellState::ok;
  return report;
}

TEST(CeilingShare, OfSeveralThreadsIsByWhatTheyReachTogether) {
  report::Report report = report_of_a_cell(2);
  report.ceilings.emplace().measurements = {{"t0", 1, {ceilings()}}};
  add_best(*report.ceilings);
  const double divided_ns = ceiling_share(report, report.cells[0], 1e6)->operations_ns;
  const double multiply_adds = 500.0 * (2 * 20 * 30 + 3 * 30 * 5 + 2 * 30) + 4.0 * (20 * 30 + 30 + 30 * 5 + 5);
  EXPECT_DOUBLE_EQ(divided_ns, 2 * multiply_adds / 100 / 2);
  report::VectorCeilings team = ceilings();
  team.fma_f32_gflop_per_second = 160;
  report.ceilings->measurements.push_back({"t0", 1, {team}, 2});
  add_best(*report.ceilings);
  EXPECT_DOUBLE_EQ(ceiling_share(report, report.cells[0], 1e6)->operations_ns, divided_ns * 200 / 160);
}

// A cell whose launches took so many ns a step, while the processor ran at `speeds` times its best.
report::Report report_of_launches(const std::vector<double>& steps_ns, const std::vector<double>& speeds) {
  report::Report report = report_of_a_cell(1);
  report.ceilings.emplace().measurements = {{"t0", 1, {ceilings()}}};
  add_best(*report.ceilings);
  const std::optional<LeastWork> work = least_work(report, report.cells[0]);
  for (std::size_t i = 0; i < steps_ns.size(); ++i) {
    const int launch = static_cast<int>(i);
    report.cells[0].samples.push_back({.launch = launch, .round = 1, .steps = 1, .real_ns = steps_ns[i]});
    report::VectorCeilings now = ceilings();
    now.levels.clear();
    now.fma_f32_gflop_per_second *= speeds[i];
    now.spans.emplace();
    for (const Transfer& transfer : work->transfers)
      now.spans->push_back({measured_span(transfer.span, ceilings().levels), 1e4});
    report.ceilings->add_launch() = {{"s"}, launch, {}, now};
  }
  return report;
}

TEST(CeilingShare, OfLaunchesIsByWhatEachOfThemMeasured) {
  const double floor_ns = ceiling_share(report_of_launches({}, {}), report_of_a_cell(1).cells[0], 1)->floor_ns;
  // Every other launch runs at two thirds of the speed: steps take 1.5 times as long, the share stays.
  const auto steps = [&](double slow) {
    return std::vector{2 * floor_ns, slow * floor_ns, 2 * floor_ns, slow * floor_ns};
  };
  report::Report report = report_of_launches(steps(3), {1, 2.0 / 3, 1, 2.0 / 3});
  std::optional<report::CeilingShare> share = ceiling_share_by_launch(report, report.cells[0]);
  ASSERT_TRUE(share.has_value());
  EXPECT_NEAR(share->share, 0.5, 1e-9);
  ASSERT_TRUE(share->interval.has_value());
  EXPECT_NEAR(share->interval->low, 0.5, 1e-9);
  EXPECT_NEAR(share->interval->high, 0.5, 1e-9);
  EXPECT_EQ(share->bound_by, report::BoundBy::operations);
  EXPECT_NEAR(share->floor_ns, 0.5 * step_time(report.cells[0]).value, 1e-6) << "in proportion";
  EXPECT_NEAR(share->floor_ns, share->operations_ns, 1e-6);
  EXPECT_FALSE(share->failed);
  summarise(report);
  EXPECT_EQ(report.cells[0].summary->ceiling->share, share->share) << "what a report shows";

  report = report_of_launches(steps(1.9), {0.4, 0.4, 0.4, 0.4});
  share = ceiling_share_by_launch(report, report.cells[0]);
  EXPECT_GT(share->share, 1);
  EXPECT_TRUE(share->failed) << "all of the interval is above 1";
  report = report_of_launches(steps(1), {1, 1, 1, 1});
  EXPECT_FALSE(ceiling_share_by_launch(report, report.cells[0])->failed) << "1 is within the interval";
}

TEST(CeilingShare, IsByTheBestOfTheRunWhereLaunchesDoNotTell) {
  using Launches = std::vector<report::LaunchCeilings>;
  const auto share_with = [](void (*change)(Launches & launches), bool ranked = true) {
    report::Report report = report_of_launches({1e6, 1e6}, {0.5, 0.5});
    change(*report.ceilings->launches);
    report.cells[0].ranked = ranked;
    summarise(report);
    return report.cells[0].summary->ceiling;
  };
  EXPECT_TRUE(share_with([](Launches&) {})->interval);
  EXPECT_FALSE(share_with([](Launches&) {}, false)) << "what skips arithmetic has no share";
  const std::pair<const char*, void (*)(Launches&)> changes[] = {
      {"a span is missing", [](Launches& launches) { launches[0].best.spans.reset(); }},
      {"another scenario", [](Launches& launches) { launches[0].scenarios = launches[1].scenarios = {"another"}; }},
      {"other threads", [](Launches& launches) { launches[0].threads = launches[1].threads = 2; }},
      {"two parts of a run have such a launch", [](Launches& launches) { launches.push_back(launches[0]); }},
      {"other launches", [](Launches& launches) {
         for (report::LaunchCeilings& launch : launches) launch.launch += 2;
       }}};
  for (const auto& [name, change] : changes) EXPECT_FALSE(share_with(change)->interval) << name;
}

TEST(Wanted, AreTheSpansAndThreadsOfCellsThatMayBeTimed) {
  report::Report report = report_of_a_cell(2);
  EXPECT_EQ(wanted_threads(report), (std::vector<int>{1, 2}));
  EXPECT_TRUE(wanted_spans(report, 1).empty());
  constexpr std::int64_t kState = 4 * 3 * (20 * 30 + 30 + 30 * 5 + 5);
  const std::vector<report::Span> expected = {{500 * 4 * (20 + 5), 1, 0}, {kState, 0, 3}};
  EXPECT_EQ(wanted_spans(report, 2), expected);
  report.cells.push_back(report.cells[0]);
  EXPECT_EQ(wanted_spans(report, 2), expected) << "each once";
  report.cells.pop_back();
  report.cells[0].ranked = false;
  EXPECT_EQ(wanted_threads(report), std::vector<int>{1});
  report.cells[0].ranked = true;
  report.cells[0].status.state = report::CellState::unsupported;
  EXPECT_TRUE(wanted_spans(report, 2).empty());
}

}  // namespace
}  // namespace gdbench::analysis
