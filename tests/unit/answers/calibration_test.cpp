#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"

namespace gdbench::answers {
namespace {

using report::Change;

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
  const std::string page = document::html_of(document_of(calibration));
  EXPECT_EQ(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("Not finished: 0 of 50 comparisons"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::answers
