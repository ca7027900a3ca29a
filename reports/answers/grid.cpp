#include "reports/answers/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/labels.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

using report::Cell;

namespace {

const char* mark_of(Mark mark) { return mark == Mark::wins ? "*" : mark == Mark::ties ? "=" : ""; }

Style style_of_mark(Mark mark) {
  return mark == Mark::wins ? Style::good : mark == Mark::ties ? Style::unsure : Style::plain;
}

// The parts of a place that stand below each other: "*5.73", "jit", "0.30x".
struct Place {
  std::string figure;
  std::string name;
  std::string ratio;
  Style style = Style::plain;
};

Place place_of(const Overview& overview, const Entry& entry, double least_ns) {
  if (entry.cell == nullptr) return {"-", "", ""};
  const Cell& cell = *entry.cell;
  const report::CellState state = cell.status.state;
  if (!is_timed(cell)) return {report::name_of(state), "", "", is_failure(state) ? Style::bad : Style::plain};
  std::string figure = mark_of(entry.mark) + format_in_unit_of(cell.summary->step_ns.value, least_ns);
  if (overview.ranked && !report::is_ranked(cell)) figure = "(" + figure + ")";
  return {figure, mode_of(cell), entry.ratio ? format_factor(entry.ratio->ratio.value) : "", style_of_mark(entry.mark)};
}

// The time whose unit a row has; not a number where nothing was timed.
double least_ns(const OverviewRow& row, const std::vector<std::size_t>& columns) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t column : columns) {
    const Cell* cell = row.entries[column].cell;
    if (cell != nullptr && is_timed(*cell)) least = std::min(least, cell->summary->step_ns.value);
  }
  return least;
}

// Texts of one column with their parts aligned.
std::vector<std::string> aligned(const std::vector<Place>& places, bool names, bool ratios) {
  const auto widest = [&](std::string Place::*part) {
    std::size_t width = 0;
    for (const Place& place : places) width = std::max(width, display_width(place.*part));
    return width;
  };
  const std::size_t figure = widest(&Place::figure);
  const std::size_t name = widest(&Place::name);
  const std::size_t ratio = widest(&Place::ratio);
  std::vector<std::string> texts;
  for (const Place& place : places) {
    std::string text = padded(place.figure, figure, true);
    if (names) text += " " + padded(place.name, name, false);
    if (ratios && ratio > 0) text += " " + padded(place.ratio, ratio, true);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string fastest_ratio(const Overview& overview, const OverviewRow& row) {
  const auto fastest = std::ranges::find(row.entries, row.ranking.fastest, &Entry::cell);
  if (row.ranking.fastest == nullptr || fastest == row.entries.end()) return "-";
  if (fastest->ratio) return format_factor(fastest->ratio->ratio.value);
  return fastest->cell->implementation == overview.baseline ? "1" : "-";
}

// By how much the fastest wins; that it does not, where that is a verdict.
std::string lead_text(const Ranking& ranking) {
  if (ranking.won()) return format_factor(ranking.lead.ratio.value);
  return ranking.tied.empty() ? "-" : "tie";
}

bool says(const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [](const std::string& text) { return text != "-"; });
}

// "1", "6 to 20".
std::string range_text(const std::set<int>& values) {
  if (values.size() < 2) return values.empty() ? "" : std::to_string(*values.begin());
  return cat(*values.begin(), " to ", *values.rbegin());
}

// "59 s"; of a run in parts "59 s within 424 s". Empty where its times are none.
std::string elapsed_text(const report::Run& run) {
  const auto seconds = [](double value) { return std::to_string(std::llround(value)) + " s"; };
  const std::optional<double> measured = report::measuring_seconds(run);
  if (!measured || std::llround(*measured) == 0) return "";
  const std::optional<double> span = report::span_seconds(run);
  const bool paused = span && std::llround(*span) > std::llround(*measured) + 1;
  return seconds(*measured) + (paused ? " within " + seconds(*span) : "");
}

std::string dtypes_of(const report::Report& report) {
  std::set<std::string> dtypes;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    if (scenario.resolved.dtype) dtypes.insert(scenario.resolved.dtype_name());
  }
  return joined({dtypes.begin(), dtypes.end()}, " and ");
}

}  // namespace

GridParts all_parts(const Overview& overview) {
  GridParts parts;
  parts.columns.resize(overview.columns.size());
  std::iota(parts.columns.begin(), parts.columns.end(), std::size_t{0});
  return parts;
}

Columns grid_table(const Overview& overview, const GridParts& parts, std::size_t label_width) {
  std::vector<const OverviewRow*> rows;
  std::vector<std::string> labels;
  for (const OverviewRow& row : overview.rows) {
    if (row.interest >= parts.rows) continue;
    rows.push_back(&row);
    labels.push_back(row.label);
  }
  std::string common;
  labels = shortened(labels, label_width, common);
  const std::size_t longest = display_width(labels);
  std::vector<double> least;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    least.push_back(least_ns(*rows[i], parts.columns));
    labels[i] = padded(labels[i], longest, false) + " " + unit_name_of(least[i]);
  }
  Columns table;
  table.push_back({common.empty() ? "time per step" : cut(common, std::max(label_width, longest)), false, 0, labels});
  for (const std::size_t column : parts.columns) {
    std::vector<Place> places;
    std::vector<Style> styles;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      places.push_back(place_of(overview, rows[i]->entries[column], least[i]));
      styles.push_back(places.back().style);
    }
    const bool names = parts.names && overview.columns[column].names;
    table.push_back({overview.columns[column].title, true, 0, aligned(places, names, parts.ratios), styles});
  }
  std::vector<std::string> ratios;
  std::vector<std::string> leads;
  for (const OverviewRow* row : rows) {
    ratios.push_back(fastest_ratio(overview, *row));
    leads.push_back(lead_text(row->ranking));
  }
  if (!parts.ratios && !overview.baseline.empty() && says(ratios)) table.push_back({"ratio", true, 0, ratios});
  if (parts.lead && says(leads)) table.push_back({"lead", true, 0, leads});
  return table;
}

Columns turned_table(const Overview& overview, std::size_t label_width) {
  Columns table = {left("implementation"), right("time per step, 95%"),
                   left(overview.baseline.empty() ? "ratio to the fastest" : "ratio to baseline", 1),
                   left("verdict", 2)};
  const OverviewRow& row = overview.rows.front();
  for (std::size_t i = 0; i < std::min(row.entries.size(), kMaxRows); ++i) {
    const Entry& entry = row.entries[i];
    const Cell& cell = *entry.cell;
    const bool baseline = cell.implementation == overview.baseline && !cell.summary->ratio;
    const bool undecided = !entry.ratio || !row.ranking.undecidable.empty();
    const bool compared = !cell.summary->not_ranked && !baseline && !undecided;
    const std::string time = mark_of(entry.mark) + format_estimate_ns(cell.summary->step_ns);
    add_row(table, {cut(overview.columns[i].title, label_width),
                    overview.ranked && !report::is_ranked(cell) ? "(" + time + ")" : time,
                    entry.ratio ? format_ratio(entry.ratio->ratio)
                    : baseline  ? "1"
                                : "-",
                    compared                   ? stats::name_of(entry.ratio->verdict)
                    : cell.summary->not_ranked ? "not ranked"
                    : baseline                 ? "baseline"
                                               : "-"});
    table[1].styles.push_back(style_of_mark(entry.mark));
    table[3].styles.push_back(compared ? style_of_verdict(entry.ratio->verdict) : Style::plain);
  }
  std::erase_if(table, [](const document::Column& column) { return column.rank > 0 && !says(column.texts); });
  return table;
}

std::string measured_words(const report::Report& report) {
  const report::Run& run = report.run;
  std::set<std::string> implementations;
  std::set<int> thread_counts;
  std::set<int> launch_counts;
  for (const Cell& cell : report.cells) {
    implementations.insert(cell.implementation);
    if (cell.arm == report::kControlArm) continue;
    thread_counts.insert(cell.threads);
    if (cell.summary) launch_counts.insert(cell.summary->step_ns.launches);
  }
  const std::string threads = range_text(thread_counts);
  const std::string launches = range_text(launch_counts);
  std::vector<std::string> parts = {run.matrix.empty() ? "gdbench" : "gdbench " + run.matrix};
  if (run.status != "complete") parts.push_back(run.status);
  parts.push_back(counted(report.scenarios.size(), "scenario"));
  parts.push_back(counted(implementations.size(), "implementation"));
  if (!threads.empty()) parts.push_back(threads + (threads == "1" ? " thread" : " threads"));
  parts.push_back(dtypes_of(report));
  if (!launches.empty()) parts.push_back(launches + (launches == "1" ? " launch each" : " launches each"));
  if (run.quick) parts.emplace_back("quick");
  parts.push_back(elapsed_text(run));
  if (run.shard) parts.push_back("shard " + *run.shard);
  std::erase(parts, "");
  return joined(parts);
}

std::string grid_words(const Overview& overview, bool ratios, bool lead) {
  const auto any = [&](Mark mark) {
    return std::ranges::any_of(overview.rows, [mark](const OverviewRow& row) {
      return std::ranges::any_of(row.entries, [mark](const Entry& e) { return e.mark == mark; });
    });
  };
  std::vector<std::string> parts;
  if (any(Mark::wins)) parts.emplace_back("* wins");
  if (any(Mark::ties)) parts.emplace_back("= tied: equivalent, or not distinguished");
  if (overview.turned) return joined(parts, "; ");
  if (!overview.baseline.empty()) {
    parts.push_back(std::string(ratios ? "ratios" : "ratio: of the fastest") + " to " + overview.baseline);
  }
  if (lead && any(Mark::wins)) parts.emplace_back("lead: over the runner-up");
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

}  // namespace gdbench::answers
