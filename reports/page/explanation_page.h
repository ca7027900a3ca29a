// Explanations as one page: why one cell is faster than another, each sentence with the bars it rests on.
#pragma once

#include <string>
#include <vector>

#include "harness/report/explanation.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string explanation_page(const std::vector<report::Explanation>& explanations);

}  // namespace gdbench::page
