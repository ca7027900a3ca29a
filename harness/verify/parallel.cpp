#include "harness/verify/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace gdbench::verify {

namespace {

cpu_set_t processors_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

// Read before main, while nobody has narrowed them.
const cpu_set_t kProcessorsAtStart = processors_of_this_process();

}  // namespace

std::size_t processor_count() { return static_cast<std::size_t>(std::max(1, CPU_COUNT(&kProcessorsAtStart))); }

void for_each_part(std::size_t parts, std::size_t threads, const std::function<void(std::size_t part)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_parts = [&] {
    for (std::size_t part = next++; part < parts; part = next++) work(part);
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(threads, parts)) {
      helpers.emplace_back([&] {
        // A new thread may use what its creator may, which leaves a processor out while workers are alive.
        sched_setaffinity(0, sizeof kProcessorsAtStart, &kProcessorsAtStart);
        take_parts();
      });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
  take_parts();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace gdbench::verify
