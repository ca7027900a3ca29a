#include "reports/render/comparison.h"

#include <algorithm>

#include "harness/base/text.h"
#include "reports/render/format.h"
#include "reports/render/markdown.h"

namespace gdbench::render {

namespace {

using report::Change;
using report::ComparedCell;
using report::ReportComparison;

std::string time_of(const std::optional<stats::Estimate>& estimate) {
  return estimate ? format_duration_ns(estimate->value) : "-";
}

std::vector<std::string> row_of(const ComparedCell& cell) {
  return {cell.id,
          report::name_of(cell.change),
          cell.ratio ? format_change(*cell.ratio) : "-",
          time_of(cell.base_ns),
          time_of(cell.new_ns),
          cell.remark};
}

}  // namespace

ComparedCells cells_with(const ReportComparison& comparison, Change change) {
  ComparedCells cells;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.change == change) cells.push_back(&cell);
  }
  return cells;
}

ComparedCells cells_by_urgency(const ReportComparison& comparison) {
  ComparedCells cells;
  for (const Change change : kChangesByUrgency) {
    const ComparedCells found = cells_with(comparison, change);
    cells.insert(cells.end(), found.begin(), found.end());
  }
  return cells;
}

PlainTable changes_table(const ComparedCells& cells) {
  PlainTable table{.columns = {{"cell"}, {"change"}, {"time"}, {"base", true}, {"new", true}, {"remark"}}, .rows = {}};
  for (const ComparedCell* cell : cells) table.rows.push_back(row_of(*cell));
  return table;
}

std::string comparison_counts(const ReportComparison& comparison) {
  return counts_by_kind(counted(comparison.cells.size(), "cell"), kChangesByUrgency,
                        [&](Change change) { return cells_with(comparison, change).size(); });
}

std::string comparison_method(const ReportComparison& comparison) {
  const std::string sides = comparison.paired ? "measured side by side in one run" : "from two runs";
  const double margin = std::max(comparison.margin, comparison.noise_floor);
  return cat(comparison.next, " against ", comparison.base, ", ", sides,
             ". time: change of the step's time with its interval; regressed and improved: all of it beyond the margin "
             "of ",
             format_percent(comparison.margin),
             margin > comparison.margin ? " (or the run's own noise, here up to " + format_percent(margin) + ")" : "",
             ", at ", format_percent(comparison.confidence), " for all cells together (Holm).");
}

std::string comparison_table(const ReportComparison& comparison) {
  std::string text;
  if (!comparison.not_comparable.empty()) return "Not comparable: " + comparison.not_comparable + "\n";
  const ComparedCells cells = cells_by_urgency(comparison);
  if (!cells.empty()) text += text_table(changes_table(cells)) + "\n";
  text += comparison_counts(comparison) + "\n" + comparison_method(comparison) + "\n";
  for (const std::string& remark : comparison.remarks) text += "Note: " + remark + ".\n";
  return text;
}

std::string comparison_markdown(const ReportComparison& comparison) {
  std::string text = "## gdbench: ";
  if (!comparison.not_comparable.empty())
    return text + "not comparable\n\n" + markdown_escaped(comparison.not_comparable) + "\n";
  text += comparison_counts(comparison) + "\n\n";
  for (const Change change : kChangesByUrgency) {
    const ComparedCells cells = cells_with(comparison, change);
    if (cells.empty()) continue;
    const bool folded = change == Change::equivalent || change == Change::inconclusive || change == Change::added;
    const std::string title = std::to_string(cells.size()) + " " + report::name_of(change);
    text += folded ? "<details><summary>" + title + "</summary>\n\n" : "**" + title + "**\n\n";
    text += markdown_table(changes_table(cells));
    if (folded) text += "</details>\n\n";
  }
  text += markdown_escaped(comparison_method(comparison)) + "\n";
  for (const std::string& remark : comparison.remarks) text += "\nNote: " + markdown_escaped(remark) + ".\n";
  return text;
}

}  // namespace gdbench::render
