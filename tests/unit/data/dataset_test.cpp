#include "harness/data/dataset.h"

#include <algorithm>
#include <map>

#include "tests/unit/data/values.h"

namespace gdbench::data {
namespace {

using nlohmann::json, tests::linear_scenario, tests::perceptron_scenario;

class Data : public TableFile {
 protected:
  scenario::Problem problem(const json& scenario, const std::vector<scenario::Setting>& settings = {}) const {
    return make_problem(scenario::read_scenario(write_json(scenario), settings).value(), dataset(scenario, settings))
        .value();
  }
};

std::int64_t row_of(const Dataset& data, const scenario::Problem& problem, std::int64_t step, std::int64_t position) {
  std::int64_t row = -1;
  data.rows_of(problem, step, position, 1, &row);
  return row;
}

TEST_F(Data, SyntheticOnesAreTheSameOnEveryMachineAndTheirDigestFollowsTheValues) {
  // Digests computed once; a change of the generator, or of its rounding on some processor, shows here.
  EXPECT_EQ(dataset(linear_scenario(), {{"dtype", "f64"}}).digest, "705b12d8c83c902c");
  EXPECT_EQ(dataset(linear_scenario(), {{"dtype", "f64"}, {"data.kind", "teacher"}}).digest, "0f13759ff0b2a645");
  EXPECT_EQ(dataset(perceptron_scenario()).digest, "91ce180ce29ced0e");
  const std::string digest = dataset(linear_scenario()).digest;
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
  EXPECT_NEAR(mean_of(residuals), 0, 0.02);
  EXPECT_NEAR(deviation_of(residuals), 0.5, 0.02);
  EXPECT_NEAR(mean_of(column_of(noisy, 0)), 0, 0.03);
  EXPECT_NEAR(deviation_of(column_of(noisy, 0)), 1, 0.03);
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
  const Dataset data =
      read("a,b,y\n0.1,1,10\n0.1,2,20\n0.1,6,60\n", {{"standardise", R"({"features": true, "targets": true})"}});
  EXPECT_EQ(column_of(data, 0), (std::vector<double>{0, 0, 0})) << "a constant column becomes 0";
  const double expected[] = {-2, -1, 3};
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_NEAR(column_of(data, 1)[row], expected[row] / std::sqrt(14.0 / 3), 1e-15);
    EXPECT_NEAR(data.y<double>()[row], 10 * expected[row] / std::sqrt(1400.0 / 3), 1e-15);
  }
}

// Their squares overflow, or vanish.
TEST_F(Data, StandardisesWhatIsFarFrom1) {
  for (const char* exponent : {"e-300", "e-170", "e-144", "e145", "e160", "e306"}) {
    std::string table = "a,b,y\n";
    for (const char* value : {"1", "2", "-6"}) table += value + std::string(exponent) + "," + value + ",1\n";
    write("table.csv", table);
    for (const char* source : {"csv", "stream"}) {
      json scenario = tests::csv_scenario();
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
}

TEST_F(Data, BatchesFollowTheOrder) {
  const Dataset data = dataset(perceptron_scenario());
  const scenario::Problem problem = this->problem(perceptron_scenario());
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
  const scenario::Problem dropping =
      this->problem(perceptron_scenario(), {{"batch", R"({"rows": 8, "seed": 3, "drop_last": true})"}});
  EXPECT_EQ(dropping.steps_per_epoch(), 3);
  EXPECT_EQ(row_of(data, dropping, 3, 0), data.order()[30]) << "the next epoch's first";
  const std::vector<scenario::Setting> whole = {{"batch", R"({"rows": 10, "drop_last": true})"}};
  EXPECT_FALSE(this->problem(perceptron_scenario(), whole).drops_last_batch) << "no batch is smaller";
  const std::vector<scenario::Setting> as_they_lie = {{"batch", R"({"rows": 8, "shuffle": false})"}};
  const Dataset unordered = dataset(linear_scenario(), as_they_lie);
  const scenario::Problem in_order = this->problem(linear_scenario(), as_they_lie);
  EXPECT_EQ(unordered.order(), nullptr);
  EXPECT_EQ(row_of(unordered, in_order, 0, 3), 3);
  EXPECT_EQ(row_of(unordered, in_order, 2, 3), 19);
  EXPECT_EQ(row_of(unordered, in_order, 3, 0), 0);
}

TEST_F(Data, RefusesDataLargerThanTheMachine) {
  const std::string error = data_error(linear_scenario(), {{"rows", "2147483647"}, {"features", "1000000"}});
  EXPECT_NE(error.find("s.json: /data: found data of "), std::string::npos) << error;
}

using Synthetic = Data;  // the condition of features, and their density

std::vector<scenario::Setting> with(std::vector<scenario::Setting> settings,
                                    const std::vector<scenario::Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

const std::vector<scenario::Setting> kLarge = {{"dtype", "f64"}, {"rows", "5000"}, {"features", "4"}};

TEST_F(Synthetic, ConditionSpreadsTheColumnsVariancesInEqualRatios) {
  const Dataset plain = dataset(linear_scenario(), kLarge);
  const Dataset spread = dataset(linear_scenario(), with(kLarge, {{"data.condition", "1000"}}));
  for (std::int64_t j = 0; j < 4; ++j) {
    const double expected = std::pow(1000, -static_cast<double>(j) / 6);
    EXPECT_NEAR(deviation_of(column_of(spread, j)), expected, 0.05 * expected);
    for (std::int64_t i = j; i < plain.rows * plain.features; i += 4) {
      const double x = plain.x<double>()[i] * expected;
      ASSERT_NEAR(spread.x<double>()[i], x, 1e-12 * std::abs(x));
    }
  }
  EXPECT_TRUE(std::equal(plain.y<double>(), plain.y<double>() + plain.rows, spread.y<double>()));
}

TEST_F(Synthetic, DensityKeepsThatPartOfTheEntriesAsTheyAre) {
  const Dataset plain = dataset(linear_scenario(), kLarge);
  const Dataset masked = dataset(linear_scenario(), with(kLarge, {{"data.density", "0.3"}}));
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < plain.rows * plain.features; ++i) {
    const double value = masked.x<double>()[i];
    if (value == 0) continue;
    ++kept;
    ASSERT_EQ(value, plain.x<double>()[i]);
  }
  EXPECT_NEAR(static_cast<double>(kept) / static_cast<double>(plain.rows * plain.features), 0.3, 0.01);
  EXPECT_EQ(dataset(linear_scenario(), with(kLarge, {{"data.density", "1"}})).digest, plain.digest);
}

TEST_F(Synthetic, EveryKindCanBeMaskedAndTargetsAreMadeFromMaskedFeatures) {
  const Dataset data =
      dataset(linear_scenario(),
              {{"dtype", "f64"}, {"rows", "50"}, {"features", "1"}, {"data.noise", "0"}, {"data.density", "0.5"}});
  EXPECT_GT(std::count(data.x<double>(), data.x<double>() + 50, 0.0), 10);
  for (std::int64_t i = 0; i < 50; ++i) EXPECT_EQ(data.y<double>()[i] == 0, data.x<double>()[i] == 0);
  const Dataset blobs = dataset(perceptron_scenario(), {{"standardise.features", "false"}, {"data.density", "0.25"}});
  const auto zeros = std::count(blobs.x<double>(), blobs.x<double>() + 60, 0.0);
  EXPECT_GT(zeros, 30);
  EXPECT_LT(zeros, 60);
  EXPECT_NE(dataset(linear_scenario(), {{"data.kind", "teacher"}, {"data.density", "0.5"}}).digest,
            dataset(linear_scenario(), {{"data.kind", "teacher"}}).digest);
}

TEST_F(Synthetic, SaysWhatIsWrongInOneLine) {
  const std::pair<std::vector<scenario::Setting>, const char*> rows[] = {
      {{{"data.density", "1.5"}}, "density: found 1.5, expected a number above 0 and up to 1"},
      {{{"data.condition", "0.5"}}, "condition: found 0.5, expected a number of at least 1"},
      {{{"data.kind", "teacher"}, {"data.condition", "2"}},
       "condition: found a condition with the kind \"teacher\", expected the kind \"linear\""},
  };
  for (const auto& [settings, message] : rows) {
    EXPECT_EQ(read_error(linear_scenario(), settings), std::string("s.json: --set data.") + message);
  }
  EXPECT_EQ(dataset(linear_scenario(), {{"features", "1"}, {"data.condition", "10"}}).digest,
            dataset(linear_scenario(), {{"features", "1"}}).digest)
      << "one feature has nothing to spread";
}

}  // namespace
}  // namespace gdbench::data
