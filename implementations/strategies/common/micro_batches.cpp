#include "implementations/strategies/common/micro_batches.h"

namespace gdbench::strategies {

std::vector<MicroBatch> micro_batches(std::int64_t rows, std::int64_t count) {
  std::vector<MicroBatch> parts;
  for (std::int64_t first = 0, part = 0; first < rows; ++part) {
    const std::int64_t size = rows / count + (part < rows % count ? 1 : 0);
    parts.push_back({first, size, static_cast<double>(size) / static_cast<double>(rows)});
    first += size;
  }
  return parts;
}

}  // namespace gdbench::strategies
