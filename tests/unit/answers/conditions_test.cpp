#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"

namespace gdbench::answers {
namespace {

using report::Severity;

TEST(Golden, Conditions) {
  tests::expect_golden_answer(
      "conditions",
      document_of({{"swap", Severity::fine, "none used", "", ""},
                   {"load", Severity::warning, "43% of the processors", "blocks are interrupted", "wait, or stop them"},
                   {"governor", Severity::unknown, "not visible", "a virtual machine's host may scale", ""},
                   {"turbo", Severity::notice, "on", "the clock rate follows temperature", "echo 1 > no_turbo"}}));
}

TEST(Conditions, SaysWhenNothingSpoilsMeasurements) {
  EXPECT_EQ(document_of({{"swap", Severity::fine, "none used", "", ""}}).answer.front().text,
            "Nothing here is known to spoil measurements.");
}

}  // namespace
}  // namespace gdbench::answers
