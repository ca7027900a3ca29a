#include "harness/analysis/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/summarise.h"

namespace gdbench::analysis {
namespace {

using report::AllReduce;

constexpr double kFixed = 1000;   // ns of a step
constexpr double kRow = 50;       // ns of a row
constexpr double kLatency = 400;  // ns of a message
constexpr double kByte = 0.25;    // ns of a byte

report::ScenarioRecord scenario(const std::string& key, std::int64_t rows, std::int64_t parameters) {
  report::ScenarioRecord record;
  record.key = record.label = key;
  record.batch_rows = rows;
  record.parameters = parameters;
  record.resolved.text =
      R"({"batch": {"rows": )" + std::to_string(rows) + R"(}, "model": )" + std::to_string(parameters) + "}";
  return record;
}

// One that computes is verified.
report::Cell cell(const std::string& key, int ranks, double computing_ns, double exchange_ns, bool computes = true) {
  report::Cell cell;
  cell.implementation = computes ? "one/x+mpi" : "one/none+mpi";
  cell.id = key + "/" + cell.implementation + "?ranks=" + std::to_string(ranks);
  cell.scenario = key;
  cell.options["ranks"] = std::to_string(ranks);
  cell.ranks = ranks;
  cell.status.state = report::CellState::ok;
  if (computes) cell.verification.emplace();
  for (int launch = 0; launch < 3; ++launch) {
    const double step_ns = computing_ns + exchange_ns;
    cell.samples.push_back({.launch = launch, .steps = 10, .real_ns = step_ns, .cpu_ns = step_ns});
    cell.samples.back().exchange_ns = exchange_ns;
  }
  return cell;
}

double two_ranks_ns(std::int64_t parameters) { return kLatency + kByte * 4 * static_cast<double>(parameters); }

// By one rank and by two, and what exchanges alone.
void add_scenario(report::Report& report, const std::string& key, std::int64_t rows, std::int64_t parameters) {
  report.scenarios.push_back(scenario(key, rows, parameters));
  const double half = std::ceil(static_cast<double>(rows) / 2);
  report.cells.push_back(cell(key, 1, kFixed + kRow * static_cast<double>(rows), 0));
  report.cells.push_back(cell(key, 2, kFixed + kRow * half, two_ranks_ns(parameters)));
  report.cells.push_back(cell(key, 2, 10, two_ranks_ns(parameters), false));
}

report::Report measured() {
  report::Report report;
  add_scenario(report, "small", 101, 25);
  add_scenario(report, "large", 64, 100'000);
  return report;
}

Result<report::Predictions> predicted(report::Report report, std::vector<int> ranks = {4},
                                      std::optional<report::Network> described = {}) {
  summarise(report);
  return predict(std::span(&report, 1), {std::move(ranks), described});
}

TEST(AllReduceTime, IsThatOfTheFastestAlgorithm) {
  const report::Network network = {.latency_ns = 100, .byte_ns = 2, .adding_byte_ns = 1};
  struct Case {
    int ranks;
    std::int64_t bytes;
    double time_ns;
    AllReduce algorithm;
  };
  const Case cases[] = {
      {1, 1000, 0, AllReduce::none},
      {2, 8, 100 + 8 * 3, AllReduce::doubling},
      {2, 8000, 200 + 8000 * 2.5, AllReduce::halving},
      // One of three ranks hands in all it has: doubling 3 L + 8 (3 B + 2 G), the ring 4 L + 2/3 8 (2 B + G).
      {3, 8, 300 + 8 * 8, AllReduce::doubling},
      {3, 9000, 400 + 9000 * 5 * 2. / 3, AllReduce::ring},
      {4, 8, 200 + 2 * 8 * 3, AllReduce::doubling},
      {4, 8000, 400 + 8000 * 5 * 3. / 4, AllReduce::halving},
      // Eight of nine halve: 6 L + 7/8 m (2 B + G), and one more hands in all.
      {9, 100, 800 + 100 * 5 * (1 + 7.0 / 8), AllReduce::halving},
      {4096, 8, 1200 + 12 * 8 * 3, AllReduce::doubling},
      {4096, 8'192'000, 2400 + 2000.0 * 4095 * 5, AllReduce::halving}};
  for (const auto& [ranks, bytes, time_ns, algorithm] : cases) {
    const AllReduceTime time = all_reduce_time(network, ranks, bytes);
    EXPECT_DOUBLE_EQ(time.time_ns(), time_ns) << ranks << " ranks, " << bytes << " bytes";
    EXPECT_EQ(time.algorithm, algorithm) << ranks << " ranks, " << bytes << " bytes";
  }
  EXPECT_DOUBLE_EQ(all_reduce_time(network, 4, 8000).adding_ns, 8000 * 3 / 4);
  // Of two ranks it is what a network was fitted to.
  for (const std::int64_t bytes : {4, 4000, 4'000'000}) {
    EXPECT_DOUBLE_EQ(all_reduce_time({.latency_ns = 100, .byte_ns = 2}, 2, bytes).time_ns(),
                     100 + 2 * static_cast<double>(bytes));
  }
}

TEST(Prediction, FindsWhatTheTimesWereMadeOf) {
  report::Report report = measured();
  report.cells.push_back(cell("large", 4, 10, 9e5, false));  // of more ranks than a network is fitted to
  const Result<report::Predictions> found = predicted(report, {3, 4, 128});
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->fitted.size(), 1U);
  EXPECT_NEAR(found->fitted[0].network.latency_ns, kLatency, 1e-6);
  EXPECT_NEAR(found->fitted[0].network.byte_ns, kByte, 1e-9);
  ASSERT_EQ(found->predictions.size(), 2U);
  EXPECT_TRUE(found->notes.empty());
  for (const report::Prediction& prediction : found->predictions) {
    EXPECT_NEAR(prediction.fixed_ns, kFixed, 1e-6);
    EXPECT_NEAR(prediction.row_ns, kRow, 1e-6);
    EXPECT_EQ(prediction.cells.size(), 2U);
    for (const report::PredictedCell& cell : prediction.cells) EXPECT_NEAR(cell.error(), 0, 1e-9) << cell.cell;
    for (const report::PredictedStep& step : prediction.steps) {
      const AllReduceTime exchange = all_reduce_time(found->fitted[0].network, step.ranks, prediction.gradient_bytes);
      EXPECT_EQ(step.rows, (prediction.batch_rows + step.ranks - 1) / step.ranks);
      EXPECT_NEAR(step.step_ns, kFixed + kRow * static_cast<double>(step.rows) + exchange.time_ns(), 1e-6);
      EXPECT_NEAR(step.speed_up, (kFixed + kRow * static_cast<double>(prediction.batch_rows)) / step.step_ns, 1e-9);
    }
  }
  const report::Prediction& small = found->predictions[1];
  EXPECT_EQ(small.scenario, "small");
  EXPECT_EQ(small.steps[1].rows, 26);
  EXPECT_EQ(small.fastest, 4);
  EXPECT_EQ(found->predictions[0].fastest, 1);  // 400 kB take longer than all rows
}

TEST(Prediction, BatchesOfOtherSizesAreOfTheSameLine) {
  report::Report report = measured();
  report.scenarios.push_back(scenario("small of 11", 11, 25));
  report.cells.push_back(cell("small of 11", 1, kFixed + kRow * 11 * 1.1, 0));
  const Result<report::Predictions> found = predicted(report);
  ASSERT_EQ(found->predictions.size(), 3U);
  const report::PredictedCell& odd = found->predictions[2].cells.at(0);
  EXPECT_EQ(odd.cell, "small of 11/one/x+mpi?ranks=1");
  ASSERT_TRUE(odd.left_out_ns);
  EXPECT_NEAR(*odd.left_out_ns, kFixed + kRow * 11, 1e-6);  // by the others, which are exact
  EXPECT_GT(odd.predicted_ns, *odd.left_out_ns);
  EXPECT_FALSE(found->predictions[0].cells.at(0).left_out_ns);
}

TEST(Prediction, ADescribedNetworkAddsUpAsFastAsTheCachesThatHoldIt) {
  report::Report report = measured();
  report::VectorCeilings best;
  best.levels = {{.level = "L1", .capacity_bytes = 200, .update_gb_per_second = 300},
                 {.level = "memory", .update_gb_per_second = 30}};
  report.ceilings.emplace().best = best;
  report.ceilings->measurements.emplace_back().widths = {best};
  const Result<report::Predictions> found = predicted(report, {4}, report::Network{.latency_ns = 50e3, .byte_ns = 0.8});
  EXPECT_DOUBLE_EQ(found->predictions[0].network.adding_byte_ns, 0.1);
  EXPECT_DOUBLE_EQ(found->predictions[1].network.adding_byte_ns, 0.01);
  EXPECT_EQ(found->predictions[1].network.latency_ns, 50e3);
  EXPECT_NEAR(found->predictions[1].cells[1].error(), 0, 1e-9);  // what was measured has the fitted network
}

TEST(Prediction, SaysWhatIsMissing) {
  report::Report one_size;
  add_scenario(one_size, "small", 100, 25);
  report::Report one_count = measured();
  std::erase_if(one_count.cells, [](const report::Cell& cell) { return cell.ranks == 1; });
  for (const auto& [report, message] : std::vector<std::pair<report::Report, std::string>>{
           {one_size,
            "/cells: found one size of gradients of rows that compute nothing with ranks=2, expected two sizes of "
            "gradients or more"},
           {one_count,
            "/cells: large/one/x+mpi?ranks=2: found one number of rows of a rank, expected cells of two, such as "
            "ranks=1 and ranks=2"},
           {{}, "found no row that computes nothing"}}) {
    const Result<report::Predictions> found = predicted(report);
    EXPECT_NE(found.error().message.find(message), std::string::npos) << found.error().message;
  }
}

TEST(Prediction, RowsExchangeAsTheirOwnOptionsSay) {
  report::Report report = measured();
  for (report::Cell& cell : report.cells) {
    if (cell.scenario == "small" && cell.verification) cell.options["mpi"] = "other";
    if (!cell.verification) cell.default_options.emplace()["mpi"] = "this";
  }
  const Result<report::Predictions> found = predicted(report);
  ASSERT_EQ(found->predictions.size(), 1U);
  EXPECT_EQ(found->predictions[0].scenario, "large");
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_NE(found->notes[0].find("found no row with its options that computes nothing"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::analysis
