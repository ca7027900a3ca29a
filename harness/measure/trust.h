// Why a block's time may be believed, or not.
#pragma once

#include <cstdint>
#include <string>

#include "harness/protocol/client.h"
#include "harness/report/report.h"

namespace gdbench::measure {

struct BlockClaim {
  protocol::BlockAnswer answer;
  std::uint64_t steps = 0;
  int compute_threads = 1;
  int helper_threads = 0;
  bool flushes_denormals = false;  // as the problem asks
};

// Empty where stamps lie inside the request's window, the time fits between them, and the state says that exactly
// `steps` updates were made; else the reason.
std::string untrusted_reason(const BlockClaim& claim);

// Empty unless the worker's process has more threads than were declared.
std::string untrusted_for_threads(const BlockClaim& claim, const protocol::Process& process);

// Empty unless a plugin's worker has processes below it, which no thread of its own needs.
std::string untrusted_for_children(const protocol::BlockAnswer& answer);

// Judges CPU times, block after block: what the worker says of a block must fit the declared threads, what its threads
// used must fit them and the whole request, and without a request nobody uses a processor. Processes below it never do.
class ProcessorTrust {
 public:
  // The reason once three blocks in a row do not fit, empty until then. A single one says nothing: what a hypervisor
  // takes away between two clock readings is accounted to the process that was running.
  std::string judge(const BlockClaim& claim);

 private:
  int breaches_ = 0;       // in a row
  int idle_breaches_ = 0;  // likewise
  int child_breaches_ = 0;
};

// By how much the coordinator's own time of a block's request exceeds what the worker says that the block took, in
// nanoseconds, less what was waited for a processor outside the block: what the block takes beyond its CPU time is a
// wait that its time has in it already.
double unclaimed_ns(const protocol::BlockAnswer& answer);

// The most that this may be. `overhead_ns`: what it is for a request that the worker has next to nothing to do for.
// `hosted`: whether gdbench's own code answers the request, as it does for plugins.
double unclaimed_limit_ns(bool hosted, int compute_threads, double overhead_ns, double real_ns);

// Empty where a request of the least work is answered quickly enough that a block of `block_ns` can be believed.
std::string untrusted_for_overhead(bool hosted, double overhead_ns, double block_ns);

// Empty where a block's request took no longer than its time, the overhead and the limit explain.
std::string untrusted_for_request(const protocol::BlockAnswer& answer, double limit_ns);

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

// The most that a worker may spend outside the clock from one timed block of `block_ns` to the next, by CPU time and by
// wall time: a constant for each compute thread, which may wait a moment for more work, and some quick copies of the
// state, which take `copy_ns` each, bounded by a share of the block: the state is set before the warm-up and before the
// block, and read after it. `told`: a plugin's host tells
// the plugin's time from its own; else whole requests count, in whatever language, each with its `overhead_ns`, and
// each of the state's `tensors` is converted. `on_device`: they are copied to a device, which takes its time to begin.
struct OutsideWork {
  bool told = true;
  int compute_threads = 1;
  double copy_ns = 0;
  bool is_long_copy = false;  // see StateCopy
  double block_ns = 0;
  double overhead_ns = 0;
  std::size_t tensors = 0;
  bool on_device = false;
};
double outside_limit_ns(const OutsideWork& work);

// Empty where a worker kept to that limit, else what it spent.
std::string untrusted_for_outside_work(const protocol::OutsideTime& outside, double limit_ns);

// Empty unless a ranked cell's share of the ceiling, by the far end of its interval, is above 1 by more than a
// measurement's error: by its launches' own ceilings, or where they have none, by the report's. What uses more
// processors than its threads is not judged.
std::string untrusted_for_ceiling(const report::Report& report, const report::Cell& cell);

// Empty unless the worker, which has nothing to do, uses the processor, three times in a row. Takes 30 ms: the kernel
// accounts a running thread of another process by its clock tick only, and thread pools may spin for a moment after
// their work.
std::string untrusted_for_idling(const protocol::Process& process);

}  // namespace gdbench::measure
