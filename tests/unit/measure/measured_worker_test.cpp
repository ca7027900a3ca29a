// What is made of a worker's answers, block by block: samples, and what they are not believed for.
#include "harness/measure/measured_worker.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using protocol::BlockAnswer, report::CellState, tests::FakeWorker;

using MeasuredWorkerTest = FakeRun;

constexpr std::int64_t kStepsOfABlock = 20;  // of 0.1 ms

// As if the block had really taken so long.
void take(BlockAnswer& answer, double real_ns) {
  const auto earlier = static_cast<std::int64_t>(answer.real_ns - real_ns);
  answer.end_ns -= earlier;
  answer.received_ns -= earlier;
  answer.real_ns = answer.cpu_ns = real_ns;
}

TEST_F(MeasuredWorkerTest, ASampleHasTimesOfAStepAndTracesAreNotedOnce) {
  add("a/one").says = [](BlockAnswer& answer) {
    answer.cpu_ns = 0.5 * answer.real_ns;
    answer.exchange_ns = 0.25 * answer.real_ns;
    answer.outside = {.cpu_ns = 3000, .real_ns = 2000};
    answer.page_faults = 50;
    answer.traces = 2;
  };
  plan_and_run();
  expect_status(0, CellState::ok, "");
  for (const report::Sample& sample : cell(0).samples) {
    EXPECT_EQ(sample.steps, 20U);
    EXPECT_NEAR(sample.real_ns, 100'000, 100);
    EXPECT_DOUBLE_EQ(sample.cpu_ns, 0.5 * sample.real_ns);
    EXPECT_DOUBLE_EQ(sample.exchange_ns.value(), 0.25 * sample.real_ns);
    EXPECT_DOUBLE_EQ(sample.page_faults.value(), 2.5);
    EXPECT_FALSE(sample.device_ns);
    EXPECT_NEAR(sample.request_ns, 20 * sample.real_ns + 2000, 2) << "of the whole block";
    EXPECT_EQ(sample.outside_ns, 3000) << "the larger one";
    EXPECT_GT(sample.displacement, 0);
  }
  EXPECT_FALSE(cell(0).launches[0].repeated_blocks);
  EXPECT_EQ(report_.notes, std::vector<std::string>{"linreg-3x2/a/one traced or compiled a function again inside a "
                                                    "timed block: 2 time(s); first seen in launch 0"});
}

TEST_F(MeasuredWorkerTest, BlocksOfAProcessThatIsAsAScriptsComeBeforeTheSamples) {
  add("a/kept").script_step_ns = 250'000;
  add("a/same");
  plan_and_run();
  expect_status(0, CellState::ok, "");
  for (const report::Launch& launch : cell(0).launches) EXPECT_NEAR(launch.script.value().step_ns, 250'000, 100);
  for (const report::Sample& sample : cell(0).samples) {
    EXPECT_NEAR(sample.real_ns, sample.cold ? 250'000 : 100'000, 100);
  }
  EXPECT_FALSE(cell(1).launches[0].script);
}

TEST_F(MeasuredWorkerTest, ABlockIsMadeAgainWhereItsWorkerWasBusyOutsideTheClock) {
  bool busy = false;
  add("a/interrupted").says = [&](BlockAnswer& answer) {
    busy = answer.end_step == kStepsOfABlock && !busy;
    if (busy) answer.outside.cpu_ns = 9e6;
  };
  plan_and_run();
  expect_status(0, CellState::ok, "");
  EXPECT_EQ(cell(0).samples.size(), 6U);
  EXPECT_EQ(cell(0).launches[1].repeated_blocks, 3) << "each block of the launch once";
}

TEST_F(MeasuredWorkerTest, ACoordinatorThatWasStoppedForSecondsMakesTheBlockAgain) {
  bool stopped = false;
  add("a/suspended").says = [&](BlockAnswer& answer) {
    if (stopped || report_.cells.empty() || !report_.cells[0].block || answer.end_step != kStepsOfABlock) return;
    stopped = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));  // longer than blocks are made again for
    answer.outside.real_ns = 9e6;
  };
  plan_and_run();
  expect_status(0, CellState::ok, "");
  int repeated = 0;
  for (const report::Launch& launch : cell(0).launches) repeated += launch.repeated_blocks.value_or(0);
  EXPECT_EQ(repeated, 1);
}

TEST_F(MeasuredWorkerTest, WhoIsAlwaysBusyOutsideTheClockIsNotBelieved) {
  int blocks = 0;
  add("a/ahead").says = [&](BlockAnswer& answer) {
    const bool is_timed = !report_.cells.empty() && report_.cells[0].block;  // its length was found before
    if (is_timed) answer.outside.real_ns = 9e6;
    blocks += is_timed && answer.end_step == kStepsOfABlock ? 1 : 0;
  };
  plan_and_run();
  expect_status(0, CellState::untrusted,
                "used 0 ms of CPU time, 9 ms in all, outside the clock of a block..., 8 blocks in a row");
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cell(0).samples.size(), 1U);
}

TEST_F(MeasuredWorkerTest, ABlockThatAnInterruptionKeptFromBeingMadeAgainIsNotJudged) {
  bool interrupted = false;
  options_.cancelled = [&] { return interrupted; };
  add("a/late").says = [&](BlockAnswer& answer) {
    if (report_.cells.empty() || report_.cells[0].samples.empty() || answer.end_step != kStepsOfABlock) return;
    answer.outside.real_ns = 9e6;
    interrupted = true;
  };
  plan_and_run();
  EXPECT_TRUE(interrupted);
  EXPECT_NE(cell(0).status.state, CellState::untrusted) << cell(0).status.reason;
}

struct Cheat {
  const char* id;
  std::function<void(FakeWorker& worker)> acts;
  const char* reason;
};

std::function<void(FakeWorker& worker)> saying(void (*says)(BlockAnswer& answer)) {
  return [says](FakeWorker& worker) { worker.says = says; };
}

std::function<void(FakeWorker& worker)> making(std::uint64_t (*steps_made)(std::uint64_t steps)) {
  return [steps_made](FakeWorker& worker) { worker.steps_made = steps_made; };
}

TEST_F(MeasuredWorkerTest, CheatsAreFoundInTheFirstLaunch) {
  const Cheat cheats[] = {
      {"patches its clock", saying([](BlockAnswer& answer) {
         if (answer.end_step > 1) answer.real_ns = answer.cpu_ns = 0.6 * answer.real_ns;
       }),
       "says that a block took 2.04 ms, and the answer came after 3.4 ms, 8 blocks in a row"},
      {"trains in its warm-up", saying([](BlockAnswer& answer) { answer.warm_up_ns = 2e6; }),
       "1 untimed step(s) before a block take at least 2 ms, a timed one 0.1 ms, in the best of 16 tries, which differ "
       "by up to 1.0 times"},
      {"stamps and rounds at will, of which the first is told", saying([](BlockAnswer& answer) {
         if (answer.end_step != kStepsOfABlock) return;
         answer.control_word = 0x3f80;
         answer.end_ns = answer.received_ns + 1;
       }),
       "its time stamps lie outside the request"},
      {"is quick in blocks of the timed length alone", saying([](BlockAnswer& answer) {
         if (answer.end_step == kStepsOfABlock) take(answer, answer.real_ns / 3);
       }),
       "a step takes 1e+05 ns in a block of a length that it had not seen, 3.33e+04 ns in the timed blocks, in the "
       "best of 8 tries, which differ by up to 1.0 times"},
      {"takes no longer for more steps",
       saying([](BlockAnswer& answer) { take(answer, std::min(answer.real_ns, 1.4e6)); }),
       "twice as many steps take only 1.00 times as long, in the best of ..."},
      {"skips steps of timed blocks", making([](std::uint64_t steps) { return steps == kStepsOfABlock ? 10 : steps; }),
       "a timed block ended 0.014..."},
      // Those of the timed length are right, and shorter ones than any of a length that it had not seen.
      {"halves blocks that nobody verified",
       making([](std::uint64_t steps) { return steps < 10 || steps == kStepsOfABlock ? steps : steps / 2; }),
       "a timed block ended ..."}};
  for (const Cheat& cheat : cheats) cheat.acts(add(cheat.id));
  add("honest");
  plan_and_run();
  for (std::size_t i = 0; i < std::size(cheats); ++i) {
    expect_status(i, CellState::untrusted, cheats[i].reason);
    EXPECT_LE(cell(i).launches.size(), 1U) << cheats[i].id;
    EXPECT_FALSE(cell(i).samples.empty()) << cheats[i].id << ": what was measured is kept";
  }
  expect_status(std::size(cheats), CellState::ok, "");
}

TEST_F(MeasuredWorkerTest, AnAnswerThatCameLateIsExcusedWhereNobodyComputedMeanwhile) {
  for (const int helpers : {0, 1}) {
    FakeWorker& worker = add("a/waited for a processor that woke up, helpers: " + std::to_string(helpers));
    catalogue_.back().implementation.helper_threads = helpers;
    worker.sleeps = true;
    worker.says = [](BlockAnswer& answer) {
      if (answer.end_step > 1) answer.real_ns = answer.cpu_ns = 0.6 * answer.real_ns;
    };
  }
  plan_and_run();
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::ok, "");
}

TEST_F(MeasuredWorkerTest, OtherRequestsAreTooLongWhereSomebodyComputesInThem) {
  const auto add_with = [&](const char* id, double real_ns, double cpu_ns) {
    FakeWorker& worker = add(id);
    worker.sleeps = true;
    worker.says = [=](BlockAnswer& answer) {
      answer.other_requests_ns = real_ns;
      answer.other_cpu_ns = cpu_ns;
    };
  };
  add_with("a/waits", 9e6, 0);
  add_with("a/has threads that look out for work", 0, 9e6);
  add_with("a/computes", 9e6, 9e6);
  plan_and_run();
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::ok, "");
  expect_status(2, CellState::untrusted, "used 9 ms of CPU time, 9 ms in all, outside the clock of a block...");
}

TEST_F(MeasuredWorkerTest, WarmUpsStartElsewhereThanBlocksWhichBeginWithTheScenariosSlots) {
  const FakeWorker& worker = add("a/one");
  catalogue_.front().implementation.optimizers = {"adam"};
  plan_and_run({"linreg-3x2"}, {{"optimizer", "adam"}});
  expect_status(0, CellState::ok, "");
  ASSERT_GE(worker.warm_up_images.size(), 8U);
  std::set<std::size_t> places;
  for (const auto& [warm_up, start] : worker.warm_up_images) {
    EXPECT_NE(warm_up, start);
    places.insert(start);
  }
  EXPECT_GT(places.size(), 1U) << "an address does not say what a state is for";
  ASSERT_GE(worker.starting_slots.size(), 8U);
  for (const std::vector<double>& slot : worker.starting_slots) EXPECT_EQ(slot, std::vector<double>(slot.size()));
}

TEST_F(MeasuredWorkerTest, TimesColdStepsWhereTheyAreAskedForAndAStepIsLongEnough) {
  const auto of = [&](double step_ns) {
    catalogue_.clear();
    FakeWorker& worker = add("a/one");
    worker.step_ns = step_ns;
    worker.times_as_long_when_cold = 3;
    plan_and_run();
    expect_status(0, CellState::ok, "");
    return cell(0).launches.back().cold_steps;
  };
  EXPECT_FALSE(of(1e6)) << "nobody asked";
  options_.cold_steps = true;
  const report::ColdSteps steps = of(1e6).value();
  EXPECT_EQ(steps.steps, 15);
  EXPECT_NEAR(steps.warm_ns, 1e6, 1);
  EXPECT_NEAR(steps.cold_ns, 3e6, 1);
  EXPECT_FALSE(of(1e3)) << "a block without steps reads as much as a step";
  EXPECT_EQ(of(5e8)->steps, 5) << "no more than need be of long ones";
}

TEST_F(MeasuredWorkerTest, TimesSingleStepsWhereTheyAreAskedFor) {
  const auto of = [&](double step_ns, std::optional<double> cost) {
    catalogue_.clear();
    FakeWorker& worker = add("a/one");
    worker.step_ns = step_ns;
    worker.cost_of_timing = cost;
    plan_and_run();
    expect_status(0, CellState::ok, "");
    return cell(0).launches.back().single_steps;
  };
  EXPECT_FALSE(of(1e5, 0.01)) << "nobody asked";
  options_.single_steps = true;
  EXPECT_FALSE(of(1e5, std::nullopt)) << "it cannot";
  EXPECT_FALSE(of(5e7, 0.01)) << "a hundred steps take five seconds";
  const report::SingleSteps steps = of(1e5, 0.01).value();
  EXPECT_EQ(steps.steps, 1000) << "fifty blocks of twenty";
  EXPECT_NEAR(steps.cost, 0.01, 1e-6);
  EXPECT_NEAR(steps.p50_ns, 1.01e5, 1) << "between the halves";
  EXPECT_NEAR(steps.p95_ns, 1.5 * 1.01e5, 1);
  EXPECT_NEAR(steps.max_ns, 1.5 * 1.01e5, 1);
  EXPECT_TRUE(are_telling(steps));
  EXPECT_FALSE(are_telling(of(1e5, 0.03).value()));
  EXPECT_GE(of(5e6, 0.01)->steps, 100) << "that many at least";
}

TEST_F(MeasuredWorkerTest, ABlockOfOneOrTwoStepsIsNotDividedAnyMore) {
  add("a/two").step_ns = 1e6;
  add("b/one").step_ns = 2e6;
  plan_and_run();
  EXPECT_EQ(cell(0).block->steps, 2U);
  EXPECT_EQ(cell(1).block->steps, 1U);
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::ok, "");
}

// What is checked after the third and last block, before it is a sample of the report.
class ForesightTest : public FakeRun {
 protected:
  ForesightTest() { options_.launches = 1; }
  bool are_checked() const { return !report_.cells.empty() && report_.cells[0].samples.size() >= 2; }
};

TEST_F(ForesightTest, WhoIsQuickerFromAStateThatItSawOrThatWasEvaluatedIsNotBelieved) {
  FakeWorker& knowing = add("a/knows");
  FakeWorker& trained = add("b/trains in evaluate");
  knowing.says = [&](BlockAnswer& answer) {
    const bool seen = knowing.starts.size() > 1 && knowing.starts.back() == knowing.starts.end()[-2];
    if (are_checked() && seen) take(answer, answer.real_ns / 3);
  };
  bool evaluated = false;
  trained.says = [&](BlockAnswer& answer) {
    if (are_checked() && evaluated) take(answer, answer.real_ns / 3);
    evaluated = false;
  };
  on_request_["b/trains in evaluate"] = [&](const std::string& request) {
    evaluated = evaluated || request == "evaluate";
    return Status();
  };
  plan_and_run();
  const std::string reason = "a block takes 2 ms from a state that is new, 0.666 ms ";
  expect_status(0, CellState::untrusted, reason + "from one where a block began before");
  expect_status(1, CellState::untrusted, reason + "after an evaluation of it");
}

// The caches were cold before the blocks of the samples, and are again after each wait between two tries.
TEST_F(ForesightTest, OneShortWarmUpBeforeAQuickBlockIsEnough) {
  struct Case {
    const char* id;
    int tries_until_quick;
    const char* reason;
  };
  const Case cases[] = {
      {"a/late", 2, ""},
      {"a/on a machine that a neighbour slows down", 24, ""},
      {"a/trains in its warm-up", 1000,
       "1 untimed step(s) before a block take at least 2 ms, a timed one 0.1 ms, in the best of 32 tries, which differ "
       "by up to 1.0 times"}};
  for (const Case& each : cases) {
    int tries = 0;
    add(each.id).says = [this, &each, tries](BlockAnswer& answer) mutable {
      const bool is_again = are_checked() && answer.end_step == kStepsOfABlock && ++tries > 1;
      answer.warm_up_ns = is_again ? 1e5 : 2e6;
      if (is_again && tries < each.tries_until_quick) take(answer, 2 * answer.real_ns);
    };
    plan_and_run();
    expect_status(0, *each.reason == 0 ? CellState::ok : CellState::untrusted, each.reason);
    catalogue_.clear();
  }
}

TEST_F(ForesightTest, OneCleanTryOfEachCheckIsEnough) {
  bool other_length = false;
  bool timed_length = false;
  FakeWorker& worker = add("a/interrupted");
  worker.says = [&](BlockAnswer& answer) {
    const bool foresight = worker.warm_ups.back() == 0;
    if (!are_checked() || (answer.end_step == kStepsOfABlock && !foresight)) return;
    bool& interrupted = foresight ? timed_length : other_length;
    if (!interrupted) take(answer, 4 * answer.real_ns);
    interrupted = true;
  };
  plan_and_run();
  EXPECT_TRUE(other_length && timed_length);
  expect_status(0, CellState::ok, "");
  // A warm-up begins at the block's own start and would show it.
  ASSERT_GT(worker.warm_ups.size(), 4U);
  EXPECT_EQ(std::vector(worker.warm_ups.end() - 4, worker.warm_ups.end()), std::vector<std::uint64_t>(4, 0));
}

TEST_F(ForesightTest, WhoCannotEvaluateIsNotBlamedAndWhoDiesOfItIs) {
  add("a/cannot");
  add("b/dies");
  const auto fails_at_the_end = [this](const Error& error) {
    return [this, error](const std::string& request) {
      return request == "evaluate" && are_checked() ? Status(error) : Status();
    };
  };
  on_request_["a/cannot"] = fails_at_the_end(unsupported("no evaluation"));
  on_request_["b/dies"] = fails_at_the_end(Error{ErrorKind::crashed, "signal 11"});
  plan_and_run();
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::crashed, "signal 11");
}

}  // namespace
}  // namespace gdbench::measure
