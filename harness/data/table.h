// What a data source yields before it is standardised and converted to the scenario's dtype, and the sources.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// Row-major x [rows, features] and either y [rows, outputs] or labels [rows] in [0, outputs).
struct Table {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t outputs = 0;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::int32_t> labels;
  bool has_labels = false;
  // Empty unless the source names its columns.
  std::vector<std::string> feature_names;
  std::vector<std::string> target_names;
  std::vector<std::string> class_names;
  std::int64_t dropped_rows = 0;
};

// The same values on every machine; see harness/base/random.h. Targets that are to be shares are 1 where the function
// is above 0, noise included, and 0 elsewhere.
Table make_synthetic(const scenario::SyntheticData& data, catalogue::Targets targets);

// A readable file with a header (RFC 4180; lines may end in LF). With `labels` the one target column holds class names,
// mapped in sorted order (by value where all are integers). Errors: "FILE: line 3, column "x": found ..., expected
// ...".
Result<Table> read_csv(const std::filesystem::path& file, const scenario::CsvData& data, bool labels);

// x is [rows, features]; y is [rows] or [rows, outputs], with `labels` [rows] of integers, the classes being 0 to the
// largest label.
Result<Table> read_npy(const std::filesystem::path& x_file, const std::filesystem::path& y_file, bool labels);

// Unsigned bytes: x is [rows, ...], flattened and divided by 255; labels [rows]. The classes are 0 to the largest
// label.
Result<Table> read_idx(const std::filesystem::path& x_file, const std::filesystem::path& labels_file);

// Per column to mean 0 and standard deviation 1 (over the rows, not the unbiased estimate); a constant column becomes
// 0. `values` is [rows, columns].
void standardise(std::vector<double>& values, std::int64_t columns);

// Data files are read whole; above a quarter of the memory they are refused.
std::uintmax_t max_data_bytes();

}  // namespace gdbench::data
