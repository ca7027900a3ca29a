// What each part of an implementation that can be switched off is worth.
#pragma once

#include "harness/report/comparison.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// An ablation has the cell as it is at least.
document::Document document_of(const report::Ablation& ablation);

}  // namespace gdbench::answers
