// Files in other formats than plain CSV: NPY and its archives, IDX, LIBSVM's, and compressed ones.
#include <zlib.h>
#include <zstd.h>

#include <cstring>

#include "tests/unit/data/values.h"

namespace gdbench::data {
namespace {

using nlohmann::json, tests::csv_scenario, tests::Files;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string npy(const std::string& header, const std::string& elements, int version = 1) {
  std::string text = header + "\n";
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 255U);
  return bytes + text + elements;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

json scenario_on(const char* source, const json& keys) {
  json scenario = csv_scenario();
  scenario["data"] = keys;
  scenario["data"]["source"] = source;
  return scenario;
}

json npy_scenario() { return scenario_on("npy", {{"x", "x.npy"}, {"y", "y.npy"}}); }

class Npy : public Files {
 protected:
  std::string error_of(const std::string& x, const std::string& y,
                       const std::vector<scenario::Setting>& settings = {}) const {
    write("x.npy", x);
    write("y.npy", y);
    return data_error(npy_scenario(), settings);
  }
  const std::string good_x_ = npy(header("<f8", "(2, 3)"), bytes_of<double>({1, 2, 3, 4, 5, 6}));
  const std::string good_y_ = npy(header("<f8", "(2,)"), bytes_of<double>({7, 8}));
};

struct Elements {
  const char* descr;
  std::string bytes;
  std::vector<double> x = {1, 2, 3, 4, 5, 6};
};

TEST_F(Npy, ReadsEveryTypeVersionAndOrder) {
  const Elements types[] = {
      {"<f2",
       bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7bff, 0x0000, 0x3555}),
       {1, -2, std::ldexp(1, -24), 65504, 0, 1365.0 / 4096}},
      {"<f4", bytes_of<float>({1, 2, 3, 4, 5, 6})},
      {"<f8", bytes_of<double>({1, 2, 3, 4, 5, 6})},
      {"|i1", bytes_of<std::int8_t>({1, -2, 3, 4, 5, 6}), {1, -2, 3, 4, 5, 6}},
      {"<i2", bytes_of<std::int16_t>({1, -2, 3, 4, 5, 6}), {1, -2, 3, 4, 5, 6}},
      {"<i4", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6})},
      {"<i8", bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6})},
      {"|u1", bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6})},
      {"<u2", bytes_of<std::uint16_t>({1, 2, 3, 4, 5, 65535}), {1, 2, 3, 4, 5, 65535}},
      {"<u4", bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 4294967295}), {1, 2, 3, 4, 5, 4294967295.0}},
      {"<u8", bytes_of<std::uint64_t>({1, 2, 3, 4, 5, 6})},
      {"|b1", bytes_of<std::uint8_t>({1, 0, 1, 1, 0, 0}), {1, 0, 1, 1, 0, 0}},
      {">i2", std::string("\0\1\xff\xfe\0\3\0\4\0\5\0\6", 12), {1, -2, 3, 4, 5, 6}},
  };
  write("y.npy", good_y_);
  const auto expect_x = [&](const std::string& file, const std::vector<double>& x) {
    write("x.npy", file);
    EXPECT_EQ(rows_in(dataset(npy_scenario())), (std::vector<double>{x[0], x[1], x[2], 7, x[3], x[4], x[5], 8}));
  };
  for (const auto& [descr, bytes, x] : types) {
    SCOPED_TRACE(descr);
    for (const int version : {1, 2, 3}) expect_x(npy(header(descr, "(2, 3)"), bytes, version), x);
  }
  const std::string doubles = bytes_of<double>({1, 2, 3, 4, 5, 6});
  expect_x(npy(header("<f8", "(2, 3)", "True"), doubles), {1, 3, 5, 2, 4, 6});
  expect_x(npy(header("<f8", "(2, 1, 3)"), doubles), {1, 2, 3, 4, 5, 6});  // images are flattened
}

TEST_F(Npy, ReadsLabels) {
  const std::vector<scenario::Setting> softmax = {{"loss", "softmax_cross_entropy"}};
  write("x.npy", good_x_);
  write("y.npy", npy(header("<i8", "(2, 1)"), bytes_of<std::int64_t>({2, 0})));
  const Dataset data = dataset(npy_scenario(), softmax);
  EXPECT_EQ(data.outputs, 3);
  EXPECT_EQ(data.labels()[0], 2);
  EXPECT_EQ(data.labels()[1], 0);
  EXPECT_EQ(error_of(good_x_, good_y_, softmax),
            "y.npy: found elements that are no integers, expected integer class labels");
  EXPECT_EQ(error_of(good_x_, npy(header("<i8", "(2,)"), bytes_of<std::int64_t>({INT64_MAX, 0})), softmax),
            "y.npy: found label 9223372036854775808 in row 0 (from 0), expected a class from 0 to 1048575");
  EXPECT_EQ(error_of(good_x_, npy(header("<i8", "(2,)"), bytes_of<std::int64_t>({1, -1})), softmax),
            "y.npy: found label -1 in row 1 (from 0), expected a class from 0 to 1048575");
  EXPECT_EQ(error_of(good_x_, npy(header("|u1", "(2, 2)"), "\1\2\1\2"), softmax),
            "y.npy: found shape [2, 2], expected shape [rows] of labels");
}

TEST_F(Npy, RefusesOtherLayoutsByName) {
  const std::string six_doubles = bytes_of<double>({1, 2, 3, 4, 5, 6});
  std::string version_4 = good_x_;
  version_4[6] = 4;
  const std::pair<std::string, std::string> features[] = {
      {npy(header("<c8", "(2, 3)"), six_doubles),
       "found elements of type \"<c8\", expected numbers: f2, f4, f8, i1 to i8, u1 to u8, b1"},
      {npy(header("", "(2, 3)"), six_doubles),
       "found elements of type \"\", expected numbers: f2, f4, f8, i1 to i8, u1 to u8, b1"},
      {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", six_doubles),
       "found a structured array, expected one of numbers (numpy.lib.recfunctions.structured_to_unstructured)"},
      {npy(header("<f8", "(6,)"), six_doubles), "found shape [6], expected shape [rows, features], none of them 0"},
      {npy(header("<f8", "(0, 999999999999)"), ""),
       "found shape [0, 999999999999], expected shape [rows, features], none of them 0"},
      {npy(header("<f8", "(9223372036854775807, 3)"), ""),
       "found shape [9223372036854775807, 3], expected sizes from 0 to below 10^12"},
      {npy(header("<f8", "(2, 1, 3)", "True"), six_doubles),
       "found Fortran order of shape [2, 1, 3], expected C order (numpy.ascontiguousarray)"},
      {version_4, "found NPY version 4.0, expected version 1.0, 2.0 or 3.0"},
  };
  for (const auto& [x, message] : features) EXPECT_EQ(error_of(x, good_y_), "x.npy: " + message);
  EXPECT_EQ(error_of(good_x_, npy(header("<f8", "()"), bytes_of<double>({1}))),
            "y.npy: found shape [], expected shape [rows] or [rows, outputs]");
  EXPECT_EQ(error_of(good_x_, npy(header("<f8", "(3,)"), bytes_of<double>({1, 2, 3}))),
            "y.npy: found 3 rows, expected 2 as in " + (folder_ / "x.npy").string());
}

TEST_F(Npy, RefusesBrokenHeaders) {
  const std::string elements = bytes_of<double>({1, 2, 3, 4, 5, 6});
  for (const std::string text : {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, }",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3), }",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (2, -3), }",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
                                 "{'descr': '<f8', 'fortran_order': maybe, 'shape': (2, 3), }",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } x",
                                 "{'descr': '<f8', 'other': 1, 'fortran_order': False, 'shape': (2, 3), }"}) {
    const bool of_sizes = text.find("-3") != std::string::npos;
    EXPECT_NE(error_of(npy(text, elements), good_y_).find(of_sizes ? "found shape [2, -3]" : "x.npy: found NPY header"),
              std::string::npos)
        << text;
  }
}

TEST_F(Npy, RefusesEveryTruncationAndExcess) {
  for (std::size_t length = 0; length < good_x_.size(); ++length) {
    EXPECT_NE(error_of(good_x_.substr(0, length), good_y_), "") << length;
  }
  EXPECT_EQ(error_of(good_x_, good_y_), "");
  EXPECT_EQ(error_of(good_x_ + "x", good_y_),
            "x.npy: found 49 bytes of elements, expected shape [2, 3] of <f8 (the file is cut off or too long)");
}

TEST_F(Npy, RefusesWhatIsNotFinite) {
  EXPECT_EQ(error_of(npy(header("<f8", "(2, 2)"), bytes_of<double>({1, 2, 3, HUGE_VAL})), good_y_),
            "s.json: /data: found inf in row 1, feature column 1 (counted from 0), expected a finite f64");
  EXPECT_EQ(error_of(good_x_, npy(header("<f8", "(2,)"), bytes_of<double>({NAN, 1}))),
            "s.json: /data: found nan in row 0, target column 0 (counted from 0), expected a finite f64");
}

class Npz : public Files {
 protected:
  // As NumPy 2.4 wrote it, of x [2, 3] and y [2]: the numbers 0 to 5, 7 and 8.
  static std::string archive(const std::string& name) {
    return tests::text_of(GDBENCH_SOURCE_DIR "/tests/fuzz/corpus/npz/" + name + ".npz");
  }
  static json scenario(const std::string& x = "a.npz/x") { return scenario_on("npy", {{"x", x}, {"y", "a.npz/y"}}); }
  std::string error_of(const std::string& bytes, const std::string& x = "a.npz/x") const {
    write("a.npz", bytes);
    return data_error(scenario(x));
  }
};

TEST_F(Npz, ReadsMembersThatAreStoredOrDeflatedAndRefusesDamage) {
  for (const std::string name : {"stored", "deflated"}) {
    write("a.npz", archive(name));
    const Dataset data = dataset(scenario(name == "stored" ? "a.npz/x" : "a.npz/x.npy"));
    EXPECT_EQ(rows_in(data), (std::vector<double>{0, 1, 2, 7, 3, 4, 5, 8}));
  }
  const std::string good = archive("deflated");
  EXPECT_EQ(error_of(good, "a.npz/features"), "a.npz: found no member \"features.npy\", expected one of x.npy, y.npy");
  EXPECT_EQ(error_of(good, "a.npz"),
            "a.npz: found a zip archive, expected an NPY file (of an .npz FILE.npz/NAME is a member; gdbench data "
            "convert makes a .csv of an .xlsx)");
  EXPECT_EQ(error_of(good, "b.npz/x"),
            "s.json: /data/x: found \"b.npz/x\" (no such file), expected a file that can be read");
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NE(error_of(good.substr(0, length)), "");
  std::string changed = good;
  changed[60] ^= 1;  // of the first member's bytes
  EXPECT_EQ(error_of(changed), "a.npz: found a damaged zip archive, expected a whole one");
}

std::string idx(int type, const std::vector<unsigned>& shape, const std::string& elements) {
  std::string bytes = {'\0', '\0', static_cast<char>(type), static_cast<char>(shape.size())};
  for (const unsigned size : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 255U);
  }
  return bytes + elements;
}

class Idx : public Files {
 protected:
  static json scenario() {
    json result = scenario_on("idx", {{"x", "x.idx"}, {"labels", "labels.idx"}});
    result["loss"] = "softmax_cross_entropy";
    return result;
  }
  std::string error_of(const std::string& x, const std::string& labels) const {
    write("x.idx", x);
    write("labels.idx", labels);
    return data_error(scenario());
  }
  const std::string good_x_ = idx(8, {3, 1, 2}, std::string("\x00\xff\x33\x66\x99\xcc", 6));
  const std::string good_labels_ = idx(8, {3}, std::string("\x00\x04\x01", 3));
};

TEST_F(Idx, FlattensAndScales) {
  write("x.idx", good_x_);
  write("labels.idx", good_labels_);
  const Dataset data = dataset(scenario());
  EXPECT_EQ(data.rows, 3);
  EXPECT_EQ(data.features, 2);
  EXPECT_EQ(data.outputs, 5);
  const std::vector<double> expected = {0, 1, 0.2, 0.4, 0.6, 0.8};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(data.x<double>()[i], expected[i]);
  EXPECT_EQ(std::vector<std::int32_t>(data.labels(), data.labels() + 3), (std::vector<std::int32_t>{0, 4, 1}));
}

TEST_F(Idx, RefusesWhatIsNotUnsignedBytesInOrder) {
  EXPECT_EQ(error_of(idx(0x0d, {3, 1}, std::string(12, '\0')), good_labels_),
            "x.idx: found 32-bit floats, expected unsigned bytes");
  EXPECT_EQ(error_of(idx(0x42, {3, 1}, "abc"), good_labels_),
            "x.idx: found elements of unknown type 66, expected unsigned bytes");
  EXPECT_EQ(error_of("PNG is something else", good_labels_), "x.idx: found no IDX magic, expected an IDX file");
  EXPECT_EQ(error_of(good_x_, idx(8, {3, 1}, "abc")), "labels.idx: found 2 dimensions, expected 1, the rows");
  EXPECT_EQ(error_of(good_x_, idx(8, {2}, "ab")),
            "labels.idx: found 2 rows, expected 3 as in " + (folder_ / "x.idx").string());
  EXPECT_EQ(error_of(idx(8, {0, 4}, ""), good_labels_), "x.idx: found no rows, expected some");
  EXPECT_EQ(error_of(idx(8, {4294967295U, 4294967295U, 4294967295U}, "abc"), good_labels_),
            "x.idx: found 3 bytes of elements, expected 4294967295 x 4294967295 x 4294967295 (the file is cut off or "
            "too long)");
}

TEST_F(Idx, RefusesEveryTruncationAndExcess) {
  for (std::size_t length = 0; length < good_x_.size(); ++length) {
    EXPECT_NE(error_of(good_x_.substr(0, length), good_labels_), "") << length;
  }
  for (std::size_t length = 0; length < good_labels_.size(); ++length) {
    EXPECT_NE(error_of(good_x_, good_labels_.substr(0, length)), "") << length;
  }
  EXPECT_EQ(error_of(good_x_, good_labels_), "");
  EXPECT_EQ(error_of(good_x_ + "x", good_labels_),
            "x.idx: found 7 bytes of elements, expected 3 x 1 x 2 (the file is cut off or too long)");
}

std::string zstandard(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

class Formats : public TableFile {
 protected:
  std::string gzipped(const std::string& text) const {
    const std::filesystem::path file = folder_ / "gzipped";
    gzFile stream = gzopen(file.c_str(), "wb");
    gzwrite(stream, text.data(), static_cast<unsigned>(text.size()));
    gzclose(stream);
    return tests::text_of(file);
  }
};

TEST_F(Formats, CompressedFilesAreReadAndBrokenOnesNamed) {
  const std::string text = "a,y\n1,2\n3,4\n";
  for (const std::string& bytes : {gzipped(text), zstandard(text), gzipped("a,y\n1,2\n") + gzipped("3,4\n")}) {
    EXPECT_EQ(rows_in(read(bytes)), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_NE(error_of(bytes.substr(0, bytes.size() - 3)).find("cut off"), std::string::npos);
  }
  std::string changed = gzipped(text);
  changed[changed.size() - 6] ^= 1;  // of its sum
  EXPECT_EQ(error_of(changed), "table.csv: found incorrect data check, expected the whole of a readable file");
  for (const auto& [beginning, what] :
       {std::pair{"PAR1xxxx", "a Parquet file, expected a CSV file (gdbench data convert makes a .csv of it)"},
        {"PK\x03\x04xxxx",
         "a zip archive, expected a CSV file (of an .npz FILE.npz/NAME is a member; gdbench data convert makes a .csv "
         "of an .xlsx)"},
        {"\xff\xfe"
         "a,y",
         "text in UTF-16, expected a CSV file (iconv -f utf-16 -t utf-8 makes it UTF-8)"}}) {
    EXPECT_EQ(error_of(beginning), std::string("table.csv: found ") + what);
  }
}

TEST_F(Formats, LibsvmCountsFromItsSmallestIndex) {
  const json scenario = scenario_on("libsvm", {{"path", "rows.svm"}});
  write("rows.svm", "2.5 1:1 3:2.5 # a \"row\n# none\n # none\"\n-1\n3 qid:7 2:-4\n");
  const Dataset from_1 = dataset(scenario);
  EXPECT_EQ(rows_in(from_1), (std::vector<double>{1, 0, 2.5, 2.5, 0, 0, 0, -1, 0, -4, 0, 3}));
  EXPECT_EQ(from_1.remarks, (std::vector<std::string>{"indices count from 1"}));
  write("rows.svm", gzipped("+1 0:1\n-1 1:2\n"));
  const Dataset from_0 = dataset(scenario, {{"loss", "binary_cross_entropy"}});
  EXPECT_EQ(rows_in(from_0), (std::vector<double>{1, 0, 1, 0, 2, 0}));
  EXPECT_EQ(from_0.remarks[1], "the targets \"-1\" and \"+1\" are 0 and 1");
  EXPECT_EQ(dataset(scenario, {{"loss", "softmax_cross_entropy"}}).class_names, (std::vector<std::string>{"-1", "+1"}));
  for (const auto& [text, message] :
       {std::pair{"1 1:x\n", "line 1: found \"1:x\", expected INDEX:NUMBER with an index up to 1048576"},
        {"1 1:2\n1 2\n", "line 2: found \"2\", expected INDEX:NUMBER with an index up to 1048576"},
        {"1 2:1 1:1\n", "line 1: found index 1 behind 2, expected ascending ones"},
        {"one 1:1\n", "line 1: found \"one\", expected a finite number"},
        {"1\n2\n", "found no entries, expected rows of INDEX:NUMBER"}}) {
    write("rows.svm", text);
    EXPECT_EQ(data_error(scenario), std::string("rows.svm: ") + message);
  }
}

TEST_F(Formats, IdxLabelsAreColumnsOfALossOfNumbers) {
  write("x.idx", std::string("\0\0\x08\x02\0\0\0\3\0\0\0\1\0\x33\xff", 15));
  write("l.idx", gzipped(std::string("\0\0\x08\x01\0\0\0\3\2\0\1", 11)));
  const Dataset data = dataset(scenario_on("idx", {{"x", "x.idx"}, {"labels", "l.idx"}}));
  EXPECT_EQ(rows_in(data), (std::vector<double>{0, 0, 0, 1, 0.2, 1, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(data.remarks.at(0), "labels are targets of 3 columns, 1 in that of the class and 0 elsewhere");
}

}  // namespace
}  // namespace gdbench::data
