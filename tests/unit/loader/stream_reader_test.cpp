#include "implementations/loader/stream_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "implementations/common/failure.h"
#include "implementations/loader/batch_loader.h"
#include "tests/support/implementations/processors.h"

namespace gdbench::loader {
namespace {

constexpr std::int64_t kRows = 30'000;  // several blocks of either format
constexpr std::int64_t kColumns = 4;

// Column c of row r; column 3 is a label.
double value_at(std::int64_t row, std::int64_t column) {
  if (column == 3) return static_cast<double>(row % 5);
  return static_cast<double>(row) + 0.125 * static_cast<double>(column + 1);
}

class StreamReaderTest : public testing::Test {
 protected:
  StreamReaderTest() : file_("/tmp/gdbench-stream-" + std::to_string(getpid())) {
    data_.struct_size = sizeof(data_);
    data_.dtype = GDBENCH_F64;
    data_.rows = kRows;
    data_.features = 2;
    data_.outputs = 1;
    data_.epochs = 1;
    data_.stream = &stream_;
    stream_.struct_size = sizeof(stream_);
    stream_.path = file_.c_str();
    stream_.column_count = kColumns;
    stream_.feature_columns = features_;
    stream_.target_columns = targets_;
    stream_.memory_cap_bytes = 1 << 20;
  }
  ~StreamReaderTest() override { std::filesystem::remove(file_); }

  void describe() {
    struct stat information {};
    ASSERT_EQ(stat(file_.c_str(), &information), 0);
    stream_.file_bytes = information.st_size;
    stream_.modified_ns =
        static_cast<std::int64_t>(information.st_mtim.tv_sec) * 1'000'000'000 + information.st_mtim.tv_nsec;
  }

  template <class T>
  void write_npy() {
    stream_.format = GDBENCH_STREAM_NPY;
    stream_.element = sizeof(T) == sizeof(float) ? GDBENCH_F32 : GDBENCH_F64;
    stream_.first_byte = 128;
    std::ofstream file(file_, std::ios::binary);
    file << std::string(128, 'h');
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t column = 0; column < kColumns; ++column) {
        const auto value = static_cast<T>(value_at(row, column));
        file.write(reinterpret_cast<const char*>(&value), sizeof value);
      }
    }
    file.close();
    describe();
  }

  // Lines of different lengths, some empty, the last without an end.
  void write_csv() {
    stream_.format = GDBENCH_STREAM_CSV;
    stream_.first_byte = 8;
    std::ofstream file(file_, std::ios::binary);
    file << "a,b,c,d\n";
    for (std::int64_t row = 0; row < kRows; ++row) {
      if (row % 1000 == 17) file << "\n\r\n";
      file << value_at(row, 0) + 0 << ", " << std::to_string(value_at(row, 1)) << " ,+";
      file << std::to_string(value_at(row, 2)) << "," << value_at(row, 3);
      if (row + 1 < kRows) file << (row % 3 == 0 ? "\r\n" : "\n");
    }
    file.close();
    describe();
  }

  void write(bool csv) {
    if (csv) {
      write_csv();
    } else {
      write_npy<double>();
    }
  }

  void expect_rows(StreamReader& reader, std::int64_t first, std::int64_t count) const {
    std::vector<double> x(static_cast<std::size_t>(2 * count));
    std::vector<double> y(static_cast<std::size_t>(count));
    reader.read(first, count, reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data()));
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(x[2 * at], value_at(first + i, features_[0])) << "row " << first + i;
      ASSERT_EQ(x[2 * at + 1], value_at(first + i, features_[1])) << "row " << first + i;
      ASSERT_EQ(y[at], value_at(first + i, targets_[0])) << "row " << first + i;
    }
  }

  void expect_all_orders() const {
    StreamReader reader({&data_, 100, false});
    for (std::int64_t first = 0; first < kRows; first += 700)
      expect_rows(reader, first, std::min<std::int64_t>(700, kRows - first));
    expect_rows(reader, 0, 3);
    expect_rows(reader, 29'990, 10);
    expect_rows(reader, 12'345, 1);
    expect_rows(reader, 12'340, 20);
    StreamReader fresh({&data_, 100, false});
    expect_rows(fresh, 20'000, 5);
    expect_rows(fresh, 777, 5);
  }

  std::string error_of_reading(std::int64_t rows, bool labels = false) const {
    std::vector<double> x(static_cast<std::size_t>(2 * rows));
    std::vector<double> y(static_cast<std::size_t>(rows));
    StreamReader reader({&data_, 100, labels});
    try {
      reader.read(0, rows, reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data()));
    } catch (const implementations::Failure& failure) {
      return std::string(failure.what()).substr(file_.size());
    }
    return "";
  }

  std::string file_;
  std::int32_t features_[2] = {1, 2};
  std::int32_t targets_[1] = {1};
  gdbench_stream stream_{};
  gdbench_data data_{};
};

TEST_F(StreamReaderTest, ReadsTextFloatsAndDoublesAnywhere) {
  write_csv();
  expect_all_orders();
  write_npy<double>();
  expect_all_orders();
  features_[0] = 2;  // not adjacent any more
  features_[1] = 0;
  expect_all_orders();
  write_npy<float>();
  expect_all_orders();
}

TEST_F(StreamReaderTest, StandardisesInDoubleAndRoundsOnce) {
  write_npy<double>();
  data_.dtype = GDBENCH_F32;
  const double means[] = {3.25, 0.1};
  const double scales[] = {0.3, 0};  // the second is constant
  stream_.feature_means = means;
  stream_.feature_scales = scales;
  StreamReader reader({&data_, 100, false});
  float x[4];
  float y[2];
  reader.read(7, 2, reinterpret_cast<std::byte*>(x), reinterpret_cast<std::byte*>(y));
  EXPECT_EQ(x[0], static_cast<float>((value_at(7, 1) - 3.25) / 0.3));
  EXPECT_EQ(x[2], static_cast<float>((value_at(8, 1) - 3.25) / 0.3));
  EXPECT_EQ(x[1], 0.0f);
  EXPECT_EQ(y[1], static_cast<float>(value_at(8, 1)));
}

TEST_F(StreamReaderTest, ReadsLabels) {
  write_csv();
  targets_[0] = 3;
  data_.outputs = 5;
  StreamReader reader({&data_, 100, true});
  std::vector<double> x(12);
  std::int32_t labels[6];
  reader.read(3, 6, reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(labels));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(labels[i], (3 + i) % 5);
  data_.outputs = 4;
  EXPECT_EQ(error_of_reading(10, true), ": row 4 (from 0): found label 4.000000, expected 0 to 3");
}

TEST_F(StreamReaderTest, AFileThatChangedIsRefused) {
  write_csv();
  std::ofstream(file_, std::ios::app) << "\n1,2,3,4\n";
  EXPECT_NE(error_of_reading(1).find("the file was changed while it was in use"), std::string::npos);
  describe();
  EXPECT_EQ(error_of_reading(1), "");
  stream_.modified_ns += 1;  // as many bytes, other ones
  EXPECT_NE(error_of_reading(1).find("found another time of modification, expected the one of before"),
            std::string::npos);
}

TEST_F(StreamReaderTest, BatchesAreReadAheadAcrossEpochsAndPastTheRowsOfOtherRanks) {
  struct Reading {
    std::int64_t batch_rows;
    int prefetch;
    Rank rank;
  };
  const Reading readings[] = {{7'000, 0, {}}, {7'000, 2, {}}, {70, 0, {0, 3}}, {70, 0, {2, 3}}, {7'000, 0, {2, 3}}};
  for (const bool csv : {false, true}) {
    write(csv);
    for (const auto& [batch_rows, prefetch, rank] : readings) {
      const std::int64_t per_epoch = (kRows + batch_rows - 1) / batch_rows;
      const std::int64_t first_step = per_epoch - 2;
      BatchLoader loader(data_, batch_rows, false, {Loader::automatic, prefetch, {any_processor()}, rank});
      EXPECT_FALSE(loader.full_batch());
      loader.start(first_step, per_epoch + 4);
      for (std::int64_t step = first_step; step < 2 * per_epoch + 2; ++step) {
        const Batch batch = loader.batch(step);
        const std::int64_t start = step % per_epoch * batch_rows;
        const RowRange own = part_of_rows(std::min(batch_rows, kRows - start), rank.number, rank.count);
        ASSERT_EQ(batch.rows, own.rows);
        for (const std::int64_t row : {std::int64_t{0}, own.rows - 1}) {
          ASSERT_EQ(static_cast<const double*>(batch.x)[2 * row], value_at(start + own.first + row, 1));
          ASSERT_EQ(static_cast<const double*>(batch.targets)[row], value_at(start + own.first + row, 1));
        }
      }
    }
  }
}

TEST_F(StreamReaderTest, TheMemoryCapHolds) {
  write_npy<double>();
  const auto status_with = [&](std::int64_t cap, const LoaderSettings& settings) -> std::string {
    stream_.memory_cap_bytes = cap;
    try {
      BatchLoader loader(data_, 1000, false, settings);
      EXPECT_EQ(loader.spare_rows(), std::min(kRows, (cap - 24'000 - GDBENCH_STREAM_BLOCK_BYTES) / 24));
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      return failure.what();
    }
    return "";
  };
  const std::int64_t three_batches = 3 * 24'000 + GDBENCH_STREAM_BLOCK_BYTES;
  EXPECT_EQ(status_with(three_batches, {}), "");
  EXPECT_NE(status_with(three_batches, {Loader::automatic, 3, {0}}).find("4 batches and a block"), std::string::npos);
  EXPECT_NE(status_with(three_batches, {Loader::gather, 0, {}}), "");
}

}  // namespace
}  // namespace gdbench::loader
