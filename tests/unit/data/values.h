// What tests of data share: tables in a file, and the values that are read or made.
#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {

// Of each row the features and, behind them, the targets.
inline std::vector<double> rows_in(const Dataset& data) {
  std::vector<double> rows;
  for (std::int64_t row = 0; row < data.rows; ++row) {
    const double* const x = data.x<double>() + row * data.features;
    const double* const y = data.y<double>() + row * data.outputs;
    rows.insert(rows.end(), x, x + data.features);
    rows.insert(rows.end(), y, y + data.outputs);
  }
  return rows;
}

inline std::vector<double> column_of(const Dataset& data, std::int64_t j) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < data.rows; ++i) values.push_back(data.x<double>()[i * data.features + j]);
  return values;
}

inline double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

inline double deviation_of(const std::vector<double>& values) {
  const double centre = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// A scenario on table.csv, which has the text of the moment.
class TableFile : public tests::Files {
 protected:
  Dataset read(const std::string& text, const std::vector<scenario::Setting>& settings = {}) const {
    write("table.csv", text);
    return dataset(tests::csv_scenario(), settings);
  }
  std::string error_of(const std::string& text, const std::vector<scenario::Setting>& settings = {}) const {
    write("table.csv", text);
    return data_error(tests::csv_scenario(), settings);
  }
};

}  // namespace gdbench::data
