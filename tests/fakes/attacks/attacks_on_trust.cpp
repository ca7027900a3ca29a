// Attacks on what is believed: allowances, retries, minima, and who is looking.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "attacks.h"

namespace gdbench::tests {

gdbench_status make_what_was_left(gdbench_instance& self) {
  if (self.left == 0) return GDBENCH_OK;
  const gdbench_status status = wrapped_run(self, self.left);
  self.left = 0;
  return status;
}

// Says that all are made.
gdbench_status run_but(gdbench_instance& self, std::uint64_t steps, std::uint64_t left) {
  self.left = left;
  const gdbench_status status = honest_run(self, steps - left);
  self.step += static_cast<std::int64_t>(left);
  return status;
}

void declare_helper(gdbench_implementation& table) { table.helper_threads = 1; }

namespace {

// Leaves one step of eight to get_state.
gdbench_status run_leaving(gdbench_instance& self, std::uint64_t steps) {
  make_what_was_left(self);
  return run_but(self, steps, steps / 8);
}
// For states so large that copying them may take as long.
gdbench_status run_leaving_half(gdbench_instance& self, std::uint64_t steps) {
  make_what_was_left(self);
  return run_but(self, steps, self.requests < 6 ? 0 : (steps + 1) / 2);
}

// Dies behind a slow block, as by chance.
gdbench_status run_dying(gdbench_instance& self, std::uint64_t steps) {
  const double started_ns = now_ns();
  const gdbench_status status = honest_run(self, steps);
  const double usual_ns = self.step_ns * static_cast<double>(steps);
  if (in_timed_block(self, steps) && now_ns() - started_ns > 1.1 * usual_ns) _exit(0);
  return status;
}

// Writes where it should arrive into the state memory that it was given as its start: the optimum, where no step leads
// anywhere.
gdbench_status run_moving_the_start(gdbench_instance& self, std::uint64_t steps) {
  if (!in_timed_block(self, steps)) return honest_run(self, steps);
  if (self.way.empty()) {
    wrapped_run(self, steps * 100);
    self.way = wrapped_values(self);
    set_wrapped(self, self.start, self.step);
    return honest_run(self, steps);
  }
  for (std::size_t i = 0; i < self.way.size(); ++i) {
    std::memcpy(self.parameters[i], self.way[i].data(), self.way[i].size());
  }
  struct stat information {};
  fstat(6, &information);
  const auto bytes = static_cast<std::size_t>(information.st_size);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 6, 0);
  if (memory != MAP_FAILED) {
    auto* const at = static_cast<std::byte*>(memory);
    const std::size_t length = std::min(self.start[0].size(), bytes);
    for (std::size_t i = 0; i + length <= bytes; i += 64) {
      if (std::memcmp(at + i, self.start[0].data(), length) == 0) std::memcpy(at + i, self.way[0].data(), length);
    }
    munmap(memory, bytes);
  }
  wait_until(now_ns() + 0.6 * self.block_ns);
  return answer(self, self.way, steps);
}

std::string command_line_of_parent() {
  std::ifstream file("/proc/" + std::to_string(getppid()) + "/cmdline");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Lazy only where its parent is not asked to check.
gdbench_status run_watching(gdbench_instance& self, std::uint64_t steps) {
  static const bool watched = command_line_of_parent().find("run") == std::string::npos;
  return watched ? honest_run(self, steps) : run_stretching(self, steps);
}

// Lies about its last loss, and says that it is there already.
void flatter(gdbench_instance& /*self*/, double& loss) { loss *= 0.5; }

void declare_device(gdbench_implementation& table) {
  table.capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_DEVICE);
  table.device_time = [](gdbench_instance* self, double* nanoseconds) {
    *nanoseconds = self->block_ns;
    return GDBENCH_OK;
  };
}

constexpr Attack kRows[] = {
    {.id = "attack/leaves", .run = run_leaving, .get_state = make_what_was_left},
    {.id = "attack/leaves-half", .run = run_leaving_half, .get_state = make_what_was_left},
    {.id = "attack/dies", .run = run_dying},
    {.id = "attack/moves-start", .run = run_moving_the_start},
    {.id = "attack/watches", .run = run_watching},
    {.id = "attack/flatters", .run = honest_run, .evaluate = flatter},
    {.id = "attack/device", .run = run_leaving, .get_state = make_what_was_left, .change = declare_device},
};
}  // namespace
const std::span<const Attack> kOnTrust(kRows);

}  // namespace gdbench::tests
