// A report as a document: which implementation wins where, by how much, and what that rests on.
#pragma once

#include "harness/report/comparison.h"
#include "harness/report/report.h"
#include "reports/document/document.h"

namespace gdbench::answers {

document::Document document_of(const report::Report& report);
// With what its builds differ in.
document::Document document_of(const report::Report& report, const report::ReportComparison& comparison);

}  // namespace gdbench::answers
