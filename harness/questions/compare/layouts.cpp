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

// How far the cell's layouts are from each other.
double layout_effect(const std::vector<const Cell*>& layouts) {
  if (layouts.size() < 2) return 0;
  const stats::Estimate ratio = stats::paired_ratio(analysis::pairs_of(*layouts[0], *layouts[1]));
  return ratio.launches == 0 ? 0 : std::exp(std::abs(std::log(ratio.value))) - 1;
}

}  // namespace

std::string id_without_arm(const Cell& cell) {
  const std::string suffix = "#" + cell.arm;
  return cell.id.ends_with(suffix) ? cell.id.substr(0, cell.id.size() - suffix.size()) : cell.id;
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

void add_layouts(const std::vector<Match>& matches, const Layouts& base, const Layouts& next,
                 ReportComparison& comparison) {
  if (!base.exist() && !next.exist()) {
    if (comparison.margin >= kLayoutMargin) return;
    comparison.remarks.emplace_back(
        "differences below 2% between two builds may come from where the linker put the code: measure padded builds "
        "too (--padded) before you act on them");
    return;
  }
  std::unordered_map<std::string, double> effects;
  double largest = 0;
  for (const Match& match : matches) {
    if (match.base == nullptr || match.next == nullptr) continue;
    const double effect = std::max(layout_effect(base.of(*match.base)), layout_effect(next.of(*match.next)));
    effects[id_without_arm(*match.next)] = effect;
    largest = std::max(largest, effect);
  }
  for (ComparedCell& cell : comparison.cells) {
    if (const auto found = effects.find(cell.id); found != effects.end() && cell.ratio) cell.layout = found->second;
  }
  comparison.remarks.push_back("padded builds, which differ in the addresses of their code alone, differ by up to " +
                               formatted("%.2g%%", 100 * largest) + "; intervals span all layouts");
}

}  // namespace gdbench::compare
