#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/overview_sentences.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

using report::Cell;
using report::CellState;
using report::Report;

namespace {

constexpr std::size_t kMaxGroups = 3;
constexpr std::size_t kMaxGroupNames = 3;
constexpr std::size_t kMaxReasons = 2;
constexpr std::size_t kLongestReason = 90;  // characters; details have all of it

// Cells that share a state and, as the first of them says it, a reason; or that are of one implementation.
struct Group {
  CellState state = CellState::ok;
  std::string reason;
  std::vector<std::string> names;  // of implementations, each once
  std::set<std::string> scenarios;
  std::size_t cells = 0;
};

// A control fails by itself where its twin does not, which decides the exit status as any failure does.
std::string failing_name(const Cell& cell) {
  return (cell.arm == report::kControlArm ? "the control of " : "") + cell.implementation;
}

// The largest group first; equal ones as they come.
std::vector<Group> grouped(const std::vector<const Cell*>& cells) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;  // by state and reason, by state and implementation
  for (const Cell* cell : cells) {
    const std::string state = report::name_of(cell->status.state);
    const std::string by_reason = state + "\nreason " + cell->status.reason;
    const std::string name = failing_name(*cell);
    const std::string by_name = state + "\nname " + name;
    auto place = places.find(by_reason);
    if (place == places.end()) place = places.find(by_name);
    if (place == places.end()) {
      place = places.emplace(by_reason, groups.size()).first;
      groups.push_back({cell->status.state, cell->status.reason, {}, {}, 0});
    }
    const std::size_t number = place->second;
    places.emplace(by_name, number);
    Group& group = groups[number];
    if (std::ranges::find(group.names, name) == group.names.end()) group.names.push_back(name);
    group.scenarios.insert(cell->scenario);
    ++group.cells;
  }
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) { return a.cells > b.cells; });
  return groups;
}

std::vector<const Cell*> cells_of(const Report& report, bool (*takes_part)(const Cell&)) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : report.cells) {
    if (cell.arm != report::kControlArm && takes_part(cell)) cells.push_back(&cell);
  }
  return cells;
}

bool has_failed(const Cell& cell) { return report::is_failure(cell.status.state); }

// Without controls whose twins have failed, too.
std::vector<const Cell*> failed_cells(const Report& report) {
  std::vector<const Cell*> cells = cells_of(report, has_failed);
  std::set<std::pair<std::string, std::string>> known;
  for (const Cell* cell : cells) known.emplace(cell->scenario, cell->implementation);
  for (const Cell& cell : report.cells) {
    const bool is_alone = has_failed(cell) && !known.contains({cell.scenario, cell.implementation});
    if (cell.arm == report::kControlArm && is_alone) cells.push_back(&cell);
  }
  return cells;
}

void add_failures(const Report& report, std::vector<Sentence>& sentences) {
  const std::vector<Group> groups = grouped(failed_cells(report));
  NameCounts rest;  // by state
  std::size_t more = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    if (i >= kMaxGroups) {
      rest[report::name_of(group.state)] += group.cells;
      more += group.cells;
      continue;
    }
    const std::string where = report.scenarios.size() < 2 ? ""
                              : group.scenarios.size() == 1
                                  ? " on " + report.find_scenario(*group.scenarios.begin())->label
                                  : " on " + counted(group.scenarios.size(), "scenario");
    sentences.push_back({std::string(report::name_of(group.state)) + ": " + some_of(group.names, kMaxGroupNames) +
                             where + ": " + cut(group.reason, kLongestReason),
                         0, Style::bad});
  }
  if (more == 0) return;
  sentences.push_back(
      {"and " + counted(more, "more failed cell") + ": " + counts_text(rest, rest.size()) + ".", 0, Style::bad});
}

// Whether a verdict says that it is faster than the fastest of its scenario.
bool would_be_fastest(const Overview& overview, const Cell& cell) {
  const analysis::Comparer comparer(*overview.report);
  return std::ranges::any_of(overview.rows, [&](const OverviewRow& row) {
    return row.scenario->key == cell.scenario && row.ranking.fastest != nullptr &&
           row.ranking.fastest->threads == cell.threads &&
           comparer.compare(*row.ranking.fastest, cell).verdict == stats::Verdict::faster;
  });
}

// Rows of ranked kinds that have no rank: by implementation, those that would have been the fastest first.
void add_not_ranked(const Overview& overview, std::vector<Sentence>& sentences) {
  struct Left {
    const Cell* cell;
    bool fastest;
    std::size_t more;
  };
  std::vector<Left> all;
  for (const Cell* cell :
       cells_of(*overview.report, [](const Cell& c) { return is_timed(c) && c.summary->not_ranked; })) {
    const bool fastest = would_be_fastest(overview, *cell);
    const auto same = std::ranges::find_if(all, [&](const Left& left) {
      return left.cell->implementation == cell->implementation && left.fastest == fastest;
    });
    if (same != all.end()) ++same->more;
    if (same == all.end()) all.push_back({cell, fastest, 0});
  }
  std::ranges::stable_sort(all, [](const Left& a, const Left& b) { return a.fastest && !b.fastest; });
  std::size_t rest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Left& left = all[i];
    if (i >= kMaxGroups) {
      rest += left.more + 1;
      continue;
    }
    const std::string where =
        overview.turned ? "" : " on " + overview.report->find_scenario(left.cell->scenario)->label;
    std::string text = "Not ranked: " + row_name(*left.cell) + where + ": " + *left.cell->summary->not_ranked +
                       "; its " + format_duration_ns(left.cell->summary->step_ns.value) +
                       (left.fastest ? " would have been the fastest" : " took no part");
    if (left.more > 0) text += "; the same in " + counted(left.more, "more cell");
    sentences.push_back({text + ".", 1, Style::unsure});
  }
  if (rest > 0) sentences.push_back({"and " + counted(rest, "more cell") + " without a rank.", 2, Style::unsure});
}

void add_conditions(const Report& report, std::vector<Sentence>& sentences) {
  constexpr std::size_t kMaxWarnings = 2;
  const std::vector<std::string> warnings = condition_warnings(report);
  for (std::size_t i = 0; i < std::min(warnings.size(), kMaxWarnings); ++i) {
    sentences.push_back({"warning: " + warnings[i], 1, Style::unsure});
  }
  if (warnings.size() > kMaxWarnings) {
    sentences.push_back(
        {"and " + counted(warnings.size() - kMaxWarnings, "more warning") + " (gdbench doctor).", 2, Style::unsure});
  }
  const auto beyond = std::ranges::count_if(report.cells, [](const Cell& cell) {
    return cell.summary && cell.summary->ceiling && cell.summary->ceiling->failed;
  });
  if (beyond > 0) {
    sentences.push_back(
        {counted(beyond, "cell") + " above 100% of a ceiling, which therefore was measured too low.", 3, Style::bad});
  }
}

// What cells measured twice differ from themselves by.
std::string control_text(const Report& report) {
  if (!report.controls || report.controls->empty()) return "";
  double largest = 0;
  for (const report::Control& control : *report.controls) {
    largest = std::max(largest, std::exp(std::abs(std::log(control.comparison.ratio.value))) - 1);
  }
  return " Controls differ from themselves by at most " + format_percent(largest) + ".";
}

// "58 unsupported: no CUDA device (56), graph/jit has no f16 (2)."
std::string unsupported_text(const Report& report) {
  const std::vector<const Cell*> cells =
      cells_of(report, [](const Cell& cell) { return cell.status.state == CellState::unsupported; });
  if (cells.empty()) return "";
  const std::vector<Group> groups = grouped(cells);
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxReasons); ++i) {
    join(text, cut(groups[i].reason, kLongestReason) +
                   (groups.size() > 1 ? " (" + std::to_string(groups[i].cells) + ")" : ""));
  }
  if (groups.size() > kMaxReasons) text += " and " + counted(groups.size() - kMaxReasons, "other reason");
  return " " + std::to_string(cells.size()) + " unsupported: " + text + ".";
}

void add_counts(const Report& report, std::vector<Sentence>& sentences) {
  const std::size_t all = cells_of(report, [](const Cell&) { return true; }).size();
  const std::size_t timed = cells_of(report, is_timed).size();
  const std::size_t pending =
      cells_of(report, [](const Cell& cell) { return cell.status.state == CellState::pending; }).size();
  const std::size_t kinds = cells_of(report, [](const Cell& cell) { return is_timed(cell) && !cell.ranked; }).size();
  std::string text = (timed == all ? "" : std::to_string(timed) + " of ") + counted(all, "cell") + " timed";
  if (kinds > 0) join(text, std::to_string(kinds) + " of them never ranked (policies, or no arithmetic)");
  if (pending > 0) join(text, std::to_string(pending) + " not reached");
  text += ".";
  sentences.push_back({text + unsupported_text(report) + control_text(report), 1, Style::plain});
}

}  // namespace

void add_problems(const Overview& overview, std::vector<Sentence>& sentences) {
  const Report& report = *overview.report;
  add_failures(report, sentences);
  add_not_ranked(overview, sentences);
  add_conditions(report, sentences);
  add_counts(report, sentences);
  if (const std::string words = device_words(report); !words.empty()) {
    sentences.push_back({words + ".", 4, Style::plain});
  }
  const std::vector<std::string> notes = notes_of(report);
  if (notes.empty()) return;
  std::string note = "note: " + cut(notes.front(), 2 * kLongestReason);
  if (notes.size() > 1) note += "; and " + counted(notes.size() - 1, "more note") + ".";
  sentences.push_back({note, 5, Style::unsure});
}

}  // namespace gdbench::answers
