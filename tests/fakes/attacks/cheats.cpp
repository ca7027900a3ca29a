// Implementations that are right, and not to be believed.
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "attacks.h"
#include "harness/base/control_word.h"

namespace gdbench::tests {

// Honest steps that are made outside the clock, wherever that can be tried. Of a state that was foreseen it is known
// where every number of steps leads, up to the longest block that was asked for; a run from there takes no time.
struct Foresight {
  struct Trajectory {
    std::int64_t first_step;
    std::vector<Values> states;  // after 0, 1, ... steps
  };
  Values set;  // the state that the host set last
  std::int64_t set_step = 0;
  std::uint64_t longest = 0;  // block
  std::deque<Trajectory> known;
  std::thread helper;
};

namespace {

Foresight& foresight_of(gdbench_instance& self) {
  if (self.foresight == nullptr) self.foresight = std::make_shared<Foresight>();
  return *self.foresight;
}

const Foresight::Trajectory* known_from(gdbench_instance& self) {
  for (const Foresight::Trajectory& trajectory : foresight_of(self).known) {
    if (trajectory.first_step == self.step && trajectory.states.front() == self.start) return &trajectory;
  }
  return nullptr;
}

// Makes the steps from there and remembers each; leaves the wrapped instance elsewhere.
void foresee(gdbench_instance& self, const Values& from, std::int64_t step) {
  constexpr std::size_t kTrajectoryBytes = std::size_t{64} << 20;
  constexpr std::size_t kTrajectories = 8;
  Foresight& own = foresight_of(self);
  std::size_t bytes = 1;
  for (const std::vector<std::byte>& values : from) bytes += values.size();
  const std::uint64_t steps = std::min<std::uint64_t>(own.longest, kTrajectoryBytes / bytes);
  if (steps == 0) return;
  set_wrapped(self, from, step);
  Foresight::Trajectory trajectory{step, {from}};
  for (std::uint64_t i = 0; i < steps && wrapped_run(self, 1) == GDBENCH_OK; ++i) {
    trajectory.states.push_back(wrapped_values(self));
  }
  own.known.push_back(std::move(trajectory));
  if (own.known.size() > kTrajectories) own.known.pop_front();
}

template <bool remembers>
gdbench_status run_ahead(gdbench_instance& self, std::uint64_t steps) {
  Foresight& own = foresight_of(self);
  own.longest = std::max(own.longest, steps);
  const bool looks = remembers && known_from(self) == nullptr;
  if (looks) foresee(self, self.start, self.step);
  const Foresight::Trajectory* const trajectory = known_from(self);
  if (trajectory != nullptr && trajectory->states.size() > steps) return answer(self, trajectory->states[steps], steps);
  if (looks) set_wrapped(self, self.start, self.step);
  return honest_run(self, steps);
}

gdbench_status keep_start(gdbench_instance& self) {
  foresight_of(self).set = self.start;
  foresight_of(self).set_step = self.step;
  return GDBENCH_OK;
}

// What the host is answered until it goes on is where the training is now.
void keep_end(gdbench_instance& self) {
  if (self.end.empty()) self.end = wrapped_values(self);
}

gdbench_status foresee_in_set_state(gdbench_instance& self) {
  foresee(self, self.start, self.step);
  set_wrapped(self, self.start, self.step);
  return GDBENCH_OK;
}

gdbench_status foresee_in_get_state(gdbench_instance& self) {
  keep_end(self);
  foresee(self, foresight_of(self).set, foresight_of(self).set_step);
  return GDBENCH_OK;
}

void foresee_in_evaluate(gdbench_instance& self, double& /*loss*/) {
  keep_end(self);
  foresee(self, self.end, self.step);
}

gdbench_status foresee_in_thread(gdbench_instance& self) {
  keep_end(self);
  Foresight& own = foresight_of(self);
  own.helper = std::thread([&self, &own] { foresee(self, own.set, own.set_step); });
  return GDBENCH_OK;
}
void wait_for_thread(gdbench_instance& self) {
  if (foresight_of(self).helper.joinable()) foresight_of(self).helper.join();
}
void declare_thread(gdbench_implementation& table) { ++table.helper_threads; }

// Comes back from run while a thread of its own still trains; a request for the state waits for it. It declares the
// thread, so that nothing but the time is wrong.
gdbench_status run_behind(gdbench_instance& self, std::uint64_t steps) {
  foresight_of(self).helper = std::thread([&self, steps] { wrapped_run(self, steps); });
  self.step += static_cast<std::int64_t>(steps);
  return GDBENCH_OK;
}

// Says that it computes on a device, by whose clock every block takes half as long as it does.
void declare_device(gdbench_implementation& table) {
  table.capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_DEVICE);
  table.device_time = [](gdbench_instance* self, double* nanoseconds) {
    *nanoseconds = self->block_ns / 2;
    return GDBENCH_OK;
  };
}

// As a library built with -ffast-math does when it is loaded.
void flush_denormals(gdbench_instance& /*self*/) {
  processor::set_control_word(processor::control_word() | processor::kFlushToZero | processor::kDenormalsAreZero);
}

// Repeats what it remembers of an earlier run of the same length from the same state, and so trains only once.
gdbench_status run_or_remember(gdbench_instance& self, std::uint64_t steps) {
  constexpr std::size_t kMemories = 16;
  struct Memory {
    std::uint64_t steps;
    Values start;
    Values end;
  };
  static std::deque<Memory> memories;
  for (const Memory& memory : memories) {
    if (memory.steps == steps && memory.start == self.start) return answer(self, memory.end, steps);
  }
  const gdbench_status status = honest_run(self, steps);
  memories.push_back({steps, self.start, wrapped_values(self)});
  if (memories.size() > kMemories) memories.pop_front();
  return status;
}

// Has a thread that it does not declare; it only sleeps, so that no CPU time gives it away.
void start_sleeper(gdbench_instance& /*self*/) { std::thread(pause).detach(); }
void declare_none(gdbench_implementation& table) { table.helper_threads = 0; }

}  // namespace

std::vector<Attack> all_attacks() {
  return {
      {.id = "fake/ahead-set-state", .run = run_ahead<false>, .set_state = foresee_in_set_state},
      {.id = "fake/ahead-get-state",
       .run = run_ahead<false>,
       .set_state = keep_start,
       .get_state = foresee_in_get_state},
      {.id = "fake/ahead-evaluate", .run = run_ahead<false>, .evaluate = foresee_in_evaluate},
      {.id = "fake/ahead-thread",
       .run = run_ahead<false>,
       .set_state = keep_start,
       .get_state = foresee_in_thread,
       .change = declare_thread,
       .before = wait_for_thread},
      {.id = "fake/device-clock", .run = honest_run, .change = declare_device},
      {.id = "fake/early", .run = run_behind, .change = declare_thread, .before = wait_for_thread},
      {.id = "fake/flush", .run = honest_run, .prepare = flush_denormals},
      {.id = "fake/memoise", .run = run_ahead<true>},
      {.id = "fake/remember", .run = run_or_remember},
      {.id = "fake/threads", .run = honest_run, .prepare = start_sleeper, .change = declare_none},
  };
}

}  // namespace gdbench::tests
