// Streamed data against the same data resident, and what is wrong with a file.
#include "harness/data/stream.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::Files;

using nlohmann::json;

class Stream : public Files {
 protected:
  // Enough rows for several blocks of the file.
  static constexpr int kRows = 9'000;

  Stream() {
    std::string text = "a,b,c,y\n";
    for (int row = 0; row < kRows; ++row) {
      text +=
          std::to_string(0.001 * row) + "," + std::to_string(1e6 + row % 7) + ",0.1," + std::to_string(row % 3) + "\n";
    }
    write("table.csv", text);
  }

  json scenario(const std::string& source) const {
    json data = {{"source", source}, {"path", "table.csv"}, {"targets", {"y"}}, {"features", {"b", "a", "c"}}};
    return {{"name", "s"},
            {"model", {{"kind", "linear_regression"}}},
            {"data", data},
            {"batch", {{"rows", 50}, {"shuffle", false}}},
            {"standardise", {{"features", true}, {"targets", true}}},
            {"optimizer", {{"learning_rate", 0.1}}}};
  }

  std::string stream_error(const std::string& path, const json& changes = json::object()) const {
    json changed = scenario("stream");
    changed["data"]["path"] = path;
    changed["standardise"] = {{"features", false}};
    changed.merge_patch(changes);
    return data_error(changed);
  }
};

template <class T>
void expect_same(const Dataset& resident, const Dataset& streamed) {
  ASSERT_EQ(streamed.rows, resident.rows);
  ASSERT_EQ(streamed.features, resident.features);
  ASSERT_EQ(streamed.outputs, resident.outputs);
  std::vector<double> x;
  std::vector<double> y;
  for (const std::int64_t first : {0, 64, 5'000, 0, 8'990}) {
    streamed.stream->read(first, 10, x, y);
    const T* const expected = resident.x<T>() + first * 3;
    EXPECT_TRUE(std::equal(x.begin(), x.end(), expected)) << "from row " << first;
    EXPECT_TRUE(std::equal(y.begin(), y.end(), resident.y<T>() + first));
  }
  EXPECT_FALSE(streamed.stream->fault());
}

TEST_F(Stream, YieldsWhatResidentDataHold) {
  expect_same<float>(dataset(scenario("csv")), dataset(scenario("stream")));
  const std::vector<scenario::Setting> wide = {{"dtype", "f64"}};
  expect_same<double>(dataset(scenario("csv"), wide), dataset(scenario("stream"), wide));
}

TEST_F(Stream, TheDigestIsThatOfTheRows) {
  const std::string digest = dataset(scenario("stream")).digest;
  EXPECT_EQ(dataset(scenario("stream")).digest, digest);
  write("table.csv", "a,b,c,y\n1,2,3,4\n1,2,3,5\n");
  EXPECT_NE(dataset(scenario("stream"), {{"batch", "1"}}).digest, digest);
}

TEST_F(Stream, AResolvedScenarioIsReadAgain) {
  const json first = resolved(scenario("stream"));
  EXPECT_EQ(first["data"]["memory_cap"], 67108864);
  EXPECT_EQ(resolved(first), first);
}

TEST_F(Stream, SaysWhichLineHoldsNoNumber) {
  const std::pair<std::string, std::string> rows[] = {
      {"a,b,c,y\n1,2,3,4\n\n1,2,,4\n", "line 4, column 2 (from 0): found \"\", expected a finite number"},
      {"a,b,c,y\n1,\"2\",3,4\n",
       "line 2: found a quote, expected plain numbers: cells that are quoted cannot be streamed"},
      {"a,b,c,y\n1,2,3\n", "line 2: found 3 cells, expected 4 as in the header"},
      {"a,b,c,y\n1,2,3,4" + std::string(200'000, ' ') + "\n",
       "line 2: found more than 131072 bytes, expected a shorter line"},
      {"a,b,c,y\n", "found no rows, expected some"},
      {"", "found an empty file, expected rows"},
  };
  for (const auto& [text, message] : rows) {
    write("wrong.csv", text);
    EXPECT_EQ(stream_error("wrong.csv"), "wrong.csv: " + message);
  }
  write("huge.csv", "a,b,c,y\n1,2,3,4\n1,1e300,3,4\n");
  EXPECT_NE(stream_error("huge.csv").find("in row 1, column 1 (counted from 0), expected a finite f32"),
            std::string::npos);
}

TEST_F(Stream, LabelsAreIntegersBelowTheWidthOfTheOutputs) {
  const json model = {{"kind", "multilayer_perceptron"}, {"layers", {{{"width", 5}}}}};
  const json softmax = {{"loss", "softmax_cross_entropy"}, {"model", model}, {"batch", {{"rows", 1}}}};
  EXPECT_EQ(stream_error("table.csv", softmax), "") << "three of five classes are there";
  write("large.csv", "a,b,c,y\n1,2,3,4\n1,2,3,5\n");
  EXPECT_EQ(stream_error("large.csv", softmax),
            "large.csv: found 5.000000 in row 1 (from 0), column 3, expected an integer class from 0 to 4");
  write("half.csv", "a,b,c,y\n1,2,3,0.5\n");
  EXPECT_EQ(stream_error("half.csv", softmax),
            "half.csv: found 0.500000 in row 0 (from 0), column 3, expected an integer class from 0 to 4");
}

TEST_F(Stream, SharesAreFrom0To1AsInAResidentFile) {
  write("shares.csv", "a,b,c,y\n1,2,3,0.5\n1,2,3,5\n");
  for (const char* source : {"stream", "csv"}) {
    EXPECT_EQ(stream_error("shares.csv", {{"loss", "binary_cross_entropy"}, {"data", {{"source", source}}}}),
              "s.json: /data: found the target 5 in row 1 (counted from 0), expected a number from 0 to 1, which the "
              "loss binary_cross_entropy takes");
  }
}

TEST_F(Stream, ReadsInOrderWithinItsCap) {
  EXPECT_EQ(
      stream_error("table.csv", {{"batch", {{"shuffle", true}}}}),
      "s.json: /batch/shuffle: found true, expected false (set batch.shuffle to false: a stream is read in order)");
  EXPECT_EQ(
      stream_error("table.csv", {{"data", {{"memory_cap", 133'759}}}}),
      "s.json: /data/memory_cap: found 133759, expected at least 133760 bytes, for three batches of 50 rows and a "
      "block of the file");
  EXPECT_EQ(stream_error("table.csv", {{"data", {{"memory_cap", 133'760}}}}), "");
  EXPECT_NE(
      stream_error("table.csv", {{"batch", "full"}, {"data", {{"memory_cap", 200'000}}}}).find("/data/memory_cap"),
      std::string::npos);
}

TEST_F(Stream, AChangedFileIsAFaultThatStays) {
  const Dataset data = dataset(scenario("stream"));
  std::vector<double> x;
  std::vector<double> y;
  data.stream->read(0, 1, x, y);
  EXPECT_FALSE(data.stream->fault());
  std::ofstream(folder_ / "table.csv", std::ios::app) << "1,2,3,4\n";
  data.stream->read(8'000, 1, x, y);
  EXPECT_FALSE(x[0] == x[0]) << "NaN";
  ASSERT_TRUE(data.stream->fault());
}

}  // namespace
}  // namespace gdbench::data
