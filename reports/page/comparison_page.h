// What a comparison of two builds found, as a page: what is slower, by how much, and whether to believe it.
#pragma once

#include <string>

#include "harness/report/comparison.h"
#include "reports/page/markup.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string comparison_page(const report::ReportComparison& comparison);

// All of it, as a part of another page.
void add_comparison(Markup& markup, const report::ReportComparison& comparison);

}  // namespace gdbench::page
