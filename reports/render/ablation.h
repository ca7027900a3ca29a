// Renderers of an ablation, and its parts for others.
#pragma once

#include <string>
#include <vector>

#include "harness/report/comparison.h"
#include "reports/render/format.h"

namespace gdbench::render {

// A row per variant, those that have no time with their reason, and what the verdicts add up to.
std::string ablation_table(const report::Ablation& ablation);

// "example/one/x, impl.parts=all": the cell as it is.
std::string ablation_subject(const report::Ablation& ablation);
// "as it is", "without fusion", "all off".
std::string variant_name(const report::AblationVariant& variant);
// A row per variant, but for those that had nothing to lose.
PlainTable variants_table(const report::Ablation& ablation);
// What the verdicts add up to.
std::vector<std::string> ablation_sentences(const report::Ablation& ablation);
// "fusion: what it does", of each part that was measured and says so.
std::vector<std::string> part_descriptions(const report::Ablation& ablation);
// What the figures mean.
std::string ablation_legend(const report::Ablation& ablation);

}  // namespace gdbench::render
