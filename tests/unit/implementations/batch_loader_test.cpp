#include "implementations/pipeline/batch_loader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "implementations/failure.h"

namespace gdbench::pipeline {
namespace {

// 7 rows of 2 features; row r holds 10 r and 10 r + 1, its target is r.
class BatchLoaderTest : public testing::Test {
 protected:
  BatchLoaderTest() {
    for (int row = 0; row < 7; ++row) {
      x_.push_back(static_cast<float>(10 * row));
      x_.push_back(static_cast<float>(10 * row + 1));
      y_.push_back(static_cast<float>(row));
      labels_.push_back(row);
    }
    data_.struct_size = sizeof(data_);
    data_.dtype = GDBENCH_F32;
    data_.rows = 7;
    data_.features = 2;
    data_.outputs = 1;
    data_.x = x_.data();
    data_.y = y_.data();
    data_.epochs = 1;
  }

  // The rows of a batch by their targets; checks that features belong to them.
  static std::vector<int> rows_of(const Batch& batch) {
    std::vector<int> rows;
    for (std::int64_t i = 0; i < batch.rows; ++i) {
      const auto row = static_cast<int>(static_cast<const float*>(batch.targets)[i]);
      EXPECT_EQ(static_cast<const float*>(batch.x)[2 * i], static_cast<float>(10 * row));
      EXPECT_EQ(static_cast<const float*>(batch.x)[2 * i + 1], static_cast<float>(10 * row + 1));
      rows.push_back(row);
    }
    return rows;
  }

  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<std::int32_t> labels_;
  gdbench_data data_{};
};

TEST_F(BatchLoaderTest, FullBatchIsTheDataItself) {
  BatchLoader loader(data_, 7);
  EXPECT_TRUE(loader.full_batch());
  EXPECT_EQ(loader.partial_rows(), 0);
  EXPECT_EQ(loader.batch(0).x, x_.data());
  EXPECT_EQ(loader.batch(5).targets, y_.data());
  EXPECT_EQ(loader.batch(5).rows, 7);
}

TEST_F(BatchLoaderTest, SlicesAreNotCopiedAndTheLastOneIsSmaller) {
  BatchLoader loader(data_, 3);
  EXPECT_EQ(loader.steps_per_epoch(), 3);
  EXPECT_EQ(loader.partial_rows(), 1);
  EXPECT_FALSE(loader.full_batch());
  EXPECT_EQ(loader.batch(1).x, x_.data() + 6);
  EXPECT_EQ(rows_of(loader.batch(0)), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(rows_of(loader.batch(1)), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(rows_of(loader.batch(2)), (std::vector<int>{6}));
  EXPECT_EQ(rows_of(loader.batch(3)), (std::vector<int>{0, 1, 2}));
}

TEST_F(BatchLoaderTest, GathersByTheOrderOfTheEpochAndWrapsAround) {
  const std::vector<std::uint32_t> order = {6, 5, 4, 3, 2, 1, 0, 1, 3, 5, 0, 2, 4, 6};
  data_.order = order.data();
  data_.epochs = 2;
  BatchLoader loader(data_, 4);
  EXPECT_TRUE(loader.gathers());
  EXPECT_EQ(rows_of(loader.batch(0)), (std::vector<int>{6, 5, 4, 3}));
  EXPECT_EQ(rows_of(loader.batch(1)), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(rows_of(loader.batch(2)), (std::vector<int>{1, 3, 5, 0}));
  EXPECT_EQ(rows_of(loader.batch(3)), (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(rows_of(loader.batch(4)), (std::vector<int>{6, 5, 4, 3}));
  const Batch batch = loader.batch(0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.x) % GDBENCH_ALIGNMENT, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.targets) % GDBENCH_ALIGNMENT, 0u);
}

TEST_F(BatchLoaderTest, ShuffledFullBatchesFollowTheOrderToo) {
  const std::vector<std::uint32_t> order = {6, 5, 4, 3, 2, 1, 0};
  data_.order = order.data();
  BatchLoader loader(data_, 7);
  EXPECT_FALSE(loader.full_batch());
  EXPECT_EQ(rows_of(loader.batch(3)), (std::vector<int>{6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(BatchLoaderTest, GathersLabels) {
  const std::vector<std::uint32_t> order = {6, 5, 4, 3, 2, 1, 0};
  data_.order = order.data();
  data_.y = nullptr;
  data_.labels = labels_.data();
  BatchLoader loader(data_, 2);
  const Batch batch = loader.batch(1);
  EXPECT_EQ(static_cast<const std::int32_t*>(batch.targets)[0], 4);
  EXPECT_EQ(static_cast<const std::int32_t*>(batch.targets)[1], 3);
}

TEST_F(BatchLoaderTest, RefusesStreamsAndImpossibleBatches) {
  EXPECT_THROW(BatchLoader(data_, 0), implementations::Failure);
  EXPECT_THROW(BatchLoader(data_, 8), implementations::Failure);
  gdbench_stream stream{};
  data_.stream = &stream;
  try {
    BatchLoader loader(data_, 7);
    FAIL() << "a stream was accepted";
  } catch (const implementations::Failure& failure) {
    EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
    EXPECT_STREQ(failure.what(), "streamed data");
  }
}

}  // namespace
}  // namespace gdbench::pipeline
