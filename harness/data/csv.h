// CSV files: whole ones as tables, and what a stream needs of one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/table.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// A file as `data` says it is written. Of labels the one target column holds class names; of shares it may hold two
// texts, which are 0 and 1. Errors: "FILE: line 3, column "x": found ..., expected ...", with the key of /data that
// would accept it.
Result<Table> read_csv(const std::filesystem::path& file, const scenario::CsvData& data, catalogue::Targets targets);

struct CsvColumns {
  std::vector<std::size_t> features;
  std::vector<std::size_t> targets;
  std::vector<std::string> feature_names;
};

// `features` empty: every column that is no target. Errors name the file and line 1: a column that is absent or there
// twice, no feature.
Result<CsvColumns> find_csv_columns(const std::filesystem::path& file, const std::vector<std::string>& header,
                                    const std::vector<std::string>& features, const std::vector<std::string>& targets);

// The header's cells and where the rows begin, of a file with commas.
struct CsvHeader {
  std::vector<std::string> cells;
  std::int64_t first_byte = 0;
};
Result<CsvHeader> read_csv_header(const std::filesystem::path& file);

// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// A finite number, the whole cell.
std::optional<double> cell_number(std::string_view cell, const scenario::NumberFormat& format = {});

}  // namespace gdbench::data
