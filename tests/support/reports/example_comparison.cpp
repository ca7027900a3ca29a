#include "tests/support/reports/example_comparison.h"

#include <string>

namespace gdbench::tests {

namespace {

using report::Change;
using report::ComparedCell;

ComparedCell of_base(const std::string& id, Change change) {
  ComparedCell cell;
  cell.id = id;
  cell.change = change;
  cell.base = stats::Estimate{.value = 1000, .interval = {990, 1010}, .launches = 12};
  return cell;
}

ComparedCell compared(const std::string& id, Change change, double ratio, stats::Interval interval) {
  ComparedCell cell = of_base(id, change);
  cell.next = stats::Estimate{.value = 1000 * ratio, .interval = {990 * ratio, 1010 * ratio}, .launches = 12};
  cell.ratio = stats::Estimate{.value = ratio, .interval = interval, .launches = 12};
  return cell;
}

}  // namespace

report::ReportComparison example_comparison() {
  report::ReportComparison comparison;
  comparison.base = "base/build";
  comparison.next = "this build";
  comparison.base_build = "0.1.0 0123456789abcdef";
  comparison.next_build = "0.1.0 fedcba9876543210 (changed)";
  comparison.paired = true;
  comparison.margin = 0.01;
  comparison.confidence = 0.99;
  comparison.noise_floor = 0.014;
  comparison.remarks = {"padded builds differ by up to 2%"};
  comparison.cells = {compared("linear/hand/x", Change::equivalent, 1.001, {0.996, 1.005}),
                      compared("linear/tape/x", Change::improved, 0.9, {0.88, 0.92}),
                      compared("network/hand/x", Change::inconclusive, 1.01, {0.4, 2.5}),
                      compared("network/<script>alert(1)</script>\u202e", Change::regressed, 1.1, {1.07, 1.13}),
                      of_base("network/graph/x", Change::failing),
                      of_base("network/graph/y", Change::removed),
                      compared("linear/fused/x", Change::added, 1, {1, 1}),
                      compared("linear/fused/y", Change::fixed, 1, {1, 1})};
  comparison.cells[2].remark = "the interval from 0.4 to 2.5 reaches across the margin of 1%";
  comparison.cells[4].remark = "wrong: w0 differs";
  comparison.cells[3].layouts = {1.08, 1.1, 1.12, 1.09};
  for (const std::size_t came : {6U, 7U}) {
    comparison.cells[came].base.reset();
    comparison.cells[came].ratio.reset();
  }
  return comparison;
}

report::ReportComparison long_comparison(std::size_t equivalent_cells) {
  report::ReportComparison comparison;
  comparison.base = "before.json";
  comparison.next = "after.json";
  comparison.margin = 0.03;
  comparison.confidence = 0.99;
  for (std::size_t i = 0; i < equivalent_cells; ++i) {
    comparison.cells.push_back(compared((i % 2 == 0 ? "linear/x" : "network/x") + std::to_string(i), Change::equivalent,
                                        1 + 0.0001 * static_cast<double>(i), {0.99, 1.01}));
  }
  comparison.cells.push_back(compared("network/slow", Change::regressed, 1.1, {1.07, 1.13}));
  return comparison;
}

}  // namespace gdbench::tests
