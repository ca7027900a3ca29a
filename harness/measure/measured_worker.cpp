#include "harness/measure/measured_worker.h"

#include <algorithm>
#include <utility>

#include "harness/measure/other_blocks.h"

namespace gdbench::measure {

namespace {

constexpr int kMaxAttempts = 8;

report::Sample sample_of(const protocol::BlockAnswer& answer, std::uint64_t steps, double displacement) {
  report::Sample sample;
  sample.steps = steps;
  sample.real_ns = answer.real_ns / static_cast<double>(steps);
  sample.cpu_ns = answer.cpu_ns / static_cast<double>(steps);
  sample.request_ns = static_cast<double>(answer.received_ns - answer.sent_ns);
  sample.outside_ns = std::max(answer.outside.cpu_ns, answer.outside.real_ns);
  sample.displacement = displacement;
  return sample;
}

}  // namespace

MeasuredWorker::MeasuredWorker(CellWorker worker, const PlannedCell& planned, const report::Block& block,
                               const std::optional<ExpectedDisplacement>& expected, std::uint64_t seed)
    : worker_(std::move(worker)),
      planned_(planned),
      block_(block),
      expected_(expected),
      copy_ns_(worker_.copy_ns()),
      generator_(seed) {}

void MeasuredWorker::vary_start() {
  if (is_verified()) worker_.vary_start(expected_ ? kShareOfDisplacement * expected_->value : 0, generator_);
}

// The first reason of all.
std::string MeasuredWorker::judge(const protocol::BlockAnswer& answer, const report::Sample& sample) {
  // A worker may say that it has fewer helper threads than its implementation declares, not more.
  const int declared = planned_.entry->implementation.helper_threads;
  const int in_use = client().preparation().helper_threads.value_or(declared);
  const BlockClaim claim{.answer = answer,
                         .steps = block_.steps,
                         .compute_threads = planned_.threads.compute,
                         .helper_threads = std::clamp(in_use, 0, declared)};
  std::vector<std::string> reasons = {untrusted_reason(claim), processor_.judge(claim)};
  // A framework's pools are its own business; what they use of the processor is judged above.
  if (planned_.entry->hosted()) reasons.push_back(untrusted_for_threads(claim, client().process()));
  if (is_verified() && expected_) reasons.push_back(untrusted_reason(sample.displacement, *expected_));
  const auto reason = std::find_if(reasons.begin(), reasons.end(), [](const auto& text) { return !text.empty(); });
  return reason == reasons.end() ? "" : *reason;
}

Result<MeasuredWorker::JudgedBlock> MeasuredWorker::run_block(const RunOptions& options) {
  for (int attempt = 1;; ++attempt) {
    vary_start();
    const protocol::BlockAnswer answer =
        TRY(worker_.run_block(block_.steps, block_.warm_up_steps, 0, block_.added_iterations.value_or(0)));
    const bool told = planned_.entry->hosted() && answer.host_tells_outside;
    std::string outside = untrusted_for_outside_work(answer.outside, outside_limit_ns(told, copy_ns_));
    if (!outside.empty() && attempt < kMaxAttempts && !options.cancelled()) {
      ++repeated_blocks_;
      continue;
    }
    JudgedBlock block;
    block.sample = sample_of(answer, block_.steps, worker_.displacement());
    block.distrust = judge(answer, block.sample);
    if (!outside.empty()) block.distrust = outside + ", " + std::to_string(kMaxAttempts) + " blocks in a row";
    block.traces = answer.traces.value_or(0);
    return block;
  }
}

Result<std::string> MeasuredWorker::check_other_blocks(const std::vector<report::Sample>& samples) {
  if (!is_verified() || samples.empty()) return std::string();
  Result<std::string> reason = untrusted_for_lengths(worker_, block_, samples, generator_);
  if (!reason.ok() || !reason->empty()) return reason;
  return untrusted_for_foresight(worker_, block_, [this] { vary_start(); });
}

}  // namespace gdbench::measure
