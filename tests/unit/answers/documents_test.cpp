// Answers that have little to say.
#include "reports/answers/documents.h"

#include <gtest/gtest.h>

#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using report::Change;
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

report::Predictions example_predictions() {
  report::Prediction one{.scenario = "linreg",
                         .implementation = "hand/naive+mpi",
                         .options = {{"mpi", "mpich"}},
                         .threads = 2,
                         .batch_rows = 5,
                         .gradient_bytes = 40,
                         .fixed_ns = 1000,
                         .row_ns = 50,
                         .network = {.latency_ns = 400, .byte_ns = 0.25},
                         .steps = {},
                         .fastest = 4,
                         .cells = {}};
  one.steps = {{4, 2, 1100, 820, 0, 1920, report::AllReduce::doubling, 1.3},
               {8, 1, 1050, 1230, 0, 2280, report::AllReduce::ring, 1.1}};
  one.cells = {{"linreg/hand/naive+mpi?ranks=2", 1500, 1530, 1350}};
  report::Prediction single = one;
  single.implementation = "tape/<b>+mpi";
  single.fastest = 1;
  single.cells[0].predicted_ns = 1510;
  return {.described = std::nullopt,
          .fitted = {{"hand/null+mpi", {}, one.network, {{"linreg/hand/null+mpi?ranks=2", 410, 400, {}}}}},
          .predictions = {one, single},
          .notes = {"linreg loop/plain: found one number of rows"}};
}

TEST(Prediction, SaysWhatAddingUpTakes) {
  report::Predictions predictions = example_predictions();
  for (report::Prediction& one : predictions.predictions) one.network.adding_byte_ns = 0.5;
  EXPECT_TRUE(tests::says(tests::outline_of(document_of(predictions)), "250 us a MB, and 500 us to add up a MB"));
}

TEST(Golden, Prediction) { tests::expect_golden_answer("prediction", document_of(example_predictions())); }

report::Calibration example_calibration() {
  report::Calibration calibration;
  calibration.launches = 80;
  calibration.margin = 0.01;
  calibration.confidence = 0.99;
  calibration.planned = 50;
  const auto add = [&](double slowdown, Change change) {
    report::CalibrationOutcome outcome;
    outcome.workload = calibration.outcomes.size() % 2 == 0 ? "linear/one/x" : "<script>alert(1)</script>\u202e";
    outcome.slowdown = slowdown;
    outcome.change = change;
    outcome.ratio = 1 + slowdown;
    outcome.seconds = 2;
    calibration.outcomes.push_back(outcome);
  };
  for (int i = 0; i < 10; ++i) {
    add(0, i == 0 ? Change::improved : Change::equivalent);
    add(0.02, i < 6 ? Change::regressed : i == 6 ? Change::improved : Change::inconclusive);
    add(0.05, Change::regressed);
  }
  return calibration;
}

TEST(Golden, Calibration) { tests::expect_golden_answer("calibration", document_of(example_calibration())); }

TEST(Calibration, SaysWhenComparisonsThatEndByThemselvesWereDecided) {
  report::Calibration calibration = example_calibration();
  calibration.until_decided = true;
  for (report::CalibrationOutcome& outcome : calibration.outcomes) outcome.launches = outcome.slowdown > 0 ? 13 : 17;
  const std::string page = document::html_of(document_of(calibration));
  EXPECT_NE(page.find("until it is decided, at most 80 launches of either side; margin"), std::string::npos);
  EXPECT_NE(page.find("<td>9</td>\n<td>17</td>"), std::string::npos) << page;
}

TEST(Calibration, HasNoPictureOfNoOutcome) {
  report::Calibration calibration = example_calibration();
  calibration.outcomes.clear();
  EXPECT_EQ(document::html_of(document_of(calibration)).find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::answers
