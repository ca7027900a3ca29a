// Data that stay in their file and are read in order, block after block, by the coordinator, the reference and every
// worker: what they must know of the file, and a reader for this side.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/base/hash.h"
#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"
#include "harness/scenario/problem.h"

namespace gdbench::data {

using catalogue::StreamFormat;

// A file is read in blocks of so many bytes, or of one row of an NPY file where that is more.
constexpr std::int64_t kStreamBlockBytes = GDBENCH_STREAM_BLOCK_BYTES;

struct StreamFile {
  std::filesystem::path path;  // absolute
  StreamFormat format = StreamFormat::csv;
  catalogue::Dtype element = catalogue::Dtype::f32;  // of an NPY file's values
  std::int64_t column_count = 0;
  std::int64_t first_byte = 0;  // of the first row
  // When it was described: a file that has another size or time has changed.
  std::int64_t file_bytes = 0;
  std::int64_t modified_ns = 0;
  std::vector<std::int32_t> feature_columns;
  std::vector<std::int32_t> target_columns;
  std::int64_t memory_cap_bytes = 0;  // of a worker's buffers: batches and blocks
  // Per column; empty: left as they are. A scale of 0 stands for a constant column, which becomes 0.
  std::vector<double> feature_means, feature_scales;
  std::vector<double> target_means, target_scales;

  std::int64_t row_bytes() const {
    return column_count * static_cast<std::int64_t>(catalogue::size_of(element));
  }  // NPY
  std::int64_t block_bytes() const;
};

// Size and time of a file as StreamFile has them. Errors: it cannot be read.
Status note_size_and_time(StreamFile& file);

class StreamReader {
 public:
  // The description must outlive it.
  explicit StreamReader(const StreamFile& file);

  // The next row's chosen values as the file has them: features [feature_columns], targets [target_columns]. False
  // behind the last row. Errors: the file has changed, is cut off or holds what is no number; they name the line.
  Result<bool> next(double* features, double* targets);
  // Begins again before row `row`, counted from 0. Rows of a CSV file are passed one by one.
  Status seek(std::int64_t row);
  std::int64_t position() const { return row_; }  // of the row that is next
  // Of the file that was read, 0 to 1.
  double part() const { return static_cast<double>(offset_) / static_cast<double>(file_.file_bytes); }

  // Every byte of the rows is added to it as it is read.
  void hash_into(Hash64* hash) { hash_ = hash; }

 private:
  Status open();
  Status read_block();
  Result<bool> next_line(std::string_view& line);
  Result<bool> next_csv(double* features, double* targets);
  Result<bool> next_npy(double* features, double* targets);
  Error fault(const std::string& what) const;

  const StreamFile& file_;
  UniqueDescriptor descriptor_;
  std::vector<char> block_;
  std::size_t begin_ = 0;  // of what is not yet used in the block
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;  // in the file, of the block's end
  std::int64_t row_ = 0;
  std::int64_t line_ = 0;  // of a CSV file, counted from 1, the header included
  std::vector<std::string_view> cells_;
  Hash64* hash_ = nullptr;
};

// The rows as an implementation sees them, for the reference: standardised and rounded to the data's dtype. Best read
// in order. One thread at a time.
class StreamRows {
 public:
  StreamRows(StreamFile file, catalogue::Dtype dtype);

  const StreamFile& file() const { return file_; }

  // Rows first ... first + count - 1: x [count, features] and targets [count, targets], labels as numbers. After a
  // fault everything is NaN: a caller that reads many rows asks for the fault at the end.
  void read(std::int64_t first, std::int64_t count, std::vector<double>& x, std::vector<double>& targets);
  // The first fault there was.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  Status read_row(double* x, double* targets);
  void finish(double* values, std::size_t count, const std::vector<double>& means,
              const std::vector<double>& scales) const;

  StreamFile file_;
  catalogue::Dtype dtype_;
  StreamReader reader_;
  std::optional<Error> fault_;
};

}  // namespace gdbench::data
