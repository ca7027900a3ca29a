#include "harness/analysis/processor_use.h"

#include <vector>

#include "harness/base/text.h"
#include "harness/stats/estimate.h"

namespace gdbench::analysis {

namespace {

// Of a processor, for helper threads that only wake and wait. Native rows and NumPy stay below 1.01, frameworks that
// hand each step to a thread of their own at 1.00 to 1.06; with a second thread that computes it is 1.35 and more.
constexpr double kHelperAllowance = 0.15;

}  // namespace

std::optional<double> processors_used(const report::Cell& cell) {
  std::vector<double> shares;
  for (const report::Sample& sample : cell.samples) {
    if (!sample.cold && sample.real_ns > 0) shares.push_back(sample.cpu_ns / sample.real_ns);
  }
  if (shares.empty()) return std::nullopt;
  return stats::median(std::move(shares));
}

std::string reason_not_ranked(const report::Cell& cell) {
  const std::optional<double> used = processors_used(cell);
  if (!used || *used <= cell.threads + kHelperAllowance) return {};
  return formatted("used %.2f processors, has %d thread%s", *used, cell.threads, cell.threads == 1 ? "" : "s");
}

}  // namespace gdbench::analysis
