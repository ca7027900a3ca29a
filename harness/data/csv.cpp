#include "harness/data/csv.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "harness/base/text.h"
#include "harness/data/csv_cells.h"

namespace gdbench::data {

using catalogue::Targets;
using scenario::EmptyCells;

namespace {

std::string words_of(scenario::Separator separator) {
  const std::string name = name_of(separator);
  return separator == scenario::Separator::tab ? "tabs" : name.size() == 1 ? in_quotes(name) : name;
}

}  // namespace

Error CsvReader::cell_fault(const CsvRecord& record, std::size_t column, const std::string& found,
                            const std::string& expected) const {
  return fault(
      cat("line ", record.line, ", column ", in_quotes(header_[column]), ": found ", found, ", expected ", expected));
}

Result<CsvReader> CsvReader::open(const std::filesystem::path& file, const scenario::CsvData& data, Targets targets) {
  CsvRecords records = TRY(CsvRecords::open(file, data.separator, data.comment, data.skip));
  CsvReader reader(file, data, targets, std::move(records));
  TRY(reader.begin());
  return reader;
}

Status CsvReader::begin() {
  if (data_.separator == scenario::Separator::automatic && records_.separator() != scenario::Separator::comma) {
    table_.remarks.push_back(cat("cells are separated by ", words_of(records_.separator())));
  }
  std::error_code unknown;
  file_bytes_ = std::filesystem::file_size(file_, unknown);
  do more_ = TRY(records_.next(record_));
  while (more_ && record_.blank);
  if (!more_) return fault("found comments and empty lines alone, expected rows");
  TRY(take_header(record_));
  if (data_.header) more_ = TRY(records_.next(record_));
  return {};
}

// The columns by the first record, their names or their numbers.
Status CsvReader::take_header(const CsvRecord& record) {
  for (std::size_t i = 0; i < record.cells.size(); ++i) {
    header_.push_back(data_.header ? std::string(trimmed(record.cells[i])) : std::to_string(i));
  }
  std::vector<std::string> features = data_.features;
  const auto is_feature = [&](const std::string& name) { return std::ranges::count(data_.targets, name) == 0; };
  if (features.empty() && header_.front().empty() && is_feature("")) {
    std::copy_if(header_.begin() + 1, header_.end(), std::back_inserter(features), is_feature);
    if (features.empty()) {
      return fault(cat("line ", record.line,
                       ": found only targets and a first column without a name, as of row numbers, expected a feature "
                       "(or \"features\": [\"\"] in /data)"));
    }
    table_.remarks.emplace_back("the first column, which has no name, is left out: such columns hold row numbers");
  }
  if (data_.header && is_row_of_numbers(header_)) {
    table_.remarks.emplace_back(
        "the first line, which holds numbers alone, is the header: \"header\": false makes it a row");
  }
  const CsvHeader header = {.cells = header_, .line = record.line};
  columns_ = TRY(find_csv_columns(file_, header, features, data_.targets));
  TRY(find_csv_columns(file_, header, data_.one_hot));
  for (const std::string& name : data_.one_hot) {
    const auto found = std::ranges::find(columns_.feature_names, name);
    named_.add(static_cast<std::size_t>(found - columns_.feature_names.begin()));
  }
  sums_.assign(columns_.features.size(), 0.0);
  counts_.assign(columns_.features.size(), 0);
  return {};
}

Result<bool> CsvReader::read(Table& rows, std::size_t most_values) {
  while (more_ && rows.x.size() < most_values) {
    if (!record_.blank) TRY(read_record(record_, rows));
    more_ = TRY(records_.next(record_));
  }
  return more_;
}

bool CsvReader::is_empty(std::string_view cell) const {
  const std::string_view text = trimmed(cell);
  return text.empty() || std::ranges::find(data_.missing, text) != data_.missing.end();
}

// The first chosen column whose cell is empty, and cannot become a mean.
std::optional<std::size_t> CsvReader::empty_column(const CsvRecord& record) const {
  for (std::size_t feature = 0; feature < columns_.features.size(); ++feature) {
    const bool becomes_mean = data_.empty_cells == EmptyCells::mean && !named_.has(feature);
    if (!becomes_mean && is_empty(record.cells[columns_.features[feature]])) return columns_.features[feature];
  }
  for (const std::size_t column : columns_.targets) {
    if (is_empty(record.cells[column])) return column;
  }
  return std::nullopt;
}

Status CsvReader::read_record(const CsvRecord& record, Table& rows) {
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
  TRY(read_features(record, rows));
  for (const std::size_t column : columns_.targets) TRY(read_target(record, column, rows));
  ++table_.rows;
  ++rows.rows;
  if (rows.x.size() * sizeof(double) <= max_data_bytes()) return {};
  return fault(cat("line ", record.line, ": found more than ", max_data_bytes(),
                   " bytes of features, expected at most a quarter of the memory (\"source\": \"stream\" leaves them "
                   "in a file)"));
}

Status CsvReader::read_features(const CsvRecord& record, Table& rows) {
  constexpr const char* kNumber =
      "a finite number (/data/features names the columns to take, /data/one_hot those of names)";
  for (std::size_t feature = 0; feature < columns_.features.size(); ++feature) {
    const std::size_t column = columns_.features[feature];
    const std::string_view cell = record.cells[column];
    if (named_.has(feature)) {
      rows.x.push_back(named_.place_of(feature, trimmed(cell)));
    } else if (data_.empty_cells == EmptyCells::mean && is_empty(cell)) {
      rows.x.push_back(std::numeric_limits<double>::quiet_NaN());
      ++means_;
    } else {
      rows.x.push_back(TRY(number_in(record, column, kNumber)));
      sums_[feature] += rows.x.back();
      ++counts_[feature];
    }
  }
  return {};
}

// Of shares either all are numbers or all are texts.
Status CsvReader::read_target(const CsvRecord& record, std::size_t column, Table& rows) {
  constexpr const char* kShare = "a number, or one of two texts";
  const std::string_view cell = record.cells[column];
  const bool may_be_text = targets_ == Targets::shares && data_.targets.size() == 1;
  if (targets_ == Targets::labels || (may_be_text && (!data_.positive.empty() || !cell_number(cell, data_.numbers)))) {
    if (has_numbers_) {
      rows.y.push_back(TRY(number_in(record, column, kShare)));
      return {};
    }
    if (names_.empty()) first_name_ = cell_fault(record, column, in_quotes(cell), kShare);
    rows.y.push_back(names_.place_of(trimmed(cell)));
    return {};
  }
  if (!names_.empty()) return first_name_;
  has_numbers_ = true;
  rows.y.push_back(TRY(number_in(record, column, "a finite number (labels need softmax_cross_entropy)")));
  return {};
}

Result<double> CsvReader::number_in(const CsvRecord& record, std::size_t column, const char* expected) const {
  const std::string_view cell = record.cells[column];
  if (const std::optional<double> number = cell_number(cell, data_.numbers)) return *number;
  const std::string remedy = remedy_for(cell, data_.numbers);
  return cell_fault(record, column, in_quotes(cell),
                    remedy.empty() ? expected : cat("a finite number (or ", remedy, " in /data)"));
}

Result<Table> CsvReader::finish(double most_bytes) {
  if (table_.rows == 0) {
    return fault(table_.dropped_rows != 0 ? "found an empty cell in every row, expected rows without"
                 : data_.header           ? "found no rows below the header, expected some"
                                          : "found no rows, expected some");
  }
  table_.features = static_cast<std::int64_t>(columns_.features.size());
  table_.outputs = static_cast<std::int64_t>(columns_.targets.size());
  if (table_.dropped_rows != 0) {
    table_.remarks.push_back(cat(table_.dropped_rows,
                                 table_.dropped_rows == 1 ? " row with empty cells is" : " rows with empty cells are",
                                 " left out"));
  }
  TRY(take_means());
  table_.feature_names = std::move(columns_.feature_names);
  table_.target_names = data_.targets;
  if (const Status named = named_.finish(table_, data_.numbers, most_bytes); !named.ok())
    return fault(named.error().message);
  if (targets_ == Targets::labels) {
    names_.be_labels(table_, data_.numbers);
  } else if (!names_.empty()) {
    const Status taken = names_.be_shares(table_, data_.positive, data_.numbers);
    if (!taken.ok()) return fault(cat("column ", in_quotes(data_.targets.front()), ": ", taken.error().message));
  }
  return table_;
}

Status CsvReader::take_means() {
  if (means_ == 0) return {};
  for (std::size_t feature = 0; feature < sums_.size(); ++feature) {
    mean_of_.push_back(sums_[feature] / static_cast<double>(counts_[feature]));
    if (counts_[feature] != 0 || named_.has(feature)) continue;
    return fault(cat("column ", in_quotes(columns_.feature_names[feature]),
                     ": found empty cells alone, expected some numbers, whose mean they become"));
  }
  table_.remarks.push_back(
      cat(means_, means_ == 1 ? " empty cell is" : " empty cells are", " the mean of their column"));
  return {};
}

void CsvReader::complete(Table& rows) const {
  if (means_ != 0) {
    for (std::size_t i = 0; i < rows.x.size(); ++i) {
      if (std::isnan(rows.x[i])) rows.x[i] = mean_of_[i % mean_of_.size()];
    }
  }
  named_.complete(rows);
  names_.complete(rows);
}

double CsvReader::part() const {
  return std::min(1.0, static_cast<double>(records_.position()) / static_cast<double>(file_bytes_));
}

Result<Table> read_csv(const std::filesystem::path& file, const scenario::CsvData& data, Targets targets,
                       const ReadingOptions& options) {
  constexpr std::size_t kValuesOfProgress = 1 << 20;
  CsvReader reader = TRY(CsvReader::open(file, data, targets));
  Table rows;
  for (bool first = true; TRY(reader.read(rows, rows.x.size() + kValuesOfProgress)); first = false) {
    if (first) {
      // All of it at once, by what the file has so far: rows that become more are copied again and again.
      const double values = 1.05 * static_cast<double>(rows.x.size()) / reader.part();
      const double most = static_cast<double>(max_data_bytes() / sizeof(double));
      rows.x.reserve(static_cast<std::size_t>(std::min(values, most)));
    }
    options.progress(file.string(), reader.part());
  }
  Table table = TRY(reader.finish(static_cast<double>(max_data_bytes())));
  reader.complete(rows);
  table.x = std::move(rows.x);
  table.y = std::move(rows.y);
  table.labels = std::move(rows.labels);
  return table;
}

}  // namespace gdbench::data
