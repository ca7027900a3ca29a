// Overrides of a scenario's JSON by KEY=VALUE.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json_reader.h"
#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

// The first parts of every key that a setting may have: the scenario's own keys and the short axis names.
const std::vector<std::string>& setting_names();

// The dotted key that a short name stands for ("rows" -> "data.rows", "batch" -> "batch.rows"); other keys as they are.
// Two settings override each other when their full keys are equal.
std::string full_key(const std::string& key);

// The one that sets the key, or null.
const Setting* find_setting(const std::vector<Setting>& settings, const std::string& key);

// The value that a resolved scenario's JSON has at a key of settings, as a setting spells it; nothing where there is
// none, or no scalar.
std::optional<std::string> value_at(const Json& resolved, const std::string& key);

// Puts the settings into the scenario's JSON, in order, and notes where each went. Whether a key exists and a value
// fits is found when the document is read.
void apply_settings(JsonDocument& document, const std::vector<Setting>& settings);

}  // namespace gdbench::scenario
