// Why one cell is faster than another.
#pragma once

#include <string>
#include <vector>

#include "harness/report/explanation.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// Of one pair of cells a document of its own; of several, a section for each.
document::Document document_of(const std::vector<report::Explanation>& explanations);

// A cell's id without its scenario.
std::string short_id(const std::string& label, const std::string& id);

// "optimizer=adam,batch=64" of "mlp-10-50-1[optimizer=adam,batch=64]"; empty without overrides.
std::string overrides_of(const std::string& label);

}  // namespace gdbench::answers
