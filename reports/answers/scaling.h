// What more threads bring, as tables that the console and Markdown share.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "harness/report/report.h"
#include "reports/answers/table.h"

namespace gdbench::answers {

constexpr const char* kScalingTitle = "What more threads bring, over the same with one";
constexpr const char* kThreadCostsTitle = "what more threads cost each step at most, by the shortest step of each";

// A cell of several threads, and the same with one.
struct ScalingRow {
  const report::ThreadScaling* scaling = nullptr;
  const report::Cell* cell = nullptr;
  const report::Cell* single = nullptr;  // null where the report lacks it
  const report::ScenarioRecord* scenario = nullptr;
};

class ScalingWords {
 public:
  explicit ScalingWords(const report::Report& report);

  // In the report's order.
  std::vector<ScalingRow> rows_of(const std::string& key) const;

  // A row per cell of several threads. Empty (no rows) where the scenario has none next to the same with one.
  Columns of_scenario(const std::string& key) const;
  // A row per implementation and number of threads.
  Columns costs() const;

 private:
  std::vector<ScalingRow> rows_;                                         // in the report's order
  std::unordered_map<std::string, std::vector<std::size_t>> scenarios_;  // rows by key
};

}  // namespace gdbench::answers
