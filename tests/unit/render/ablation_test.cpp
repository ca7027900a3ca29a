#include "reports/render/ablation.h"

#include <gtest/gtest.h>

namespace gdbench::render {
namespace {

report::AblationVariant variant(const std::string& without, double step_ns, stats::Verdict verdict, int launches = 9) {
  report::AblationVariant made;
  made.without = without;
  made.value = "-" + without;
  made.status.state = report::CellState::ok;
  made.step_ns = {step_ns, {step_ns * 0.99, step_ns * 1.01}, launches, false};
  made.comparison.emplace();
  made.comparison->ratio = {step_ns / 100, {step_ns / 100 - 0.01, step_ns / 100 + 0.01}, launches, false};
  made.comparison->verdict = verdict;
  made.difference_ns = {step_ns - 100, {step_ns - 101, step_ns - 99}, launches, false};
  return made;
}

TEST(AblationTable, ShowsEveryVariant) {
  report::Ablation ablation;
  ablation.scenario = "example";
  ablation.implementation = "one/x";
  ablation.option = "parts";
  ablation.confidence = 0.9875;
  report::AblationVariant full = variant("", 100, stats::Verdict::equivalent);
  full.value = "all";
  full.comparison.reset();
  full.difference_ns.reset();
  report::AblationVariant wrong;
  wrong.without = "broken";
  wrong.status = {report::CellState::wrong, "w0 is off"};
  report::AblationVariant idle;
  idle.without = "folding";
  idle.fired = 0;
  report::AblationVariant none = variant("", 80, stats::Verdict::faster);
  none.everything_off = true;
  ablation.variants = {full,
                       variant("merging", 150, stats::Verdict::slower),
                       variant("reuse", 100, stats::Verdict::equivalent),
                       wrong,
                       idle,
                       none};
  ablation.variants[1].fired = 2;
  ablation.variants[1].description = "makes one of two";
  const char* expected =
      "example/one/x, impl.parts=all\n"
      "  variant          time/step      interval  ratio               difference               verdict     fired\n"
      "  as it is            100 ns     [99, 101]  1\n"
      "  without merging     150 ns    [148, 152]  1.50x [1.49, 1.51]  +50 ns [+49 ns, +51 ns]  slower          2\n"
      "  without reuse       100 ns     [99, 101]  1.00x [0.99, 1.01]  +0 ns [-1 ns, +1 ns]     equivalent\n"
      "  without broken   wrong: w0 is off\n"
      "  all off              80 ns  [79.2, 80.8]  0.80x [0.79, 0.81]  -20 ns [-21 ns, -19 ns]  faster\n"
      "\n"
      "Slower without: merging.\n"
      "No difference without: reuse.\n"
      "No effect on this cell, so not measured: folding.\n"
      "What they do:\n"
      "  merging: makes one of two\n"
      "\n"
      "ratio, difference: against the cell as it is, paired by round, median with 98.8% interval (95% for all verdicts "
      "together) over 9 launches. fired: how often the part had an effect, as the implementation says.\n";
  EXPECT_EQ(ablation_table(ablation), expected);
}

TEST(AblationTable, SaysHowManyLaunchesItWants) {
  report::Ablation ablation;
  ablation.confidence = 0.9875;
  ablation.variants = {variant("", 100, stats::Verdict::equivalent, 7),
                       variant("merging", 300, stats::Verdict::inconclusive, 7)};
  const char* words = "For verdicts on all of these at once there must be 8 launches or more.\n";
  EXPECT_NE(ablation_table(ablation).find(words), std::string::npos);
  for (report::AblationVariant& each : ablation.variants) each.step_ns->launches = 8;
  EXPECT_EQ(ablation_table(ablation).find(words), std::string::npos);
}

}  // namespace
}  // namespace gdbench::render
