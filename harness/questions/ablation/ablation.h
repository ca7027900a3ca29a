// What each part of an implementation that can be switched off is worth.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/cell_group.h"
#include "harness/measure/options.h"
#include "harness/protocol/protocol.h"
#include "harness/report/comparison.h"

namespace gdbench::ablation {

// The variants of a cell whose option (of the type switches) has `value`: as it is, without each part that is on,
// without all of them where there are several. Only names and values are filled in.
std::vector<report::AblationVariant> ablation_variants(const protocol::OptionDeclaration& option,
                                                       const std::string& value);

// Verifies the cells of the group, which are the variants of `ablation` in their order, and measures them side by side:
// options.launches launches, or as many as the budget gives and verdicts need. A variant that fails gets
// its status and no time, nor does one without a part that had no effect. Errors: the scenario is unfit.
Status measure_ablation(measure::CellGroup& group, const measure::RunOptions& options, report::Ablation& ablation);

}  // namespace gdbench::ablation
