#include "harness/measure/trust.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "harness/analysis/ceilings.h"
#include "harness/analysis/summarise.h"
#include "harness/base/clock.h"
#include "harness/base/control_word.h"
#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/verify/check.h"
#include "harness/verify/reference.h"

namespace gdbench::measure {

namespace {

// Reference steps cost about a nanosecond per operation: half a second at most.
constexpr double kAffordableOperations = 5e8;
// A block that skipped one step in a thousand is not caught by this check alone; verification counts the first steps
// exactly.
constexpr double kRelativeTolerance = 1e-3;
// Where the least error may make a large one, which few blocks show, so that one trajectory beside the exact one need
// not. Of rules that take signs an entry whose direction is next to 0 moves by the whole rate to either side: in 17
// steps on mlp-10-50-1 a few such entries made 0.2% of the displacement. An operand of a mixed dtype becomes its
// neighbour, and a ReLU unit of few changes sides: 0.4% in 100 to 270 steps on mlp-784-128-10 of width 1 to 8.
constexpr double kRelativeToleranceOfJumps = 5e-3;
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
constexpr double kIdleShare = 0.05;  // an idle process uses nothing, a busy one on a loaded machine not much

// Two measurements of a ceiling in one run differ by up to some per cent.
constexpr double kCeilingError = 0.1;
// What a plugin needs to set a state twice and to read it, beside copying it: 20 us, 60 on a machine under load. An
// adapter's whole requests count, and model.fit prepares a call for 20 ms on three rows, 140 ms on 784-1024-1024-10:
// this bounds what an adapter can do ahead, and no more; other blocks than the timed ones (measured_worker.h) say the
// rest.
constexpr double kOutsideNs = 100'000;
constexpr double kUntoldOutsideNs = 0.5e9;
// The state is copied three times. A copy that finds nothing in the caches, for other cells had them, takes 7 times as
// long as a quick one (784-128-10, quiet machine), and twice that under load or into another layout.
constexpr double kOutsideCopies = 48;
// Three copies of a tensor to or from a device, each of which is begun and waited for.
constexpr double kDeviceCopyNs = 3 * 20'000;

template <class T>
scenario::State end_of_block(const scenario::Problem& problem, const data::Dataset& dataset,
                             const scenario::State& start, std::uint64_t steps) {
  verify::ReferenceState<T> state = verify::to_reference<T>(start);
  verify::train<T>(problem, dataset, state, static_cast<std::int64_t>(steps));
  return verify::to_state(state);
}

std::string untrusted_for_control_word(const std::optional<std::uint32_t>& word) {
  if (!word || *word == processor::kUsualControlWord) return {};
  std::string reason = formatted("left the floating-point control word at 0x%04x instead of 0x%04x", *word,
                                 processor::kUsualControlWord);
  if ((*word & processor::kFlushToZero) != 0) reason += ", results that are too small are flushed to zero";
  if ((*word & processor::kDenormalsAreZero) != 0) reason += ", denormal operands are taken for zero";
  return reason;
}

}  // namespace

std::optional<ExpectedDisplacement> expected_displacement(const scenario::Problem& problem,
                                                          const data::Dataset& dataset, const scenario::State& start,
                                                          std::uint64_t steps) {
  if (scenario::operations_per_step(problem) * static_cast<double>(steps) > kAffordableOperations) return std::nullopt;
  ExpectedDisplacement expected;
  const scenario::State exact = end_of_block<double>(problem, dataset, start, steps);
  expected.value = verify::displacement(start, exact);
  const bool jumps = problem.optimizer.kind == catalogue::OptimizerKind::lion || catalogue::is_mixed(problem.dtype);
  expected.tolerance = (jumps ? kRelativeToleranceOfJumps : kRelativeTolerance) * expected.value;
  // How far the reference in the cell's own type ends from the exact one, from a start as far beside the scenario's as
  // those of blocks, shows what rounding and such a start do along this trajectory: hundreds of steps of Adam multiply
  // them. The distance of two ends bounds by how much their displacements differ.
  std::mt19937_64 generator;  // any start will do, the same in every run
  scenario::State beside = start;
  for (const VariedEntry& entry : vary(start, problem.dtype, kShareOfDisplacement * expected.value, generator)) {
    beside.parameters[entry.tensor][entry.entry] = entry.value;
  }
  const scenario::State rounded = catalogue::with_element(
      problem.dtype, [&](auto zero) { return end_of_block<decltype(zero)>(problem, dataset, beside, steps); });
  expected.tolerance = std::max(expected.tolerance, verify::displacement(rounded, exact));
  if (dataset.stream && dataset.stream->fault()) return std::nullopt;
  return expected;
}

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
  return untrusted_for_control_word(answer.control_word);
}

std::string untrusted_for_threads(const BlockClaim& claim, const protocol::Process& process) {
  const int declared = claim.compute_threads + claim.helper_threads;
  const int threads = process.threads();
  if (threads <= declared) return {};
  return formatted("has %d threads, declared %d", threads, declared);
}

std::string ProcessorTrust::judge(const BlockClaim& claim) {
  const protocol::BlockAnswer& answer = claim.answer;
  const int threads = claim.compute_threads + claim.helper_threads;
  const bool breach = answer.cpu_ns > threads * answer.real_ns * kCpuSlackFactor + kCpuSlackNs;
  breaches_ = breach ? breaches_ + 1 : 0;
  if (breaches_ < kBreachesBelieved) return {};
  return formatted("used %.2f ms of CPU time in %.2f ms with %d declared thread(s), %d blocks in a row",
                   answer.cpu_ns * 1e-6, answer.real_ns * 1e-6, threads, breaches_);
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

double outside_limit_ns(bool told, int compute_threads, double copy_ns, std::size_t device_tensors) {
  return (told ? compute_threads * kOutsideNs : kUntoldOutsideNs) + kOutsideCopies * copy_ns +
         kDeviceCopyNs * static_cast<double>(device_tensors);
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
  const std::optional<report::CeilingShare> ceiling = analysis::ceiling_share(report, cell, step_ns);
  if (!ceiling || ceiling->share <= 1 + kCeilingError) return {};
  const char* const bound = ceiling->bound_by == report::BoundBy::operations ? "its operations"
                            : ceiling->bound_by == report::BoundBy::bytes    ? "the bytes that it moves"
                                                                             : "its dependent operations";
  return formatted("takes %.3g ns a step; %s take at least %.3g ns on this processor, measured again at once", step_ns,
                   bound, ceiling->floor_ns);
}

std::string untrusted_reason(double displacement, const ExpectedDisplacement& expected) {
  // Written so that NaN fails.
  if (std::abs(displacement - expected.value) <= expected.tolerance) return {};
  return formatted("a timed block moved the parameters by %.6g, expected %.6g +- %.1g", displacement, expected.value,
                   expected.tolerance);
}

std::string untrusted_reason(double displacement, const ExpectedDisplacement& expected,
                             const std::function<std::optional<ExpectedDisplacement>()>& expected_from_own_start) {
  std::string reason = untrusted_reason(displacement, expected);
  if (reason.empty()) return reason;
  const std::optional<ExpectedDisplacement> own = expected_from_own_start();
  return own ? untrusted_reason(displacement, *own) : reason;
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
