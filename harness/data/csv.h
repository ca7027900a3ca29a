// CSV files as rows of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/csv_columns.h"
#include "harness/data/csv_records.h"
#include "harness/data/names.h"
#include "harness/data/reading_options.h"
#include "harness/data/table.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// Reads a file as `data` says it is written. What becomes of a text or of an empty cell is known after the last row
// only: `read` all rows, `finish`, then `complete` the rows. Of labels the one target column holds class names; of
// shares it may hold two texts, which are 0 and 1. Errors: "FILE: line 3, column "x": found ..., expected ...", with
// the key of /data that would accept it.
class CsvReader {
 public:
  static Result<CsvReader> open(const std::filesystem::path& file, const scenario::CsvData& data,
                                catalogue::Targets targets);

  // Adds rows while there are any and `rows` holds fewer than `most_values` features; false behind the last row.
  Result<bool> read(Table& rows, std::size_t most_values);
  // What the rows are, without them. An error, too, where they would need more bytes than that.
  Result<Table> finish(double most_bytes);
  // Rows as they were read become those of the table.
  void complete(Table& rows) const;
  // Whether `complete` changes any.
  bool changes_rows() const { return means_ != 0 || named_.any() || !names_.empty(); }
  // Of the file that was read, 0 to 1; 1 behind as many bytes as it has, where it is compressed.
  double part() const;

 private:
  CsvReader(std::filesystem::path file, const scenario::CsvData& data, catalogue::Targets targets, CsvRecords records)
      : file_(std::move(file)), data_(data), targets_(targets), records_(std::move(records)) {}

  Error fault(const std::string& message) const { return csv_fault(file_, message); }
  Error cell_fault(const CsvRecord& record, std::size_t column, const std::string& found,
                   const std::string& expected) const;
  Status begin();
  Status take_header(const CsvRecord& record);
  bool is_empty(std::string_view cell) const;
  std::optional<std::size_t> empty_column(const CsvRecord& record) const;
  Status read_record(const CsvRecord& record, Table& rows);
  Status read_features(const CsvRecord& record, Table& rows);
  Status read_target(const CsvRecord& record, std::size_t column, Table& rows);
  Result<double> number_in(const CsvRecord& record, std::size_t column, const char* expected) const;
  Status take_means();

  std::filesystem::path file_;
  scenario::CsvData data_;
  catalogue::Targets targets_;
  CsvRecords records_;
  std::uintmax_t file_bytes_ = 0;
  CsvRecord record_;  // the next one, where there is `more_`
  bool more_ = false;
  std::vector<std::string> header_;
  CsvColumns columns_;
  NamedColumns named_;
  NamedTargets names_;
  bool has_numbers_ = false;  // among the targets
  Error first_name_;          // that a target which is a text would be beside them
  std::vector<double> sums_;  // of a feature's numbers, and how many there are
  std::vector<std::int64_t> counts_;
  std::vector<double> mean_of_;  // [features]
  std::int64_t means_ = 0;       // cells that become the mean of their column
  Table table_;                  // without rows
};

// All of a file, within max_data_bytes().
Result<Table> read_csv(const std::filesystem::path& file, const scenario::CsvData& data, catalogue::Targets targets,
                       const ReadingOptions& options = {});

}  // namespace gdbench::data
