#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/forest.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Change;
using report::ComparedCell;
using report::ReportComparison;
using Cells = std::vector<const ComparedCell*>;

// What a reader has to act on comes first.
constexpr std::array kChangesByUrgency = {Change::regressed, Change::failing,      Change::removed, Change::improved,
                                          Change::fixed,     Change::inconclusive, Change::added,   Change::equivalent};

// Of a larger comparison a picture shows the equivalent cells of a scenario as one row.
constexpr std::size_t kMostRows = 40;

bool judges_others(const ReportComparison& comparison) {
  return std::ranges::any_of(comparison.gates,
                             [](const report::Gate& gate) { return gate.quantity != report::Quantity::step; });
}

bool is_change(Change change) {
  return change != Change::inconclusive && change != Change::added && change != Change::equivalent;
}

Cells cells_with(const ReportComparison& comparison, Change change) {
  Cells cells;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.change == change) cells.push_back(&cell);
  }
  return cells;
}

std::string value_of(const ComparedCell& cell, const std::optional<stats::Estimate>& estimate) {
  return estimate ? format_quantity(cell.quantity, estimate->value) : "-";
}

bool is_named(const ComparedCell& cell) { return !cell.of_step() && cell.quantity != report::Quantity::ratio; }

bool are_ratios(const ReportComparison& comparison) {
  return !comparison.cells.empty() && comparison.cells[0].quantity == report::Quantity::ratio;
}

std::string change_text(double ratio) { return formatted("%+.1f%%", 100 * (ratio - 1)); }

std::string layouts_of(const ComparedCell& cell) {
  std::string text;
  for (const double ratio : cell.layouts) join(text, change_text(ratio));
  return text;
}

Columns table_of(const Cells& cells) {
  const bool of_steps = std::ranges::all_of(cells, &ComparedCell::of_step);
  Columns table = {left("cell"),  left("change"), left(of_steps ? "time" : "by"),
                   right("base"), right("new"),   left("remark", 1)};
  for (const ComparedCell* cell : cells) {
    add_row(table, {cell->id, report::name_of(cell->change), cell->ratio ? format_change(*cell->ratio) : "-",
                    value_of(*cell, cell->base), value_of(*cell, cell->next), cell->remark});
  }
  if (std::ranges::any_of(cells, [](const ComparedCell* cell) { return is_named(*cell); })) {
    table.insert(table.begin() + 1, left("quantity"));
    for (const ComparedCell* cell : cells) table[1].texts.push_back(quantity_name(cell->quantity));
  }
  // Padded builds have a ratio for each layout of the code.
  if (std::ranges::any_of(cells, [](const ComparedCell* cell) { return !cell->layouts.empty(); })) {
    table.push_back(left("layouts", 2));
    for (const ComparedCell* cell : cells) table.back().texts.push_back(layouts_of(*cell));
  }
  return table;
}

document::Look look_of(Change change) {
  return change == Change::regressed                              ? kWorse
         : change == Change::improved                             ? kBetter
         : change == Change::equivalent                           ? kAlike
         : change == Change::inconclusive                         ? kOpen
         : change == Change::failing || change == Change::removed ? kFailed
                                                                  : kPassed;
}

document::BarRow row_of(const ComparedCell& cell) {
  document::BarRow row{.label = !is_named(cell) ? cell.name() : cat(cell.name(), ", ", quantity_name(cell.quantity)),
                       .look = look_of(cell.change),
                       .dots = cell.layouts,
                       .word = report::name_of(cell.change),
                       .figure = cell.ratio ? format_change(*cell.ratio) : "",
                       .group = cell.scenario()};
  if (cell.ratio) row.measures = {{.value = cell.ratio->value, .interval = cell.ratio->interval}};
  return row;
}

// The equivalent cells of one scenario, a dot for each.
document::BarRow row_of(const Cells& cells) {
  document::BarRow row{.label = counted(cells.size(), "equivalent cell"),
                       .look = look_of(Change::equivalent),
                       .word = report::name_of(Change::equivalent),
                       .group = cells.front()->scenario()};
  for (const ComparedCell* cell : cells) {
    if (cell->ratio) row.dots.push_back(cell->ratio->value);
  }
  if (row.dots.empty()) return row;
  row.figure = range_words(row.dots, std::identity(), change_text);
  return row;
}

Figure figure_of(const ReportComparison& comparison) {
  document::Rows rows = forest_of("times the base's", comparison.margin);
  const bool folds = comparison.cells.size() > kMostRows;
  std::vector<std::pair<std::string, Cells>> folded;  // by scenario
  for (const Change change : kChangesByUrgency) {
    for (const ComparedCell* cell : cells_with(comparison, change)) {
      if (!folds || change != Change::equivalent) {
        rows.rows.push_back(row_of(*cell));
      } else {
        entry_of(folded, cell->scenario()).push_back(cell);
      }
    }
  }
  for (const auto& [scenario, cells] : folded) rows.rows.push_back(row_of(cells));
  std::string sentence =
      cat(kForestWords, " Grey is the margin",
          comparison.noise_floor > comparison.margin ? "; where the run's own noise is larger, that counts instead."
                                                     : ", within which a change does not matter.");
  if (std::ranges::any_of(comparison.cells, [](const ComparedCell& cell) { return !cell.layouts.empty(); })) {
    sentence += " Small dots are the layouts of the code.";
  }
  if (!folded.empty()) sentence += " The equivalent cells of a scenario share a row, with a dot for each.";
  return {.title = are_ratios(comparison)      ? "Ratios to the baseline in the new report over those in the base"
                   : judges_others(comparison) ? "Figures of the new build over those of the base"
                                               : "Time per step of the new build over that of the base",
          .sentence = std::move(sentence),
          .chart = std::move(rows)};
}

std::string method_words(const ReportComparison& comparison) {
  const std::string sides = comparison.paired ? "measured side by side in one run" : "from two runs";
  const double margin = std::max(comparison.margin, comparison.noise_floor);
  std::string others;
  for (const report::Gate& gate : comparison.gates) {
    join(others, cat(quantity_name(gate.quantity), gate.cells.empty() ? "" : " of " + gate.cells, " ",
                     format_percent(gate.margin)));
  }
  return cat(
      comparison.next, " against ", comparison.base, ", ", sides,
      are_ratios(comparison) ? ". by: change of the ratio of a step to its baseline's"
                             : ". time: change of the step's time",
      " with its interval; regressed and improved: all of it beyond the margin of ", format_percent(comparison.margin),
      margin > comparison.margin ? " (or the run's own noise, here up to " + format_percent(margin) + ")" : "", ", at ",
      format_percent(comparison.confidence), comparison.until_decided.value_or(false) ? " at every look" : "",
      others.empty() ? " for all cells together (Holm)."
                     : cat(" for all figures together (Holm). Other margins: ", others, "."));
}

// "Base: before.json, gdbench 0.1.0 0123abc."
std::string side_words(const std::string& side, const std::string& name, const std::string& build) {
  return cat(side, ": ", name, build.empty() ? "" : ", gdbench " + build, ".");
}

}  // namespace

document::Paragraph comparison_answer(const ReportComparison& comparison) {
  if (!comparison.not_comparable.empty()) return {"Not comparable: " + comparison.not_comparable, Style::bad};
  const std::size_t regressed = cells_with(comparison, Change::regressed).size();
  const char* const noun = judges_others(comparison) ? "figure" : "cell";
  return {counts_by_kind(counted(comparison.cells.size(), noun), kChangesByUrgency,
                         [&](Change change) { return cells_with(comparison, change).size(); }),
          regressed > 0 ? Style::bad : Style::plain};
}

Blocks comparison_blocks(const ReportComparison& comparison) {
  Blocks blocks;
  if (!comparison.not_comparable.empty()) return blocks;
  if (!comparison.cells.empty()) blocks.figure(figure_of(comparison));
  Cells changed;
  for (const Change change : kChangesByUrgency) {
    const Cells cells = cells_with(comparison, change);
    if (is_change(change)) changed.insert(changed.end(), cells.begin(), cells.end());
  }
  blocks.table("Cells that changed", table_of(changed));
  for (const Change change : kChangesByUrgency) {
    const Cells cells = cells_with(comparison, change);
    if (is_change(change) || cells.empty()) continue;
    blocks.fold(cat(cells.size(), " ", report::name_of(change)), Blocks().table("", table_of(cells)), true);
  }
  blocks.paragraph(method_words(comparison));
  std::vector<std::string> notes;
  for (const std::string& remark : comparison.remarks) notes.push_back("Note: " + remark + ".");
  return blocks.list(notes);
}

Document document_of(const ReportComparison& comparison) {
  Document document{.title = "gdbench: " + comparison.next + " against " + comparison.base,
                    .answer = {comparison_answer(comparison)}};
  Blocks sides;
  if (!comparison.next_build.empty() || !comparison.base_build.empty()) {
    sides.paragraph(side_words("New", comparison.next, comparison.next_build), Style::dim);
    sides.paragraph(side_words("Base", comparison.base, comparison.base_build), Style::dim);
  }
  document.section("", std::move(sides));
  document.section("Cells", comparison_blocks(comparison));
  return document;
}

}  // namespace gdbench::answers
