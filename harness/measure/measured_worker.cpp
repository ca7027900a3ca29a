#include "harness/measure/measured_worker.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/text.h"

namespace gdbench::measure {

namespace {

// A block that is not believed is made again: often, as long as that does not keep other workers waiting, and so often
// in any case, since a coordinator that was stopped for seconds has seen nothing else of this one.
constexpr int kMaxAttempts = 8;
constexpr int kLeastAttempts = 3;
constexpr double kMostRepeatingNs = 2e9;

// Later launches are checked like the first one with this chance.
constexpr unsigned kOneLaunchIn = 4;

report::Sample sample_of(const protocol::BlockAnswer& answer, std::uint64_t steps, double displacement) {
  report::Sample sample;
  sample.steps = steps;
  sample.real_ns = answer.real_ns / static_cast<double>(steps);
  sample.cpu_ns = answer.cpu_ns / static_cast<double>(steps);
  sample.request_ns = static_cast<double>(answer.received_ns - answer.sent_ns);
  sample.outside_ns = std::max(answer.outside.cpu_ns, answer.outside.real_ns);
  sample.displacement = displacement;
  if (answer.device_ns) sample.device_ns = *answer.device_ns / static_cast<double>(steps);
  if (answer.exchange_ns) sample.exchange_ns = *answer.exchange_ns / static_cast<double>(steps);
  if (answer.page_faults) sample.page_faults = static_cast<double>(*answer.page_faults) / static_cast<double>(steps);
  return sample;
}

}  // namespace

MeasuredWorker::MeasuredWorker(CellWorker worker, const PlannedCell& planned, const report::Block& block,
                               Expectation expectation, int rounds, bool is_first, std::uint64_t seed)
    : worker_(std::move(worker)),
      planned_(planned),
      block_(block),
      expectation_(std::move(expectation)),
      copy_(worker_.copy(planned.entry->hosted())),
      generator_(seed) {
  const auto any_block = [&](int first) {
    return first + static_cast<int>(generator_() % static_cast<unsigned>(rounds + 1 - first));
  };
  if (!is_verified()) return;
  checks_end_ = is_first || generator_() % kOneLaunchIn == 0 || is_quickly_checked(expectation_.problem, block_.steps);
  if (!expectation_.block) replayed_in_ = any_block(0);
  // Times are compared with those of samples: not before there are some.
  if (is_first || generator_() % kOneLaunchIn == 0) others_checked_in_ = any_block(std::min(2, rounds));
}

void MeasuredWorker::vary_starts() {
  if (!is_verified()) return;
  worker_.shuffle_images(generator_);
  static const Parameters nowhere;
  const bool known = expectation_.block && expectation_.block->way != nullptr;
  const double distance = known ? expectation_.block->value : 0;
  const Parameters& way = known ? *expectation_.block->way : nowhere;  // by reference: it is as large as the model
  for (const std::size_t image : {kStartImage, kWarmUpImage}) {
    worker_.vary_start(image, way,
                       measure::vary_start(worker_.scenario_start(), worker_.dtype(), distance, generator_));
  }
}

double MeasuredWorker::outside_limit_ns(const protocol::BlockAnswer& answer) const {
  return measure::outside_limit_ns({.told = planned_.entry->hosted() && answer.host_tells_outside,
                                    .compute_threads = planned_.compute_threads(),
                                    .copy_ns = copy_.ns,
                                    .is_long_copy = copy_.is_long,
                                    .block_ns = answer.real_ns,
                                    .overhead_ns = overhead_ns_,
                                    .tensors = worker_.tensor_count(),
                                    .on_device = planned_.on_device()});
}

// A worker may say that it has fewer helper threads than its implementation declares, not more.
int MeasuredWorker::helper_threads() {
  const int declared = planned_.entry->implementation.helper_threads;
  return std::clamp(client().preparation().helper_threads.value_or(declared), 0, declared);
}

int MeasuredWorker::threads() { return planned_.compute_threads() + helper_threads(); }

// What an idle processor takes to wake, what a hypervisor takes away and what a framework's threads wait for one
// another delays an answer; no process works meanwhile. Where its processors do all the work, CPU time is what shows
// any.
bool MeasuredWorker::shows_work_by_cpu_time() {
  return !planned_.on_device() && !planned_.entry->implementation.has_capability("ranks") &&
         client().process().running();
}

// CPU time of all threads since the block's request, beyond what the block's time, or what an adapter says of its CPU
// time, explains. Where it is little, no thread did more than the block; several that compute use more in any case.
double MeasuredWorker::unclaimed_cpu_ns(const protocol::BlockAnswer& answer) {
  // The kernel accounts a thread of another process in full once it sleeps.
  constexpr std::chrono::milliseconds kUntilItSleeps{1};
  std::this_thread::sleep_for(kUntilItSleeps);
  const auto used_ns = static_cast<double>(client().process().cpu_ns() - answer.sent_cpu_ns);
  return used_ns - (is_hosted() ? answer.real_ns - answer.waiting_ns : std::min(answer.cpu_ns, answer.real_ns));
}

std::string MeasuredWorker::reason_to_repeat(const protocol::BlockAnswer& answer) {
  std::string reason = untrusted_for_overhead(is_hosted(), least_overhead_ns_, answer.real_ns);
  if (!reason.empty()) return reason;
  const double limit_ns = outside_limit_ns(answer);
  protocol::OutsideTime outside = answer.outside;
  if ((is_hosted() || threads() <= 1) && shows_work_by_cpu_time()) outside.real_ns = 0;
  reason = untrusted_for_outside_work(outside, limit_ns);
  if (!reason.empty()) return reason;
  const double request_limit_ns =
      unclaimed_limit_ns(is_hosted(), planned_.compute_threads(), overhead_ns_, answer.real_ns);
  reason = untrusted_for_request(answer, request_limit_ns);
  if (!reason.empty() && shows_work_by_cpu_time()) {
    const double cpu_ns = unclaimed_cpu_ns(answer);
    if (cpu_ns <= request_limit_ns + limit_ns) {
      reason.clear();
    } else if (threads() <= 1) {
      reason += formatted(", with %.3g ms of CPU time that the block does not explain", cpu_ns * 1e-6);
    }
  }
  if (!reason.empty() || !is_hosted()) return reason;
  // What the coordinator saw of the other requests, in each of which its host has something to do.
  constexpr int kOtherRequests = 4;
  constexpr double kOtherSlackNs = 300'000;
  const double most_ns = limit_ns + kOtherRequests * overhead_ns_ + kOtherSlackNs;
  const bool is_excused = shows_work_by_cpu_time() && answer.other_cpu_ns <= most_ns;
  if (answer.other_requests_ns <= most_ns || is_excused) return {};
  return untrusted_for_outside_work({.cpu_ns = answer.other_cpu_ns, .real_ns = answer.other_requests_ns}, most_ns);
}

// The first reason of all.
std::string MeasuredWorker::judge(const protocol::BlockAnswer& answer, const report::Sample& sample) {
  BlockClaim claim{.answer = answer,
                   .steps = block_.steps,
                   .compute_threads = planned_.compute_threads(),
                   .helper_threads = helper_threads(),
                   .flushes_denormals = expectation_.problem.flushes_denormals};
  // The processes below it are those that compute, and say what they use.
  if (planned_.entry->implementation.has_capability("ranks")) {
    claim.answer.children_cpu_ns = claim.answer.request_cpu_ns = 0;
  }
  std::vector<std::string> reasons = {untrusted_reason(claim), processor_.judge(claim)};
  // Work that a calibration adds is the host's alone.
  if (block_.added_iterations.value_or(0) == 0) reasons.push_back(device_.judge(claim));
  // A framework's pools are its own business; what they use of the processor is judged above.
  if (planned_.entry->hosted()) reasons.push_back(untrusted_for_threads(claim, client().process()));
  if (is_hosted()) reasons.push_back(untrusted_for_children(answer));
  if (is_verified() && expectation_.block) {
    std::string reason = untrusted_reason(sample.displacement, *expectation_.block);
    // The starts of blocks differ; what follows from this one decides.
    if (!reason.empty()) {
      const scenario::State start = worker_.state(kStartImage, 0);
      const scenario::State end = worker_.state(kEndImage, 0);
      const auto own =
          expected_end(expectation_.problem, *expectation_.dataset, start, block_.steps, expectation_.block->rounding);
      if (own) reason = untrusted_reason(end, *own);
      if (own && !reason.empty() && is_forgivable(start, block_.steps, end, *own)) reason.clear();
    }
    reasons.push_back(std::move(reason));
  }
  if (is_verified() && expectation_.step) {
    reasons.push_back(untrusted_for_steps(sample.displacement, expectation_.step->value, block_.steps,
                                          expectation_.problem.optimizer));
  }
  const auto reason = std::find_if(reasons.begin(), reasons.end(), [](const auto& text) { return !text.empty(); });
  return reason == reasons.end() ? "" : *reason;
}

Result<MeasuredWorker::JudgedBlock> MeasuredWorker::run_block(const RunOptions& options) {
  const std::int64_t began_ns = monotonic_ns();
  for (int attempt = 1;; ++attempt) {
    vary_starts();
    const protocol::BlockAnswer answer =
        TRY(worker_.run_block(block_.steps, block_.warm_up_steps, 0, block_.added_iterations.value_or(0)));
    const std::string to_repeat = reason_to_repeat(answer);
    const bool has_time = static_cast<double>(monotonic_ns() - began_ns) < kMostRepeatingNs + 2 * answer.real_ns;
    const int attempts = has_time ? kMaxAttempts : kLeastAttempts;
    if (!to_repeat.empty() && attempt < attempts && !options.cancelled()) {
      ++repeated_blocks_;
      // A lead-in takes longer while others use the caches. The host's answer is slow for a second now and then.
      const bool is_slow = !untrusted_for_overhead(is_hosted(), least_overhead_ns_, answer.real_ns).empty();
      if (!is_hosted() || is_slow) TRY(measure_overhead());
      continue;
    }
    JudgedBlock block;
    block.sample = sample_of(answer, block_.steps, worker_.displacement());
    block.distrust = judge(answer, block.sample);
    if (!to_repeat.empty()) block.distrust = to_repeat + ", " + std::to_string(attempt) + " blocks in a row";
    block.traces = answer.traces.value_or(0);
    device_bytes_ = answer.device_bytes;
    if (blocks_ > 0) step_times_ns_.push_back(block.sample.real_ns);
    least_warm_up_ns_ = std::min(least_warm_up_ns_, answer.warm_up_ns);
    const int index = blocks_++;
    keep_if_quickest(block.sample);
    if (block.distrust.empty() && index == replayed_in_) block.distrust = TRY(untrusted_for_end(block_.steps));
    if (block.distrust.empty() && index == others_checked_in_) block.distrust = TRY(check_other_blocks());
    if (index == 0 && client().preparation().settles.value_or(false)) TRY(settle());
    return block;
  }
}

Status MeasuredWorker::settle() {
  constexpr int kBlocksOfScripts = 3;
  for (int i = 0; i < kBlocksOfScripts; ++i) {
    vary_starts();
    const protocol::BlockAnswer answer = TRY(worker_.run_block(block_.steps, block_.warm_up_steps));
    const report::Sample sample = sample_of(answer, block_.steps, 0);
    if (!script_ || sample.real_ns < script_->step_ns) script_ = {sample.real_ns, sample.page_faults};
  }
  return client().settle();
}

void MeasuredWorker::keep_if_quickest(const report::Sample& sample) {
  if (!checks_end_ || !expectation_.block || blocks_ <= 1 || (quickest_ && quickest_->ns <= sample.real_ns)) return;
  quickest_ = {sample.real_ns, worker_.state(kStartImage, 0), worker_.state(kEndImage, 0)};
}

}  // namespace gdbench::measure
