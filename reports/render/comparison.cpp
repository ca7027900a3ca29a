#include "reports/render/comparison.h"

#include <algorithm>
#include <array>
#include <vector>

#include "harness/base/text.h"
#include "reports/render/format.h"
#include "reports/render/markdown.h"

namespace gdbench::render {

namespace {

using report::Change;
using report::ComparedCell;
using report::ReportComparison;

// What a reader has to act on comes first.
constexpr std::array kOrder = {Change::regressed, Change::failing,      Change::removed, Change::improved,
                               Change::fixed,     Change::inconclusive, Change::added,   Change::equivalent};

std::vector<const ComparedCell*> cells_with(const ReportComparison& comparison, Change change) {
  std::vector<const ComparedCell*> cells;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.change == change) cells.push_back(&cell);
  }
  return cells;
}

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

std::vector<PlainColumn> columns_of_changes() {
  return {{"cell"}, {"change"}, {"time"}, {"base", true}, {"new", true}, {""}};
}

// "25 cells: 1 regressed, 20 equivalent, 4 inconclusive".
std::string counts_of(const ReportComparison& comparison) {
  return counts_by_kind(counted(comparison.cells.size(), "cell"), kOrder,
                        [&](Change change) { return cells_with(comparison, change).size(); });
}

std::string method_of(const ReportComparison& comparison) {
  const std::string sides = comparison.paired ? "measured side by side in one run" : "from two runs";
  const double margin = std::max(comparison.margin, comparison.noise_floor);
  return cat(comparison.next, " against ", comparison.base, ", ", sides,
             ". time: change of the step's time with its interval; regressed and improved: all of it beyond the margin "
             "of ",
             format_percent(comparison.margin),
             margin > comparison.margin ? " (or the run's own noise, here up to " + format_percent(margin) + ")" : "",
             ", at ", format_percent(comparison.confidence), " for all cells together (Holm).");
}

}  // namespace

std::string comparison_table(const ReportComparison& comparison) {
  std::string text;
  if (!comparison.not_comparable.empty()) return "Not comparable: " + comparison.not_comparable + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const Change change : kOrder) {
    for (const ComparedCell* cell : cells_with(comparison, change)) rows.push_back(row_of(*cell));
  }
  if (!rows.empty()) text += text_table(columns_of_changes(), rows) + "\n";
  text += counts_of(comparison) + "\n" + method_of(comparison) + "\n";
  for (const std::string& remark : comparison.remarks) text += "Note: " + remark + ".\n";
  return text;
}

std::string comparison_markdown(const ReportComparison& comparison) {
  std::string text = "## gdbench: ";
  if (!comparison.not_comparable.empty())
    return text + "not comparable\n\n" + markdown_escaped(comparison.not_comparable) + "\n";
  text += counts_of(comparison) + "\n\n";
  for (const Change change : kOrder) {
    const std::vector<const ComparedCell*> cells = cells_with(comparison, change);
    if (cells.empty()) continue;
    const bool folded = change == Change::equivalent || change == Change::inconclusive || change == Change::added;
    const std::string title = std::to_string(cells.size()) + " " + report::name_of(change);
    text += folded ? "<details><summary>" + title + "</summary>\n\n" : "**" + title + "**\n\n";
    std::vector<std::vector<std::string>> rows;
    for (const ComparedCell* cell : cells) rows.push_back(row_of(*cell));
    text += markdown_table(columns_of_changes(), rows);
    if (folded) text += "</details>\n\n";
  }
  text += markdown_escaped(method_of(comparison)) + "\n";
  for (const std::string& remark : comparison.remarks) text += "\nNote: " + markdown_escaped(remark) + ".\n";
  return text;
}

}  // namespace gdbench::render
