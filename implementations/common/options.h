// Options of an instance: their values among its settings, and names that are listed with '|' between them.
#pragma once

#include <string>
#include <string_view>

#include "gdbench/plugin.h"

namespace gdbench::implementations {

// Empty where the host does not give the option.
inline std::string option_value(const gdbench_settings& settings, const std::string& key) {
  for (std::int64_t i = 0; i < settings.option_count; ++i) {
    if (settings.options[i].key == key) return settings.options[i].value;
  }
  return {};
}

// Whether a name is one of those in "layout|streaming".
inline bool is_among(const std::string& names, std::string_view name) {
  return !name.empty() && ("|" + names + "|").find("|" + std::string(name) + "|") != std::string::npos;
}

}  // namespace gdbench::implementations
