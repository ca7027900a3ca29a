// Streamed data against the same data resident, and what is wrong with a file.
#include "harness/data/stream.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/data/npy.h"
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
  const Dataset streamed = dataset(scenario("stream"));
  expect_same<float>(dataset(scenario("csv")), streamed);
  const std::vector<scenario::Setting> wide = {{"dtype", "f64"}};
  expect_same<double>(dataset(scenario("csv"), wide), dataset(scenario("stream"), wide));
  EXPECT_EQ(dataset(scenario("stream")).digest, streamed.digest);
  write("table.csv", "a,b,c,y\n1,2,3,4\n1,2,3,5\n");
  EXPECT_NE(dataset(scenario("stream"), {{"batch", "1"}}).digest, streamed.digest);
}

TEST_F(Stream, SaysWhichLineHoldsNoNumber) {
  const std::pair<std::string, std::string> rows[] = {
      {"a,b,c,y\n1,2,3,4\n\n1,2,,4\n",
       "line 4, column \"c\": found an empty cell, expected a value (or \"empty_cells\": \"drop\" or \"mean\" in "
       "/data)"},
      {"a,b,c,y\n1,2,3\n", "line 2: found 3 cells, expected 4 as in the header"},
      {"a,b,c,y\n1,2,3,4\xe9\n",
       "line 2: found the byte 0xe9 at 15, which is not UTF-8, expected UTF-8 (iconv -f latin1 -t utf-8 makes it so of "
       "Latin-1)"},
      {"a,b,c,y\n", "found no rows, expected some"},
      {"", "found an empty file, expected rows"},
  };
  for (const auto& [text, message] : rows) {
    write("wrong.csv", text);
    EXPECT_EQ(stream_error("wrong.csv"), "wrong.csv: " + message);
  }
  write("huge.csv", "a,b,c,y\n1,2,3,4\n1,1e300,3,4\n");
  EXPECT_EQ(stream_error("huge.csv"),
            "huge.csv: found 1e+300 in row 1, column 1 (counted from 0), expected a finite f32");
}

// A stream takes the keys of a resident file: the rows become numbers once, and are the same ones.
TEST_F(Stream, WhatIsNotPlainIsConverted) {
  std::string messy = ";color;weight;y\n";
  for (int row = 0; row < kRows; ++row) {
    const char* const colors[] = {"red", "\"light \"\"blue\"\"; dark\"", "green"};
    messy += cat(row, ";", colors[row % 3], ";", row % 5 == 0 ? "?" : cat(row % 11, ",5"), ";", row % 2 ? "no" : "yes",
                 "\n");
  }
  write("messy.txt", messy);
  const json keys = {{"path", "messy.txt"}, {"targets", {"y"}}, {"one_hot", {"color"}},
                     {"decimal", ","},      {"missing", {"?"}}, {"empty_cells", "mean"}};
  for (const char* loss : {"binary_cross_entropy", "softmax_cross_entropy"}) {
    json scenario = this->scenario("csv");
    scenario["data"] = keys;
    scenario["standardise"] = {{"features", true}};
    scenario["loss"] = loss;
    if (scenario["loss"] == "softmax_cross_entropy") {
      scenario["model"] = {{"kind", "multilayer_perceptron"}, {"layers", {{{"width", 2}}}}};
    }
    const Dataset resident = dataset(scenario, {{"data.source", "csv"}});
    const Dataset streamed = dataset(scenario, {{"data.source", "stream"}});
    ASSERT_EQ(streamed.rows, kRows);
    EXPECT_EQ(streamed.feature_names, resident.feature_names);
    EXPECT_EQ(streamed.class_names, resident.class_names);
    EXPECT_EQ(streamed.outputs, resident.outputs);
    std::vector<double> x;
    std::vector<double> y;
    streamed.stream->read(4'000, 3'000, x, y);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), resident.x<float>() + 4'000 * resident.features));
    for (int row = 0; row < 3'000; ++row) {
      const float expected = resident.y<float>()[4'000 + row];
      ASSERT_EQ(y[static_cast<std::size_t>(row)],
                resident.has_labels ? static_cast<double>(resident.labels()[4'000 + row]) : expected);
    }
    std::vector<std::string> remarks = resident.remarks;
    remarks.push_back(streamed.remarks.back());
    EXPECT_EQ(streamed.remarks, remarks);
    EXPECT_TRUE(remarks.back().starts_with("what is streamed are the rows as numbers, a file of ")) << remarks.back();
  }
}

TEST_F(Stream, RemarksWhatAResidentFileDoes) {
  write("constant.csv", "a,b,c,y\n1,2,3,4\n1,3,3,4\n");
  write("numbers.csv", "4,5\n1,2\n3,4\n");
  write("unnamed.csv", ",b,y\n0,2,4\n1,3,5\n");
  for (const char* file : {"constant.csv", "numbers.csv", "unnamed.csv"}) {
    json scenario = this->scenario("csv");
    scenario["data"] = {{"path", file}, {"targets", {file == std::string("numbers.csv") ? "5" : "y"}}};
    const std::vector<std::string> resident = dataset(scenario, {{"batch", "1"}, {"data.source", "csv"}}).remarks;
    std::vector<std::string> streamed = dataset(scenario, {{"batch", "1"}, {"data.source", "stream"}}).remarks;
    streamed.resize(resident.size());
    EXPECT_EQ(streamed, resident);
    EXPECT_FALSE(resident.empty()) << file;
  }
}

TEST_F(Stream, AConvertedFileIsKept) {
  write("table.csv", "a;b;c;y\n1;2;3;4\n5;6;7;8\n");
  ReadingOptions options;
  options.kept = folder_ / "kept";
  const auto read = [&] {
    const Result<scenario::Scenario> scenario =
        scenario::read_scenario(write_json(this->scenario("stream")), {{"batch", "1"}});
    return make_dataset(scenario.value(), options).value();
  };
  const auto files = [&] {
    std::map<std::string, std::filesystem::file_time_type> times;
    for (const auto& entry : std::filesystem::directory_iterator(options.kept)) {
      if (entry.path().extension() == ".json") times[entry.path()] = entry.last_write_time();
    }
    return times;
  };
  const Dataset first = read();
  const auto kept = files();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(read().digest, first.digest);
  EXPECT_EQ(files(), kept) << "not written again";
  write("table.csv", "a;b;c;y\n1;2;3;4\n5;6;7;9\n");
  EXPECT_NE(read().digest, first.digest);
  EXPECT_EQ(files().size(), 2U);
  std::ofstream(kept.begin()->first) << "{}";  // damaged
  write("table.csv", "a;b;c;y\n1;2;3;4\n5;6;7;8\n");
  EXPECT_EQ(read().digest, first.digest);
  std::filesystem::path rows = kept.begin()->first;
  std::filesystem::resize_file(rows.replace_extension(".npy"), 130);
  EXPECT_EQ(read().digest, first.digest) << "made anew where it is cut off";
}

TEST_F(Stream, LabelsAreClassesAsInAResidentFile) {
  const json model = {{"kind", "multilayer_perceptron"}, {"layers", {{{"width", 5}}}}};
  const json softmax = {{"loss", "softmax_cross_entropy"}, {"model", model}, {"batch", {{"rows", 1}}}};
  const std::pair<std::string, std::string> files[] = {
      {"1,2,3,0\n1,2,3,2\n1,2,3,1\n", "/model/layers/0/width: found 5, expected 3, for the data have 3 classes"},
      {"1,2,3,4\n1,2,3,0.5\n", "/model/layers/0/width: found 5, expected 2, for the data have 2 classes"},
      {"1,2,3,0\n1,2,3,4\n", "/model/layers/0/width: found 5, expected 2, for the data have 2 classes"},
      {"1,2,3,0\n1,2,3,0\n", "/data: found one class only, expected at least two"}};
  for (const auto& [rows, message] : files) {
    write("labels.csv", "a,b,c,y\n" + rows);
    for (const char* source : {"csv", "stream"}) {
      json of_source = softmax;
      of_source["data"]["source"] = source;
      EXPECT_EQ(stream_error("labels.csv", of_source), "s.json: " + message) << source;
    }
  }
}

TEST_F(Stream, SharesAreFrom0To1) {
  write("shares.csv", "a,b,c,y\n1,2,3,0.5\n1,2,3,5\n");
  EXPECT_EQ(stream_error("shares.csv", {{"loss", "binary_cross_entropy"}}),
            "s.json: /data: found the target 5 in row 1 (counted from 0), expected a number from 0 to 1, which the "
            "loss binary_cross_entropy takes (of two, \"positive\" in /data names the one that is 1)");
}

TEST_F(Stream, ReadsInOrderWithinItsCap) {
  const json first = resolved(scenario("stream"));
  EXPECT_EQ(first["data"]["memory_cap"], 67108864);
  EXPECT_EQ(resolved(first), first);
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

TEST_F(Stream, ColumnsOfAnNpyFileAreNumbers) {
  write("x.npy", npy_header(1, 2) + std::string(16, '\0'));
  EXPECT_EQ(stream_error("x.npy", {{"data", {{"features", nullptr}}}}),
            "s.json: /data/targets: found \"y\", expected an array of column numbers, from 0");
  EXPECT_EQ(stream_error("x.npy", {{"data", {{"targets", {1, 1}}, {"features", nullptr}}}}),
            "s.json: /data/targets: found \"1\" more than once, expected distinct columns");
  write("x.npy", npy_header(2, 2) + std::string(31, '\0') + "\1");
  json scenario = this->scenario("stream");
  scenario["data"] = {{"source", "stream"}, {"path", "x.npy"}, {"targets", {0}}};
  EXPECT_EQ(dataset(scenario, {{"batch", R"({"rows": 1, "shuffle": false})"}, {"standardise", "{}"}}).remarks,
            (std::vector<std::string>{"1 target is constant: \"0\""}));
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
