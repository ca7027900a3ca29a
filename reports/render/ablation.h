// Renderer of an ablation.
#pragma once

#include <string>

#include "harness/report/comparison.h"

namespace gdbench::render {

// A row per variant, those that have no time with their reason, and what the verdicts add up to.
std::string ablation_table(const report::Ablation& ablation);

}  // namespace gdbench::render
