// What each part of an implementation is worth, as a page.
#pragma once

#include <string>

#include "harness/report/comparison.h"

namespace gdbench::page {

// HTML, complete without a script or a network. An ablation has the cell as it is at least.
std::string ablation_page(const report::Ablation& ablation);

}  // namespace gdbench::page
