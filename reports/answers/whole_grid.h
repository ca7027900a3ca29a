// Every implementation in every scenario: which wins where.
#pragma once

#include <vector>

#include "reports/answers/rows.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// Implementations going down, scenarios across; of more scenarios than implementations the other way round. In each
// place a time and a word, with a shade for the ratio to the scenario's fastest.
document::Blocks whole_grid(const std::vector<ScenarioTable>& tables);

}  // namespace gdbench::answers
