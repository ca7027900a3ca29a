#include "harness/data/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/data/csv_cells.h"
#include "harness/data/moments.h"

namespace gdbench::data {

namespace {

constexpr std::int64_t kFirstLine = 2;  // below the header

std::int64_t modification_ns(const struct stat& information) {
  return static_cast<std::int64_t>(information.st_mtim.tv_sec) * 1'000'000'000 + information.st_mtim.tv_nsec;
}

template <class T>
void take_columns(const char* row, const std::vector<std::int32_t>& columns, double* values) {
  for (const std::int32_t column : columns) {
    T value;
    std::memcpy(&value, row + static_cast<std::size_t>(column) * sizeof(T), sizeof(T));
    *values++ = static_cast<double>(value);
  }
}

}  // namespace

std::int64_t StreamFile::block_bytes() const {
  return format == StreamFormat::npy ? std::max(kStreamBlockBytes, row_bytes()) : kStreamBlockBytes;
}

Status note_size_and_time(StreamFile& file) {
  struct stat information {};
  if (stat(file.path.c_str(), &information) != 0) {
    return file_error(file.path, std::strerror(errno), "a file to stream");
  }
  file.file_bytes = information.st_size;
  file.modified_ns = modification_ns(information);
  return {};
}

StreamReader::StreamReader(const StreamFile& file)
    : file_(file), block_(static_cast<std::size_t>(file.block_bytes())), offset_(file.first_byte), line_(kFirstLine) {}

Error StreamReader::fault(const std::string& what) const {
  return usage_error(one_line(file_.path.string() + ": " + what));
}

Status StreamReader::open() {
  if (descriptor_.is_open()) return {};
  descriptor_ = UniqueDescriptor(::open(file_.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor_.is_open())
    return fault(std::string("found ") + std::strerror(errno) + ", expected a file to stream");
  posix_fadvise(descriptor_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return {};
}

// Moves what is left to the block's beginning and fills it up.
Status StreamReader::read_block() {
  TRY(open());
  struct stat information {};
  if (fstat(descriptor_.number(), &information) != 0 || information.st_size != file_.file_bytes ||
      modification_ns(information) != file_.modified_ns) {
    const std::string sizes = cat("found ", information.st_size, " bytes, expected the ", file_.file_bytes);
    const std::string times = "found another time of modification, expected the one";
    return fault((information.st_size != file_.file_bytes ? sizes : times) +
                 " of before: the file was changed while it was in use");
  }
  std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < block_.size()) {
    const ssize_t count = pread(descriptor_.number(), block_.data() + end_, block_.size() - end_, offset_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fault(std::string("cannot be read: ") + std::strerror(errno));
    if (count == 0) return {};
    if (hash_ != nullptr) hash_->add(block_.data() + end_, static_cast<std::size_t>(count));
    end_ += static_cast<std::size_t>(count);
    offset_ += count;
  }
  return {};
}

// A line without its end; false behind the last one.
Result<bool> StreamReader::next_line(std::string_view& line) {
  const auto find_end = [&] {
    return static_cast<const char*>(std::memchr(block_.data() + begin_, '\n', end_ - begin_));
  };
  const char* end = find_end();
  if (end == nullptr) {
    TRY(read_block());
    end = find_end();
  }
  const char* begin = block_.data() + begin_;
  if (end != nullptr) {
    begin_ += static_cast<std::size_t>(end - begin) + 1;
  } else if (end_ - begin_ == block_.size()) {
    return fault("line " + std::to_string(line_) + ": found more than " + std::to_string(block_.size()) +
                 " bytes, expected a shorter line");
  } else {
    end = block_.data() + end_;
    begin_ = end_;
    if (end == begin) return false;
  }
  ++line_;
  line = {begin, static_cast<std::size_t>(end - begin)};
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Result<bool> StreamReader::next_csv(double* features, double* targets) {
  std::string_view line;
  do {
    Result<bool> read = next_line(line);
    if (!read.ok() || !read.value()) return read;
  } while (line.empty() && file_.column_count > 1);
  const std::string place = "line " + std::to_string(line_ - 1);
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
  if (line.find('"') != std::string_view::npos || !(std::ranges::all_of(line, is_ascii) || is_utf8(line))) {
    return fault(place + ": found a quote or what is not UTF-8, expected plain numbers");
  }
  cells_.clear();
  for (std::string_view rest = line;;) {
    const std::size_t comma = rest.find(',');
    cells_.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (static_cast<std::int64_t>(cells_.size()) != file_.column_count) {
    return fault(place + ": found " + std::to_string(cells_.size()) + " cells, expected " +
                 std::to_string(file_.column_count) + " as in the header");
  }
  const auto read_cells = [&](const std::vector<std::int32_t>& columns, double* values) -> Status {
    for (const std::int32_t column : columns) {
      const std::string_view cell = cells_[static_cast<std::size_t>(column)];
      const std::optional<double> number = cell_number(cell);
      if (!number) {
        return fault(place + ", column " + std::to_string(column) + " (from 0): found " + in_quotes(cell) +
                     ", expected a finite number");
      }
      *values++ = *number;
    }
    return {};
  };
  TRY(read_cells(file_.feature_columns, features));
  TRY(read_cells(file_.target_columns, targets));
  ++row_;
  return true;
}

Result<bool> StreamReader::next_npy(double* features, double* targets) {
  const auto row_bytes = static_cast<std::size_t>(file_.row_bytes());
  if (end_ - begin_ < row_bytes) {
    TRY(read_block());
    if (end_ == begin_) return false;
    if (end_ - begin_ < row_bytes) return fault("row " + std::to_string(row_) + " (from 0) is cut off");
  }
  const char* row = block_.data() + begin_;
  catalogue::with_element(file_.element, [&](auto zero) {
    take_columns<decltype(zero)>(row, file_.feature_columns, features);
    take_columns<decltype(zero)>(row, file_.target_columns, targets);
  });
  begin_ += row_bytes;
  ++row_;
  return true;
}

Result<bool> StreamReader::next(double* features, double* targets) {
  return file_.format == StreamFormat::csv ? next_csv(features, targets) : next_npy(features, targets);
}

StreamRows::StreamRows(StreamFile file, catalogue::Dtype dtype)
    : file_(std::move(file)), dtype_(dtype), reader_(file_) {}

// Standardises and rounds.
void StreamRows::finish(double* values, std::size_t count, const std::vector<double>& means,
                        const std::vector<double>& scales) const {
  for (std::size_t j = 0; j < count; ++j) {
    if (!means.empty()) values[j] = standardised(values[j], means[j], scales[j]);
    if (dtype_ == catalogue::Dtype::f32) values[j] = static_cast<float>(values[j]);
  }
}

Status StreamRows::read_row(double* x, double* targets) {
  const bool read = TRY(reader_.next(x, targets));
  if (!read) return usage_error(one_line(file_.path.string()) + ": found fewer rows than before");
  finish(x, file_.feature_columns.size(), file_.feature_means, file_.feature_scales);
  finish(targets, file_.target_columns.size(), file_.target_means, file_.target_scales);
  return {};
}

void StreamRows::read(std::int64_t first, std::int64_t count, std::vector<double>& x, std::vector<double>& targets) {
  const std::size_t features = file_.feature_columns.size();
  const std::size_t outputs = file_.target_columns.size();
  x.resize(static_cast<std::size_t>(count) * features);
  targets.resize(static_cast<std::size_t>(count) * outputs);
  Status status = fault_ ? Status(*fault_) : reader_.seek(first);
  for (std::size_t row = 0; row < static_cast<std::size_t>(count) && status.ok(); ++row) {
    status = read_row(x.data() + row * features, targets.data() + row * outputs);
  }
  if (status.ok()) return;
  fault_ = status.error();
  std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(targets.begin(), targets.end(), std::numeric_limits<double>::quiet_NaN());
}

Status StreamReader::seek(std::int64_t row) {
  if (row == row_) return {};
  const bool csv = file_.format == StreamFormat::csv;
  if (row < row_ || !csv) {
    begin_ = end_ = 0;
    row_ = csv ? 0 : row;
    line_ = kFirstLine;
    offset_ = file_.first_byte + (csv ? 0 : row * file_.row_bytes());
  }
  while (row_ < row) {
    std::string_view line;
    const bool read = TRY(next_line(line));
    if (!read) return fault("found " + std::to_string(row_) + " rows, expected row " + std::to_string(row));
    if (!line.empty() || file_.column_count == 1) ++row_;
  }
  return {};
}

}  // namespace gdbench::data
