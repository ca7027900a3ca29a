#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "harness/questions/explain/explain.h"
#include "reports/answers/documents.h"
#include "reports/answers/words.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/explained_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

std::string text_of(const report::Explanation& explanation) {
  return document::text_of(document_of({explanation}), {});
}

std::string words_of(const report::Report& report, std::size_t a, std::size_t b) {
  return text_of(explain::explain(report, report.cells[a], report.cells[b]));
}

void expect_words(const report::Explanation& explanation, const std::string& words) {
  EXPECT_NE(text_of(explanation).find(words), std::string::npos) << words << "\n" << text_of(explanation);
}

// Sentences of the answer and of lists end with their evidence.
void expect_evidence(const report::Explanation& explanation) {
  const document::Document document = document_of({explanation});
  std::vector<document::Paragraph> sentences = document.answer;
  for (const document::Block& block : document.sections.front().blocks) {
    if (const auto* list = std::get_if<document::List>(&block.content)) {
      sentences.insert(sentences.end(), list->items.begin(), list->items.end());
    }
  }
  for (const document::Paragraph& sentence : sentences) EXPECT_TRUE(sentence.text.ends_with(']')) << sentence.text;
}

std::size_t figures_of(const report::Explanation& explanation) {
  const document::Document document = document_of({explanation});
  return static_cast<std::size_t>(std::ranges::count_if(
      document.sections.front().blocks,
      [](const document::Block& block) { return std::holds_alternative<document::Figure>(block.content); }));
}

TEST(Golden, Explanation) {
  report::Report report = tests::explained_report();
  report.attribution = report::Attribution{};
  report.attribution->break_evens = {
      {report.cells[1].id, report.cells[0].id, {stats::Overtaking::after, 119.5, {99.5, 140.25}, 6}},
      {report.cells[2].id, report.cells[0].id, {stats::Overtaking::undecided, 0, {0, 0}, 6}}};
  report::Explanation first = explain::explain(report, report.cells[0], report.cells[1]);
  first.start->b_import_ns = 5e5;
  tests::expect_golden_answer("explanation", document_of({first}));
  report::Explanation second = explain::explain(report, report.cells[2], report.cells[0]);
  second.paths[0].rest_ns = -250;
  tests::expect_golden_answer("explanations", document_of({first, second}));
}

TEST(Explanation, HasBarsForWhatIsKnownAlone) {
  report::Explanation explanation = tests::explain_first_two(tests::explained_report());
  EXPECT_EQ(figures_of(explanation), 3U) << "steps, phases, start";
  explanation.profiles.reset();
  explanation.start.reset();
  EXPECT_EQ(figures_of(explanation), 1U);
  explanation.calls = {.a_calls = 3, .b_calls = 1, .share = 0.37, .interval = {0.3, 0.5}};
  explanation.a_ceiling.emplace().share = 0.5;
  explanation.b_ceiling = explanation.a_ceiling;
  EXPECT_EQ(figures_of(explanation), 3U);
  EXPECT_TRUE(tests::says(tests::outline_of(document_of({explanation})), "what they do beyond 63% [50%, 70%] 63%"));
}

// What is said of the first two cells, in lines with their evidence.
void expect_says(const report::Report& report, const std::vector<std::string>& parts) {
  const report::Explanation explanation = tests::explain_first_two(report);
  expect_evidence(explanation);
  for (const std::string& part : parts) expect_words(explanation, part);
}

TEST(ExplanationWords, NameTheCeilings) {
  report::Report report = tests::explained_report();
  report.cells[0].summary->ceiling = report::CeilingShare{report::BoundBy::bytes, "L2", 100, 50, 100, 20, 0.01, false};
  report.cells[1].summary->ceiling = report::CeilingShare{report::BoundBy::chain, "L1", 20, 5, 10, 20, 1.2, true};
  expect_says(report, {"slow/loops reaches 1.0% of its ceiling, bound by bytes from L2",
                       "bound by chain (floor 20 ns), so that ceiling is wrong"});
}

TEST(ExplanationWords, DivideADifferenceByTheCallsAndTheirLength) {
  report::Report report = tests::explained_report();
  report.cells[1].profile->records[1].time_ns = 3000;
  expect_says(report, {": 3.5 us more by the number of calls (4 instead of 2 per step), 1.5 us more by longer calls."});
}

TEST(ExplanationWords, NameTheLayerOfAnOp) {
  report::Report report = tests::explained_report();
  for (const std::size_t cell : {0U, 1U}) report.cells[cell].profile->records[1].layers = {1};
  expect_says(report, {"  backward, product, layer 1: 108%"});
  report.cells[1].profile->records[1].op = "add";
  expect_says(report, {"backward, product, layer 1: 216% [214, 219], only in slow/loops (4 instead of 0 per step)."});
}

TEST(ExplanationWords, NameTheLargestOpsOfAFramework) {
  report::Report report = tests::explained_report();
  report::Profile& profile = *report.cells[0].profile;
  profile.ops = {.profiler = "a.profiler", .steps = 30, .step_ns = 2 * profile.step_ns, .records = {}};
  profile.ops->records = {
      {.phase = report::Phase::backward, .op = "mm", .calls = 1, .time_ns = profile.step_ns / 2, .layers = {{1}}},
      {.phase = report::Phase::forward, .op = "add", .calls = 1, .time_ns = profile.step_ns / 4}};
  expect_says(report, {"under a.profiler, 2 times the step without: backward, mm, layer 1: 25%; forward, add: 12"});
}

TEST(ExplanationWords, SayWhichPartCallsAre) {
  report::Report report = tests::explained_report();
  report.cells[0].profile->dispatches_per_step = 20;
  report.cells[0].profile->floor = {{"cheapest op", 92.5}, {"another", 200}};
  expect_says(report,
              {"each at the price of its cheapest, are 50% [50, 50] of the difference: 20 instead of 0 per step",
               "beyond an empty call is 50% [50, 50].",
               "slow/loops makes 20 calls into its framework per step; at the 92.5 ns of its cheapest that is"});
}

TEST(ExplanationWords, SayWhatAScriptsStepsTakeAndWhatHelpsThem) {
  report::Report report = tests::explained_report();
  report.cells[0].summary->script = {{.value = 2, .interval = {1.5, 3}, .launches = 6}, 171};
  report.cells[1].summary->script = {{.value = 1.2, .interval = {1.15, 1.3}, .launches = 6}, 0};
  expect_says(report, {"In a script slow/loops takes 2.00x [1.50, 3.00] as long, with 171 page faults a step: it",
                       " takes 1.20x [1.15, 1.30] as long, which lets the garbage collector run: gc.freeze()"});
  EXPECT_TRUE(notes_of(report).front().starts_with("in a script " + report.cells[0].id + " takes 2.00x"));
  report.cells[0].arm = report::kControlArm;
  report.cells[1].summary->script->ratio.interval.low = 1.05;
  EXPECT_EQ(notes_of(report), report.notes);
}

TEST(ExplanationWords, SayThatThereIsNoDifferenceAndNothingElse) {
  const report::Report twins =
      tests::report_of({tests::exact_cell("one/loops", 10000), tests::exact_cell("twin/loops", 10020)});
  const std::string same = words_of(twins, 0, 1);
  EXPECT_NE(same.find("No difference: one/loops takes"), std::string::npos) << same;
  EXPECT_EQ(std::count(same.begin(), same.end(), '\n'), 2) << same;
  const report::Report few =
      tests::report_of({tests::exact_cell("one/loops", 10000, 1), tests::exact_cell("two/loops", 11000, 1),
                        tests::exact_cell("three/loops", 20000, 1)});
  const std::string clear = words_of(few, 0, 2);
  EXPECT_NE(clear.find("three/loops, clear but not confirmed: measured within one pro"), std::string::npos) << clear;
  const std::string unknown = words_of(few, 0, 1);
  EXPECT_NE(unknown.find("No difference is proven"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("\n    gdbench run --scenario scenario-3x2 --impl one/loops --impl two/loops"),
            std::string::npos)
      << unknown;
  for (const report::Report& report : {twins, few}) expect_evidence(tests::explain_first_two(report));
}

TEST(ExplanationWords, SayWhichEndOfABreakEvenHasABound) {
  report::Explanation explanation = tests::explain_first_two(tests::explained_report());
  ASSERT_TRUE(explanation.start.has_value());
  stats::BreakEven& answer = explanation.start->break_even.result;
  answer = {stats::Overtaking::at_latest, 40, {0, 300}, 6};
  expect_words(explanation, "overtakes slow/loops after at most 300 steps; which of them");
  answer = {stats::Overtaking::at_earliest, 4000, {800, std::numeric_limits<double>::infinity()}, 6};
  expect_words(explanation, "after at least 800 steps; which step");
}

TEST(ExplanationWords, SayWhichProfileIsMissing) {
  report::Report report = tests::explained_report();
  report.cells[0].profile.reset();
  report.cells[1].profile.reset();
  report::Explanation explanation = tests::explain_first_two(report);
  expect_words(explanation, "The report has no profile of fast/loops; this measures it:\n      gdbench run --scenario");
  EXPECT_EQ(text_of(explanation).find("backward"), std::string::npos);
  explanation.missing.back().command = "measure";  // not by that of the other, which sorts before it
  expect_words(explanation, "profile of slow/loops; this measures it:\n      gdbench");
}

TEST(ExplanationWords, SayPlainlyWhatDiffersBetweenTwoScenarios) {
  report::Explanation explanation = tests::explain_first_two(tests::explained_report());
  explanation.scenario = "scenario-3x2[batch=2,optimizer=adam]";
  explanation.b_scenario = "scenario-3x2[batch=2,optimizer=sgd]";
  explanation.a = explanation.scenario + "/one/loops";
  explanation.b = explanation.b_scenario + "/one/loops";
  explanation.differing = {{"optimizer.beta1", "0.9", ""}, {"optimizer.kind", "\"adam\"", "\"sgd\""}};
  report::TargetDifference& target = explanation.target.emplace();
  target.a.state = report::TargetState::reached;
  target.a.steps = 100;
  target.b.stopped_after = 5000;
  for (const char* words :
       {"scenario-3x2/one/loops: optimizer=adam against optimizer=sgd\n", "optimizer=adam is slower: it takes",
        "differ in optimizer.kind (adam instead of sgd); optimizer=adam alone has optimizer.beta1=0.9",
        "From being ready to a loss of 0: optimizer=adam 100 steps", "optimizer=sgd not within 5000 steps (unreached)"})
    expect_words(explanation, words);
}

}  // namespace
}  // namespace gdbench::answers
