#include "implementations/loader/stream_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "implementations/common/failure.h"

namespace gdbench::loader {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

double standardised(double value, double mean, double scale) { return scale == 0 ? 0 : (value - mean) / scale; }

}  // namespace

std::int64_t StreamReader::block_bytes(const gdbench_stream& stream) {
  if (stream.format == GDBENCH_STREAM_CSV) return GDBENCH_STREAM_BLOCK_BYTES;
  const auto element = static_cast<std::int64_t>(size_of(catalogue::element_of(stream)));
  return std::max<std::int64_t>(GDBENCH_STREAM_BLOCK_BYTES, stream.column_count * element);
}

StreamReader::Columns StreamReader::columns_of(const std::int32_t* numbers, std::size_t count, const double* means,
                                               const double* scales) {
  bool adjacent = true;
  for (std::size_t i = 1; i < count; ++i) adjacent = adjacent && numbers[i] == numbers[i - 1] + 1;
  return {numbers, count, means, scales, adjacent};
}

StreamReader::StreamReader(const BatchPlan& plan)
    : plan_(plan),
      stream_(*plan.data->stream),
      row_bytes_(static_cast<std::size_t>(stream_.column_count) * size_of(catalogue::element_of(stream_))),
      block_bytes_(static_cast<std::size_t>(block_bytes(stream_))),
      block_(allocate_aligned(block_bytes_)),
      offset_(stream_.first_byte) {
  const gdbench_data& data = *plan.data;
  const std::size_t targets = plan.labels ? 1 : static_cast<std::size_t>(data.outputs);
  features_ = columns_of(stream_.feature_columns, static_cast<std::size_t>(data.features), stream_.feature_means,
                         stream_.feature_scales);
  targets_ = columns_of(stream_.target_columns, targets, stream_.target_means, stream_.target_scales);
  if (stream_.format == GDBENCH_STREAM_CSV) {
    values_.resize(static_cast<std::size_t>(stream_.column_count));
    taken_.resize(values_.size());
    for (const Columns* columns : {&features_, &targets_}) {
      for (std::size_t i = 0; i < columns->count; ++i) taken_[static_cast<std::size_t>(columns->numbers[i])] = 1;
    }
    interval_ = data.rows / static_cast<std::int64_t>(kPlaces) + 1;
  }
  descriptor_ = open(stream_.path, O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(std::string("found ") + std::strerror(errno) + ", expected a file to stream");
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

StreamReader::~StreamReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

void StreamReader::fail(const std::string& what) const {
  throw implementations::Failure(GDBENCH_FAILED, std::string(stream_.path) + ": " + what);
}

// Moves what is left to the block's beginning and fills it up.
void StreamReader::read_block() {
  struct stat information {};
  const bool known = fstat(descriptor_, &information) == 0;
  const std::int64_t modified_ns =
      static_cast<std::int64_t>(information.st_mtim.tv_sec) * 1'000'000'000 + information.st_mtim.tv_nsec;
  if (!known || information.st_size != stream_.file_bytes || modified_ns != stream_.modified_ns) {
    const std::string sizes =
        "found " + std::to_string(information.st_size) + " bytes, expected the " + std::to_string(stream_.file_bytes);
    const std::string times = "found another time of modification, expected the one";
    fail((information.st_size != stream_.file_bytes ? sizes : times) +
         " of before: the file was changed while it was in use");
  }
  std::memmove(block_.get(), block_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < block_bytes_) {
    const ssize_t count = pread(descriptor_, block_.get() + end_, block_bytes_ - end_, offset_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
    if (count == 0) return;
    end_ += static_cast<std::size_t>(count);
    offset_ += count;
  }
}

const std::byte* StreamReader::next_npy_row() {
  if (end_ - begin_ < row_bytes_) read_block();
  if (end_ - begin_ < row_bytes_) fail("row " + std::to_string(row_) + " (from 0) is cut off");
  const std::byte* row = block_.get() + begin_;
  begin_ += row_bytes_;
  ++row_;
  return row;
}

// The next line that holds a row, without its end.
std::string_view StreamReader::next_line() {
  for (;;) {
    const auto* begin = reinterpret_cast<const char*>(block_.get()) + begin_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', end_ - begin_));
    if (end == nullptr) {
      read_block();
      begin = reinterpret_cast<const char*>(block_.get());
      end = static_cast<const char*>(std::memchr(begin, '\n', end_));
    }
    std::string_view line;
    if (end != nullptr) {
      line = {begin, static_cast<std::size_t>(end - begin)};
      begin_ += line.size() + 1;
    } else {
      if (end_ == 0 || end_ == block_bytes_) fail("row " + std::to_string(row_) + " (from 0) is cut off");
      line = {begin, end_};
      begin_ = end_;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() || stream_.column_count == 1) return line;
  }
}

double StreamReader::number_in(std::string_view cell, std::size_t column) const {
  std::string_view text = trimmed(cell);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  fail("row " + std::to_string(row_) + ", column " + std::to_string(column) + " (from 0): found \"" +
       std::string(cell.substr(0, 40)) + "\", expected a number");
}

// Keeps where the next row begins, if it is the next of the places to keep.
void StreamReader::remember_place() {
  if (row_ != static_cast<std::int64_t>(places_known_) * interval_ || places_known_ == kPlaces) return;
  places_[places_known_++] = offset_ - static_cast<std::int64_t>(end_ - begin_);
}

const double* StreamReader::next_csv_row() {
  remember_place();
  std::string_view rest = next_line();
  for (std::size_t column = 0; column < values_.size(); ++column) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (column + 1 == values_.size())) {
      fail("row " + std::to_string(row_) + " (from 0) does not have " + std::to_string(values_.size()) + " cells");
    }
    if (taken_[column] != 0) values_[column] = number_in(rest.substr(0, comma), column);
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
  }
  ++row_;
  return values_.data();
}

void StreamReader::seek(std::int64_t row) {
  if (row == row_) return;
  if (stream_.format == GDBENCH_STREAM_NPY) {
    const auto passed = static_cast<std::size_t>(row - row_) * row_bytes_;
    const bool within_block = row > row_ && passed <= end_ - begin_;
    row_ = row;
    if (within_block) {
      begin_ += passed;
      return;
    }
    begin_ = end_ = 0;
    offset_ = stream_.first_byte + row * static_cast<std::int64_t>(row_bytes_);
    return;
  }
  const std::int64_t known = static_cast<std::int64_t>(places_known_) - 1;
  const std::int64_t place = std::min(row / interval_, known);
  if (row < row_ || place * interval_ > row_) {
    begin_ = end_ = 0;
    row_ = std::max<std::int64_t>(place, 0) * interval_;
    offset_ = place < 0 ? stream_.first_byte : places_[static_cast<std::size_t>(place)];
  }
  while (row_ < row) {
    remember_place();
    next_line();
    ++row_;
  }
}

template <class T, class Stored>
void StreamReader::convert_row(const Stored* row, T* x, std::byte* targets, std::int64_t number) const {
  const auto convert = [&](const Columns& columns, auto* to) {
    using To = std::remove_pointer_t<decltype(to)>;
    if (columns.means != nullptr) {
      for (std::size_t j = 0; j < columns.count; ++j) {
        const auto value = static_cast<double>(row[columns.numbers[j]]);
        to[j] = static_cast<To>(standardised(value, columns.means[j], columns.scales[j]));
      }
    } else if (columns.adjacent) {
      const Stored* const from = row + columns.numbers[0];
      for (std::size_t j = 0; j < columns.count; ++j) to[j] = static_cast<To>(from[j]);
    } else {
      for (std::size_t j = 0; j < columns.count; ++j) to[j] = static_cast<To>(row[columns.numbers[j]]);
    }
  };
  convert(features_, x);
  if (!plan_.labels) {
    convert(targets_, reinterpret_cast<T*>(targets));
    return;
  }
  const auto label = static_cast<double>(row[targets_.numbers[0]]);
  if (!(label >= 0 && label < static_cast<double>(plan_.data->outputs))) {
    fail("row " + std::to_string(number) + " (from 0): found label " + std::to_string(label) + ", expected 0 to " +
         std::to_string(plan_.data->outputs - 1));
  }
  *reinterpret_cast<std::int32_t*>(targets) = static_cast<std::int32_t>(label);
}

template <class T>
void StreamReader::read_rows(std::int64_t count, std::byte* x, std::byte* targets) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = row_;
    auto* to = reinterpret_cast<T*>(x);
    if (stream_.format == GDBENCH_STREAM_CSV) {
      convert_row(next_csv_row(), to, targets, number);
    } else {
      catalogue::with_element(catalogue::element_of(stream_), [&](auto zero) {
        convert_row(reinterpret_cast<const decltype(zero)*>(next_npy_row()), to, targets, number);
      });
    }
    x += plan_.x_row_bytes();
    targets += plan_.target_row_bytes();
  }
}

void StreamReader::read(std::int64_t first, std::int64_t count, std::byte* x, std::byte* targets) {
  seek(first);
  catalogue::with_element(catalogue::dtype_of(*plan_.data),
                          [&](auto zero) { read_rows<decltype(zero)>(count, x, targets); });
}

}  // namespace gdbench::loader
