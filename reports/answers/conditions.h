// What will spoil measurements on this machine, and what to do: the answer of `gdbench doctor`.
#pragma once

#include <vector>

#include "harness/report/report.h"
#include "reports/document/document.h"

namespace gdbench::answers {

document::Document document_of(const std::vector<report::Condition>& conditions);

}  // namespace gdbench::answers
