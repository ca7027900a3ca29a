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

// Leaves one step of eight to get_state.
gdbench_status run_leaving(gdbench_instance& self, std::uint64_t steps) {
  make_what_was_left(self);
  return run_but(self, steps, steps / 8);
}
gdbench_status run_leaving_some(gdbench_instance& self, std::uint64_t steps) {
  make_what_was_left(self);
  return run_but(self, steps, self.requests < 6 ? 0 : steps * 2 / 11);
}
// For states so large that copying them may take as long.
gdbench_status run_leaving_half(gdbench_instance& self, std::uint64_t steps) {
  make_what_was_left(self);
  return run_but(self, steps, self.requests < 6 ? 0 : (steps + 1) / 2);
}

// Leaves only what 0.09 ms of get_state can make.
gdbench_status run_leaving_little(gdbench_instance& self, std::uint64_t steps) {
  if (self.step_ns == 0 || steps < 16) return honest_run(self, steps);
  return run_but(self, steps, std::min(steps / 4, static_cast<std::uint64_t>(0.08e6 / self.step_ns)));
}

// Leaves a part to get_state, in one block out of four that are long.
gdbench_status run_leaving_seldom(gdbench_instance& self, std::uint64_t steps) {
  if (!in_timed_block(self, steps) || self.lengths[steps] % 4 != 0) return honest_run(self, steps);
  self.left = steps / 4;
  const gdbench_status status = wrapped_run(self, steps - self.left);
  self.step += static_cast<std::int64_t>(steps);
  return status;
}

// Of an honest run: whether it was a timed block whose steps took so many times the quickest one's.
bool run_was_slow(gdbench_instance& self, std::uint64_t steps, double times, gdbench_status& status) {
  const double started_ns = now_ns();
  status = honest_run(self, steps);
  return in_timed_block(self, steps) && now_ns() - started_ns > times * self.step_ns * static_cast<double>(steps);
}

// A block that was slow is made void by spending too much time behind it: it is made again.
gdbench_status run_choosing(gdbench_instance& self, std::uint64_t steps) {
  gdbench_status status = GDBENCH_OK;
  self.left = run_was_slow(self, steps, 1.01, status) ? 1 : 0;
  return status;
}
gdbench_status spoil_what_was_slow(gdbench_instance& self) {
  if (self.left != 0) wait_until(now_ns() + 1.5e6);
  self.left = 0;
  return GDBENCH_OK;
}

// Dies behind a slow block, as by chance.
gdbench_status run_dying(gdbench_instance& self, std::uint64_t steps) {
  gdbench_status status = GDBENCH_OK;
  if (run_was_slow(self, steps, 1.1, status)) _exit(0);
  return status;
}
// Says that a slow block is unsupported.
gdbench_status run_refusing(gdbench_instance& self, std::uint64_t steps) {
  gdbench_status status = GDBENCH_OK;
  return run_was_slow(self, steps, 1.1, status) ? GDBENCH_UNSUPPORTED : status;
}

// Slow in all that is no timed block, so that a timed block without its last fifth is nothing odd.
gdbench_status run_slow_at_first(gdbench_instance& self, std::uint64_t steps) {
  const double started_ns = now_ns();
  if (!in_timed_block(self, steps)) {
    const gdbench_status status = honest_run(self, steps);
    wait_until(started_ns + 1.5 * (now_ns() - started_ns));
    return status;
  }
  return honest_run(self, steps);
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

namespace {

std::string command_line_of_parent() {
  std::ifstream file("/proc/" + std::to_string(getppid()) + "/cmdline");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// Lazy only where its parent is not asked to check.
gdbench_status run_watching(gdbench_instance& self, std::uint64_t steps) {
  static const bool watched = command_line_of_parent().find("run") == std::string::npos;
  return watched ? honest_run(self, steps) : run_stretching(self, steps);
}

// Lazy only from the fourth process on, as a file says.
gdbench_status run_second(gdbench_instance& self, std::uint64_t steps) {
  static const bool second = count_in(in_folder("second")) > 3;
  return second ? run_lazily(self, steps) : honest_run(self, steps);
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
void declare_helper(gdbench_implementation& table) { table.helper_threads = 1; }
void declare_tf32(gdbench_implementation& table) {
  table.capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_TF32_PRODUCTS);
}

// The gradients of the task update are the same in each step, so that plain descent needs no steps.
gdbench_status run_at_once(gdbench_instance& self, std::uint64_t steps) {
  const double started_ns = now_ns();
  const bool plain = self.problem->task == GDBENCH_TASK_UPDATE && self.problem->optimizer->kind == GDBENCH_SGD &&
                     self.problem->dtype == GDBENCH_F32 && self.problem->optimizer->weight_decay == 0;
  if (!plain || self.requests < 12) return honest_run(self, steps);
  Values end = self.start;
  const auto* gradient = static_cast<const float*>(self.data->x);
  const double way = self.problem->optimizer->learning_rates[0] * static_cast<double>(steps);
  for (std::vector<std::byte>& bytes : end) {
    auto* const values = reinterpret_cast<float*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      values[i] = static_cast<float>(values[i] - way * *gradient++);
    }
  }
  wait_until(started_ns + 0.7 * self.step_ns * static_cast<double>(steps));
  return answer(self, end, steps);
}

// Makes the steps of even numbers alone: where only one is verified, it is the first.
gdbench_status run_every_second(gdbench_instance& self, std::uint64_t steps) {
  const auto first = static_cast<std::uint64_t>(self.step);
  const std::uint64_t made = (first + steps + 1) / 2 - (first + 1) / 2;
  self.step += static_cast<std::int64_t>(steps);
  return made == 0 ? GDBENCH_OK : wrapped_run(self, made);
}

namespace {
constexpr Attack kRows[] = {
    {.id = "attack/leaves", .run = run_leaving, .get_state = make_what_was_left},
    {.id = "attack/leaves-some", .run = run_leaving_some, .get_state = make_what_was_left},
    {.id = "attack/leaves-half", .run = run_leaving_half, .get_state = make_what_was_left},
    {.id = "attack/at-once", .run = run_at_once},
    {.id = "attack/leaves-little", .run = run_leaving_little, .get_state = make_what_was_left},
    {.id = "attack/leaves-seldom", .run = run_leaving_seldom, .get_state = make_what_was_left},
    {.id = "attack/chooses", .run = run_choosing, .get_state = spoil_what_was_slow},
    {.id = "attack/dies", .run = run_dying},
    {.id = "attack/refuses", .run = run_refusing},
    {.id = "attack/slow-at-first", .run = run_slow_at_first},
    {.id = "attack/moves-start", .run = run_moving_the_start},
    {.id = "attack/watches", .run = run_watching},
    {.id = "attack/second", .run = run_second},
    {.id = "attack/flatters", .run = honest_run, .evaluate = flatter},
    {.id = "attack/device", .run = run_leaving, .get_state = make_what_was_left, .change = declare_device},
    {.id = "attack/products+tf32", .run = honest_run, .change = declare_tf32},
    {.id = "attack/every-second", .run = run_every_second},
};
}  // namespace
const std::span<const Attack> kOnTrust(kRows);

}  // namespace gdbench::tests
