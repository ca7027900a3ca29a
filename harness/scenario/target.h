// The scenario's key `target`.
#pragma once

#include <optional>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

// The key `target` of a scenario of `steps` steps; nothing where it is absent. Faults: neither or both of `loss` and
// `relative`, a number outside its range.
std::optional<Target> read_target(JsonReader& root, std::int64_t steps);

// Every default spelled out.
Json to_json(const Target& target);

}  // namespace gdbench::scenario
