#include "reports/render/fairness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/questions/fairness/description.h"

namespace gdbench::render {
namespace {

using fairness::Comparison;
using fairness::Finding;
using fairness::Rule;
using fairness::Side;

Comparison comparison_with(std::vector<Finding> findings) {
  Comparison comparison;
  comparison.a = "one";
  comparison.b = "two";
  comparison.findings = std::move(findings);
  comparison.compared = {"loss", "rows"};
  return comparison;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// With everything known, and with nothing that is optional.
TEST(FairnessWords, EveryRuleHasASentenceThatIsFilled) {
  for (int i = 0; i <= static_cast<int>(fairness::kLastRule); ++i) {
    const auto rule = static_cast<Rule>(i);
    const FairnessSentence& says = fairness_sentence(rule);
    const bool of_one_side = contains(std::string(says.what) + says.effect + says.mend, "{side}");
    Finding finding;
    finding.rule = rule;
    finding.key = "the_key";
    if (of_one_side) finding.side = Side::b;
    finding.a = of_one_side ? "" : "value of one";
    finding.b = "value of two";
    const std::string least = fairness_words(comparison_with({finding}), 0);
    finding.ratio = 4;
    finding.learning_rate = 0.02;
    const std::string most = fairness_words(comparison_with({finding}), 0);
    for (const std::string& text : {least, most}) {
      EXPECT_EQ(text.find_first_of("{}[]"), std::string::npos) << text;
      EXPECT_TRUE(contains(text, "    1. ")) << text;
      EXPECT_TRUE(contains(text, "To mend it, ")) << text;
      EXPECT_TRUE(contains(text, "\n\nNot fair. First, ")) << text;
    }
    EXPECT_LE(least.size(), most.size());
  }
}

TEST(FairnessWords, NameTheLearningRateThatMendsAFactor) {
  Finding finding;
  finding.rule = Rule::gradient_factor;
  finding.a = "mse (mean)";
  finding.b = "half_mse (mean)";
  finding.ratio = 2;
  finding.learning_rate = 0.02;
  const std::string text = fairness_words(comparison_with({finding}), 0);
  EXPECT_TRUE(contains(text, "The gradients of one are 2 times those of two")) << text;
  EXPECT_TRUE(contains(text, "or two the learning rate 0.02.")) << text;
}

TEST(FairnessWords, EndInOneLine) {
  Comparison comparison = comparison_with({});
  EXPECT_TRUE(fairness_words(comparison, 0).ends_with("\nFair, as far as both say: 2 points compared.\n"));
  comparison.unknown = {{"rows", fairness::UnknownReason::not_given, Side::b},
                        {"initial", fairness::UnknownReason::not_proven, std::nullopt}};
  const std::string text = fairness_words(comparison, 0);
  EXPECT_TRUE(contains(text, "rows: two does not say.\n")) << text;
  EXPECT_TRUE(contains(text, "initial: one seed draws other numbers")) << text;
  EXPECT_TRUE(text.ends_with("\nFair, as far as both say: 2 points compared, 2 unknown.\n")) << text;
  comparison.compared.clear();
  EXPECT_TRUE(fairness_words(comparison, 0).ends_with("\nNothing was compared: no key is said by both.\n"));
}

TEST(FairnessWords, StandInGroupsWhoseLinesAreIndented) {
  const std::filesystem::path examples = std::filesystem::path(GDBENCH_SOURCE_DIR) / "examples/check-comparison";
  const auto a = fairness::read_description(examples / "numpy_loop.json");
  const auto b = fairness::read_description(examples / "tensorflow_tape.json");
  ASSERT_TRUE(a.ok() && b.ok());
  const std::string text = fairness_words(fairness::compare(a.value(), b.value()), 100);
  EXPECT_TRUE(text.starts_with(R"(NumPy loop beside TensorFlow tape

  One side is not what it is taken for:
    1. TensorFlow tape: prediction (N, 1) less target (N,) is (N, N).
       Each prediction meets the targets of other rows, so loss and gradients are wrong, and there
         are 32 times as many differences.
       To mend it, give prediction and target of TensorFlow tape one shape.

  The sides do not do the same work:
    2. NumPy loop makes 100 updates of 1000 rows, TensorFlow tape 3200 updates of 32 rows.
)")) << text;
  EXPECT_TRUE(contains(text, "\n\n  The clocks do not measure the same:\n    6. TensorFlow tape: the clock includes"));
  EXPECT_TRUE(contains(text, "\n\n  Losses and steps to a target cannot be compared:\n    8. NumPy loop has half_mse"));
  EXPECT_TRUE(text.ends_with(R"(
       To mend it, copy the initial parameters of one to the other.

  Unknown, so not judged:
    threads: TensorFlow tape does not say.

  Neither says: accumulation.

Not fair. First, give prediction and target of TensorFlow tape one shape.
)")) << text;
}

TEST(FairnessWords, NamesArePutInAsTheyAre) {
  Finding finding;
  finding.rule = Rule::no_wait;
  finding.side = Side::a;
  Comparison comparison = comparison_with({finding});
  comparison.a = "x[{side}]";
  EXPECT_TRUE(contains(fairness_words(comparison, 0), "1. x[{side}]: nothing waits for the results."));
}

}  // namespace
}  // namespace gdbench::render
