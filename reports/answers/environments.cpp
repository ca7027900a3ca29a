#include "reports/answers/environments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/overview.h"
#include "reports/answers/rows.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

using report::Cell;

namespace {

// "new (numpy 2.4.6)": what a cell's build has and the other's has not.
std::string place_words(const Cell& cell, const Cell& other) {
  const std::vector<std::string> known = build_parts(other);
  std::vector<std::string> parts = build_parts(cell);
  std::erase_if(parts, [&](const std::string& part) { return std::ranges::find(known, part) != known.end(); });
  return environment_of(cell.implementation) + (parts.empty() ? "" : " (" + joined(parts) + ")");
}

// "numpy/inplace heap=returned @2": a row's name without the environment.
std::string name_of(const Cell& cell) {
  return without_environment(cell.implementation) + row_name(cell).substr(cell.implementation.size());
}

}  // namespace

std::vector<EnvironmentComparison> environment_comparisons(const report::Report& report) {
  const analysis::Comparer comparer(report);
  std::vector<EnvironmentComparison> found;
  std::map<std::pair<std::string, std::string>, const Cell*> first;  // by scenario and name
  for (const Cell& cell : report.cells) {
    if (!is_timed(cell) || cell.arm != report::kNewArm || environment_of(cell.implementation).empty()) continue;
    const auto [known, is_first] = first.emplace(std::pair(cell.scenario, name_of(cell)), &cell);
    if (!is_first) found.push_back({known->second, &cell, comparer.compare(*known->second, cell)});
  }
  return found;
}

std::string environment_words(const EnvironmentComparison& compared) {
  const auto& [first, other, comparison] = compared;
  std::string text = name_of(*first) + " takes " + format_ratio(comparison.ratio) + " as long in " +
                     place_words(*other, *first) + " as in " + place_words(*first, *other) + ": " +
                     stats::name_of(comparison.verdict);
  if (!comparison.remark.empty()) text += " (" + comparison.remark + ")";
  return text;
}

void add_environments(const report::Report& report, std::vector<Sentence>& sentences) {
  const auto distance = [](const EnvironmentComparison& one) {
    return one.comparison.ratio.launches > 0 ? std::abs(std::log(one.comparison.ratio.value)) : 0;
  };
  std::vector<std::pair<std::string, std::vector<EnvironmentComparison>>> others;  // by environment
  const std::vector<EnvironmentComparison> all = environment_comparisons(report);
  for (const EnvironmentComparison& one : all) {
    if (name_of(*one.first) != name_of(*all.front().first)) return;
    entry_of(others, environment_of(one.other->implementation)).push_back(one);
  }
  for (const auto& [name, compared] : others) {
    const EnvironmentComparison& farthest = *std::ranges::max_element(compared, {}, distance);
    std::string text = environment_words(farthest);
    if (compared.size() > 1) {
      text += " (" + report.find_scenario(farthest.other->scenario)->label + ", the farthest apart of " +
              counted(compared.size(), "row") + ")";
    }
    sentences.push_back({text + ".", 1, style_of_verdict(farthest.comparison.verdict)});
  }
}

}  // namespace gdbench::answers
