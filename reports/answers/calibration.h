// What comparisons on this machine are worth: how often they alarm for nothing, and which slowdown they find.
#pragma once

#include "harness/report/comparison.h"
#include "reports/document/document.h"

namespace gdbench::answers {

document::Document document_of(const report::Calibration& calibration);

}  // namespace gdbench::answers
