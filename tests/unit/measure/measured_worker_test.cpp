// What is made of a worker's answers, block by block: samples, and what they are not believed for.
#include "harness/measure/measured_worker.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using protocol::BlockAnswer;
using report::CellState;

using MeasuredWorkerTest = FakeRun;

constexpr std::int64_t kStepsOfABlock = 20;  // of 0.1 ms

TEST_F(MeasuredWorkerTest, ASampleHasTimesOfAStep) {
  add("a/one").says = [](BlockAnswer& answer) {
    answer.cpu_ns = 0.5 * answer.real_ns;
    answer.exchange_ns = 0.25 * answer.real_ns;
    answer.outside = {.cpu_ns = 3000, .real_ns = 2000};
  };
  make_plan();
  run();
  expect_status(0, CellState::ok, "");
  for (const report::Sample& sample : cell(0).samples) {
    EXPECT_EQ(sample.steps, 20U);
    EXPECT_NEAR(sample.real_ns, 100'000, 100);
    EXPECT_DOUBLE_EQ(sample.cpu_ns, 0.5 * sample.real_ns);
    EXPECT_DOUBLE_EQ(sample.exchange_ns.value(), 0.25 * sample.real_ns);
    EXPECT_FALSE(sample.device_ns);
    EXPECT_NEAR(sample.request_ns, 20 * sample.real_ns + 2000, 2) << "of the whole block";
    EXPECT_EQ(sample.outside_ns, 3000) << "the larger one";
    EXPECT_GT(sample.displacement, 0);
  }
  EXPECT_FALSE(cell(0).launches[0].repeated_blocks);
}

TEST_F(MeasuredWorkerTest, ABlockIsMadeAgainWhereItsWorkerWasBusyOutsideTheClock) {
  bool busy = false;
  add("a/interrupted").says = [&](BlockAnswer& answer) {
    busy = answer.end_step == kStepsOfABlock && !busy;
    if (busy) answer.outside.cpu_ns = 9e6;
  };
  make_plan();
  run();
  expect_status(0, CellState::ok, "");
  EXPECT_EQ(cell(0).samples.size(), 6U);
  EXPECT_EQ(cell(0).launches[1].repeated_blocks, 3) << "each block of the launch once";
}

TEST_F(MeasuredWorkerTest, WhoIsAlwaysBusyOutsideTheClockIsNotBelieved) {
  int blocks = 0;
  add("a/ahead").says = [&](BlockAnswer& answer) {
    answer.outside.real_ns = 9e6;
    blocks += !report_.cells.empty() && report_.cells[0].block && answer.end_step == kStepsOfABlock ? 1 : 0;
  };
  make_plan();
  run();
  EXPECT_EQ(cell(0).status.state, CellState::untrusted);
  EXPECT_TRUE(cell(0).status.reason.starts_with("used 0 ms of CPU time, 9 ms in all, outside the clock of a block"))
      << cell(0).status.reason;
  EXPECT_TRUE(cell(0).status.reason.ends_with(", 8 blocks in a row")) << cell(0).status.reason;
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cell(0).samples.size(), 1U);
}

TEST_F(MeasuredWorkerTest, TheFirstReasonOfAllIsTold) {
  add("a/rounds down").says = [](BlockAnswer& answer) {
    if (answer.end_step != kStepsOfABlock) return;
    answer.control_word = 0x3f80;
    answer.end_ns = answer.received_ns + 1;
  };
  make_plan();
  run();
  expect_status(0, CellState::untrusted, "its time stamps lie outside the request");
}

TEST_F(MeasuredWorkerTest, TracesInsideTheClockAreNotedOnce) {
  add("a/traced").says = [](BlockAnswer& answer) { answer.traces = 2; };
  make_plan();
  run();
  expect_status(0, CellState::ok, "");
  EXPECT_EQ(report_.notes, std::vector<std::string>{"linreg-3x2/a/traced traced or compiled a function again inside a "
                                                    "timed block: 2 time(s), first seen in launch 0"});
}

TEST_F(MeasuredWorkerTest, WhoIsQuickInBlocksOfTheTimedLengthAloneIsNotBelieved) {
  add("a/knows the length").says = [](BlockAnswer& answer) {
    if (answer.end_step == kStepsOfABlock) answer.real_ns = answer.cpu_ns = answer.real_ns / 3;
  };
  make_plan();
  run();
  EXPECT_EQ(cell(0).block->steps, 20U);
  expect_status(0, CellState::untrusted,
                "a step takes 1e+05 ns in a block of a length that it had not seen, 3.33e+04 ns in the timed blocks");
  EXPECT_EQ(cell(0).launches.size(), 1U) << "found at the end of the first launch";
}

TEST_F(MeasuredWorkerTest, WhoTakesNoLongerForMoreStepsIsNotBelieved) {
  add("a/remembers").says = [](BlockAnswer& answer) {
    answer.real_ns = answer.cpu_ns = std::min(answer.real_ns, 1.4e6);
  };
  make_plan();
  run();
  expect_status(0, CellState::untrusted, "twice as many steps take only 1.00 times as long");
}

TEST_F(MeasuredWorkerTest, WhoComputesLessInBlocksThatNobodyVerifiedIsNotBelieved) {
  // Those of the timed length are right, and shorter ones than any of a length that it had not seen.
  add("a/halves").steps_made = [](std::uint64_t steps) {
    return steps < 10 || steps == kStepsOfABlock ? steps : steps / 2;
  };
  make_plan();
  run();
  EXPECT_EQ(cell(0).status.state, CellState::untrusted);
  EXPECT_TRUE(cell(0).status.reason.starts_with("a timed block moved the parameters by ")) << cell(0).status.reason;
  EXPECT_EQ(cell(0).launches.size(), 1U) << "found at the end of the first launch";
}

TEST_F(MeasuredWorkerTest, ABlockOfOneOrTwoStepsIsNotDividedAnyMore) {
  add("a/two").step_ns = 1e6;
  add("b/one").step_ns = 2e6;
  make_plan();
  run();
  EXPECT_EQ(cell(0).block->steps, 2U);
  EXPECT_EQ(cell(1).block->steps, 1U);
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::ok, "");
}

// What is checked at the end of a launch, once its three samples are there.
class ForesightTest : public FakeRun {
 protected:
  void divide_times(BlockAnswer& answer, bool divided) const {
    if (samples_are_there() && divided) answer.real_ns = answer.cpu_ns = answer.real_ns / 3;
  }
  bool samples_are_there() const { return !report_.cells.empty() && report_.cells[0].samples.size() >= 3; }
};

TEST_F(ForesightTest, WhoIsQuickerFromAStateThatItSawIsNotBelieved) {
  int blocks = 0;
  add("a/knows").says = [&](BlockAnswer& answer) {
    if (samples_are_there() && answer.end_step == kStepsOfABlock) divide_times(answer, ++blocks % 2 == 0);
  };
  options_.launches = 1;
  make_plan();
  run();
  expect_status(0, CellState::untrusted,
                "a block takes 2 ms from a state that is new, 0.666 ms from one where a block began before");
}

TEST_F(ForesightTest, WhoIsQuickerAfterAnEvaluationIsNotBelieved) {
  bool evaluated = false;
  add("a/trains in evaluate").says = [&](BlockAnswer& answer) {
    divide_times(answer, evaluated);
    evaluated = false;
  };
  on_request_["a/trains in evaluate"] = [&](const std::string& request) {
    evaluated = evaluated || request == "evaluate";
    return Status();
  };
  options_.launches = 1;
  make_plan();
  run();
  expect_status(0, CellState::untrusted,
                "a block takes 2 ms from a state that is new, 0.666 ms after an evaluation of it");
}

TEST_F(ForesightTest, OneCleanTryOfEachCheckIsEnough) {
  bool other_length = false;
  bool timed_length = false;
  add("a/interrupted").says = [&](BlockAnswer& answer) {
    if (!samples_are_there()) return;
    bool& interrupted = answer.end_step == kStepsOfABlock ? timed_length : other_length;
    if (!interrupted) answer.real_ns = answer.cpu_ns = 4 * answer.real_ns;
    interrupted = true;
  };
  options_.launches = 1;
  make_plan();
  run();
  EXPECT_TRUE(other_length && timed_length);
  expect_status(0, CellState::ok, "");
}

// A warm-up begins at the block's own start and would show it.
TEST_F(ForesightTest, NoStateIsSeenBeforeItsBlockBegins) {
  const tests::FakeWorker& worker = add("a/one");
  options_.launches = 1;
  make_plan();
  run();
  expect_status(0, CellState::ok, "");
  ASSERT_GT(worker.warm_ups.size(), 4U);
  EXPECT_EQ(std::vector(worker.warm_ups.end() - 4, worker.warm_ups.end()), std::vector<std::uint64_t>(4, 0));
}

TEST_F(ForesightTest, WhoCannotEvaluateIsNotBlamedAndWhoDiesOfItIs) {
  add("a/cannot");
  add("b/dies");
  const auto fails_at_the_end = [this](const Error& error) {
    return [this, error](const std::string& request) {
      return request == "evaluate" && samples_are_there() ? Status(error) : Status();
    };
  };
  on_request_["a/cannot"] = fails_at_the_end(unsupported("no evaluation"));
  on_request_["b/dies"] = fails_at_the_end(Error{ErrorKind::crashed, "signal 11"});
  options_.launches = 1;
  make_plan();
  run();
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::crashed, "signal 11");
}

}  // namespace
}  // namespace gdbench::measure
