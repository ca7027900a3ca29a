// The values of an implementation's options.
#pragma once

#include <string>

#include "gdbench/plugin.h"

namespace gdbench::strategies {

// Empty where the settings do not hold the option: a host sets every declared one.
inline std::string option_value(const gdbench_settings& settings, const std::string& key) {
  for (std::int64_t i = 0; i < settings.option_count; ++i) {
    if (settings.options[i].key == key) return settings.options[i].value;
  }
  return {};
}

}  // namespace gdbench::strategies
