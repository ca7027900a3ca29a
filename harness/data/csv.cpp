#include "harness/data/csv.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/data/names.h"

namespace gdbench::data {

namespace {

constexpr const char* kEmptyFile = "found an empty file, expected a header and rows";

struct Record {
  std::int64_t line = 0;  // where it begins, counted from 1
  std::vector<std::string> cells;
  bool blank = false;  // an empty line
};

// Splits text into records. After a fault `next` yields nothing and `fault` says why.
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") position_ = 3;  // byte order mark
  }

  bool next(Record& record) {
    if (position_ >= text_.size() || !fault_.empty()) return false;
    record.line = line_;
    record.cells.clear();
    const std::size_t begin = position_;
    do {
      record.cells.emplace_back();
      if (!read_cell(record.cells.back())) return false;
    } while (take(','));
    record.blank = position_ == begin;
    take('\r');
    if (take('\n')) ++line_;
    return true;
  }

  const std::string& fault() const { return fault_; }
  std::size_t position() const { return position_; }  // of the next record

 private:
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool take(char character) {
    if (position_ >= text_.size() || text_[position_] != character) return false;
    ++position_;
    return true;
  }

  bool at_cell_end() const {
    if (position_ >= text_.size()) return true;
    const char character = text_[position_];
    return character == ',' || character == '\n' || (character == '\r' && text_.substr(position_, 2) == "\r\n");
  }

  bool read_cell(std::string& cell) {
    if (take('"')) return read_quoted_cell(cell);
    while (!at_cell_end()) {
      if (peek() == '"') return fail("a quote inside an unquoted cell", "the whole cell in quotes, quotes doubled");
      cell += text_[position_++];
    }
    return true;
  }

  bool read_quoted_cell(std::string& cell) {
    const std::int64_t opened = line_;
    while (position_ < text_.size()) {
      const char character = text_[position_++];
      if (character == '"' && !take('"')) {
        return at_cell_end() || fail("text after a closing quote", "a comma or the end of the line");
      }
      if (character == '\n') ++line_;
      cell += character;
    }
    line_ = opened;
    return fail("a quoted cell without an end", "a closing quote");
  }

  bool fail(const std::string& found, const std::string& expected) {
    fault_ = "line " + std::to_string(line_);
    fault_.append(": found ").append(found).append(", expected ").append(expected);
    return false;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::int64_t line_ = 1;
  std::string fault_;
};

Error csv_fault(const std::filesystem::path& file, const std::string& message) {
  return usage_error(one_line(file.string() + ": " + message));
}

Result<std::vector<std::size_t>> find_columns(const std::filesystem::path& file, const std::vector<std::string>& header,
                                              const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto count = std::count(header.begin(), header.end(), name);
    if (count == 1) {
      columns.push_back(static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin()));
      continue;
    }
    const std::string quoted_name = in_quotes(name);
    if (count > 1) {
      return csv_fault(file, "line 1: found column " + quoted_name + " more than once, expected distinct names");
    }
    return csv_fault(file, "line 1: found no column " + quoted_name + ", expected " + one_of(name, header));
  }
  return columns;
}

class CsvReader {
 public:
  CsvReader(const std::filesystem::path& file, const scenario::CsvData& data, bool labels)
      : file_(file), data_(data), labels_(labels) {}

  Result<Table> read() {
    std::string text = TRY(read_file(file_, "a CSV file with a header", max_data_bytes()));
    if (!is_utf8(text)) return fault("found bytes that are not UTF-8, expected UTF-8");

    CsvRecords records(text);
    Record record;
    if (!records.next(record)) return fault(records.fault().empty() ? kEmptyFile : records.fault());
    header_ = record.cells;
    columns_ = TRY(find_csv_columns(file_, header_, data_.features, data_.targets));
    TRY(find_named_columns());
    while (records.next(record)) {
      if (record.blank && header_.size() > 1) continue;
      TRY(read_record(record));
    }
    if (!records.fault().empty()) return fault(records.fault());
    return finish();
  }

 private:
  Error fault(const std::string& message) const { return csv_fault(file_, message); }

  Error cell_fault(const Record& record, std::size_t column, const std::string& found,
                   const std::string& expected) const {
    return fault("line " + std::to_string(record.line) + ", column " + in_quotes(header_[column]) + ": found " + found +
                 ", expected " + expected);
  }

  Status find_named_columns() {
    TRY(find_columns(file_, header_, data_.one_hot));
    for (const std::string& name : data_.one_hot) {
      const auto found = std::ranges::find(columns_.feature_names, name);
      named_.add(static_cast<std::size_t>(found - columns_.feature_names.begin()));
    }
    return {};
  }

  // The first chosen column whose cell is empty.
  std::optional<std::size_t> empty_column(const Record& record) const {
    for (const auto* columns : {&columns_.features, &columns_.targets}) {
      for (const std::size_t column : *columns) {
        if (trimmed(record.cells[column]).empty()) return column;
      }
    }
    return std::nullopt;
  }

  Status read_record(const Record& record) {
    if (record.cells.size() != header_.size()) {
      return fault("line " + std::to_string(record.line) + ": found " + std::to_string(record.cells.size()) +
                   " cells, expected " + std::to_string(header_.size()) + " as in the header");
    }
    if (const std::optional<std::size_t> column = empty_column(record)) {
      if (data_.empty_cells == scenario::EmptyCells::reject) {
        return cell_fault(record, *column, "an empty cell", "a value (or \"empty_cells\": \"drop\" in /data)");
      }
      ++table_.dropped_rows;
      return {};
    }
    TRY(read_features(record));
    if (labels_) {
      label_texts_.push_back(record.cells[columns_.targets.front()]);
    } else {
      for (const std::size_t column : columns_.targets) {
        table_.y.push_back(TRY(number_in(record, column, "a finite number (labels need softmax_cross_entropy)")));
      }
    }
    ++table_.rows;
    return {};
  }

  Status read_features(const Record& record) {
    constexpr const char* kNumber =
        "a finite number (/data/features names the columns to take, /data/one_hot those of names)";
    for (std::size_t feature = 0; feature < columns_.features.size(); ++feature) {
      const std::size_t column = columns_.features[feature];
      if (named_.has(feature)) {
        table_.x.push_back(named_.place_of(feature, record.cells[column]));
      } else {
        table_.x.push_back(TRY(number_in(record, column, kNumber)));
      }
    }
    return {};
  }

  Result<double> number_in(const Record& record, std::size_t column, const std::string& expected) const {
    const std::optional<double> number = cell_number(record.cells[column]);
    if (!number) return cell_fault(record, column, in_quotes(record.cells[column]), expected);
    return *number;
  }

  Result<Table> finish() {
    if (table_.rows == 0) {
      return fault(table_.dropped_rows == 0 ? "found no rows below the header, expected some"
                                            : "found an empty cell in every row, expected rows without");
    }
    table_.features = static_cast<std::int64_t>(columns_.features.size());
    table_.outputs = static_cast<std::int64_t>(columns_.targets.size());
    table_.feature_names = std::move(columns_.feature_names);
    table_.target_names = data_.targets;
    if (const Status expanded = named_.expand(table_); !expanded.ok()) return fault(expanded.error().message);
    if (labels_) map_labels();
    return std::move(table_);
  }

  void map_labels() {
    table_.has_labels = true;
    table_.class_names = in_class_order(label_texts_);
    table_.outputs = static_cast<std::int64_t>(table_.class_names.size());
    std::map<std::string_view, std::int32_t> numbers;
    for (std::size_t i = 0; i < table_.class_names.size(); ++i) {
      numbers[table_.class_names[i]] = static_cast<std::int32_t>(i);
    }
    for (const std::string& text : label_texts_) table_.labels.push_back(numbers[text]);
  }

  const std::filesystem::path& file_;
  const scenario::CsvData& data_;
  bool labels_;
  std::vector<std::string> header_;
  CsvColumns columns_;
  NamedColumns named_;
  std::vector<std::string> label_texts_;
  Table table_;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> cell_number(std::string_view cell) {
  std::string_view text = trimmed(cell);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const std::optional<double> number = number_of<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

Result<CsvColumns> find_csv_columns(const std::filesystem::path& file, const std::vector<std::string>& header,
                                    const std::vector<std::string>& features, const std::vector<std::string>& targets) {
  std::vector<std::size_t> target_columns = TRY(find_columns(file, header, targets));
  std::vector<std::string> names = features;
  for (const std::string& name : header) {
    const bool is_target = std::find(targets.begin(), targets.end(), name) != targets.end();
    if (features.empty() && !is_target) names.push_back(name);
  }
  if (names.empty()) return csv_fault(file, "line 1: found targets only, expected at least one feature column");
  std::vector<std::size_t> feature_columns = TRY(find_columns(file, header, names));
  return CsvColumns{std::move(feature_columns), std::move(target_columns), std::move(names)};
}

Result<CsvHeader> read_csv_header(const std::filesystem::path& file, std::string_view text) {
  CsvRecords records(text);
  Record record;
  if (!records.next(record)) return csv_fault(file, records.fault().empty() ? kEmptyFile : records.fault());
  return CsvHeader{std::move(record.cells), records.position()};
}

Result<Table> read_csv(const std::filesystem::path& file, const scenario::CsvData& data, bool labels) {
  return CsvReader(file, data, labels).read();
}

}  // namespace gdbench::data
