// Files that are compressed, LIBSVM's, and IDX with a loss of numbers.
#include <zlib.h>
#include <zstd.h>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using nlohmann::json;
using tests::csv_scenario;

std::string zstandard(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

class Formats : public tests::Files {
 protected:
  std::string gzipped(const std::string& text) const {
    const std::filesystem::path file = folder_ / "gzipped";
    gzFile stream = gzopen(file.c_str(), "wb");
    gzwrite(stream, text.data(), static_cast<unsigned>(text.size()));
    gzclose(stream);
    std::ifstream bytes(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(bytes), {}};
  }
  static json from(const std::string& source, const json& keys) {
    json scenario = csv_scenario();
    scenario["data"] = keys;
    scenario["data"]["source"] = source;
    return scenario;
  }
  static std::vector<double> x(const Dataset& data) {
    return {data.x<double>(), data.x<double>() + data.rows * data.features};
  }
  static std::vector<double> y(const Dataset& data) {
    return {data.y<double>(), data.y<double>() + data.rows * data.outputs};
  }
  std::string error_of(const json& scenario, const std::string& text) const {
    write(scenario["data"].value("path", "table.csv"), text);
    return data_error(scenario);
  }
};

TEST_F(Formats, CompressedFilesAreReadAndBrokenOnesNamed) {
  const std::string text = "a,y\n1,2\n3,4\n";
  for (const std::string& bytes : {gzipped(text), zstandard(text), gzipped("a,y\n1,2\n") + gzipped("3,4\n")}) {
    write("table.csv", bytes);
    EXPECT_EQ(x(dataset(csv_scenario())), (std::vector<double>{1, 3}));
    EXPECT_NE(error_of(csv_scenario(), bytes.substr(0, bytes.size() - 3)).find("cut off"), std::string::npos);
  }
  std::string changed = gzipped(text);
  changed[changed.size() - 6] ^= 1;  // of its sum
  EXPECT_EQ(error_of(csv_scenario(), changed),
            "table.csv: found incorrect data check, expected the whole of a readable file");
  for (const auto& [beginning, what] :
       {std::pair{"PAR1xxxx", "a Parquet file, expected a CSV file (gdbench data convert makes a .csv of it)"},
        {"PK\x03\x04xxxx",
         "a zip archive, expected a CSV file (of an .npz FILE.npz/NAME is a member; gdbench data convert makes a .csv "
         "of "
         "an .xlsx)"},
        {"\xff\xfe"
         "a,y",
         "text in UTF-16, expected a CSV file (iconv -f utf-16 -t utf-8 makes it UTF-8)"}}) {
    EXPECT_EQ(error_of(csv_scenario(), beginning), std::string("table.csv: found ") + what);
  }
}

TEST_F(Formats, LibsvmCountsFromItsSmallestIndex) {
  const json scenario = from("libsvm", {{"path", "rows.svm"}});
  write("rows.svm", "2.5 1:1 3:2.5 # a \"row\n# none\n # none\"\n-1\n3 qid:7 2:-4\n");
  const Dataset from_1 = dataset(scenario);
  EXPECT_EQ(x(from_1), (std::vector<double>{1, 0, 2.5, 0, 0, 0, 0, -4, 0}));
  EXPECT_EQ(y(from_1), (std::vector<double>{2.5, -1, 3}));
  EXPECT_EQ(from_1.remarks, (std::vector<std::string>{"indices count from 1"}));
  write("rows.svm", gzipped("+1 0:1\n-1 1:2\n"));
  const Dataset from_0 = dataset(scenario, {{"loss", "binary_cross_entropy"}});
  EXPECT_EQ(x(from_0), (std::vector<double>{1, 0, 0, 2}));
  EXPECT_EQ(y(from_0), (std::vector<double>{1, 0}));
  EXPECT_EQ(from_0.remarks[1], "the targets \"-1\" and \"+1\" are 0 and 1");
  EXPECT_EQ(dataset(scenario, {{"loss", "softmax_cross_entropy"}}).class_names, (std::vector<std::string>{"-1", "+1"}));
  for (const auto& [text, message] :
       {std::pair{"1 1:x\n", "line 1: found \"1:x\", expected INDEX:NUMBER with an index up to 1048576"},
        {"1 1:2\n1 2\n", "line 2: found \"2\", expected INDEX:NUMBER with an index up to 1048576"},
        {"1 2:1 1:1\n", "line 1: found index 1 behind 2, expected ascending ones"},
        {"one 1:1\n", "line 1: found \"one\", expected a finite number"},
        {"1\n2\n", "found no entries, expected rows of INDEX:NUMBER"}}) {
    EXPECT_EQ(error_of(scenario, text), std::string("rows.svm: ") + message);
  }
}

TEST_F(Formats, IdxLabelsAreColumnsOfALossOfNumbers) {
  write("x.idx", std::string("\0\0\x08\x02\0\0\0\3\0\0\0\1\0\x33\xff", 15));
  write("l.idx", gzipped(std::string("\0\0\x08\x01\0\0\0\3\2\0\1", 11)));
  const Dataset data = dataset(from("idx", {{"x", "x.idx"}, {"labels", "l.idx"}}));
  EXPECT_EQ(x(data), (std::vector<double>{0, 0.2, 1}));
  EXPECT_EQ(y(data), (std::vector<double>{0, 0, 1, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(data.remarks.at(0), "labels are targets of 3 columns, 1 in that of the class and 0 elsewhere");
}

}  // namespace
}  // namespace gdbench::data
