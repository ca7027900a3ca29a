// The columns of a CSV file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace gdbench::data {

// "FILE: MESSAGE", on one line.
Error csv_fault(const std::filesystem::path& file, const std::string& message);

constexpr const char* kSkip = " (\"skip\": 1 in /data leaves a line at the beginning out)";

struct CsvHeader {
  std::vector<std::string> cells;
  std::int64_t line = 1;
  std::int64_t first_byte = 0;  // of the rows
};
// Of a file with commas.
Result<CsvHeader> read_csv_header(const std::filesystem::path& file);

// Where these names are in the header. Errors name the file and the line: one that is absent or there twice.
Result<std::vector<std::size_t>> find_csv_columns(const std::filesystem::path& file, const CsvHeader& header,
                                                  const std::vector<std::string>& names);

// Whether a header is more likely the first row: it holds numbers alone, and not 0, 1, 2 ...
bool is_row_of_numbers(const std::vector<std::string>& header);

struct CsvColumns {
  std::vector<std::size_t> features;
  std::vector<std::size_t> targets;
  std::vector<std::string> feature_names;
};

// `features` empty: every column that is no target. Errors likewise, and where there is no feature.
Result<CsvColumns> find_csv_columns(const std::filesystem::path& file, const CsvHeader& header,
                                    const std::vector<std::string>& features, const std::vector<std::string>& targets);

}  // namespace gdbench::data
