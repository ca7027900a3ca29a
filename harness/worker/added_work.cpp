#include "harness/worker/added_work.h"

namespace gdbench::worker {

void add_work(std::uint64_t iterations) {
  double value = 1;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * 0.999 + 0.001;   // stays at 1: no denormals, no infinities
    asm volatile("" : "+x"(value));  // every iteration is made, in order
  }
}

}  // namespace gdbench::worker
