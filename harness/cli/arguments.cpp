#include "harness/cli/arguments.h"

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace gdbench::cli {

namespace fs = std::filesystem;

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

Status check_output(const std::string& out) {
  const fs::path folder = fs::absolute(out).parent_path();
  std::error_code error;
  if (fs::is_directory(out)) return usage_error("--out " + out + ": found a folder, expected a file");
  if (!fs::is_directory(folder)) return usage_error("--out " + out + ": found no folder " + folder.string());
  // A report replaces the file of its name: a device or a pipe must not be lost to it.
  if (fs::exists(out) && !fs::is_regular_file(out)) {
    return usage_error("--out " + out + ": found a device or a pipe, expected a file");
  }
  if (fs::exists(out) && access(out.c_str(), W_OK) != 0)
    return usage_error("--out " + out + ": found a file that cannot be written");
  const fs::space_info space = fs::space(folder, error);
  constexpr std::uintmax_t kLeastBytes = 4 << 20;
  if (!error && space.available < kLeastBytes) {
    return usage_error("--out " + out + ": found " + std::to_string(space.available >> 10) +
                       " KiB free, expected at least 4 MiB");
  }
  return {};
}

}  // namespace gdbench::cli
