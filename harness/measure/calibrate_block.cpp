#include "harness/measure/calibrate_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/text.h"
#include "harness/measure/time_needed.h"
#include "harness/measure/trust.h"

namespace gdbench::measure {

namespace {

constexpr int kEmptyBlocks = 5;
// Steps in a block are counted in JSON integers and multiplied below; nothing real comes near.
constexpr std::uint64_t kMaxSteps = 100'000'000;

Result<double> time_empty_block(CellWorker& worker) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kEmptyBlocks; ++i) {
    const protocol::BlockAnswer block = TRY(worker.run_block(0, 0));
    least = std::min(least, block.real_ns);
  }
  return least;
}

// Setting and reading states takes nowhere near as long, and what is compiled was compiled in the first block. Whoever
// answers after so long a time that he worked for a small part of it came back from run before the work was done.
constexpr double kLongRequestNs = 5e8;
constexpr double kMinShareOfRequest = 0.1;

struct Calibrated {
  std::uint64_t steps = 1;
  double step_ns = 0;
};

// A processor that is given to others for some milliseconds makes a short block many times as long, and the number of
// steps that follows from it would make blocks of next to nothing: the quickest of some counts. A block that takes long
// is hardly changed by that.
constexpr int kTriesOfLastBlock = 3;
constexpr double kLongBlock = 20;  // in targets

// The number of steps that take `target_ns`, found by blocks of growing length.
Result<Calibrated> calibrate_steps(CellWorker& worker, double target_ns) {
  std::uint64_t steps = 1;
  for (;;) {
    const protocol::BlockAnswer block = TRY(worker.run_block(steps, 1));
    double real_ns = std::max(block.real_ns, 1.0);
    // Reading the state may be what waits for the work.
    const double request_ns = static_cast<double>(block.received_ns - block.sent_ns) + block.outside.real_ns;
    if (steps > 1 && request_ns > kLongRequestNs && real_ns < kMinShareOfRequest * request_ns) {
      return Error{ErrorKind::untrusted,
                   formatted("says that %llu steps take %.3g ms, and the answer came after %.3g ms",
                             static_cast<unsigned long long>(steps), real_ns * 1e-6, request_ns * 1e-6)};
    }
    const auto is_last = [&] { return real_ns >= target_ns / 2 || steps >= kMaxSteps; };
    for (int i = 1; i < kTriesOfLastBlock && is_last() && real_ns < kLongBlock * target_ns; ++i) {
      real_ns = std::min(real_ns, std::max(TRY(worker.run_block(steps, 1)).real_ns, 1.0));
    }
    const double wanted =
        std::min(std::ceil(static_cast<double>(steps) * target_ns / real_ns), static_cast<double>(kMaxSteps));
    // Half of the target is measured well enough to scale from there.
    if (is_last()) {
      return Calibrated{static_cast<std::uint64_t>(wanted), real_ns / static_cast<double>(steps)};
    }
    // A step's first execution is slow and says little of the others.
    const double most = static_cast<double>(steps) * 64;
    steps = static_cast<std::uint64_t>(std::min(wanted, most));
  }
}

// How long a block lasts, so that what a worker spends outside its clock is a small part of it: setting and reading its
// state, and what an adapter does in front of its first step.
Result<double> block_seconds(CellWorker& worker, const PlannedCell& planned_cell, const BlockTimes& times) {
  constexpr double kCopies = 80;
  constexpr double kLongCopies = 30;
  constexpr double kOutsideTimes = 60;  // a large state in a layout of its own takes long to set
  constexpr double kLongOutsideTimes = 20;
  constexpr double kLargeOutsideNs = 5e6;
  constexpr double kMostForOutsideSeconds = 0.5;
  constexpr int kTriesOfAStep = 3;
  constexpr double kLeadIns = 10;
  constexpr double kMostSeconds = 2;
  const auto [copy_ns, is_long] = worker.copy(planned_cell.entry->hosted());
  const double copies_ns = is_long ? std::max(kCopies * kLongCopyNs, kLongCopies * copy_ns) : kCopies * copy_ns;
  double seconds = std::max(times.seconds, copies_ns * 1e-9);
  TRY(worker.run_block(1, 0));  // which compiles, where something is compiled
  if (planned_cell.entry->hosted()) {
    double outside_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTriesOfAStep; ++i) {
      outside_ns = std::min(outside_ns, TRY(worker.run_block(1, 0)).outside.real_ns);
    }
    seconds = std::max(
        seconds, std::min(kMostForOutsideSeconds, (is_long ? kLongOutsideTimes : kOutsideTimes) * outside_ns * 1e-9));
  } else {
    const protocol::BlockAnswer answer = TRY(worker.run_block(1, 0));
    seconds = std::max(seconds, kLeadIns * unclaimed_ns(answer) * 1e-9);
    // Wide layers that a framework holds transposed: requests of small states take some milliseconds.
    if (answer.outside.real_ns > kLargeOutsideNs)
      seconds = std::max(seconds, kLongOutsideTimes * answer.outside.real_ns * 1e-9);
  }
  return std::min(seconds, std::max(times.seconds, kMostSeconds));
}

}  // namespace

Status calibrate_block(CellWorker& worker, const PlannedScenario& planned, const PlannedCell& planned_cell,
                       const RunOptions& options, const report::Launch& launch, report::Cell& cell) {
  const double empty = TRY(time_empty_block(worker));
  const BlockTimes& times = options.block_of(planned_cell);
  const double seconds = TRY(block_seconds(worker, planned_cell, times));
  report::Block block;
  block.empty_block_ns = empty;
  const Calibrated calibrated = TRY(calibrate_steps(worker, seconds * 1e9));
  block.steps = calibrated.steps;
  block.warm_up_steps =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(block.steps) * times.warm_up_seconds / seconds));
  block.launch_seconds =
      launch_seconds(launch.start_seconds + launch.load_seconds + launch.prepare_seconds,
                     static_cast<double>(block.steps + block.warm_up_steps) * calibrated.step_ns * 1e-9);
  block.learning_rate = planned.problem.optimizer.learning_rates.front();
  const auto scenario_steps = static_cast<double>(planned.scenario.steps);
  const bool trains = planned.problem.task != scenario::Task::forward;
  if (trains && static_cast<double>(block.steps) > scenario_steps) {
    // The block walks about as far as the scenario's own steps do, which is far from its fixed point.
    block.learning_rate *= scenario_steps / static_cast<double>(block.steps);
    block.reduced_learning_rate = true;
  }
  cell.block = block;
  return {};
}

}  // namespace gdbench::measure
