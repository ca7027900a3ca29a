#include "harness/base/text.h"
#include "tests/unit/data/values.h"

namespace gdbench::data {
namespace {

using nlohmann::json;
using Csv = TableFile;

const std::vector<scenario::Setting> kLabels = {{"loss", "softmax_cross_entropy"}};

TEST_F(Csv, ReadsChosenColumnsInTheScenariosOrder) {
  const Dataset data = read("a,b,y,c\n1,2,3,4\n-5e1,.5,+7,8\n", {{"data.features", R"(["c", "a"])"}});
  EXPECT_FALSE(data.has_labels);
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(rows_in(data), (std::vector<double>{4, 1, 3, 8, -50, 7}));
}

TEST_F(Csv, ReadsQuotesLineEndsAndByteOrderMark) {
  // A quoted comma, doubled quotes, a line break in a name, CRLF, no line end at the end, an empty line.
  const Dataset data = read("\xef\xbb\xbf\"a, \"\"b\"\"\nc\",y,d\r\n\"1\", 2 ,5\r\n\r\n\"3\",4,6");
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"a, \"b\"\nc", "d"})) << "all but the targets";
  EXPECT_EQ(rows_in(data), (std::vector<double>{1, 5, 2, 3, 6, 4}));
}

TEST_F(Csv, MapsLabelsInOrderOfTheirTextsOrNumbers) {
  const Dataset data = read("x,y\n1,pear\n2,apple\n3,pear\n4,\"fig, dried\"\n", kLabels);
  EXPECT_TRUE(data.has_labels);
  EXPECT_EQ(data.outputs, 3);
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"apple", "fig, dried", "pear"}));
  EXPECT_EQ(std::vector<std::int32_t>(data.labels(), data.labels() + 4), (std::vector<std::int32_t>{2, 0, 2, 1}));
  EXPECT_EQ(read("x,y\n1,10\n2,9\n3,-1\n", kLabels).class_names, (std::vector<std::string>{"-1", "9", "10"}));
  const std::vector<std::string> equal = {"1", "2"};
  EXPECT_EQ(read("x,y\n1,1\n2,1.0\n3, 2\n", kLabels).class_names, equal);
  EXPECT_EQ(read("x;y\n1;1,0\n2;1\n3;2\n", {kLabels[0], {"data.decimal", R"(",")"}}).class_names, equal);
}

TEST_F(Csv, MakesAColumnOfEachNameOfOneHotFeatures) {
  const std::vector<scenario::Setting> one_hot = {{"data.one_hot", R"(["doors", "origin"])"}};
  const std::string text = "a,origin,y,doors\n1,usa,5,4\n2,\"de, eu\",6,10\n3,usa,7,4\n";
  const Dataset data = read(text, one_hot);
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"a", "origin=de, eu", "origin=usa", "doors=4", "doors=10"}));
  EXPECT_EQ(rows_in(data), (std::vector<double>{1, 0, 1, 1, 0, 5, 2, 1, 0, 0, 1, 6, 3, 0, 1, 1, 0, 7}));
  // Standardised like any other column: doors=10 has mean 1/3 and variance 2/9.
  EXPECT_NEAR(read(text, {one_hot[0], {"standardise.features", "true"}}).x<double>()[9], 2 / std::sqrt(2.0), 1e-12);
  write("table.csv", "1,usa,5,4\n2,de,6,10\n");
  json scenario = tests::csv_scenario();
  scenario["data"] = {{"source", "csv"}, {"path", "table.csv"}, {"header", false}, {"targets", {2}}, {"one_hot", {1}}};
  EXPECT_EQ(dataset(scenario).feature_names, (std::vector<std::string>{"0", "1=de", "1=usa", "3"}));
  EXPECT_EQ(resolved(scenario)["data"]["one_hot"], json({1}));
  EXPECT_EQ(error_of("x,y\n1,2\n", {{"data.one_hot", R"(["z"])"}}),
            "table.csv: line 1: found no column \"z\", expected one of x, y");
  for (const char* features : {R"(["x"])", R"([])"}) {
    EXPECT_EQ(error_of("x,y\n1,2\n", {{"data.features", features}, {"data.one_hot", R"(["y"])"}}),
              "s.json: --set data.one_hot: found \"y\", which is no feature, expected some of the features");
  }
}

const std::string kEmptyCell =
    "found an empty cell, expected a value (or \"empty_cells\": \"drop\" or \"mean\" in /data)";

TEST_F(Csv, RejectsOrDropsRowsWithEmptyCells) {
  const std::string text = "x,y,note\n1,2,\n,3,a\n4, ,b\n5,6,c\n";
  const scenario::Setting only_x = {"data.features", R"(["x"])"};
  EXPECT_EQ(error_of(text, {only_x}), "table.csv: line 3, column \"x\": " + kEmptyCell);
  EXPECT_EQ(error_of("x,y\nred,2\n,3\n", {{"data.one_hot", R"(["x"])"}}),
            "table.csv: line 3, column \"x\": " + kEmptyCell);
  const std::vector<scenario::Setting> dropped = {only_x, {"data.empty_cells", "drop"}};
  const Dataset data = read(text, dropped);
  EXPECT_EQ(data.dropped_rows, 2);
  EXPECT_EQ(rows_in(data), (std::vector<double>{1, 2, 5, 6})) << "a column that is not chosen does not count";
  EXPECT_EQ(error_of("x,y\n,1\n2,\n", dropped), "table.csv: found an empty cell in every row, expected rows without");
}

TEST_F(Csv, NamesLineColumnAndValueOfText) {
  const std::string of_names =
      "found \"abc\", expected a finite number (/data/features names the columns to take, /data/one_hot those of "
      "names)";
  EXPECT_EQ(error_of("x,y\n1,2\nabc,3\n"), "table.csv: line 3, column \"x\": " + of_names);
  EXPECT_EQ(error_of("x,y\n1,abc\n"),
            "table.csv: line 2, column \"y\": found \"abc\", expected a finite number (labels need "
            "softmax_cross_entropy)");
  // The line counts line breaks in quoted cells.
  EXPECT_EQ(error_of("x,y,z\n1,2,\"3\"\n4,5,\"\n\n\"\n", {{"features", R"(["x"])"}}), "");
  EXPECT_EQ(error_of("\"x\n\n\",y\n1,2\nabc,3\n"), "table.csv: line 5, column \"x\\u000a\\u000a\": " + of_names);
  for (const std::string value :
       {"nan", "inf", "-inf", "NAN", "infinity", "1e999", "0x10", "1 2", "1;2", "--1", "+-1", "1e", "."}) {
    EXPECT_TRUE(error_of("x,y\n" + value + ",1\n").starts_with("table.csv: line 2, column \"x\": found \"" + value))
        << value;
  }
}

TEST_F(Csv, RefusesBrokenTables) {
  struct Broken {
    std::string text;
    std::string message;
    std::vector<scenario::Setting> settings = {};
  };
  const std::vector<scenario::Setting> below = {{"data.comment", "#"}, {"data.skip", "1"}};
  const Broken rows[] = {
      {"", "found an empty file, expected rows"},
      {"\n\n", "found comments and empty lines alone, expected rows"},
      {"x,y\n", "found no rows below the header, expected some"},
      {"x,y\n1,2\n1,2,3\n", "line 3: found 3 cells, expected 2 as in the header"},
      {"x,y\n1\n", "line 2: found 1 cells, expected 2 as in the header"},
      {"x,z\n1,2\n", "line 1: found no column \"y\", expected one of x, z"},
      {"title\n# c\n\nx,z\n1,2\n", "line 4: found no column \"y\", expected one of x, z", below},
      {"weight,y\n1,2\n",
       "line 1: found no column \"wieght\", expected one of weight, y (did you mean weight?)",
       {{"features", R"(["wieght"])"}}},
      {"x,x,y\n1,2,3\n", "line 1: found column \"x\" more than once, expected distinct names"},
      {"title\n# c\n\nx,x,y\n1,2,3\n", "line 4: found column \"x\" more than once, expected distinct names", below},
      {"y\n1\n", "line 1: found targets only, expected at least one feature column"},
      {"title\n# c\n\ny\n1\n", "line 4: found targets only, expected at least one feature column", below},
      {",y\n0,3\n1,6\n",
       "line 1: found only targets and a first column without a name, as of row numbers, expected a feature (or "
       "\"features\": [\"\"] in /data)"},
      {"x,y\n1,\"2\n3,4\n", "line 2: found a quoted cell without an end, expected a closing quote"},
      {"x,y\n1,\"2\"3\n", "line 2: found text after a closing quote, expected a separator or the end of the line"},
      {"x,y\n1,2\"3\"\n",
       "line 2: found a quote inside an unquoted cell, expected the whole cell in quotes, quotes doubled"},
      {"x,y\n1,\xff\n",
       "line 2: found the byte 0xff at 6, which is not UTF-8, expected UTF-8 (iconv -f latin1 -t utf-8 makes it so "
       "of Latin-1)"},
      {std::string("ORC\0\0", 5), "found a binary file, or text in UTF-16, expected text in UTF-8"},
      {std::string("\x93NUMPY\x01\0", 8), "found an NPY file, expected a CSV file (\"source\": \"npy\" reads it)"},
  };
  for (const auto& [text, message, settings] : rows) EXPECT_EQ(error_of(text, settings), "table.csv: " + message);
}

// Files as people have them: what the keys of /data say of them, what is read, and what is remarked.
TEST_F(Csv, ReadsFilesAsPeopleHaveThem) {
  const struct {
    const char* name;
    std::string text;
    json keys;
    std::vector<double> rows;
    std::vector<std::string> remarks = {};
  } cases[] = {
      {"semicolons", "a;y\n1,5;2\n", {{"decimal", ","}}, {1.5, 2}, {R"(cells are separated by ";")"}},
      {"quoted header", "\"a\";\"y\"\n1;2\n", {}, {1, 2}, {R"(cells are separated by ";")"}},
      {"tabs", "a\ty\n1\t2\n3\t4\n", {}, {1, 2, 3, 4}, {"cells are separated by tabs"}},
      {"bars", "a|y\n1|2\n", {{"separator", "|"}}, {1, 2}},
      {"blanks behind commas", "a, y\n1, 2\n", {}, {1, 2}},
      {"blanks around quotes", "\"a\" , \"b, c\",y\n1, \"2\" ,3\n\t\"4\",5,6\n", {}, {1, 2, 3, 4, 5, 6}},
      {"a line of blanks", "\t \na y\n1 2\n", {}, {1, 2}, {"cells are separated by blanks"}},
      {"empty lines", "\n  \na,y\n1,2\n  \n\n3,4\n", {}, {1, 2, 3, 4}},
      {"runs of blanks, a quoted name, no header",
       "18.0   8   307.0\t\"chevrolet  malibu\"\n 15.0   6  350.0\t\"buick\"\n",
       {{"header", false}, {"features", {1, 2}}, {"targets", {0}}},
       {8, 307, 18, 6, 350, 15},
       {"cells are separated by blanks"}},
      {"a title", "150,4,setosa\n1,2\n3,4\n", {{"skip", 1}, {"header", false}, {"targets", {1}}}, {1, 2, 3, 4}},
      {"comments", "# made by x\na,y\n1,2\n#3,4\n", {{"comment", "#"}}, {1, 2}},
      {"missing rows",
       "a,y\n1,2\n?,3\n4, NA\n5,6\n",
       {{"missing", {"?", "NA"}}, {"empty_cells", "drop"}},
       {1, 2, 5, 6},
       {"2 rows with empty cells are left out"}},
      {"means",
       "a,b,y\n1,7,2\n?,,3\n5,8,\n3,9,4\n",
       {{"missing", {"?"}}, {"empty_cells", "mean"}},
       {1, 7, 2, 2, 8, 3, 3, 9, 4},
       {"1 row with empty cells is left out", "2 empty cells are the mean of their column"}},
      {"thousands", "a,y\n\"1,234\",2\n\"-1,234,567.5\",3\n", {{"thousands", ","}}, {1234, 2, -1234567.5, 3}},
      {"thousands of a comma",
       "a;y\n1.234,5;2\n",
       {{"decimal", ","}, {"thousands", "."}, {"separator", ";"}},
       {1234.5, 2}},
      {"percent", "a,y\n12%,2\n-5 %,3\n7,4\n", {{"percent", true}}, {0.12, 2, -0.05, 3, 7, 4}},
      {"row numbers",
       ",a,y\n0,5,6\n1,7,8\n",
       {},
       {5, 6, 7, 8},
       {"the first column, which has no name, is left out: such columns hold row numbers"}},
      {"row numbers that are wanted", ",y\n3,6\n4,8\n", {{"features", {""}}}, {3, 6, 4, 8}},
      {"a header of numbers", "1,2,y\n3,4,5\n4,7,8\n", {}, {3, 4, 5, 4, 7, 8}},
      {"numbers as a header",
       "1,2\n3,4\n4,7\n",
       {{"targets", {"2"}}},
       {3, 4, 4, 7},
       {"the first line, which holds numbers alone, is the header: \"header\": false makes it a row"}},
      {"line ends of old", "a,y\r1,2\r3,4", {}, {1, 2, 3, 4}},
      {"constants",
       "a,y\n0.1,2\n0.1,2\n",
       {},
       {0.1, 2, 0.1, 2},
       {"1 feature is constant: \"a\"", "1 target is constant: \"y\""}},
  };
  for (const auto& [name, text, keys, rows, remarks] : cases) {
    SCOPED_TRACE(name);
    write("table.csv", text);
    json scenario = tests::csv_scenario();
    for (const auto& [key, value] : keys.items()) scenario["data"][key] = value;
    const Dataset data = dataset(scenario);
    EXPECT_EQ(rows_in(data), rows);
    EXPECT_EQ(data.remarks, remarks);
  }
}

TEST_F(Csv, TakesTwoTextsOrNumbersAsShares) {
  const scenario::Setting shares = {"loss", "binary_cross_entropy"};
  const std::string answers = "x,y\n1,yes\n2, no\n3,yes\n";
  const Dataset sorted = read(answers, {shares});
  EXPECT_EQ(rows_in(sorted), (std::vector<double>{1, 1, 2, 0, 3, 1}));
  EXPECT_EQ(sorted.remarks, (std::vector<std::string>{R"(the targets "no" and "yes" are 0 and 1)"}));
  EXPECT_EQ(rows_in(read(answers, {shares, {"data.positive", "no"}})), (std::vector<double>{1, 0, 2, 1, 3, 0}));
  const std::string signs = "x,y\n1,-1\n2,1\n";
  const scenario::Setting positive = {"data.positive", R"("1")"};
  EXPECT_EQ(
      error_of(signs, {shares}),
      "s.json: /data: found the target -1 in row 0 (counted from 0), expected a number from 0 to 1, which the loss "
      "binary_cross_entropy takes (\"positive\": \"1\" makes 1 of it and 0 of the other)");
  EXPECT_EQ(rows_in(read(signs, {shares, positive})), (std::vector<double>{1, 0, 2, 1}));
  EXPECT_EQ(rows_in(read("x,y\n1,-1.0\n2,1.0\n3,+1\n", {shares, positive})), (std::vector<double>{1, 0, 2, 1, 3, 1}));
  EXPECT_EQ(error_of("x,y\n1,a\n2,0\n", {shares}),
            "table.csv: line 2, column \"y\": found \"a\", expected a number, or one of two texts");
  EXPECT_EQ(error_of("x,y\n1,a\n2,b\n3,c\n", {shares}),
            "table.csv: column \"y\": found 3 texts, expected two, which are 0 and 1 (more are labels of "
            "softmax_cross_entropy)");
}

// Records that end where a block of the file does are read as any other.
TEST_F(Csv, ReadsFilesOfManyBlocks) {
  std::string text = "x,y\r\n";
  for (int row = 0; row < 60000; ++row) {
    text += row % 7 == 0 ? "\"" + std::to_string(row) + "\",\"1\"\r\n" : std::to_string(row) + ",1\r\n";
  }
  const Dataset data = read(text);
  ASSERT_EQ(data.rows, 60000);
  for (int row = 0; row < 60000; ++row) ASSERT_EQ(data.x<double>()[row], row);
  EXPECT_EQ(error_of("x,y\n" + std::string(3'000'000, '1') + "\xc3\xa9\xff,2\n"),
            "table.csv: line 2: found the byte 0xff at 3000006, which is not UTF-8, expected UTF-8 (iconv -f latin1 -t "
            "utf-8 makes it so of Latin-1)");
  const std::vector<scenario::Setting> one_hot = {{"data.one_hot", R"(["x"])"}};
  // What lay in the buffer before does not follow the last cell.
  for (std::size_t length = 1; length < 8; ++length) {
    std::string names = std::string(length, 'n') + ",x,y\n";
    for (int row = 0; row < 30000; ++row) names += "0,\"\xc3\xa9\xc3\xa9\",1\n";
    EXPECT_EQ(read(names + "1,\"\xc3\xa9\",\"1\"", one_hot).rows, 30001) << length;
  }
  const std::string long_line = std::string(600000, 'a') + "\nx,y\n1,2\n";
  EXPECT_EQ(read(long_line, {{"data.skip", "1"}}).rows, 1) << "a line of several blocks that is left out";
  const std::string long_cell = "x,y\n\"" + std::string(600000, '\n') + "1\",2\n3,4\n";
  EXPECT_EQ(read(long_cell, one_hot).features, 2) << "a cell of several blocks";
}

TEST_F(Csv, RefusesValuesThatTheDtypeCannotHold) {
  const std::string text = "x,y\n1,2\n1e300,3\n";
  EXPECT_EQ(error_of(text), "");
  EXPECT_EQ(error_of(text, {{"dtype", "f32"}}),
            "s.json: /data: found 1e+300 in row 1, feature column \"x\" (counted from 0), expected a finite f32");
  EXPECT_NE(error_of("x,y\n1,1e300\n", {{"dtype", "f32"}}).find("in row 0, target column \"y\""), std::string::npos);
}

using CsvHints = TableFile;  // the key of /data that would accept what is there

TEST_F(CsvHints, NamesTheKeyThatWouldAcceptACell) {
  const struct {
    const char* cell;
    std::vector<scenario::Setting> format;
    const char* key;
  } cells[] = {{"?", {}, R"("missing": ["?"])"},
               {" N/A", {}, R"("missing": ["N/A"])"},
               {"nan", {}, R"("missing": ["nan"])"},
               {"\"1,5\"", {}, R"("decimal": ",")"},
               {"1,500", {}, R"("decimal": "," or "thousands": ",")"},
               {"1 500", {}, R"("thousands": "blank")"},
               {"12%", {}, R"("percent": true)"},
               {"1.234", {{"data.decimal", R"(",")"}}, R"("thousands": "." or "decimal": ".")"},
               {"12,5%", {}, R"("decimal": "," with "percent": true)"},
               {"12,5%", {{"data.percent", "true"}}, R"("decimal": ",")"},
               {"1.234,5", {}, R"("decimal": "," with "thousands": ".")"},
               {"1'234", {{"data.decimal", R"(",")"}, {"data.thousands", R"(".")"}}, R"("thousands": "'")"}};
  for (const auto& [cell, format, key] : cells) {
    const std::string error = error_of(cat("x;y\n", cell, ";1\n"), format);
    EXPECT_NE(error.find(cat("expected a finite number (or ", key, " in /data)")), std::string::npos) << error;
  }
}

TEST_F(CsvHints, NamesTheKeyThatWouldTakeTheHeader) {
  const std::pair<std::string, std::string> headers[] = {
      {"# made by x\nx,y\n1,2\n", "# made by x (\"comment\": \"#\" in /data leaves such lines out)"},
      {"% made by x\nx,y\n1,2\n", "% made by x (\"comment\": \"%\" in /data leaves such lines out)"},
      {"// made by x\nx,y\n1,2\n", "// made by x (\"comment\": \"//\" in /data leaves such lines out)"},
      {"a;y\n1;2\n4\n", "a;y (\"separator\": \";\" in /data makes several columns of it)"},
      {"a\ty\n1\t2\n4\n", "a y (\"separator\": \"tab\" in /data makes several columns of it)"},
      {"The table\nx,y\n1,2\n", "The table (\"skip\": 1 in /data leaves a line at the beginning out)"},
      {"1,?,3\n4,5,6\n",
       "1, ?, 3 (the first line holds numbers: \"header\": false in /data takes columns by their numbers)"},
      {"1,2\n3,4\n",
       "1, 2 (the first line holds numbers alone: \"header\": false in /data takes columns by their numbers)"},
      {std::string(90, 'c') + "\n1\n",
       std::string(80, 'c') + "... (\"skip\": 1 in /data leaves a line at the beginning out)"}};
  for (const auto& [text, expected] : headers) {
    EXPECT_EQ(error_of(text), "table.csv: line 1: found no column \"y\", expected one of " + expected);
  }
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
