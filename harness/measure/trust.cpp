#include "harness/measure/trust.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "harness/analysis/ceilings.h"
#include "harness/analysis/summarise.h"
#include "harness/base/clock.h"
#include "harness/base/control_word.h"
#include "harness/base/text.h"

namespace gdbench::measure {

namespace {

// CPU time and wall time are read one after the other and a thread's end is accounted late.
constexpr double kCpuSlackNs = 100'000;
constexpr double kCpuSlackFactor = 1.05;
constexpr std::chrono::milliseconds kSettle{10};
constexpr std::chrono::milliseconds kIdle{20};
constexpr int kBreachesBelieved = 3;  // in a row
// Two clocks of one block. A device's ticks once a microsecond or so and keeps to its own quartz; none of its time is
// outside the block. The wall clock has the first launch and the wait for the end besides: some 10 us, more where the
// processor is busy with others, and long blocks are interrupted more often.
constexpr double kDeviceSlackNs = 20'000;
constexpr double kDeviceSlackFactor = 1.01;
constexpr double kLaunchAndWaitNs = 100'000;
constexpr double kLaunchAndWaitFactor = 1.1;
constexpr double kIdleShare = 0.05;   // an idle process uses nothing, a busy one on a loaded machine not much
constexpr double kTicksNs = 2e7;      // of processes that have ended, which are accounted by ticks of 10 ms
constexpr double kIdleSlackNs = 5e6;  // for each thread, which may look out for more work for a moment

// Two measurements of a ceiling in one run differ by up to some per cent.
constexpr double kCeilingError = 0.1;
// Of a request beyond its block and the overhead: to wake the worker, and then the coordinator.
constexpr double kRequestSlackNs = 150'000;
constexpr double kUntoldRequestSlackNs = 500'000;  // an interpreter answers
constexpr double kRequestSlackFactor = 0.03;
// A request with nothing to do takes 0.1 ms. What a worker takes longer could be spent on a block's steps; an adapter
// may have a lead-in before its clock, and then has blocks of ten times that length.
constexpr double kOverheadNs = 0.25e6;
constexpr double kUntoldOverheadNs = 2e6;
constexpr double kOverheadShare = 0.15;  // of blocks of ten lead-ins of another process, where it may be shorter
// What a plugin needs to set a state twice and to read it, beside copying it: 20 us, 60 on a machine under load.
constexpr double kOutsideNs = 100'000;
// The same of an adapter: four requests, and what an interpreter makes of each tensor, three times.
constexpr double kUntoldOutsideNs = 3e6;
constexpr double kUntoldTensorNs = 3 * 100'000;
constexpr double kUntoldOverheads = 3;  // two, of the least that was seen; others take half as long again
// The state is copied three times. A copy that finds nothing in the caches, for other cells had them, takes 7 times as
// long as a quick one (784-128-10, quiet machine), twice that under load, and twice again into another layout: 84. So
// much may be many steps of a large network, whose copies are slow for want of caches, each by itself: a share of the
// block, which lasts as many times as long, bounds them there, beside what three such copies take under load.
constexpr double kOutsideCopies = 84;
constexpr double kOutsideCopiesOfLargeStates = 10;
constexpr double kOutsideLongCopies = 6;  // caches explain nothing: three take as long as four to six
constexpr double kOutsideShare = 0.1;
// Three copies of a tensor to or from a device, each of which is begun and waited for.
constexpr double kDeviceCopyNs = 3 * 20'000;

std::string untrusted_for_control_word(const std::optional<std::uint32_t>& word, bool flushes_denormals) {
  const std::uint32_t expected = flushes_denormals ? processor::kFlushingControlWord : processor::kUsualControlWord;
  if (!word || *word == expected) return {};
  std::string reason = formatted("left the floating-point control word at 0x%04x instead of 0x%04x", *word, expected);
  if (flushes_denormals) return reason;
  if ((*word & processor::kFlushToZero) != 0) reason += ", results that are too small are flushed to zero";
  if ((*word & processor::kDenormalsAreZero) != 0) reason += ", denormal operands are taken for zero";
  return reason;
}

}  // namespace

std::string untrusted_reason(const BlockClaim& claim) {
  const protocol::BlockAnswer& answer = claim.answer;
  if (answer.end_step != static_cast<std::int64_t>(claim.steps)) {
    return formatted("made %lld steps in a block of %llu", static_cast<long long>(answer.end_step),
                     static_cast<unsigned long long>(claim.steps));
  }
  if (answer.start_ns < answer.sent_ns || answer.end_ns > answer.received_ns || answer.end_ns < answer.start_ns) {
    return "its time stamps lie outside the request";
  }
  const auto window = static_cast<double>(answer.end_ns - answer.start_ns);
  if (!(answer.real_ns > 0) || answer.real_ns > window) {
    return formatted("claims %.0f ns within a window of %.0f ns", answer.real_ns, window);
  }
  return untrusted_for_control_word(answer.control_word, claim.flushes_denormals);
}

std::string untrusted_for_threads(const BlockClaim& claim, const protocol::Process& process) {
  const int declared = claim.compute_threads + claim.helper_threads;
  const int threads = process.threads();
  if (threads <= declared) return {};
  return formatted("has %d threads, declared %d", threads, declared);
}

std::string untrusted_for_children(const protocol::BlockAnswer& answer) {
  if (answer.children == 0) return {};
  return formatted("has %d process(es) below its own", answer.children);
}

std::string ProcessorTrust::judge(const BlockClaim& claim) {
  const protocol::BlockAnswer& answer = claim.answer;
  const int threads = claim.compute_threads + claim.helper_threads;
  const double window_ns = static_cast<double>(answer.received_ns - answer.sent_ns);
  const bool by_claim = answer.cpu_ns > threads * answer.real_ns * kCpuSlackFactor + kCpuSlackNs;
  const bool by_kernel = answer.request_cpu_ns > threads * window_ns * kCpuSlackFactor + kCpuSlackNs;
  breaches_ = by_claim || by_kernel ? breaches_ + 1 : 0;
  if (breaches_ >= kBreachesBelieved) {
    return formatted("used %.2f ms of CPU time in %.2f ms with %d declared thread(s), %d blocks in a row",
                     (by_claim ? answer.cpu_ns : answer.request_cpu_ns) * 1e-6,
                     (by_claim ? answer.real_ns : window_ns) * 1e-6, threads, breaches_);
  }
  const bool below = answer.children_cpu_ns > kIdleShare * answer.since_ns + kTicksNs;
  child_breaches_ = below ? child_breaches_ + 1 : 0;
  if (child_breaches_ >= kBreachesBelieved) {
    return formatted("processes below its own used %.2f ms of CPU time in %.2f ms, between %d blocks in a row",
                     answer.children_cpu_ns * 1e-6, answer.since_ns * 1e-6, child_breaches_);
  }
  const bool idle = answer.idle.cpu_ns <= kIdleShare * answer.idle.real_ns + threads * kIdleSlackNs;
  idle_breaches_ = idle ? 0 : idle_breaches_ + 1;
  if (idle_breaches_ < kBreachesBelieved) return {};
  return formatted("used %.2f ms of CPU time in %.2f ms without a request, between %d blocks in a row",
                   answer.idle.cpu_ns * 1e-6, answer.idle.real_ns * 1e-6, idle_breaches_);
}

double unclaimed_ns(const protocol::BlockAnswer& answer) {
  const double waited_in_block_ns = std::max(0.0, answer.real_ns - std::min(answer.cpu_ns, answer.request_cpu_ns));
  const double waited_outside_ns = std::max(0.0, answer.waiting_ns - waited_in_block_ns);
  return static_cast<double>(answer.received_ns - answer.sent_ns) - waited_outside_ns - answer.real_ns;
}

double unclaimed_limit_ns(bool hosted, int compute_threads, double overhead_ns, double real_ns) {
  return overhead_ns + (hosted ? compute_threads * kRequestSlackNs : kUntoldRequestSlackNs) +
         kRequestSlackFactor * real_ns;
}

std::string untrusted_for_overhead(bool hosted, double overhead_ns, double block_ns) {
  const double limit_ns = hosted ? kOverheadNs : kUntoldOverheadNs + kOverheadShare * block_ns;
  if (overhead_ns <= limit_ns) return {};
  return formatted(
      "answers a request of %s step only %.3g ms after the time that it says; a block of %.3g ms allows "
      "for %.3g ms",
      hosted ? "no" : "one", overhead_ns * 1e-6, block_ns * 1e-6, limit_ns * 1e-6);
}

std::string untrusted_for_request(const protocol::BlockAnswer& answer, double limit_ns) {
  const double unclaimed = unclaimed_ns(answer);
  if (unclaimed <= limit_ns) return {};
  return formatted("says that a block took %.3g ms, and the answer came after %.3g ms", answer.real_ns * 1e-6,
                   (answer.real_ns + unclaimed) * 1e-6);
}

std::string DeviceTrust::judge(const BlockClaim& claim) {
  const protocol::BlockAnswer& answer = claim.answer;
  if (!answer.device_ns) return {};
  const double device_ns = *answer.device_ns;
  // Written so that NaN fails.
  const bool agree = device_ns <= answer.real_ns * kDeviceSlackFactor + kDeviceSlackNs &&
                     answer.real_ns <= device_ns * kLaunchAndWaitFactor + kLaunchAndWaitNs;
  breaches_ = agree ? 0 : breaches_ + 1;
  if (breaches_ < kBreachesBelieved) return {};
  return formatted("a block takes %.3g ms by the device's clock and %.3g ms by the wall clock, %d blocks in a row",
                   device_ns * 1e-6, answer.real_ns * 1e-6, breaches_);
}

double outside_limit_ns(const OutsideWork& work) {
  const auto tensors = static_cast<double>(work.tensors);
  const double fixed_ns = work.told
                              ? work.compute_threads * kOutsideNs
                              : kUntoldOutsideNs + kUntoldOverheads * work.overhead_ns + kUntoldTensorNs * tensors;
  const double copies = work.is_long_copy ? kOutsideLongCopies : kOutsideCopiesOfLargeStates;
  const double copies_ns =
      std::min(kOutsideCopies * work.copy_ns, copies * work.copy_ns + kOutsideShare * work.block_ns);
  return fixed_ns + copies_ns + (work.on_device ? kDeviceCopyNs * tensors : 0);
}

std::string untrusted_for_outside_work(const protocol::OutsideTime& outside, double limit_ns) {
  if (outside.cpu_ns <= limit_ns && outside.real_ns <= limit_ns) return {};
  return formatted(
      "used %.3g ms of CPU time, %.3g ms in all, outside the clock of a block; setting and reading its state allows "
      "for %.3g ms",
      outside.cpu_ns * 1e-6, outside.real_ns * 1e-6, limit_ns * 1e-6);
}

std::string untrusted_for_ceiling(const report::Report& report, const report::Cell& cell) {
  if (cell.samples.empty() || !analysis::reason_not_ranked(cell).empty()) return {};
  const double step_ns = analysis::step_time(cell).interval.high;
  std::optional<report::CeilingShare> ceiling = analysis::ceiling_share_by_launch(report, cell);
  if (!ceiling) ceiling = analysis::ceiling_share(report, cell, step_ns);
  if (!ceiling || (ceiling->interval ? ceiling->interval->low : ceiling->share) <= 1 + kCeilingError) return {};
  const char* const bound = ceiling->bound_by == report::BoundBy::operations ? "its operations"
                            : ceiling->bound_by == report::BoundBy::bytes    ? "the bytes that it moves"
                                                                             : "its dependent operations";
  return formatted("takes %.3g ns a step; %s take at least %.3g ns on this processor, measured %s", step_ns, bound,
                   ceiling->floor_ns, ceiling->interval ? "between its blocks" : "again at once");
}

std::string untrusted_for_idling(const protocol::Process& process) {
  if (!process.running()) return {};
  std::this_thread::sleep_for(kSettle);
  std::string reason;
  for (int attempt = 0; attempt < kBreachesBelieved; ++attempt) {
    const std::int64_t wall_before = monotonic_ns();
    const std::int64_t cpu_before = process.cpu_ns();
    std::this_thread::sleep_for(kIdle);
    const auto cpu_ns = static_cast<double>(process.cpu_ns() - cpu_before);
    const auto wall_ns = static_cast<double>(monotonic_ns() - wall_before);
    if (cpu_ns < kIdleShare * wall_ns) return {};
    reason = formatted("used %.0f ms of CPU time in %.0f ms without a request", cpu_ns * 1e-6, wall_ns * 1e-6);
  }
  return reason;
}

}  // namespace gdbench::measure
