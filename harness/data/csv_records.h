// The records of a CSV file, block after block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/byte_source.h"
#include "harness/base/result.h"
#include "harness/scenario/data_source.h"

namespace gdbench::data {

struct CsvRecord {
  std::int64_t line = 0;                // where it begins, counted from 1
  std::vector<std::string_view> cells;  // until the next record is read
  std::deque<std::string> unescaped;    // those whose quotes were doubled
  bool blank = false;                   // an empty line, or one of spaces
};

// As RFC 4180 has them, with another separator if need be. Lines end in LF, CRLF or, where there is neither, CR. Cells
// in quotes, around which blanks may be, may hold separators, line breaks and doubled quotes. Blanks: any run of spaces
// and tabs separates cells.
class CsvRecords {
 public:
  // `skip` lines at the beginning are left out. Without `quotes` a quote is a character as any other. Errors name the
  // file: those of open_bytes, and an empty one.
  static Result<CsvRecords> open(const std::filesystem::path& file, scenario::Separator separator,
                                 const std::string& comment = "", std::int64_t skip = 0, bool quotes = true);

  // False behind the last one. Errors name the file and the line: an open quote, bytes that are not UTF-8.
  Result<bool> next(CsvRecord& record);
  scenario::Separator separator() const { return separator_; }                          // which it is, of `automatic`
  std::int64_t position() const { return start_ + static_cast<std::int64_t>(begin_); }  // in the file, of the next one

 private:
  enum class Parsed { whole, cut_off, faulty };

  CsvRecords(std::filesystem::path file, std::unique_ptr<ByteSource> source, std::string comment)
      : file_(std::move(file)), source_(std::move(source)), comment_(std::move(comment)) {}

  Status fill();
  void take_line();
  Parsed parse(CsvRecord& record);
  Parsed parse_quoted(CsvRecord& record, std::size_t& at);
  Parsed parse_quoted_cell(CsvRecord& record, std::size_t& at);
  void split(std::string_view line, CsvRecord& record) const;
  bool ends_cell(std::size_t at) const;
  void pass_blanks(std::size_t& at) const;
  std::size_t past_separator(std::size_t at) const;
  Parsed fail(const std::string& found, const std::string& expected);
  Error fault() const;

  std::filesystem::path file_;
  std::unique_ptr<ByteSource> source_;
  std::string comment_;
  scenario::Separator separator_ = scenario::Separator::comma;
  bool quotes_ = true;
  char mark_ = ',';  // the separator's
  char line_end_ = '\n';
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is not used yet in the buffer
  std::size_t end_ = 0;
  std::int64_t start_ = 0;  // in the file, of the buffer
  std::int64_t line_ = 1;
  std::int64_t skip_ = 0;  // lines that are still to be left out
  bool complete_ = false;  // the buffer's end is the file's
  std::string fault_;
};

}  // namespace gdbench::data
