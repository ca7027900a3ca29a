#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using stats::Verdict;

report::AblationVariant variant(const std::string& without, double step_ns, Verdict verdict, int launches = 9) {
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

report::Ablation ablation_of(std::vector<report::AblationVariant> variants) {
  report::Ablation ablation;
  ablation.scenario = "example";
  ablation.implementation = "one/x";
  ablation.option = "parts";
  ablation.confidence = 0.9875;
  variants.front().value = "all";
  variants.front().comparison.reset();
  variants.front().difference_ns.reset();
  ablation.variants = std::move(variants);
  return ablation;
}

TEST(Golden, Ablation) {
  report::AblationVariant wrong;
  wrong.without = "</svg><script>alert(1)</script>\u202e";
  wrong.status = {report::CellState::wrong, "w0 is \"off\" <b>"};
  report::AblationVariant idle;
  idle.without = "folding";
  idle.fired = 0;
  idle.description = "is of a part that was not measured";
  report::AblationVariant none = variant("", 80, Verdict::faster);
  none.everything_off = true;
  report::AblationVariant alone = variant("sorting", 90, Verdict::faster);
  alone.comparison.reset();
  alone.difference_ns.reset();
  report::Ablation ablation =
      ablation_of({variant("", 100, Verdict::equivalent), variant("merging", 150, Verdict::slower),
                   variant("reuse", 100, Verdict::equivalent), wrong, idle, alone, none});
  ablation.variants[1].fired = 2;
  ablation.variants[1].description = "makes one of two";
  ablation.variants[2].description = "keeps buffers";
  tests::expect_golden_answer("ablation", document_of(ablation));
}

TEST(Ablation, SaysHowManyLaunchesItWants) {
  report::Ablation ablation =
      ablation_of({variant("", 100, Verdict::equivalent, 7), variant("merging", 300, Verdict::inconclusive, 7)});
  const char* words = "For verdicts on all of these at once there must be 8 launches or more.";
  EXPECT_TRUE(tests::says(tests::outline_of(document_of(ablation)), words));
  for (report::AblationVariant& each : ablation.variants) each.step_ns->launches = 8;
  EXPECT_FALSE(tests::says(tests::outline_of(document_of(ablation)), words));
}

TEST(Ablation, SaysThatNothingWasCompared) {
  report::AblationVariant wrong;
  wrong.status = {report::CellState::wrong, "w0 is off"};
  EXPECT_TRUE(tests::says(tests::outline_of(document_of(ablation_of({wrong}))),
                          "No part could be compared with the cell as it is."));
}

}  // namespace
}  // namespace gdbench::answers
