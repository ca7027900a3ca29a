#include "reports/render/overview_words.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <set>

#include "harness/base/text.h"
#include "reports/render/format.h"
#include "reports/render/words.h"

namespace gdbench::render {

using report::Cell;
using report::Report;

namespace {

// The smallest value of each field and the largest, over cells: "1", "6 to 20".
template <class Get>
std::string range_text(const Report& report, Get get) {
  long long least = std::numeric_limits<long long>::max();
  long long most = std::numeric_limits<long long>::min();
  for (const Cell& cell : report.cells) {
    if (cell.arm == report::kControlArm) continue;
    const std::optional<long long> value = get(cell);
    if (!value) continue;
    least = std::min(least, *value);
    most = std::max(most, *value);
  }
  if (least > most) return "";
  return least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
}

// Between two times as reports write them; empty where one is none.
std::string elapsed_text(const std::string& from, const std::string& to) {
  const auto seconds = [](const std::string& text) {
    std::tm parts{};
    return strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr ? std::time_t{0} : timegm(&parts);
  };
  const std::time_t start = seconds(from);
  const std::time_t end = seconds(to);
  return start == 0 || end <= start ? "" : std::to_string(end - start) + " s";
}

std::string dtypes_of(const Report& report) {
  std::set<std::string> dtypes;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    if (scenario.resolved.dtype) dtypes.insert(scenario.resolved.dtype_name());
  }
  return joined({dtypes.begin(), dtypes.end()}, " and ");
}

}  // namespace

std::string measured_words(const Report& report) {
  const report::Run& run = report.run;
  std::set<std::string> implementations;
  for (const Cell& cell : report.cells) implementations.insert(cell.implementation);
  const std::string threads =
      range_text(report, [](const Cell& cell) { return std::optional<long long>(cell.threads); });
  const std::string launches = range_text(report, [](const Cell& cell) -> std::optional<long long> {
    return cell.summary ? std::optional<long long>(cell.summary->step_ns.launches) : std::nullopt;
  });
  std::vector<std::string> parts = {run.matrix.empty() ? "gdbench" : "gdbench " + run.matrix};
  if (run.status != "complete") parts.push_back(run.status);
  parts.push_back(counted(report.scenarios.size(), "scenario"));
  parts.push_back(counted(implementations.size(), "implementation"));
  if (!threads.empty()) parts.push_back(threads + (threads == "1" ? " thread" : " threads"));
  parts.push_back(dtypes_of(report));
  if (!launches.empty()) parts.push_back(launches + (launches == "1" ? " launch each" : " launches each"));
  if (run.quick) parts.emplace_back("quick");
  parts.push_back(elapsed_text(run.started_at, run.finished_at));
  if (run.shard) parts.push_back("shard " + *run.shard);
  std::erase(parts, "");
  return joined(parts);
}

std::string grid_words(const Overview& overview, bool ratios, bool lead) {
  const auto any = [&](Mark mark) {
    return std::any_of(overview.rows.begin(), overview.rows.end(), [mark](const OverviewRow& row) {
      return std::any_of(row.entries.begin(), row.entries.end(), [mark](const Entry& e) { return e.mark == mark; });
    });
  };
  std::vector<std::string> parts;
  if (any(Mark::wins)) parts.emplace_back("* wins");
  if (any(Mark::ties)) parts.emplace_back("= tied: equivalent, or not told apart");
  if (overview.turned) return joined(parts, "; ");
  if (!overview.baseline.empty()) {
    parts.push_back(std::string(ratios ? "ratios" : "ratio: of the fastest") + " to " + overview.baseline);
  }
  if (lead && any(Mark::wins)) parts.emplace_back("lead: over the next column");
  return joined(parts, "; ");
}

std::string names_words(const Overview& overview) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < overview.columns.size(); ++i) {
    if (!overview.columns[i].names) continue;
    NameCounts modes;
    for (const OverviewRow& row : overview.rows) {
      if (row.entries[i].cell != nullptr && is_timed(*row.entries[i].cell)) ++modes[mode_of(*row.entries[i].cell)];
    }
    const std::string& title = overview.columns[i].title;  // the baseline's is a whole name
    if (!modes.empty()) kinds.push_back(title.substr(0, title.find('/')) + "/" + counts_text(modes, 2));
  }
  return kinds.empty() ? "" : "Fastest of their kind: " + joined(kinds, "; ") + ".";
}

std::string hidden_words(const Overview& overview, std::size_t shown) {
  NameCounts winners;
  std::size_t hidden = 0;
  std::size_t undecided = 0;
  for (const OverviewRow& row : overview.rows) {
    if (row.interest < shown) continue;
    ++hidden;
    if (!row.ranking.won()) ++undecided;
    if (row.ranking.won()) ++winners[kind_of(*row.ranking.fastest, overview.baseline)];
  }
  if (hidden == 0) return "";
  std::string text;
  for (const auto& [kind, count] : ordered(winners)) join(text, kind + " wins " + std::to_string(count));
  if (undecided > 0) join(text, std::to_string(undecided) + " without a winner");
  return "and " + counted(hidden, std::string("more ") + row_noun(overview)) + ": " + text;
}

}  // namespace gdbench::render
