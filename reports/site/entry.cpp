#include "reports/site/entry.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/environment.h"
#include "reports/answers/format.h"
#include "reports/answers/overview.h"
#include "reports/answers/words.h"

namespace gdbench::site {

namespace {

using answers::OverviewRow;
using report::Cell;

std::string lead_words(const answers::Ranking& ranking) {
  if (ranking.next == nullptr || ranking.fastest == nullptr) return "";
  if (!ranking.undecidable.empty()) return ranking.undecidable;
  if (ranking.won()) {
    return cat(answers::format_ratio(ranking.lead.ratio), " before ", answers::variant_of(*ranking.next));
  }
  std::vector<std::string> names;
  for (const Cell* cell : ranking.tied) names.push_back(answers::variant_of(*cell));
  return "ties with " + answers::some_of(names, 3);
}

// The version of what a framework's id begins with, or else all that its build says.
std::string version_of(const Cell& cell) {
  const std::vector<std::string> parts = answers::build_parts(cell);
  const std::string framework = report::parse_implementation(cell.implementation).strategy;
  const std::string package = framework == "pytorch" ? "torch" : framework == "sklearn" ? "scikit-learn" : framework;
  const auto own =
      std::ranges::find_if(parts, [&](const std::string& part) { return part.starts_with(package + " "); });
  return own == parts.end() ? joined(parts) : *own;
}

std::string device_of(const Cell& cell) {
  for (const report::Launch& launch : cell.launches) {
    if (launch.device) return launch.device->first.name;
  }
  return "";
}

Time time_of(const OverviewRow& row, const Cell& cell, const std::string& version) {
  Time time{answers::variant_of(cell), version, row.label, answers::format_estimate_ns(cell.summary->step_ns), ""};
  const auto ratio = row.ranking.ratios.find(&cell);
  if (ratio != row.ranking.ratios.end()) time.ratio = answers::format_factor(ratio->second.value);
  return time;
}

void add_row(const OverviewRow& row, Entry& entry) {
  if (row.ranking.fastest == nullptr) return;
  entry.standings.push_back({row.label, answers::timed_name(*row.ranking.fastest), lead_words(row.ranking)});
  for (const Cell* cell : row.ranked) {
    if (answers::is_framework(*cell)) entry.frameworks.push_back(time_of(row, *cell, version_of(*cell)));
    const std::string device = device_of(*cell);
    if (!device.empty()) entry.devices.push_back(time_of(row, *cell, device));
  }
}

}  // namespace

Entry entry_of(const report::Report& report) {
  const Json environment = Json::parse(report.environment);
  Entry entry;
  entry.run = report.run;
  entry.processor = report::text_at(environment, "/cpu/model");
  entry.environment = answers::environment_words(report);
  constexpr std::size_t kDigits = 12;
  entry.revision = report::revision_of(environment, kDigits);
  entry.versions = answers::versions_words(report);
  entry.cells = answers::counts_words(report);
  entry.spoiled = answers::condition_warnings(report);
  for (const OverviewRow& row : answers::overview_of(report).rows) add_row(row, entry);
  return entry;
}

}  // namespace gdbench::site
