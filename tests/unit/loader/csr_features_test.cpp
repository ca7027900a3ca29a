#include "implementations/loader/csr_features.h"

#include <gtest/gtest.h>

#include <vector>

namespace gdbench::loader {
namespace {

// Row r of 7 has the value 10 r + c in those columns c of 4 that its bits say; rows 0 and 4 have none, no row has
// column 3.
class CsrFeaturesTest : public testing::Test {
 protected:
  CsrFeaturesTest() {
    const int bits[] = {0, 1, 7, 2, 0, 5, 4};
    for (int row = 0; row < 7; ++row) {
      for (int column = 0; column < 4; ++column) {
        x_.push_back((bits[row] >> column & 1) != 0 ? static_cast<float>(10 * row + column) : 0.0F);
      }
    }
    wide_.assign(x_.begin(), x_.end());
    data_.struct_size = sizeof(data_);
    data_.dtype = GDBENCH_F32;
    data_.rows = 7;
    data_.features = 4;
    data_.x = x_.data();
    data_.epochs = 1;
  }

  template <class T>
  static std::vector<double> dense(const CsrFeatures::Rows& rows, int count) {
    std::vector<double> values(static_cast<std::size_t>(4 * count));
    for (int row = 0; row < count; ++row) {
      for (std::int32_t i = rows.row_offsets[row]; i < rows.row_offsets[row + 1]; ++i) {
        values[static_cast<std::size_t>(4 * row + rows.column_indices[i])] =
            static_cast<double>(reinterpret_cast<const T*>(rows.values)[i]);
      }
    }
    return values;
  }

  std::vector<double> dense_rows(const std::vector<int>& rows) const {
    std::vector<double> values;
    for (const int row : rows) values.insert(values.end(), wide_.begin() + 4 * row, wide_.begin() + 4 * row + 4);
    return values;
  }

  std::vector<float> x_;
  std::vector<double> wide_;
  gdbench_data data_{};
};

TEST_F(CsrFeaturesTest, HoldsWhatIsNotZero) {
  CsrFeatures features(data_, 7);
  const CsrFeatures::Rows rows = features.batch(0);
  EXPECT_EQ(dense<float>(rows, 7), wide_);
  const std::vector<std::int32_t> offsets(rows.row_offsets, rows.row_offsets + 8);
  EXPECT_EQ(offsets, (std::vector<std::int32_t>{0, 0, 1, 4, 5, 5, 7, 8}));
  EXPECT_EQ(features.mean_entries(7), 8);
  EXPECT_EQ(features.entry_bytes(), 8u);
  EXPECT_EQ(features.batch(5).row_offsets, rows.row_offsets) << "the same batch at every step";
  data_.dtype = GDBENCH_F64;
  data_.x = wide_.data();
  EXPECT_EQ(dense<double>(CsrFeatures(data_, 7).batch(0), 7), wide_);
}

TEST_F(CsrFeaturesTest, SlicesAreNotCopied) {
  CsrFeatures features(data_, 3);
  EXPECT_EQ(dense<float>(features.batch(1), 3), dense_rows({3, 4, 5}));
  EXPECT_EQ(dense<float>(features.batch(2), 1), dense_rows({6}));
  EXPECT_EQ(dense<float>(features.batch(3), 3), dense_rows({0, 1, 2}));
  EXPECT_EQ(features.batch(1).column_indices, features.batch(0).column_indices);
  EXPECT_NEAR(features.mean_entries(3), 24.0 / 7, 1e-12);
}

// That shuffled batches and those of ranks have the right rows is for strategies_test.
TEST_F(CsrFeaturesTest, MayHaveNoEntryAtAll) {
  std::fill(x_.begin(), x_.end(), 0.0F);
  CsrFeatures features(data_, 7);
  EXPECT_EQ(features.batch(0).row_offsets[7], 0);
  EXPECT_EQ(features.mean_entries(7), 0);
  CsrFeatures without_rows(data_, 3, {4, 5});
  EXPECT_EQ(without_rows.batch(0).row_offsets[0], 0);
}

}  // namespace
}  // namespace gdbench::loader
