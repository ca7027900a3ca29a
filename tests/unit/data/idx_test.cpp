#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::csv_scenario;
using tests::Files;

using nlohmann::json;

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
