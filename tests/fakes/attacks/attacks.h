// Implementations that cheat, or harm others, one way each: hand/naive, wrapped. Every answer is right where somebody
// looks; what they are after is a better row than they earn.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gdbench/plugin.h"

using Values = std::vector<std::vector<std::byte>>;  // of a state's parameters

struct gdbench_instance {
  gdbench_instance* wrapped = nullptr;
  std::size_t element_bytes = 0;
  std::map<std::uint64_t, int> lengths;  // of the blocks that were asked for
  Values start;                          // the state that was set last
  Values end;                            // what get_state answers in place of the wrapped one's; empty: nothing
  std::int64_t step = 0;                 // after that
  double block_ns = 0;                   // what the last honest block took
  Values way;                            // an honest block's end less its start
  int requests = 0;
  pid_t child = 0;
};

namespace gdbench::tests {

double now_ns();
void wait_until(double time_ns);

Values copy_of(const gdbench_instance& self, const gdbench_state& state);
// a + sign * b, entry by entry.
Values added(const gdbench_instance& self, const Values& a, const Values& b, double sign);
// The parameters of the wrapped instance now.
Values wrapped_values(gdbench_instance& self);

// The length that most blocks have had, once there were some of it; else 0.
std::uint64_t timed_steps(const gdbench_instance& self);
bool in_timed_block(const gdbench_instance& self, std::uint64_t steps);

// Says that `steps` steps lead to `end`.
gdbench_status answer(gdbench_instance& self, Values end, std::uint64_t steps);
gdbench_status honest_run(gdbench_instance& self, std::uint64_t steps);
// Of the wrapped instance alone.
gdbench_status wrapped_run(gdbench_instance& self, std::uint64_t steps);

struct Attack {
  const char* id;
  gdbench_status (*run)(gdbench_instance& self, std::uint64_t steps);
  gdbench_status (*set_state)(gdbench_instance& self) = nullptr;  // after the state is set
};
inline constexpr int kAttackCount = 11;
extern const Attack kAttacks[kAttackCount];

gdbench_status run_lazily(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_half(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_knowing_the_warm_up(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_extrapolating(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_in_set_state(gdbench_instance& self, std::uint64_t steps);
gdbench_status step_in_set_state(gdbench_instance& self);
gdbench_status run_with_child(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_with_orphan(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_with_timer(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_killing(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_spoiling_data(gdbench_instance& self, std::uint64_t steps);
gdbench_status run_with_slow_clock(gdbench_instance& self, std::uint64_t steps);

}  // namespace gdbench::tests
