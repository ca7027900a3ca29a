// What steps of more ranks would take: the answer of `gdbench predict`.
#pragma once

#include "harness/report/prediction.h"
#include "reports/document/document.h"

namespace gdbench::answers {

document::Document document_of(const report::Predictions& predictions);

}  // namespace gdbench::answers
