#include <cmath>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::csv_scenario;
using tests::Files;

using nlohmann::json;

class Csv : public Files {
 protected:
  std::string error_of(const std::string& text, const std::vector<scenario::Setting>& settings = {}) const {
    write("table.csv", text);
    return data_error(csv_scenario(), settings);
  }
  static std::vector<double> values(const double* data, std::int64_t count) { return {data, data + count}; }
};

TEST_F(Csv, ReadsChosenColumnsInTheScenariosOrder) {
  write("table.csv", "a,b,y,c\n1,2,3,4\n-5e1,.5,+7,8\n");
  json scenario = csv_scenario();
  scenario["data"]["features"] = {"c", "a"};
  const Dataset data = dataset(scenario);
  EXPECT_EQ(data.rows, 2);
  EXPECT_EQ(data.features, 2);
  EXPECT_EQ(data.outputs, 1);
  EXPECT_FALSE(data.has_labels);
  EXPECT_EQ(values(data.x<double>(), 4), (std::vector<double>{4, 1, 8, -50}));
  EXPECT_EQ(values(data.y<double>(), 2), (std::vector<double>{3, 7}));
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"c", "a"}));
}

TEST_F(Csv, ReadsQuotesLineEndsAndByteOrderMark) {
  // A quoted comma, doubled quotes, a line break in a name, CRLF, no line end at the end, an empty line.
  write("table.csv", "\xef\xbb\xbf\"a, \"\"b\"\"\nc\",y,d\r\n\"1\", 2 ,5\r\n\r\n\"3\",4,6");
  const Dataset data = dataset(csv_scenario());
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"a, \"b\"\nc", "d"})) << "all but the targets";
  EXPECT_EQ(values(data.x<double>(), 4), (std::vector<double>{1, 5, 3, 6}));
  EXPECT_EQ(values(data.y<double>(), 2), (std::vector<double>{2, 4}));
}

TEST_F(Csv, MapsLabelsInSortedOrder) {
  write("table.csv", "x,y\n1,pear\n2,apple\n3,pear\n4,\"fig, dried\"\n");
  const Dataset data = dataset(csv_scenario(), {{"loss", "softmax_cross_entropy"}});
  EXPECT_TRUE(data.has_labels);
  EXPECT_EQ(data.outputs, 3);
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"apple", "fig, dried", "pear"}));
  EXPECT_EQ(std::vector<std::int32_t>(data.labels(), data.labels() + 4), (std::vector<std::int32_t>{2, 0, 2, 1}));
}

TEST_F(Csv, SortsIntegerLabelsByValue) {
  write("table.csv", "x,y\n1,10\n2,9\n3,-1\n");
  EXPECT_EQ(dataset(csv_scenario(), {{"loss", "softmax_cross_entropy"}}).class_names,
            (std::vector<std::string>{"-1", "9", "10"}));
}

TEST_F(Csv, MakesAColumnOfEachNameOfOneHotFeatures) {
  write("table.csv", "a,origin,y,doors\n1,usa,5,4\n2,\"de, eu\",6,10\n3,usa,7,4\n");
  json scenario = csv_scenario();
  scenario["data"]["one_hot"] = {"doors", "origin"};
  const Dataset data = dataset(scenario);
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"a", "origin=de, eu", "origin=usa", "doors=4", "doors=10"}));
  EXPECT_EQ(values(data.x<double>(), 15), (std::vector<double>{1, 0, 1, 1, 0, 2, 1, 0, 0, 1, 3, 0, 1, 1, 0}));
  EXPECT_EQ(values(data.y<double>(), 3), (std::vector<double>{5, 6, 7}));
  // Standardised like any other column: doors=10 has mean 1/3 and variance 2/9.
  const Dataset standardised = dataset(scenario, {{"standardise.features", "true"}});
  EXPECT_NEAR(standardised.x<double>()[9], 2 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(error_of("x,y\n1,2\n", {{"data.one_hot", R"(["z"])"}}),
            "table.csv: line 1: found no column \"z\", expected one of x, y");
  EXPECT_EQ(error_of("x,y\nred,2\n,3\n", {{"data.one_hot", R"(["x"])"}}),
            "table.csv: line 3, column \"x\": found an empty cell, expected a value (or \"empty_cells\": \"drop\" in "
            "/data)");
}

TEST_F(Csv, RefusesOneHotColumnsThatAreNoFeatures) {
  for (const char* features : {R"(["x"])", R"([])"}) {
    EXPECT_EQ(error_of("x,y\n1,2\n", {{"data.features", features}, {"data.one_hot", R"(["y"])"}}),
              "s.json: --set data.one_hot: found \"y\", which is no feature, expected some of the features");
  }
}

TEST_F(Csv, RejectsOrDropsRowsWithEmptyCells) {
  const std::string text = "x,y,note\n1,2,\n,3,a\n4, ,b\n5,6,c\n";
  json scenario = csv_scenario();
  scenario["data"]["features"] = {"x"};
  write("table.csv", text);
  EXPECT_EQ(data_error(scenario),
            "table.csv: line 3, column \"x\": found an empty cell, expected a value (or \"empty_cells\": \"drop\" in "
            "/data)");
  const Dataset data = dataset(scenario, {{"data.empty_cells", "drop"}});
  EXPECT_EQ(data.rows, 2) << "an empty cell in a column that is not chosen does not count";
  EXPECT_EQ(data.dropped_rows, 2);
  EXPECT_EQ(values(data.x<double>(), 2), (std::vector<double>{1, 5}));
  EXPECT_EQ(error_of("x,y\n,1\n2,\n", {{"data.empty_cells", "drop"}}),
            "table.csv: found an empty cell in every row, expected rows without");
}

TEST_F(Csv, NamesLineColumnAndValueOfText) {
  EXPECT_EQ(error_of("x,y\n1,2\nabc,3\n"),
            "table.csv: line 3, column \"x\": found \"abc\", expected a finite number (/data/features names the "
            "columns to take, /data/one_hot those of names)");
  EXPECT_EQ(error_of("x,y\n1,abc\n"),
            "table.csv: line 2, column \"y\": found \"abc\", expected a finite number (labels need "
            "softmax_cross_entropy)");
  // The line counts line breaks in quoted cells.
  EXPECT_EQ(error_of("x,y,z\n1,2,\"3\"\n4,5,\"\n\n\"\n", {{"features", R"(["x"])"}}), "");
  EXPECT_EQ(
      error_of("\"x\n\n\",y\n1,2\nabc,3\n"),
      "table.csv: line 5, column \"x\\u000a\\u000a\": found \"abc\", expected a finite number (/data/features names "
      "the columns to take, /data/one_hot those of names)");
  for (const std::string value :
       {"nan", "inf", "-inf", "NAN", "infinity", "1e999", "0x10", "1 2", "1;2", "--1", "+-1", "1e", "."}) {
    EXPECT_TRUE(error_of("x,y\n" + value + ",1\n").starts_with("table.csv: line 2, column \"x\": found \"" + value))
        << value;
  }
}

TEST_F(Csv, RefusesBrokenTables) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "found an empty file, expected a header and rows"},
      {"x,y\n", "found no rows below the header, expected some"},
      {"x,y\n1,2\n1,2,3\n", "line 3: found 3 cells, expected 2 as in the header"},
      {"x,y\n1\n", "line 2: found 1 cells, expected 2 as in the header"},
      {"x,z\n1,2\n", "line 1: found no column \"y\", expected one of x, z"},
      {"x,x,y\n1,2,3\n", "line 1: found column \"x\" more than once, expected distinct names"},
      {"y\n1\n", "line 1: found targets only, expected at least one feature column"},
      {"x,y\n1,\"2\n3,4\n", "line 2: found a quoted cell without an end, expected a closing quote"},
      {"x,y\n1,\"2\"3\n", "line 2: found text after a closing quote, expected a comma or the end of the line"},
      {"x,y\n1,2\"3\"\n",
       "line 2: found a quote inside an unquoted cell, expected the whole cell in quotes, quotes doubled"},
      {"x,y\n1,\xff\n", "found bytes that are not UTF-8, expected UTF-8"},
  };
  for (const auto& [text, message] : rows) {
    EXPECT_EQ(error_of(text), "table.csv: " + message);
  }
  EXPECT_EQ(error_of("weight,y\n1,2\n", {{"features", R"(["wieght"])"}}),
            "table.csv: line 1: found no column \"wieght\", expected one of weight, y (did you mean weight?)");
}

TEST_F(Csv, RefusesValuesThatTheDtypeCannotHold) {
  const std::string text = "x,y\n1,2\n1e300,3\n";
  EXPECT_EQ(error_of(text), "");
  EXPECT_EQ(error_of(text, {{"dtype", "f32"}}).substr(0, 28), "s.json: /data: found 1000000");
  EXPECT_NE(error_of(text, {{"dtype", "f32"}}).find("in row 1, feature column \"x\""), std::string::npos);
  EXPECT_NE(error_of("x,y\n1,1e300\n", {{"dtype", "f32"}}).find("in row 0, target column \"y\""), std::string::npos);
}

TEST_F(Csv, NeedsTwoClasses) {
  EXPECT_EQ(error_of("x,y\n1,a\n2,a\n", {{"loss", "softmax_cross_entropy"}}),
            "s.json: /data: found one class only, expected at least two");
}

}  // namespace
}  // namespace gdbench::data
