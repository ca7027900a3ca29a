// The value of an option among an instance's settings.
#pragma once

#include <string>

#include "gdbench/plugin.h"

namespace gdbench::implementations {

// Empty where the host does not give the option.
inline std::string option_value(const gdbench_settings& settings, const std::string& key) {
  for (std::int64_t i = 0; i < settings.option_count; ++i) {
    if (settings.options[i].key == key) return settings.options[i].value;
  }
  return {};
}

}  // namespace gdbench::implementations
