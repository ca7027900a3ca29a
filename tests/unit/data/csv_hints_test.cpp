// What the line of a fault says of the key of /data that would accept it.
#include "harness/base/text.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::csv_scenario;

class CsvHints : public tests::Files {
 protected:
  std::string error_of(const std::string& text, const std::vector<scenario::Setting>& settings = {}) const {
    write("table.csv", text);
    return data_error(csv_scenario(), settings);
  }
};

TEST_F(CsvHints, NamesTheKeyThatWouldAcceptACell) {
  const std::pair<std::string, std::string> cells[] = {{"?", R"("missing": ["?"])"},
                                                       {" N/A", R"("missing": ["N/A"])"},
                                                       {"nan", R"("missing": ["nan"])"},
                                                       {"\"1,5\"", R"("decimal": ",")"},
                                                       {"\"1,500\"", R"("decimal": "," or "thousands": ",")"},
                                                       {"1 500", R"("thousands": "blank")"},
                                                       {"12%", R"("percent": true)"}};
  for (const auto& [cell, key] : cells) {
    const std::string error = error_of("x,y\n" + cell + ",1\n");
    EXPECT_NE(error.find("expected a finite number (or " + key + " in /data)"), std::string::npos) << error;
  }
  // By the format that the scenario has.
  const struct {
    const char* cell;
    std::vector<scenario::Setting> format;
    const char* key;
  } of_formats[] = {{"1.234", {{"data.decimal", R"(",")"}}, R"("thousands": "." or "decimal": ".")"},
                    {"12,5%", {}, R"("decimal": "," with "percent": true)"},
                    {"12,5%", {{"data.percent", "true"}}, R"("decimal": ",")"},
                    {"1.234,5", {}, R"("decimal": "," with "thousands": ".")"},
                    {"1'234", {{"data.decimal", R"(",")"}, {"data.thousands", R"(".")"}}, R"("thousands": "'")"}};
  for (const auto& [cell, format, key] : of_formats) {
    const std::string error = error_of(cat("x;y\n", cell, ";1\n"), format);
    EXPECT_NE(error.find(cat("expected a finite number (or ", key, " in /data)")), std::string::npos) << error;
  }
}

TEST_F(CsvHints, NamesTheKeyThatWouldTakeTheHeader) {
  const std::pair<std::string, std::string> headers[] = {
      {"% made by x\nx,y\n1,2\n", "one of % made by x (\"comment\": \"%\" in /data leaves such lines out)"},
      {"// made by x\nx,y\n1,2\n", "one of // made by x (\"comment\": \"//\" in /data leaves such lines out)"},
      {"a;y\n1;2\n4\n", "one of a;y (\"separator\": \";\" in /data makes several columns of it)"},
      {"a\ty\n1\t2\n4\n", "one of a y (\"separator\": \"tab\" in /data makes several columns of it)"},
      {"The table\nx,y\n1,2\n", "one of The table (\"skip\": 1 in /data leaves a line at the beginning out)"},
      {"1,?,3\n4,5,6\n",
       "one of 1, ?, 3 (the first line holds numbers: \"header\": false in /data takes columns by their numbers)"},
      {std::string(90, 'c') + "\n1\n",
       "one of " + std::string(80, 'c') + "... (\"skip\": 1 in /data leaves a line at the beginning out)"}};
  for (const auto& [text, expected] : headers) {
    EXPECT_EQ(error_of(text), "table.csv: line 1: found no column \"y\", expected " + expected);
  }
  EXPECT_EQ(error_of("# made by x\nx,y\n1,2\n"),
            "table.csv: line 1: found no column \"y\", expected one of # made by x (\"comment\": \"#\" in /data leaves "
            "such lines out)");
  EXPECT_EQ(error_of("1,2\n3,4\n"),
            "table.csv: line 1: found no column \"y\", expected one of 1, 2 (the first line holds numbers alone: "
            "\"header\": false in /data takes columns by their numbers)");
  EXPECT_EQ(
      error_of("4,1,setosa\n1,2\n", {{"data.header", "false"}, {"data.targets", "[0]"}, {"data.features", "[1]"}}),
      "table.csv: line 2: found 2 cells, expected 3 as in the first line (\"skip\": 1 in /data leaves a line at the "
      "beginning out)");
  EXPECT_EQ(error_of("a,y\n?,2\n", {{"data.missing", R"(["?"])"}}),
            "table.csv: line 2, column \"a\": found \"?\", which is missing, expected a value (or \"empty_cells\": "
            "\"drop\" or \"mean\" in /data)");
  EXPECT_EQ(error_of("a,y\n1,2\n", {{"data.thousands", "."}}),
            "s.json: --set data.thousands: found \".\", as decimal is, expected another sign than between integer and "
            "fraction");
  EXPECT_EQ(error_of("a y\n1 2\n", {{"data.separator", "blanks"}, {"data.thousands", "blank"}}),
            "s.json: --set data.thousands: found \"blank\", as separator is, expected another sign than between cells");
}

}  // namespace
}  // namespace gdbench::data
