#include "harness/questions/compare/layouts.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/pairing.h"
#include "harness/base/text.h"

namespace gdbench::compare {

namespace {

using report::Cell;
using report::ComparedCell;
using report::ReportComparison;

// Below it, what two builds differ by is of the size that the placing of code alone makes.
constexpr double kLayoutMargin = 0.02;

}  // namespace

std::string id_without_arm(const Cell& cell) {
  const std::string suffix = "#" + cell.arm;
  return cell.id.ends_with(suffix) ? cell.id.substr(0, cell.id.size() - suffix.size()) : cell.id;
}

double layout_effect(const std::vector<const Cell*>& layouts) {
  if (layouts.size() < 2) return 0;
  const stats::Estimate ratio = stats::paired_ratio(analysis::pairs_of(*layouts[0], *layouts[1]));
  return ratio.launches == 0 ? 0 : std::exp(std::abs(std::log(ratio.value))) - 1;
}

stats::Comparison agreed(const stats::Comparison& one, const stats::Comparison& other) {
  stats::Comparison both = one;
  both.ratio.interval.low = std::min(one.ratio.interval.low, other.ratio.interval.low);
  both.ratio.interval.high = std::max(one.ratio.interval.high, other.ratio.interval.high);
  if (one.verdict == other.verdict) return both;
  both.verdict = stats::Verdict::inconclusive;
  if (both.remark.empty()) both.remark = "not so in every layout of the code";
  return both;
}

std::vector<std::string> layout_remarks(const ReportComparison& comparison) {
  std::optional<double> largest;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.layout) largest = std::max(largest.value_or(0), *cell.layout);
  }
  if (largest) {
    return {"padded builds, which differ in the addresses of their code alone, differ by up to " +
            formatted("%.2g%%", 100 * *largest) + "; intervals span all layouts"};
  }
  if (comparison.margin >= kLayoutMargin) return {};
  return {
      "differences below 2% between two builds may come from where the linker put the code: measure padded builds "
      "too (--padded) before you act on them"};
}

}  // namespace gdbench::compare
