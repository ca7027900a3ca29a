#include "harness/data/csv.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "harness/base/text.h"
#include "harness/data/csv_records.h"
#include "harness/data/names.h"

namespace gdbench::data {

namespace {

using catalogue::Targets;
using scenario::EmptyCells;
using scenario::NumberFormat;

Error csv_fault(const std::filesystem::path& file, const std::string& message) {
  return usage_error(one_line(file.string() + ": " + message));
}

constexpr const char* kSkip = " (\"skip\": 1 in /data leaves a line at the beginning out)";

// What the key of /data would be that makes a first line like this one no header. Without a header they are numbers.
std::string hint_about(const std::vector<std::string>& header) {
  std::size_t numbered = 0;
  while (numbered < header.size() && header[numbered] == std::to_string(numbered)) ++numbered;
  if (numbered == header.size()) return kSkip;
  if (header.front().starts_with('#')) return " (\"comment\": \"#\" in /data leaves such lines out)";
  const auto is_number = [](const std::string& cell) { return cell_number(cell).has_value(); };
  if (!std::ranges::all_of(header, is_number)) return "";
  return " (the first line holds numbers alone: \"header\": false in /data takes columns by their numbers)";
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
    return csv_fault(
        file, cat("line 1: found no column ", quoted_name, ", expected ", one_of(name, header), hint_about(header)));
  }
  return columns;
}

// The key of /data that would read a cell which is no number as things are; empty where there is none.
std::string remedy_for(std::string_view cell) {
  constexpr std::string_view kUsual[] = {"?", "NA", "N/A", "n/a", "na", "nan", "NaN", "null", "NULL", "-", "."};
  const std::string_view text = trimmed(cell);
  if (std::ranges::find(kUsual, text) != std::end(kUsual)) return cat("\"missing\": [", in_quotes(text), "]");
  std::vector<std::string> keys;
  const auto propose = [&](const NumberFormat& format, const char* key) {
    if (cell_number(cell, format)) keys.emplace_back(key);
  };
  propose({.decimal = scenario::Decimal::comma}, "\"decimal\": \",\"");
  propose({.thousands = scenario::Thousands::comma}, "\"thousands\": \",\"");
  propose({.thousands = scenario::Thousands::blank}, "\"thousands\": \"blank\"");
  propose({.thousands = scenario::Thousands::apostrophe}, "\"thousands\": \"'\"");
  propose({.percent = true}, "\"percent\": true");
  if (keys.empty()) {
    propose({.decimal = scenario::Decimal::comma, .thousands = scenario::Thousands::point},
            "\"decimal\": \",\" with \"thousands\": \".\"");
  }
  return joined(keys, " or ");
}

class CsvReader {
 public:
  CsvReader(const std::filesystem::path& file, const scenario::CsvData& data, Targets targets)
      : file_(file), data_(data), targets_(targets) {}

  Result<Table> read() {
    CsvRecords records = TRY(CsvRecords::open(file_, data_.separator, data_.comment, data_.skip));
    if (data_.separator == scenario::Separator::automatic && records.separator() != scenario::Separator::comma) {
      table_.remarks.push_back(cat("cells are separated by ", words_of(records.separator())));
    }
    CsvRecord record;
    bool more = TRY(records.next(record));
    if (!more) return fault("found comments alone, expected rows");
    TRY(take_header(record));
    if (data_.header) more = TRY(records.next(record));
    while (more) {
      if (!record.blank || header_.size() == 1) TRY(read_record(record));
      more = TRY(records.next(record));
    }
    return finish();
  }

 private:
  static std::string words_of(scenario::Separator separator) {
    const std::string name = name_of(separator);
    return separator == scenario::Separator::tab ? "tabs" : name.size() == 1 ? in_quotes(name) : name;
  }

  Error fault(const std::string& message) const { return csv_fault(file_, message); }

  Error cell_fault(const CsvRecord& record, std::size_t column, const std::string& found,
                   const std::string& expected) const {
    return fault(
        cat("line ", record.line, ", column ", in_quotes(header_[column]), ": found ", found, ", expected ", expected));
  }

  // The columns by the first record, their names or their numbers.
  Status take_header(const CsvRecord& record) {
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
      header_.push_back(data_.header ? std::string(trimmed(record.cells[i])) : std::to_string(i));
    }
    std::vector<std::string> features = data_.features;
    if (features.empty() && header_.size() > 2 && header_.front().empty()) {
      const auto is_feature = [&](const std::string& name) { return std::ranges::count(data_.targets, name) == 0; };
      std::copy_if(header_.begin() + 1, header_.end(), std::back_inserter(features), is_feature);
      table_.remarks.emplace_back("the first column, which has no name, is left out: such columns hold row numbers");
    }
    columns_ = TRY(find_csv_columns(file_, header_, features, data_.targets));
    TRY(find_columns(file_, header_, data_.one_hot));
    for (const std::string& name : data_.one_hot) {
      const auto found = std::ranges::find(columns_.feature_names, name);
      named_.add(static_cast<std::size_t>(found - columns_.feature_names.begin()));
    }
    sums_.assign(columns_.features.size(), 0.0);
    return {};
  }

  bool is_empty(std::string_view cell) const {
    const std::string_view text = trimmed(cell);
    return text.empty() || std::ranges::find(data_.missing, text) != data_.missing.end();
  }

  // The first chosen column whose cell is empty, and cannot become a mean.
  std::optional<std::size_t> empty_column(const CsvRecord& record) const {
    for (std::size_t feature = 0; feature < columns_.features.size(); ++feature) {
      const bool becomes_mean = data_.empty_cells == EmptyCells::mean && !named_.has(feature);
      if (!becomes_mean && is_empty(record.cells[columns_.features[feature]])) return columns_.features[feature];
    }
    for (const std::size_t column : columns_.targets) {
      if (is_empty(record.cells[column])) return column;
    }
    return std::nullopt;
  }

  Status read_record(const CsvRecord& record) {
    if (record.cells.size() != header_.size()) {
      return fault(cat("line ", record.line, ": found ", record.cells.size(), " cells, expected ", header_.size(),
                       data_.header ? " as in the header" : " as in the first line",
                       table_.rows == 1 && !data_.header ? kSkip : ""));
    }
    if (const std::optional<std::size_t> column = empty_column(record)) {
      if (data_.empty_cells == EmptyCells::reject) {
        const std::string_view text = trimmed(record.cells[*column]);
        return cell_fault(record, *column, text.empty() ? "an empty cell" : in_quotes(text) + ", which is missing",
                          "a value (or \"empty_cells\": \"drop\" or \"mean\" in /data)");
      }
      ++table_.dropped_rows;
      return {};
    }
    TRY(read_features(record));
    if (targets_ == Targets::labels) {
      names_.add(trimmed(record.cells[columns_.targets.front()]));
    } else {
      for (const std::size_t column : columns_.targets) TRY(read_target(record, column));
    }
    ++table_.rows;
    if (table_.x.size() * sizeof(double) <= max_data_bytes()) return {};
    return fault(cat("line ", record.line, ": found more than ", max_data_bytes(),
                     " bytes of features, expected at most a quarter of the memory"));
  }

  Status read_features(const CsvRecord& record) {
    constexpr const char* kNumber =
        "a finite number (/data/features names the columns to take, /data/one_hot those of names)";
    for (std::size_t feature = 0; feature < columns_.features.size(); ++feature) {
      const std::size_t column = columns_.features[feature];
      const std::string_view cell = record.cells[column];
      if (named_.has(feature)) {
        table_.x.push_back(named_.place_of(feature, trimmed(cell)));
      } else if (data_.empty_cells == EmptyCells::mean && is_empty(cell)) {
        table_.x.push_back(std::numeric_limits<double>::quiet_NaN());
        ++means_;
      } else {
        table_.x.push_back(TRY(number_in(record, column, kNumber)));
        sums_[feature] += table_.x.back();
      }
    }
    return {};
  }

  // Of shares text is allowed until it is known how many texts there are.
  Status read_target(const CsvRecord& record, std::size_t column) {
    const std::string_view cell = record.cells[column];
    const bool by_name = targets_ == Targets::shares && data_.targets.size() == 1;
    if (by_name && (!data_.positive.empty() || !cell_number(cell, data_.numbers))) {
      if (names_.empty()) first_name_ = cell_fault(record, column, in_quotes(cell), "a number, or one of two texts");
      names_.add(trimmed(cell));
      return {};
    }
    table_.y.push_back(TRY(number_in(record, column, "a finite number (labels need softmax_cross_entropy)")));
    return {};
  }

  Result<double> number_in(const CsvRecord& record, std::size_t column, const char* expected) const {
    const std::string_view cell = record.cells[column];
    if (const std::optional<double> number = cell_number(cell, data_.numbers)) return *number;
    const std::string remedy = remedy_for(cell);
    return cell_fault(record, column, in_quotes(cell),
                      remedy.empty() ? expected : cat("a finite number (or ", remedy, " in /data)"));
  }

  Result<Table> finish() {
    if (table_.rows == 0) {
      return fault(table_.dropped_rows != 0 ? "found an empty cell in every row, expected rows without"
                   : data_.header           ? "found no rows below the header, expected some"
                                            : "found no rows, expected some");
    }
    table_.features = static_cast<std::int64_t>(columns_.features.size());
    table_.outputs = static_cast<std::int64_t>(columns_.targets.size());
    if (table_.dropped_rows != 0)
      table_.remarks.push_back(cat(table_.dropped_rows,
                                   table_.dropped_rows == 1 ? " row with empty cells is" : " rows with empty cells are",
                                   " left out"));
    TRY(fill_means());
    table_.feature_names = std::move(columns_.feature_names);
    table_.target_names = data_.targets;
    if (const Status expanded = named_.expand(table_); !expanded.ok()) return fault(expanded.error().message);
    if (targets_ == Targets::labels) names_.take_labels(table_);
    if (targets_ == Targets::shares && !names_.empty()) {
      if (!table_.y.empty()) return first_name_;  // numbers and texts
      const Status taken = names_.take_shares(table_, data_.positive);
      if (!taken.ok()) return fault(cat("column ", in_quotes(data_.targets.front()), ": ", taken.error().message));
    }
    return std::move(table_);
  }

  Status fill_means() {
    if (means_ == 0) return {};
    const std::size_t width = sums_.size();
    std::vector<double> present(width, static_cast<double>(table_.rows));
    for (std::size_t i = 0; i < table_.x.size(); ++i) present[i % width] -= std::isnan(table_.x[i]) ? 1 : 0;
    for (std::size_t feature = 0; feature < width; ++feature) {
      if (present[feature] != 0) continue;
      return fault(cat("column ", in_quotes(columns_.feature_names[feature]),
                       ": found empty cells alone, expected some numbers, whose mean they become"));
    }
    for (std::size_t i = 0; i < table_.x.size(); ++i) {
      if (std::isnan(table_.x[i])) table_.x[i] = sums_[i % width] / present[i % width];
    }
    table_.remarks.push_back(
        cat(means_, means_ == 1 ? " empty cell is" : " empty cells are", " the mean of their column"));
    return {};
  }

  const std::filesystem::path& file_;
  const scenario::CsvData& data_;
  Targets targets_;
  std::vector<std::string> header_;
  CsvColumns columns_;
  NamedColumns named_;
  NamedTargets names_;
  Error first_name_;          // that a target which is a text would be
  std::vector<double> sums_;  // of a feature's numbers
  std::int64_t means_ = 0;    // cells that become the mean of their column
  Table table_;
};

// The number's text as from_chars reads it; nothing where groups of digits are not of three.
std::optional<std::string> plain_number(std::string_view text, const NumberFormat& format) {
  constexpr char kMarks[] = {'\0', ',', '.', ' ', '\''};
  const char decimal = format.decimal == scenario::Decimal::comma ? ',' : '.';
  const char group = kMarks[static_cast<std::size_t>(format.thousands)];
  const std::size_t end = std::min(text.find(decimal), text.size());
  std::string plain;
  std::size_t digits = 0;  // since the last group began
  bool grouped = false;
  for (const char character : text.substr(0, end)) {
    const bool ends_group = group != '\0' && character == group;
    if (ends_group && (digits == 0 || digits > 3 || (grouped && digits != 3))) return std::nullopt;
    if (!ends_group) plain += character;
    grouped = grouped || ends_group;
    if (ends_group || (character >= '0' && character <= '9')) digits = ends_group ? 0 : digits + 1;
  }
  if (grouped && digits != 3) return std::nullopt;
  if (decimal == ',' && plain.find('.') != std::string::npos) return std::nullopt;
  if (end == text.size()) return plain;
  return plain.append(".").append(text.substr(end + 1));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> cell_number(std::string_view cell, const NumberFormat& format) {
  std::string_view text = trimmed(cell);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const bool percent = format.percent && text.ends_with('%');
  if (percent) text = trimmed(text.substr(0, text.size() - 1));
  std::optional<double> number;
  if (format.decimal == scenario::Decimal::point && format.thousands == scenario::Thousands::none) {
    number = number_of<double>(text);
  } else if (const std::optional<std::string> plain = plain_number(text, format)) {
    number = number_of<double>(*plain);
  }
  if (number && percent) *number /= 100;
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

Result<CsvHeader> read_csv_header(const std::filesystem::path& file) {
  CsvRecords records = TRY(CsvRecords::open(file, scenario::Separator::comma));
  CsvRecord record;
  const bool read = TRY(records.next(record));
  if (!read) return csv_fault(file, "found no header, expected one");
  CsvHeader header;
  for (const std::string_view cell : record.cells) header.cells.emplace_back(trimmed(cell));
  header.first_byte = records.position();
  return header;
}

Result<Table> read_csv(const std::filesystem::path& file, const scenario::CsvData& data, Targets targets) {
  return CsvReader(file, data, targets).read();
}

}  // namespace gdbench::data
