#include "harness/machine/device_conditions.h"

#include <array>
#include <cstdio>
#include <sstream>

namespace gdbench::machine {

namespace {

using report::Condition;
using report::Severity;

// What a command prints; empty where it fails.
std::string output_of(const char* command) {
  FILE* const pipe = popen(command, "r");
  if (pipe == nullptr) return "";
  std::string output;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) output += part.data();
  return pclose(pipe) == 0 ? output : "";
}

}  // namespace

Condition compute_mode(const std::string& modes) {
  std::istringstream lines(modes);
  for (std::string mode; std::getline(lines, mode);) {
    if (mode == "Default") continue;
    return {"compute mode", Severity::warning, mode,
            "a device serves one process at most, but workers of all cells hold it at once: theirs will fail",
            "nvidia-smi --compute-mode=DEFAULT, by who owns the machine"};
  }
  return {"compute mode", Severity::fine, "Default", "", ""};
}

std::vector<Condition> device_conditions() {
  const std::string modes =
      output_of("timeout 10 nvidia-smi --query-gpu=compute_mode --format=csv,noheader 2>/dev/null");
  if (modes.empty()) return {};
  return {compute_mode(modes)};
}

}  // namespace gdbench::machine
