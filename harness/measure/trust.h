// Why a block's time may be believed, or not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/data/dataset.h"
#include "harness/protocol/client.h"
#include "harness/report/report.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// How far the parameters must have moved after a block, and within what.
struct ExpectedDisplacement {
  double value = 0;
  double tolerance = 0;
};

// By the reference, where a block of `steps` steps is affordable (nothing otherwise). `problem` has the learning rate
// of timed blocks. The tolerance for f32 follows what rounding alone does to the reference.
std::optional<ExpectedDisplacement> expected_displacement(const scenario::Problem& problem,
                                                          const data::Dataset& dataset, const scenario::State& start,
                                                          std::uint64_t steps);

struct BlockClaim {
  protocol::BlockAnswer answer;
  std::uint64_t steps = 0;
  int compute_threads = 1;
  int helper_threads = 0;
};

// Empty where stamps lie inside the request's window, the time fits between them, and the state says that exactly
// `steps` updates were made; else the reason.
std::string untrusted_reason(const BlockClaim& claim);

// Empty unless the worker's process has more threads than were declared.
std::string untrusted_for_threads(const BlockClaim& claim, const protocol::Process& process);

// Judges a worker's CPU times, block after block: they must fit the declared threads.
class ProcessorTrust {
 public:
  // The reason once three blocks in a row do not fit, empty until then. A single one says nothing: what a hypervisor
  // takes away between two clock readings is accounted to whoever was running.
  std::string judge(const BlockClaim& claim);

 private:
  int breaches_ = 0;  // in a row
};

// Holds the two clocks of blocks on a device against each other, block after block: the wall clock and the device's
// own. Both have the whole block, so all that the wall clock may have besides is the first launch and the wait for the
// end; time in which the device is idle because its next launch is not there yet is in both.
class DeviceTrust {
 public:
  // The reason once three blocks in a row have clocks that differ by more, empty until then: whoever waits for a device
  // may have lost the processor meanwhile. A block without the device's time says nothing.
  std::string judge(const BlockClaim& claim);

 private:
  int breaches_ = 0;  // in a row
};

// The most that a worker may spend outside the clock from one timed block to the next, by CPU time and by wall time: a
// constant for each compute thread, which may wait a moment for more work, and some quick copies of the state, which
// take `copy_ns` each. Three are made, none of them quick: the state is set before the warm-up and before the block,
// and read after it. `told`: a plugin's host tells the plugin's time from its own; else whole requests count, in
// whatever language. `device_tensors`: how many tensors of the state lie on a device, whose copies take their time to
// begin, however small they are.
double outside_limit_ns(bool told, int compute_threads, double copy_ns, std::size_t device_tensors = 0);

// Empty where a worker kept to that limit, else what it spent.
std::string untrusted_for_outside_work(const protocol::OutsideTime& outside, double limit_ns);

// Empty unless a ranked cell's step, by the far end of its interval, takes less than the report's ceilings allow for,
// by more than their measurement's error. What uses more processors than its threads is not judged.
std::string untrusted_for_ceiling(const report::Report& report, const report::Cell& cell);

// Empty where `displacement` is what was expected.
std::string untrusted_reason(double displacement, const ExpectedDisplacement& expected);

// The same of a block that began beside the scenario's start, of which `expected` speaks. A unit of a ReLU that changes
// sides along one trajectory and not along the other made 0.4% of the displacement in 59 steps on mlp-784-128-10 of
// width 8, in one block of twenty: after a breach, and only then, `expected_from_own_start` is asked.
std::string untrusted_reason(double displacement, const ExpectedDisplacement& expected,
                             const std::function<std::optional<ExpectedDisplacement>()>& expected_from_own_start);

// Empty unless the worker, which has nothing to do, uses the processor, three times in a row. Takes 30 ms: the kernel
// accounts a running thread of another process by its clock tick only, and thread pools may spin for a moment after
// their work.
std::string untrusted_for_idling(const protocol::Process& process);

}  // namespace gdbench::measure
