#include "harness/data/csv_records.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/data/csv.h"

namespace gdbench::data {

namespace {

using scenario::Separator;

constexpr std::size_t kBeginning = 256;  // bytes: one that is 0 is in no text
#ifdef GDBENCH_FUZZ
constexpr std::size_t kBlock = 2 * kBeginning;  // bytes: inputs that libFuzzer makes reach beyond it
#else
constexpr std::size_t kBlock = std::size_t{1} << 18;
#endif
constexpr std::size_t kLongestRecord = std::size_t{1} << 26;  // bytes
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char character) { return character == ' ' || character == '\t'; }

char mark_of(Separator separator) {
  switch (separator) {
    case Separator::semicolon:
      return ';';
    case Separator::tab:
    case Separator::blanks:
      return '\t';
    case Separator::bar:
      return '|';
    case Separator::comma:
    case Separator::automatic:
      break;
  }
  return ',';
}

// Cells of a line of the file by each separator; what is in quotes is passed over. `at` moves behind the line, and
// `aligned` becomes true where blanks follow each other.
constexpr std::array kCandidates = {Separator::semicolon, Separator::tab, Separator::bar, Separator::comma,
                                    Separator::blanks};
using Counts = std::array<std::size_t, kCandidates.size()>;

Counts cells_of_line(std::string_view text, char line_end, std::size_t& at, bool& aligned) {
  Counts counts{1, 1, 1, 1, 0};
  bool quoted = false;
  bool within_word = false;
  for (; at < text.size() && (quoted || text[at] != line_end); ++at) {
    const char character = text[at];
    if (character == '"') quoted = !quoted;
    const bool is_part = quoted || (!is_blank(character) && character != '\r');
    if (is_part && !within_word) ++counts.back();
    aligned = aligned || (!is_part && !within_word && counts.back() != 0);
    within_word = is_part;
    for (std::size_t i = 0; !quoted && i + 1 < counts.size(); ++i) counts[i] += character == mark_of(kCandidates[i]);
  }
  ++at;
  return counts;
}

// That by which all of the first lines have as many cells, more than one. Separators that numbers and texts may hold
// come last.
Separator found_separator(std::string_view text, char line_end, const std::string& comment, bool complete) {
  constexpr std::size_t kMostLines = 50;
  std::vector<Counts> lines;
  bool aligned = false;
  for (std::size_t at = 0; at < text.size() && lines.size() < kMostLines;) {
    const std::string_view rest = text.substr(at);
    const Counts counts = cells_of_line(text, line_end, at, aligned);
    if (at > text.size() && !complete) break;
    const bool is_comment = !comment.empty() && rest.starts_with(comment);
    if (!is_comment && counts.back() != 0) lines.push_back(counts);
  }
  std::vector<Separator> fitting;
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    const auto fits = [&](const Counts& line) { return line[i] > 1 && line[i] == lines[0][i]; };
    if (!lines.empty() && std::ranges::all_of(lines, fits)) fitting.push_back(kCandidates[i]);
  }
  // Columns that are aligned by blanks may have a tab somewhere.
  if (fitting.size() == 2 && fitting.front() == Separator::tab && aligned) return fitting.back();
  if (!fitting.empty()) return fitting.front();
  return Separator::comma;
}

// Where the first character begins that is no UTF-8, if any.
std::optional<std::size_t> first_fault(std::string_view text) {
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
  if (std::ranges::all_of(text, is_ascii) || is_utf8(text)) return std::nullopt;
  const auto length_at = [&](std::size_t at) -> std::size_t {
    const auto first = static_cast<unsigned char>(text[at]);
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  };
  std::size_t at = 0;
  while (is_utf8(text.substr(at, length_at(at)))) at += length_at(at);
  return at;
}

}  // namespace

Result<CsvRecords> CsvRecords::open(const std::filesystem::path& file, Separator separator, const std::string& comment,
                                    std::int64_t skip, bool quotes) {
  CsvRecords records(file, TRY(open_bytes(file, "a CSV file")), comment);
  TRY(records.fill());
  const auto text = [&] { return std::string_view(records.buffer_.data(), records.end_).substr(records.begin_); };
  if (text().starts_with(kByteOrderMark)) records.begin_ = kByteOrderMark.size();
  if (text().empty()) return file_error(file, "an empty file", "rows");
  if (text().substr(0, kBeginning).find('\0') != std::string_view::npos) {
    const bool npy = text().starts_with("\x93NUMPY");
    return file_error(file, npy ? "an NPY file" : "a binary file, or text in UTF-16",
                      npy ? "a CSV file (\"source\": \"npy\" reads it)" : "text in UTF-8");
  }
  const bool has_old_ends = text().find('\n') == std::string_view::npos && text().find('\r') != std::string_view::npos;
  if (has_old_ends) records.line_end_ = '\r';
  records.skip_ = skip;
  records.quotes_ = quotes;
  if (separator == Separator::automatic) {
    std::string_view rows = text();
    for (; skip > 0 && !rows.empty(); --skip)
      rows.remove_prefix(std::min(rows.find(records.line_end_), rows.size() - 1) + 1);
    separator = found_separator(rows, records.line_end_, comment, records.complete_);
  }
  records.separator_ = separator;
  records.mark_ = mark_of(separator);
  return records;
}

// Moves what is left to the buffer's beginning and fills it up; a record that filled it before gets more room.
Status CsvRecords::fill() {
  if (end_ - begin_ == buffer_.size()) buffer_.resize(std::max(kBlock, 2 * buffer_.size()));
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  start_ += static_cast<std::int64_t>(begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t count = TRY(source_->read(buffer_.data() + end_, buffer_.size() - end_));
  end_ += count;
  complete_ = end_ < buffer_.size();
  return {};
}

Result<bool> CsvRecords::next(CsvRecord& record) {
  for (;;) {
    const bool cut_off = std::memchr(buffer_.data() + begin_, line_end_, end_ - begin_) == nullptr;
    if (!complete_ && cut_off) {
      if (end_ - begin_ > kLongestRecord) fail(cat("more than ", kLongestRecord, " bytes"), "a shorter line");
      if (!fault_.empty()) return fault();
      TRY(fill());
      continue;
    }
    if (begin_ == end_) return false;
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    if (skip_ > 0 || (!comment_.empty() && rest.starts_with(comment_))) {
      skip_ = std::max<std::int64_t>(0, skip_ - 1);
      take_line();
      continue;
    }
    record.line = line_;
    record.cells.clear();
    record.unescaped.clear();
    switch (parse(record)) {
      case Parsed::whole:
        return true;
      case Parsed::faulty:
        return fault();
      case Parsed::cut_off:
        if (end_ - begin_ > kLongestRecord) {
          fail(cat("more than ", kLongestRecord, " bytes in a cell"), "a closing quote");
          return fault();
        }
        line_ = record.line;
        TRY(fill());
    }
  }
}

void CsvRecords::take_line() {
  const std::size_t end = std::string_view(buffer_.data(), end_).find(line_end_, begin_);
  begin_ = end == std::string_view::npos ? end_ : end + 1;
  ++line_;
}

CsvRecords::Parsed CsvRecords::parse(CsvRecord& record) {
  char* const first = buffer_.data() + begin_;
  const auto* line_end = static_cast<char*>(std::memchr(first, line_end_, end_ - begin_));
  std::string_view line(first, line_end == nullptr ? end_ - begin_ : static_cast<std::size_t>(line_end - first));
  std::size_t next = begin_ + line.size() + 1;
  std::int64_t lines = 1;
  if (!quotes_ || line.find('"') == std::string_view::npos) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    split(line, record);
    record.blank = record.cells.empty() || line.find_first_not_of(' ') == std::string_view::npos;
  } else {
    std::size_t at = begin_;
    const Parsed parsed = parse_quoted(record, at);
    if (parsed != Parsed::whole) return parsed;
    lines = line_ - record.line + 1;
    line_ = record.line;
    record.blank = false;
    next = at;
    line = {first, std::min(at, end_) - begin_};
  }
  if (const std::optional<std::size_t> place = first_fault(line)) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(line[*place]));
    return fail(formatted("the byte 0x%02x at %lld, which is not UTF-8", byte,
                          static_cast<long long>(position() + static_cast<std::int64_t>(*place))),
                "UTF-8 (iconv -f latin1 -t utf-8 makes it so of Latin-1)");
  }
  begin_ = std::min(next, end_);
  line_ += lines;
  return Parsed::whole;
}

void CsvRecords::split(std::string_view line, CsvRecord& record) const {
  if (separator_ != Separator::blanks) {
    for (;;) {
      const std::size_t mark = line.find(mark_);
      record.cells.push_back(line.substr(0, mark));
      if (mark == std::string_view::npos) return;
      line.remove_prefix(mark + 1);
    }
  }
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) return;
    at = std::min(line.find_first_of(" \t", begin), line.size());
    record.cells.push_back(line.substr(begin, at - begin));
  }
}

bool CsvRecords::ends_cell(std::size_t at) const {
  if (at >= end_) return true;
  const char character = buffer_[at];
  if (character == line_end_ || character == mark_) return true;
  if (separator_ == Separator::blanks && is_blank(character)) return true;
  return character == '\r' && at + 1 < end_ && buffer_[at + 1] == line_end_;
}

// Those around a cell in quotes.
void CsvRecords::pass_blanks(std::size_t& at) const {
  while (!ends_cell(at) && is_blank(buffer_[at])) ++at;
}

std::size_t CsvRecords::past_separator(std::size_t at) const {
  if (separator_ != Separator::blanks) return at + 1;
  while (at < end_ && is_blank(buffer_[at])) ++at;
  return at;
}

// A record with quotes, from the place `at`, which moves behind it. After a fault line_ is that of the fault.
CsvRecords::Parsed CsvRecords::parse_quoted(CsvRecord& record, std::size_t& at) {
  if (separator_ == Separator::blanks) at = past_separator(at);
  for (;;) {
    const std::size_t first = at;
    pass_blanks(at);
    if (at < end_ && buffer_[at] == '"') {
      const Parsed parsed = parse_quoted_cell(record, at);
      if (parsed != Parsed::whole) return parsed;
    } else {
      while (!ends_cell(at) && buffer_[at] != '"') ++at;
      if (at < end_ && buffer_[at] == '"') {
        return fail("a quote inside an unquoted cell", "the whole cell in quotes, quotes doubled");
      }
      record.cells.emplace_back(buffer_.data() + first, at - first);
    }
    if (at + 1 >= end_ && !complete_) return Parsed::cut_off;  // a line end of two characters may be cut
    if (at < end_ && buffer_[at] == '\r' && line_end_ == '\n') ++at;
    if (at >= end_ || buffer_[at] == line_end_) break;
    at = past_separator(at);
    if (separator_ == Separator::blanks && (at >= end_ || buffer_[at] == line_end_)) break;
  }
  ++at;
  return Parsed::whole;
}

CsvRecords::Parsed CsvRecords::parse_quoted_cell(CsvRecord& record, std::size_t& at) {
  const std::size_t first = at + 1;
  const std::int64_t opened = line_;
  bool doubled = false;
  for (++at; at < end_; ++at) {
    if (buffer_[at] == line_end_) ++line_;
    if (buffer_[at] != '"') continue;
    if (at + 1 >= end_ || buffer_[at + 1] != '"') break;
    doubled = true;
    ++at;
  }
  if (at + 1 >= end_ && !complete_) return Parsed::cut_off;
  if (at >= end_) {
    line_ = opened;
    return fail("a quoted cell without an end", "a closing quote");
  }
  std::string_view text(buffer_.data() + first, at - first);
  if (doubled) {
    std::string& unescaped = record.unescaped.emplace_back();
    for (std::size_t i = 0; i < text.size(); ++i) {
      unescaped += text[i];
      if (text[i] == '"') ++i;
    }
    text = unescaped;
  }
  record.cells.push_back(text);
  pass_blanks(++at);
  if (!ends_cell(at)) return fail("text after a closing quote", "a separator or the end of the line");
  return Parsed::whole;
}

CsvRecords::Parsed CsvRecords::fail(const std::string& found, const std::string& expected) {
  fault_ = cat("line ", line_, ": found ", found, ", expected ", expected);
  return Parsed::faulty;
}

Error CsvRecords::fault() const { return usage_error(one_line(file_.string() + ": " + fault_)); }

}  // namespace gdbench::data
