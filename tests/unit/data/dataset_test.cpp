#include "harness/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::csv_scenario, tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;
using Data = Files;

std::vector<double> column(const Dataset& data, std::int64_t j) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < data.rows; ++i) values.push_back(data.x<double>()[i * data.features + j]);
  return values;
}

std::int64_t row_of(const Dataset& data, const scenario::Problem& problem, std::int64_t step, std::int64_t position) {
  std::int64_t row = -1;
  data.rows_of(problem, step, position, 1, &row);
  return row;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST_F(Data, SyntheticDataAreTheSameOnEveryMachine) {
  // Digests computed once; a change of the generator, or of its rounding on some processor, shows here.
  EXPECT_EQ(dataset(linear_scenario(), {{"dtype", "f64"}}).digest, "705b12d8c83c902c");
  EXPECT_EQ(dataset(linear_scenario(), {{"dtype", "f64"}, {"data.kind", "teacher"}}).digest, "0f13759ff0b2a645");
  EXPECT_EQ(dataset(perceptron_scenario()).digest, "91ce180ce29ced0e");
}

TEST_F(Data, DigestFollowsTheValues) {
  const std::string digest = dataset(linear_scenario()).digest;
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(dataset(linear_scenario(), {{"batch", "4"}}).digest, digest);
  for (const char* setting : {"data.seed=2", "data.noise=0.2", "dtype=f64"}) {
    EXPECT_NE(dataset(linear_scenario(), {scenario::parse_setting(setting).value()}).digest, digest) << setting;
  }
}

TEST_F(Data, EverythingIsAligned) {
  const Dataset data = dataset(linear_scenario(), {{"batch", "7"}, {"rows", "21"}});
  EXPECT_EQ(data.x_offset % 64, 0U);
  EXPECT_EQ(data.target_offset % 64, 0U);
  EXPECT_EQ(data.order_offset % 64, 0U);
  EXPECT_GE(data.target_offset, 21U * 3U * 4U);
  EXPECT_GE(data.order_offset, data.target_offset + 21U * 4U);
  EXPECT_GE(data.memory.size(), data.order_offset + static_cast<std::size_t>(data.epochs) * 21U * 4U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data.memory.data()) % 64, 0U);
}

TEST_F(Data, LinearTargetsAreLinearUpToTheNoise) {
  // With one feature and no noise y / x is the same everywhere.
  const Dataset data = dataset(linear_scenario(), {{"dtype", "f64"}, {"features", "1"}, {"data.noise", "0"}});
  const double slope = data.y<double>()[0] / data.x<double>()[0];
  EXPECT_GT(std::abs(slope), 1e-6);
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(data.y<double>()[i], slope * data.x<double>()[i], 1e-14);

  const std::vector<scenario::Setting> large = {
      {"dtype", "f64"}, {"features", "1"}, {"rows", "20000"}, {"data.noise", "0.5"}};
  const Dataset noisy = dataset(linear_scenario(), large);
  std::vector<double> residuals;
  for (int i = 0; i < 20000; ++i) residuals.push_back(noisy.y<double>()[i] - slope * noisy.x<double>()[i]);
  EXPECT_NEAR(mean(residuals), 0, 0.02);
  EXPECT_NEAR(deviation(residuals), 0.5, 0.02);
  EXPECT_NEAR(mean(column(noisy, 0)), 0, 0.03);
  EXPECT_NEAR(deviation(column(noisy, 0)), 1, 0.03);
}

TEST_F(Data, BlobsLieAroundTheirClass) {
  const Dataset data = dataset(perceptron_scenario(), {{"standardise.features", "false"}, {"data.noise", "0"}});
  EXPECT_TRUE(data.has_labels);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(data.labels()[i], i % 3);
    EXPECT_EQ(data.x<double>()[2 * i], data.x<double>()[2 * (i % 3)]);
  }
  EXPECT_NE(data.x<double>()[0], data.x<double>()[2]);
}

TEST_F(Data, Standardises) {
  write("table.csv", "a,b,y\n0.1,1,10\n0.1,2,20\n0.1,6,60\n");
  const Dataset data = dataset(csv_scenario(), {{"standardise", R"({"features": true, "targets": true})"}});
  EXPECT_EQ(column(data, 0), (std::vector<double>{0, 0, 0})) << "a constant column becomes 0";
  EXPECT_NEAR(mean(column(data, 1)), 0, 1e-15);
  EXPECT_NEAR(deviation(column(data, 1)), 1, 1e-15);
  EXPECT_NEAR(column(data, 1)[2], 3 / std::sqrt(14.0 / 3), 1e-15);
  EXPECT_NEAR(data.y<double>()[0], -20 / std::sqrt(1400.0 / 3), 1e-15);
}

// Their squares overflow, or vanish.
TEST_F(Data, StandardisesWhatIsFarFrom1) {
  for (const char* exponent : {"e-300", "e-170", "e-144", "e145", "e160", "e306"}) {
    std::string table = "a,b,y\n";
    for (const char* value : {"1", "2", "-6"}) table += value + std::string(exponent) + "," + value + ",1\n";
    write("table.csv", table);
    for (const char* source : {"csv", "stream"}) {
      json scenario = csv_scenario();
      scenario["data"]["source"] = source;
      scenario["batch"] = {{"rows", 1}, {"shuffle", false}};
      scenario["standardise"] = {{"features", true}};
      const Dataset data = dataset(scenario);
      std::vector<double> x(6);
      std::vector<double> y;
      if (data.stream) {
        data.stream->read(0, 3, x, y);
      } else {
        std::copy_n(data.x<double>(), 6, x.begin());
      }
      for (int row = 0; row < 3; ++row) EXPECT_NEAR(x[2 * row], x[2 * row + 1], 1e-14) << exponent << " " << source;
      EXPECT_EQ(data.remarks, (std::vector<std::string>{"1 target is constant: \"y\""}));
    }
  }
}

TEST_F(Data, SinglePrecisionIsTheRoundedDouble) {
  const Dataset narrow = dataset(linear_scenario(), {{"standardise.features", "true"}});
  const Dataset wide = dataset(linear_scenario(), {{"standardise.features", "true"}, {"dtype", "f64"}});
  for (int i = 0; i < 60; ++i) EXPECT_EQ(narrow.x<float>()[i], static_cast<float>(wide.x<double>()[i]));
}

TEST_F(Data, EachEpochsOrderIsAPermutationOfItsOwn) {
  const Dataset data = dataset(perceptron_scenario());
  ASSERT_TRUE(data.has_order);
  ASSERT_EQ(data.epochs, 16);
  std::vector<std::vector<std::uint32_t>> orders;
  for (std::int64_t epoch = 0; epoch < data.epochs; ++epoch) {
    orders.emplace_back(data.order() + epoch * 30, data.order() + (epoch + 1) * 30);
    std::vector<std::uint32_t> sorted = orders.back();
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 0; i < 30; ++i) ASSERT_EQ(sorted[i], i);
  }
  std::sort(orders.begin(), orders.end());
  EXPECT_EQ(std::adjacent_find(orders.begin(), orders.end()), orders.end());

  const Dataset again = dataset(perceptron_scenario());
  EXPECT_TRUE(std::equal(data.order(), data.order() + 16 * 30, again.order()));
  const Dataset other = dataset(perceptron_scenario(), {{"batch.seed", "4"}});
  EXPECT_FALSE(std::equal(data.order(), data.order() + 16 * 30, other.order()));
}

TEST_F(Data, EveryOrderIsEquallyLikely) {
  Result<scenario::Scenario> scenario =
      scenario::read_scenario(write_json(linear_scenario()), {{"rows", "4"}, {"batch", "1"}});
  std::map<std::vector<std::uint32_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    scenario->batch.seed = seed;
    const Result<Dataset> data = make_dataset(scenario.value());
    for (int epoch = 0; epoch < 16; ++epoch) {
      const std::uint32_t* first = data->order() + 4 * epoch;
      ++counts[std::vector<std::uint32_t>(first, first + 4)];
    }
  }
  // 4800 orders over 24 permutations: 200 each, with a standard deviation of 14.
  EXPECT_EQ(counts.size(), 24U);
  for (const auto& entry : counts) EXPECT_NEAR(entry.second, 200, 70);
}

TEST_F(Data, OrdersAreBoundedAndOnlyWhereTheyMatter) {
  const std::vector<scenario::Setting> large = {{"rows", "600000"}, {"features", "1"}, {"batch", "32"}};
  EXPECT_EQ(dataset(linear_scenario(), large).epochs, 6);
  EXPECT_FALSE(dataset(linear_scenario()).has_order);
  EXPECT_FALSE(dataset(linear_scenario(), {{"batch", "20"}}).has_order) << "the whole data";
  EXPECT_FALSE(dataset(linear_scenario(), {{"batch", R"({"rows": 4, "shuffle": false})"}}).has_order);
}

TEST_F(Data, BatchesFollowTheOrder) {
  const Result<scenario::Scenario> scenario = scenario::read_scenario(write_json(perceptron_scenario()), {});
  const Dataset data = dataset(perceptron_scenario());
  const scenario::Problem problem = make_problem(scenario.value(), data).value();
  // 30 rows in batches of 8: 8, 8, 8, 6.
  EXPECT_EQ(data.batch_size(problem, 0), 8);
  EXPECT_EQ(data.batch_size(problem, 3), 6);
  EXPECT_EQ(data.batch_size(problem, 4), 8);
  EXPECT_EQ(row_of(data, problem, 0, 0), data.order()[0]);
  EXPECT_EQ(row_of(data, problem, 3, 5), data.order()[29]);
  EXPECT_EQ(row_of(data, problem, 4, 0), data.order()[30]);
  EXPECT_EQ(row_of(data, problem, 4 * 16 + 1, 2), data.order()[10]) << "after the last epoch, the first";
  std::vector<std::int64_t> rows(6);
  data.rows_of(problem, 3, 0, 6, rows.data());
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), data.order() + 24)) << "all of a batch at once";
}

TEST_F(Data, WithoutOrderRowsComeAsTheyLie) {
  const Result<scenario::Scenario> scenario =
      scenario::read_scenario(write_json(linear_scenario()), {{"batch", R"({"rows": 8, "shuffle": false})"}});
  const Result<Dataset> data = make_dataset(scenario.value());
  const Result<scenario::Problem> problem = make_problem(scenario.value(), data.value());
  EXPECT_EQ(data->order(), nullptr);
  EXPECT_EQ(row_of(*data, problem.value(), 0, 3), 3);
  EXPECT_EQ(row_of(*data, problem.value(), 2, 3), 19);
  EXPECT_EQ(row_of(*data, problem.value(), 3, 0), 0);
}

TEST_F(Data, RefusesDataLargerThanTheMachine) {
  const std::string error = data_error(linear_scenario(), {{"rows", "2147483647"}, {"features", "1000000"}});
  EXPECT_NE(error.find("s.json: /data: found data of "), std::string::npos) << error;
}

}  // namespace
}  // namespace gdbench::data
