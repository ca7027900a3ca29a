// What a data source yields before it is standardised and converted to the scenario's dtype.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/file.h"
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
  std::vector<std::string> remarks;  // what was found or done that the scenario does not say, in a sentence each
};

// Data files are read whole; above a quarter of the memory they are refused.
inline std::uintmax_t max_data_bytes() {
  static const std::uintmax_t most = physical_memory() / 4;  // asked for each row, and a system call
  return most;
}

// Refuses targets that the scenario's loss does not take: y [rows, outputs] from row `first_row` on.
Status check_targets(const scenario::Scenario& scenario, const std::vector<double>& y, std::int64_t outputs,
                     std::int64_t first_row);

}  // namespace gdbench::data
