#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

TEST(Golden, Verification) {
  tests::expect_golden_answer("verification", verification(tests::example_report(), false));
}

TEST(Golden, VerificationInBrief) {
  tests::expect_golden_answer("verification-brief", verification(tests::example_report(), true));
}

TEST(Verification, NamesTheCellClosestToItsTolerance) {
  report::Report report = tests::example_report();
  report.cells[1].verification->tensors[0].error = 5e-7;
  EXPECT_TRUE(tests::says(tests::outline_of(verification(report, true)), "example/matrix, w0 at 50%"));
}

TEST(Verification, CountsOneStep) {
  report::Report report = tests::example_report();
  for (report::Cell& cell : report.cells) {
    if (cell.verification) cell.verification->steps = 1;
  }
  EXPECT_TRUE(tests::says(tests::outline_of(verification(report, false)), "after 1 step "));
}

}  // namespace
}  // namespace gdbench::answers
