#include "harness/worker/thread_pool.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "harness/abi/processor.h"
#include "harness/base/clock.h"

namespace gdbench::worker {
namespace {

// Longer than what one thread of a step does alone; a small part of what may be spent outside of a block
// (harness/measure/trust.cpp).
constexpr double kSpinningNs = 45'000;

// Between 3 and 50 ns by x86-64's processors, which is nearly all of a spin of libgomp. On AArch64 it spins without a
// pause, about as long as the shortest.
double pause_ns() {
  constexpr int kPauses = 200;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::int64_t started_ns = monotonic_ns();
    for (int i = 0; i < kPauses; ++i) processor::pause();
    shortest_ns = std::min(shortest_ns, monotonic_ns() - started_ns);
  }
  return static_cast<double>(std::max<std::int64_t>(shortest_ns, 1)) / kPauses;
}

}  // namespace

void limit_spinning_of_thread_pools() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  constexpr int kKeepWhatIsSet = 0;
  const auto spins = static_cast<std::int64_t>(kSpinningNs / pause_ns());
  setenv("GOMP_SPINCOUNT", std::to_string(spins).c_str(), kKeepWhatIsSet);
}

}  // namespace gdbench::worker
