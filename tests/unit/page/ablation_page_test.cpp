#include "reports/page/ablation_page.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

report::AblationVariant measured(const std::string& without, double ratio, stats::Verdict verdict) {
  report::AblationVariant variant;
  variant.without = without;
  variant.value = "-" + without;
  variant.status.state = report::CellState::ok;
  variant.step_ns = {100 * ratio, {99 * ratio, 101 * ratio}, 9, false};
  variant.difference_ns = {100 * (ratio - 1), {99 * (ratio - 1), 101 * (ratio - 1)}, 9, false};
  variant.comparison.emplace();
  variant.comparison->ratio = {ratio, {ratio * 0.99, ratio * 1.01}, 9, false};
  variant.comparison->verdict = verdict;
  return variant;
}

report::Ablation example_ablation() {
  report::Ablation ablation;
  ablation.scenario = "example";
  ablation.implementation = "one/x";
  ablation.option = "parts";
  ablation.confidence = 0.9875;
  report::AblationVariant full = measured("", 1, stats::Verdict::equivalent);
  full.value = "all";
  full.comparison.reset();
  full.difference_ns.reset();
  report::AblationVariant wrong;
  wrong.without = "</svg><script>alert(1)</script>\u202e";
  wrong.status = {report::CellState::wrong, "w0 is \"off\" <b>"};
  report::AblationVariant idle;
  idle.without = "folding";
  idle.fired = 0;
  report::AblationVariant none = measured("", 0.8, stats::Verdict::faster);
  none.everything_off = true;
  ablation.variants = {full, measured("merging", 1.5, stats::Verdict::slower), wrong, idle, none};
  ablation.variants[1].fired = 2;
  ablation.variants[1].description = "makes one of two";
  return ablation;
}

TEST(Golden, AblationPage) { expect_golden_page("ablation", ablation_page(example_ablation())); }

}  // namespace
}  // namespace gdbench::page
