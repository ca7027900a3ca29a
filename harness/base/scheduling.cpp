#include "harness/base/scheduling.h"

#include <cstdio>

namespace gdbench {

Scheduling scheduling_of(const std::string& file) {
  std::FILE* const statistics = std::fopen(file.c_str(), "r");
  if (statistics == nullptr) return {};
  Scheduling said;
  if (std::fscanf(statistics, "%lf %lf", &said.running_ns, &said.waiting_ns) != 2) said = {};
  std::fclose(statistics);
  return said;
}

}  // namespace gdbench
