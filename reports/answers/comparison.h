// What `gdbench compare` and `gdbench run --against` find: whether a build is slower than another.
#pragma once

#include <array>

#include "harness/report/comparison.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// What a reader has to act on comes first.
inline constexpr std::array kChangesByUrgency = {
    report::Change::regressed, report::Change::failing,      report::Change::removed, report::Change::improved,
    report::Change::fixed,     report::Change::inconclusive, report::Change::added,   report::Change::equivalent};

// "25 cells: 1 regressed, 20 equivalent, 4 inconclusive", or why nothing is comparable.
document::Paragraph comparison_answer(const report::ReportComparison& comparison);
// How it was found, every cell drawn and in tables: those that changed, then the others, folded.
document::Blocks comparison_blocks(const report::ReportComparison& comparison);

document::Document document_of(const report::ReportComparison& comparison);

}  // namespace gdbench::answers
