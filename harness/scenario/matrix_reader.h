// The parts of a matrix that other documents hold too. Includes nlohmann/json: for .cpp files only.
#pragma once

#include <optional>
#include <string>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/scenario/matrix.h"

namespace gdbench::scenario {

// A scalar as text, as --set takes it; nothing for other values.
std::optional<std::string> scalar_text(const Json& value);

// Reads axes, exclude and include of the object that `reader` stands for; faults go to its document.
void read_cells(JsonDocument& document, JsonReader& reader, Matrix& matrix);

}  // namespace gdbench::scenario
