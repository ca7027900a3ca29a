#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::csv_scenario;
using tests::Files;

using nlohmann::json;

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

json npy_scenario() {
  json scenario = csv_scenario();
  scenario["data"] = {{"source", "npy"}, {"x", "x.npy"}, {"y", "y.npy"}};
  return scenario;
}

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

TEST_F(Npy, ReadsEveryElementTypeAndVersion) {
  const std::vector<std::pair<std::string, std::string>> types = {{"<f4", bytes_of<float>({1, 2, 3, 4, 5, 6})},
                                                                  {"<f8", bytes_of<double>({1, 2, 3, 4, 5, 6})},
                                                                  {"<i4", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6})},
                                                                  {"<i8", bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6})},
                                                                  {"|u1", bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6})}};
  write("y.npy", good_y_);
  for (const auto& [descr, elements] : types) {
    for (const int version : {1, 2, 3}) {
      write("x.npy", npy(header(descr, "(2, 3)"), elements, version));
      const Dataset data = dataset(npy_scenario());
      EXPECT_EQ(data.rows, 2);
      EXPECT_EQ(data.features, 3);
      EXPECT_EQ(std::vector<double>(data.x<double>(), data.x<double>() + 6), (std::vector<double>{1, 2, 3, 4, 5, 6}));
      EXPECT_EQ(std::vector<double>(data.y<double>(), data.y<double>() + 2), (std::vector<double>{7, 8}));
    }
  }
}

TEST_F(Npy, FlattensImages) {
  write("x.npy", npy(header("<f8", "(2, 1, 3)"), bytes_of<double>({1, 2, 3, 4, 5, 6})));
  write("y.npy", good_y_);
  const Dataset data = dataset(npy_scenario());
  EXPECT_EQ(data.features, 3);
  EXPECT_EQ(data.x<double>()[4], 5);
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

TEST_F(Npy, ReadsEveryTypeAndOrder) {
  const std::pair<std::string, std::string> arrays[] = {
      {"<f2", bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7bff, 0x0000, 0x3555})},
      {"|i1", bytes_of<std::int8_t>({1, -2, 3, 4, 5, 6})},
      {"<i2", bytes_of<std::int16_t>({1, -2, 3, 4, 5, 6})},
      {"<u2", bytes_of<std::uint16_t>({1, 2, 3, 4, 5, 65535})},
      {"<u4", bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 4294967295})},
      {"<u8", bytes_of<std::uint64_t>({1, 2, 3, 4, 5, 6})},
      {"|b1", bytes_of<std::uint8_t>({1, 0, 1, 1, 0, 0})},
      {">i2", std::string("\0\1\xff\xfe\0\3\0\4\0\5\0\6", 12)},
  };
  const std::vector<double> expected[] = {{1, -2, std::ldexp(1, -24), 65504, 0, 1365.0 / 4096},
                                          {1, -2, 3, 4, 5, 6},
                                          {1, -2, 3, 4, 5, 6},
                                          {1, 2, 3, 4, 5, 65535},
                                          {1, 2, 3, 4, 5, 4294967295.0},
                                          {1, 2, 3, 4, 5, 6},
                                          {1, 0, 1, 1, 0, 0},
                                          {1, -2, 3, 4, 5, 6}};
  for (std::size_t i = 0; i < std::size(arrays); ++i) {
    write("x.npy", npy(header(arrays[i].first, "(2, 3)"), arrays[i].second));
    write("y.npy", good_y_);
    const Dataset data = dataset(npy_scenario());
    EXPECT_EQ(std::vector<double>(data.x<double>(), data.x<double>() + 6), expected[i]) << arrays[i].first;
  }
  write("x.npy", npy(header("<f8", "(2, 3)", "True"), bytes_of<double>({1, 2, 3, 4, 5, 6})));
  const Dataset fortran = dataset(npy_scenario());
  EXPECT_EQ(std::vector<double>(fortran.x<double>(), fortran.x<double>() + 6), (std::vector<double>{1, 3, 5, 2, 4, 6}));
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
    std::ifstream file(GDBENCH_SOURCE_DIR "/tests/fuzz/corpus/npz/" + name + ".npz", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static json scenario(const std::string& x = "a.npz/x") {
    json result = npy_scenario();
    result["data"]["x"] = x;
    result["data"]["y"] = "a.npz/y";
    return result;
  }
  std::string error_of(const std::string& bytes, const std::string& x = "a.npz/x") const {
    write("a.npz", bytes);
    return data_error(scenario(x));
  }
};

TEST_F(Npz, ReadsMembersThatAreStoredOrDeflated) {
  for (const std::string name : {"stored", "deflated"}) {
    write("a.npz", archive(name));
    const Dataset data = dataset(scenario(name == "stored" ? "a.npz/x" : "a.npz/x.npy"));
    EXPECT_EQ(std::vector<double>(data.x<double>(), data.x<double>() + 6), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(std::vector<double>(data.y<double>(), data.y<double>() + 2), (std::vector<double>{7, 8}));
  }
}

TEST_F(Npz, NamesMembersAndRefusesDamage) {
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
    json result = csv_scenario();
    result["data"] = {{"source", "idx"}, {"x", "x.idx"}, {"labels", "labels.idx"}};
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

}  // namespace
}  // namespace gdbench::data
