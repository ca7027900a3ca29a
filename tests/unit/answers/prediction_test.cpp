#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

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

}  // namespace
}  // namespace gdbench::answers
