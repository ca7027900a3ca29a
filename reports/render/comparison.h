// Renderers of what `gdbench compare` and `gdbench run --against` find.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "harness/report/comparison.h"
#include "reports/render/format.h"

namespace gdbench::render {

// What a reader has to act on comes first.
inline constexpr std::array kChangesByUrgency = {
    report::Change::regressed, report::Change::failing,      report::Change::removed, report::Change::improved,
    report::Change::fixed,     report::Change::inconclusive, report::Change::added,   report::Change::equivalent};

// The parts of a comparison, for every renderer.

using ComparedCells = std::vector<const report::ComparedCell*>;
// In the order of kChangesByUrgency, and those with one change.
ComparedCells cells_by_urgency(const report::ReportComparison& comparison);
ComparedCells cells_with(const report::ReportComparison& comparison, report::Change change);
// A row for each.
PlainTable changes_table(const ComparedCells& cells);
// "25 cells: 1 regressed, 20 equivalent, 4 inconclusive".
std::string comparison_counts(const report::ReportComparison& comparison);
// What was compared in what way, and what the words mean.
std::string comparison_method(const report::ReportComparison& comparison);

// A row per cell, those that matter first, then counts, remarks and what the words mean.
std::string comparison_table(const report::ReportComparison& comparison);

// The same as GitHub Markdown: for a job's summary or a pull request's comment. What did not change is folded away.
std::string comparison_markdown(const report::ReportComparison& comparison);

}  // namespace gdbench::render
