#include "app/arguments.h"

#include <cmath>
#include <cstdlib>

namespace gdbench::app {

Result<double> parse_seconds(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || factor == 0 || !(value > 0) || !std::isfinite(value)) {
    return usage_error(option + ": found \"" + text + "\", expected a time like 60s, 2m or 1h");
  }
  return value * factor;
}

Result<double> parse_share(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  if (end == text.c_str() || (!unit.empty() && unit != "%") || !(value > 0) || !std::isfinite(value)) {
    return usage_error(option + ": found \"" + text + "\", expected a share like 1% or 0.01");
  }
  return unit == "%" ? value / 100 : value;
}

}  // namespace gdbench::app
