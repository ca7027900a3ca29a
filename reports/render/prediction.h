// Renderer of predictions.
#pragma once

#include <string>

#include "harness/report/prediction.h"

namespace gdbench::render {

// For each implementation in each scenario a table over ranks; what was measured beside the model; and what the model
// assumes, in words. Lines of words have at most `width` columns; 0 breaks none.
std::string predictions_text(const report::Predictions& predictions, int width);

}  // namespace gdbench::render
