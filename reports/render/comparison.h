// Renderers of what `gdbench compare` and `gdbench run --against` find.
#pragma once

#include <string>

#include "harness/report/comparison.h"

namespace gdbench::render {

// A row per cell, those that matter first, then counts, remarks and what the words mean.
std::string comparison_table(const report::ReportComparison& comparison);

// The same as GitHub Markdown: for a job's summary or a pull request's comment. What did not change is folded away.
std::string comparison_markdown(const report::ReportComparison& comparison);

}  // namespace gdbench::render
