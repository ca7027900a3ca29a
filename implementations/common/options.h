// Options of an instance: their values among its settings, and names that are listed with '|' between them.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include "gdbench/plugin.h"
#include "implementations/common/failure.h"

namespace gdbench::implementations {

// Empty where the host does not give the option.
inline std::string option_value(const gdbench_settings& settings, const std::string& key) {
  for (std::int64_t i = 0; i < settings.option_count; ++i) {
    if (settings.options[i].key == key) return settings.options[i].value;
  }
  return {};
}

// Which value a choice has: Enum's enumerators are the option's choices in their order, the default first. Throws
// Failure (GDBENCH_INVALID) for a value that is none.
template <class Enum>
Enum chosen(const gdbench_settings& settings, const gdbench_option& option) {
  const std::string value = option_value(settings, option.key);
  std::istringstream choices(option.choices);
  int place = 0;
  for (std::string choice; std::getline(choices, choice, '|'); ++place) {
    if (value.empty() || value == choice) return static_cast<Enum>(place);
  }
  throw Failure(GDBENCH_INVALID, std::string(option.key) + ": found \"" + value + "\", expected " + option.choices);
}

// Whether a name is one of those in "layout|streaming".
inline bool is_among(const std::string& names, std::string_view name) {
  return !name.empty() && ("|" + names + "|").find("|" + std::string(name) + "|") != std::string::npos;
}

}  // namespace gdbench::implementations
