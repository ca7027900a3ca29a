// Rows of a file that is read in order, in blocks, into buffers of this reader's own: see gdbench_stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/loader/aligned_memory.h"
#include "implementations/loader/batch_plan.h"

namespace gdbench::loader {

class StreamReader {
 public:
  // `plan.data` has a stream. Throws Failure where the file cannot be opened.
  explicit StreamReader(const BatchPlan& plan);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  // Bytes of the block that it reads into.
  static std::int64_t block_bytes(const gdbench_stream& stream);

  // Converts the rows first ... first + count - 1 into x [count, features] and targets ([count, outputs], or int32
  // labels [count]). Allocates nothing. Rows that follow the ones of the call before cost no more than themselves;
  // elsewhere in a CSV file lines are passed one by one from a place that is known. Throws Failure: the file has
  // changed, or cannot be read.
  void read(std::int64_t first, std::int64_t count, std::byte* x, std::byte* targets);

 private:
  // Columns that are taken, and how their values are changed.
  struct Columns {
    const std::int32_t* numbers = nullptr;
    std::size_t count = 0;
    const double* means = nullptr;  // null: left as they are
    const double* scales = nullptr;
    bool adjacent = false;  // each number is one more than the one before
  };
  static Columns columns_of(const std::int32_t* numbers, std::size_t count, const double* means, const double* scales);

  template <class T>
  void read_rows(std::int64_t count, std::byte* x, std::byte* targets);
  template <class T, class Stored>
  void convert_row(const Stored* row, T* x, std::byte* targets, std::int64_t number) const;

  void seek(std::int64_t row);
  void read_block();
  const std::byte* next_npy_row();
  std::string_view next_line();
  const double* next_csv_row();
  double number_in(std::string_view cell, std::size_t column) const;
  void remember_place();
  [[noreturn]] void fail(const std::string& what) const;

  // Places of a CSV file where rows begin: of every interval_-th row, as far as they were met.
  static constexpr std::size_t kPlaces = 512;

  BatchPlan plan_;
  const gdbench_stream& stream_;
  Columns features_;
  Columns targets_;
  std::size_t row_bytes_ = 0;  // of an NPY file
  int descriptor_ = -1;
  std::size_t block_bytes_ = 0;
  AlignedBytes block_;
  std::size_t begin_ = 0;  // of what is not yet used in the block
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;     // in the file, of the block's end
  std::int64_t row_ = 0;        // that comes next
  std::vector<double> values_;  // of a CSV file's row, by column; only those that are taken are set
  std::vector<char> taken_;     // by column
  std::int64_t interval_ = 1;
  std::array<std::int64_t, kPlaces> places_{};
  std::size_t places_known_ = 0;
};

}  // namespace gdbench::loader
