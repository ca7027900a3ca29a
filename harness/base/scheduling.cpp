#include "harness/base/scheduling.h"

#include <cstdio>

namespace gdbench {

double waiting_ns(const std::string& file) {
  std::FILE* const statistics = std::fopen(file.c_str(), "r");
  if (statistics == nullptr) return 0;
  double waiting = 0;
  if (std::fscanf(statistics, "%*f %lf", &waiting) != 1) waiting = 0;
  std::fclose(statistics);
  return waiting;
}

}  // namespace gdbench
