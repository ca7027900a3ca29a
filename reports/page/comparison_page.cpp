#include "reports/page/comparison_page.h"

#include <algorithm>
#include <vector>

#include "harness/base/text.h"
#include "reports/page/document.h"
#include "reports/page/forest_figure.h"
#include "reports/page/parts.h"
#include "reports/page/scale.h"
#include "reports/render/comparison.h"

namespace gdbench::page {

namespace {

using render::ComparedCells;
using report::Change;
using report::ComparedCell;
using report::ReportComparison;

// Of a larger comparison the cells that are equivalent are folded.
constexpr std::size_t kMostCellsInFull = 40;

Finding finding_of(Change change) {
  switch (change) {
    case Change::regressed:
      return Finding::worse;
    case Change::improved:
      return Finding::better;
    case Change::equivalent:
      return Finding::alike;
    case Change::inconclusive:
      return Finding::open;
    case Change::failing:
    case Change::removed:
      return Finding::failed;
    case Change::fixed:
    case Change::added:
      break;
  }
  return Finding::passed;
}

std::string change_text(double ratio) { return formatted("%+.1f%%", 100 * (ratio - 1)); }

// Cells of a scenario that are told by their number.
struct FoldedCells {
  std::string scenario;
  ComparedCells cells{};
};

class ComparisonView {
 public:
  explicit ComparisonView(const ReportComparison& comparison) : comparison_(comparison) {
    for (const ComparedCell* cell : render::cells_by_urgency(comparison)) {
      if (comparison.cells.size() > kMostCellsInFull && cell->change == Change::equivalent) {
        fold(*cell);
      } else {
        cells_.push_back(cell);
      }
    }
  }

  void changes(Markup& markup) const {
    if (!comparison_.not_comparable.empty()) {
      add_paragraph(markup, "Not comparable: " + comparison_.not_comparable, "warning");
      return;
    }
    add_paragraph(markup, render::comparison_counts(comparison_));
    add_paragraph(markup, render::comparison_method(comparison_));
    std::vector<std::string> notes;
    for (const std::string& remark : comparison_.remarks) notes.push_back("Note: " + remark + ".");
    add_list(markup, notes);
    add_forest(markup, forest());
  }

  void cells(Markup& markup) const {
    add_titled(markup, folded_.empty() ? "Every cell" : "Cells that are not equivalent", table_of(cells_));
    for (const FoldedCells& folded : folded_) {
      const std::string title = folded.scenario + ": " + equivalent_words(folded);
      add_folded(markup, title, [&] { add_titled(markup, title, table_of(folded.cells)); });
    }
  }

 private:
  void fold(const ComparedCell& cell) {
    const std::string scenario = cell.scenario();
    const auto known = std::ranges::find(folded_, scenario, &FoldedCells::scenario);
    (known == folded_.end() ? folded_.emplace_back(FoldedCells{.scenario = scenario}) : *known).cells.push_back(&cell);
    ++folded_cells_;
  }

  static std::string equivalent_words(const FoldedCells& folded) {
    return cat(folded.cells.size(), " equivalent ", folded.cells.size() == 1 ? "cell" : "cells");
  }

  static render::TextTable table_of(const ComparedCells& cells) {
    return render::by_columns(render::changes_table(cells));
  }

  Forest forest() const {
    Forest forest{.figure = {.id = "forest",
                             .title = "Time per step of the new build over that of the base",
                             .sentence = sentence(),
                             .data = {{.title = "cell", .texts = {}},
                                      {.title = "change", .texts = {}},
                                      {.title = "time", .texts = {}},
                                      {.title = "layouts", .texts = {}}}},
                  .axis = "times the base's",
                  .band = stats::margin_range(comparison_.margin),
                  .band_name = "margin of " + render::format_percent(comparison_.margin)};
    for (const ComparedCell* cell : cells_) {
      add_row(forest, cell->id,
              {.group = cell->scenario(),
               .label = cell->name(),
               .word = report::name_of(cell->change),
               .figure = cell->ratio ? render::format_change(*cell->ratio) : "",
               .finding = finding_of(cell->change),
               .ratio = cell->ratio,
               .dots = cell->layouts});
    }
    for (const FoldedCells& folded : folded_) {
      ForestRow row{.group = folded.scenario,
                    .label = equivalent_words(folded),
                    .word = report::name_of(Change::equivalent),
                    .finding = Finding::alike};
      Extent ratios;
      for (const ComparedCell* cell : folded.cells) {
        if (cell->ratio) row.dots.push_back(cell->ratio->value);
      }
      for (const double ratio : row.dots) ratios.add(ratio);
      if (!ratios.empty) row.figure = change_text(ratios.low) + " to " + change_text(ratios.high);
      add_row(forest, folded.scenario + ": " + row.label, row);
    }
    return forest;
  }

  static void add_row(Forest& forest, const std::string& name, const ForestRow& row) {
    std::string layouts;
    if (row.ratio) {
      for (const double ratio : row.dots) render::join(layouts, change_text(ratio));
    }
    render::add_row(forest.figure.data, {name, row.word, row.figure.empty() ? "-" : row.figure, layouts});
    forest.rows.push_back(row);
  }

  std::string sentence() const {
    std::string text =
        cat(kForestWords, " Grey is the margin",
            comparison_.noise_floor > comparison_.margin ? "; where the run's own noise is larger, that counts instead."
                                                         : ", within which a change does not matter.");
    if (std::ranges::any_of(comparison_.cells, [](const ComparedCell& cell) { return !cell.layouts.empty(); }))
      text += " Small dots are the layouts of the code.";
    if (folded_cells_ > 0) {
      text += cat(" ", render::counted(folded_cells_, "equivalent cell"), folded_cells_ == 1 ? " is" : " are",
                  " folded into a row for each scenario, with a dot for each cell.");
    }
    return text;
  }

  const ReportComparison& comparison_;
  ComparedCells cells_;
  std::vector<FoldedCells> folded_;
  std::size_t folded_cells_ = 0;
};

// "Base: before.json, built from 0.1.0 0123abc."
std::string side_words(const std::string& side, const std::string& name, const std::string& build) {
  return cat(side, ": ", name, build.empty() ? "" : ", gdbench " + build, ".");
}

}  // namespace

std::string comparison_page(const ReportComparison& comparison) {
  const ComparisonView view(comparison);
  std::vector<Section> sections = {{"changes", "What changed", [&](Markup& markup) { view.changes(markup); }}};
  if (!comparison.cells.empty()) sections.push_back({"cells", "Cells", [&](Markup& markup) { view.cells(markup); }});
  return document("gdbench: " + comparison.next + " against " + comparison.base, sections, [&](Markup& markup) {
    add_paragraph(markup, side_words("New", comparison.next, comparison.next_build), "muted");
    add_paragraph(markup, side_words("Base", comparison.base, comparison.base_build), "muted");
  });
}

void add_comparison(Markup& markup, const ReportComparison& comparison) {
  const ComparisonView view(comparison);
  view.changes(markup);
  view.cells(markup);
}

}  // namespace gdbench::page
