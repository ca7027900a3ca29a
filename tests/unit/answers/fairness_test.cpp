#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/questions/fairness/description.h"
#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"

namespace gdbench::answers {
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
TEST(Fairness, EveryRuleHasASentenceThatIsFilled) {
  for (const Rule& rule : fairness::rules()) {
    const bool of_one_side = contains(rule.words, "{side}");
    Finding finding;
    finding.rule = &rule;
    finding.key = "the_key";
    if (of_one_side) finding.side = Side::b;
    finding.a = of_one_side ? "" : "value of one";
    finding.b = "value of two";
    const std::string least = tests::outline_of(document_of(comparison_with({finding})));
    finding.ratio = 4;
    finding.learning_rate = 0.02;
    const std::string most = tests::outline_of(document_of(comparison_with({finding})));
    for (const std::string& text : {least, most}) {
      EXPECT_EQ(text.find_first_of("{}[]"), std::string::npos) << text;
      EXPECT_TRUE(contains(text, ". To mend it, ")) << text;
      EXPECT_TRUE(contains(text, "\nNot fair. First, ")) << text;
    }
    EXPECT_LE(least.size(), most.size());
  }
}

TEST(Fairness, AnswersInOneSentence) {
  Comparison comparison = comparison_with({});
  const auto answer = [&] { return document_of(comparison).answer.front().text; };
  EXPECT_EQ(answer(), "Fair, as far as both say: 2 points compared.");
  comparison.unknown = {{"rows", Side::b}, {"initial", std::nullopt}};
  EXPECT_EQ(answer(), "Fair, as far as both say: 2 points compared, 2 unknown.");
  EXPECT_TRUE(contains(tests::outline_of(document_of(comparison)), "initial: one seed draws other numbers"));
  comparison.compared.clear();
  EXPECT_EQ(answer(), "Nothing was compared: no key is said by both.");
}

TEST(Golden, Fairness) {
  const std::filesystem::path examples = std::filesystem::path(GDBENCH_SOURCE_DIR) / "examples/check-comparison";
  const auto a = fairness::read_description(examples / "numpy_loop.json");
  const auto b = fairness::read_description(examples / "tensorflow_tape.json");
  ASSERT_TRUE(a.ok() && b.ok());
  tests::expect_golden_answer("fairness", document_of(fairness::compare(a.value(), b.value())));
}

TEST(Fairness, NamesArePutInAsTheyAre) {
  Finding finding;
  finding.rule = &fairness::rule_named("no_wait");
  finding.side = Side::a;
  Comparison comparison = comparison_with({finding});
  comparison.a = "x[{side}]";
  EXPECT_TRUE(contains(tests::outline_of(document_of(comparison)), "x[{side}]: nothing waits for the results."));
}

}  // namespace
}  // namespace gdbench::answers
