// Implementations that cheat, or harm others, one way each: hand/naive, wrapped. Every answer is right where it is
// checked; what they aim at is a better row than they earn.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "gdbench/plugin.h"

using Values = std::vector<std::vector<std::byte>>;  // of a state's parameters

namespace gdbench::tests {
struct Algebra;
struct Attack;
struct Foresight;
}  // namespace gdbench::tests

struct gdbench_instance {
  const gdbench::tests::Attack* attack = nullptr;
  gdbench_instance* wrapped = nullptr;
  std::size_t element_bytes = 0;
  std::map<std::uint64_t, int> lengths;  // of the blocks that were asked for
  std::vector<gdbench_tensor> shapes;    // of the state's parameters
  Values start;                          // the state that was set last
  Values end;                            // what get_state answers in place of the wrapped one's; empty: nothing
  bool moved = false;                    // since then
  std::int64_t step = 0;                 // after that
  double block_ns = 0;                   // what the last honest block took
  Values way;                            // an honest block's end less its start
  int requests = 0;
  pid_t child = 0;
  const gdbench_data* data = nullptr;
  const gdbench_problem* problem = nullptr;
  double step_ns = 0;             // the quickest honest step so far
  std::uint64_t left = 0;         // steps that a run left for later
  std::vector<void*> parameters;  // where the host keeps the state that was set last
  std::shared_ptr<gdbench::tests::Algebra> algebra;
  std::shared_ptr<gdbench::tests::Foresight> foresight;
};

namespace gdbench::tests {

double now_ns();
void wait_until(double time_ns);

using Matrix = std::vector<double>;
// Of an array of doubles or, where it is narrow, of floats.
double element(const void* values, std::size_t at, bool narrow);
// All entries of parameters, and back into the shapes of the state that was set last.
Matrix numbers_of(const gdbench_instance& self, const Values& values);
Values values_of(const gdbench_instance& self, const Matrix& from);
// a + sign * b, entry by entry.
Values added(const gdbench_instance& self, const Values& a, const Values& b, double sign);
// The parameters of the wrapped instance now.
Values wrapped_values(gdbench_instance& self);
void set_wrapped(gdbench_instance& self, Values values, std::int64_t step);

// The greatest length that some blocks have had; 0 before there are any.
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
  gdbench_status (*get_state)(gdbench_instance& self) = nullptr;  // before the state is read
  void (*prepare)(gdbench_instance& self) = nullptr;              // once the wrapped one is prepared
  void (*destroy)(gdbench_instance& self) = nullptr;              // before the wrapped one is destroyed
  void (*change)(gdbench_implementation& table) = nullptr;        // of what the plugin says of itself
  void (*evaluate)(gdbench_instance& self, double& loss) = nullptr;
  void (*before)(gdbench_instance& self) = nullptr;  // every other call once it is prepared
};
// Those of the plugin, in the order of its table.
std::vector<Attack> all_attacks();
extern const std::span<const Attack> kByAlgebra, kByTwo, kOnChannels, kOnOthers, kOnTime, kOnTrust;

// Those that others are made of.
gdbench_status run_stretching(gdbench_instance& self, std::uint64_t steps);
gdbench_status make_what_was_left(gdbench_instance& self);
gdbench_status run_but(gdbench_instance& self, std::uint64_t steps, std::uint64_t left);
void declare_helper(gdbench_implementation& table);
// Once, outside the clock.
template <void (*act)()>
gdbench_status act_once(gdbench_instance& self) {
  if (self.requests == 3) act();
  return GDBENCH_OK;
}

// What a system call said, which nobody asks.
inline void tried(long /*result*/) {}

}  // namespace gdbench::tests
