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

// Where these names are in the header. Errors name the file and line 1: one that is absent or there twice.
Result<std::vector<std::size_t>> find_csv_columns(const std::filesystem::path& file,
                                                  const std::vector<std::string>& header,
                                                  const std::vector<std::string>& names);

struct CsvColumns {
  std::vector<std::size_t> features;
  std::vector<std::size_t> targets;
  std::vector<std::string> feature_names;
};

// `features` empty: every column that is no target. Errors likewise, and where there is no feature.
Result<CsvColumns> find_csv_columns(const std::filesystem::path& file, const std::vector<std::string>& header,
                                    const std::vector<std::string>& features, const std::vector<std::string>& targets);

// The header's cells and where the rows begin, of a file with commas.
struct CsvHeader {
  std::vector<std::string> cells;
  std::int64_t first_byte = 0;
};
Result<CsvHeader> read_csv_header(const std::filesystem::path& file);

}  // namespace gdbench::data
