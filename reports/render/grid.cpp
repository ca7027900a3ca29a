#include "reports/render/grid.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "reports/render/format.h"
#include "reports/render/labels.h"

namespace gdbench::render {

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

const Entry* fastest_of(const OverviewRow& row) {
  const auto found = std::find_if(row.entries.begin(), row.entries.end(), [&](const Entry& entry) {
    return entry.cell != nullptr && entry.cell == row.ranking.fastest;
  });
  return found == row.entries.end() ? nullptr : &*found;
}

std::string fastest_ratio(const Overview& overview, const OverviewRow& row) {
  const Entry* fastest = fastest_of(row);
  if (fastest == nullptr) return "-";
  if (fastest->ratio) return format_factor(fastest->ratio->ratio.value);
  return fastest->cell->implementation == overview.baseline ? "1" : "-";
}

// By how much the fastest wins; that it does not, where that is a verdict.
std::string lead_text(const Ranking& ranking) {
  if (ranking.won()) return format_factor(ranking.lead.ratio.value);
  return ranking.tied.empty() ? "-" : "tie";
}

bool says(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return text != "-"; });
}

void add(TextTable& table, const std::string& title, bool right_aligned, int rank, std::vector<std::string> texts,
         std::vector<Style> styles = {}) {
  table.push_back({title, right_aligned, rank, std::move(texts), std::move(styles)});
}

}  // namespace

GridParts all_parts(const Overview& overview) {
  GridParts parts;
  parts.columns.resize(overview.columns.size());
  std::iota(parts.columns.begin(), parts.columns.end(), std::size_t{0});
  return parts;
}

TextTable grid_table(const Overview& overview, const GridParts& parts, std::size_t label_width) {
  std::vector<const OverviewRow*> rows;
  std::vector<std::string> labels;
  for (const OverviewRow& row : overview.rows) {
    if (row.interest >= parts.rows) continue;
    rows.push_back(&row);
    labels.push_back(row.label);
  }
  std::string common;
  labels = shortened(labels, label_width, common);
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, display_width(label));
  std::vector<double> least;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    least.push_back(least_ns(*rows[i], parts.columns));
    labels[i] = padded(labels[i], longest, false) + " " + unit_name_of(least[i]);
  }
  TextTable table;
  add(table, common.empty() ? "time per step" : cut(common, std::max(label_width, longest)), false, 0, labels);
  for (const std::size_t column : parts.columns) {
    std::vector<Place> places;
    std::vector<Style> styles;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      places.push_back(place_of(overview, rows[i]->entries[column], least[i]));
      styles.push_back(places.back().style);
    }
    const bool names = parts.names && overview.columns[column].names;
    add(table, overview.columns[column].title, true, 0, aligned(places, names, parts.ratios), styles);
  }
  std::vector<std::string> ratios;
  std::vector<std::string> leads;
  for (const OverviewRow* row : rows) {
    ratios.push_back(fastest_ratio(overview, *row));
    leads.push_back(lead_text(row->ranking));
  }
  if (!parts.ratios && !overview.baseline.empty() && says(ratios)) add(table, "ratio", true, 0, ratios);
  if (parts.lead && says(leads)) add(table, "lead", true, 0, leads);
  return table;
}

TextTable turned_table(const Overview& overview, std::size_t label_width) {
  std::vector<std::string> names;
  std::vector<std::string> times;
  std::vector<std::string> ratios;
  std::vector<std::string> verdicts;
  std::vector<Style> time_styles;
  std::vector<Style> verdict_styles;
  const std::vector<Entry>& entries = overview.rows.front().entries;
  for (std::size_t i = 0; i < std::min(entries.size(), kMaxRows); ++i) {
    const Cell& cell = *entries[i].cell;
    const bool baseline = cell.implementation == overview.baseline && !cell.summary->ratio;
    const bool undecided = !entries[i].ratio || !overview.rows.front().ranking.undecidable.empty();
    names.push_back(cut(overview.columns[i].title, label_width));
    const std::string time = mark_of(entries[i].mark) + format_estimate_ns(cell.summary->step_ns);
    times.push_back(overview.ranked && !report::is_ranked(cell) ? "(" + time + ")" : time);
    ratios.push_back(entries[i].ratio ? format_ratio(entries[i].ratio->ratio) : baseline ? "1" : "-");
    time_styles.push_back(style_of_mark(entries[i].mark));
    const bool compared = !cell.summary->not_ranked && !baseline && !undecided;
    verdicts.push_back(compared                   ? stats::name_of(entries[i].ratio->verdict)
                       : cell.summary->not_ranked ? "not ranked"
                       : baseline                 ? "baseline"
                                                  : "-");
    verdict_styles.push_back(compared ? style_of_verdict(entries[i].ratio->verdict) : Style::plain);
  }
  TextTable table;
  add(table, "implementation", false, 0, names);
  add(table, "time per step, 95%", true, 0, times, time_styles);
  if (says(ratios)) {
    add(table, overview.baseline.empty() ? "ratio to the fastest" : "ratio to baseline", false, 1, ratios);
  }
  if (says(verdicts)) add(table, "verdict", false, 2, verdicts, verdict_styles);
  return table;
}

}  // namespace gdbench::render
