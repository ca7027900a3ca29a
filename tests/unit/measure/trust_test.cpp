#include "harness/measure/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "harness/base/control_word.h"

namespace gdbench::measure {
namespace {

// 1000 steps in 2 ms on one thread.
BlockClaim honest_claim() {
  BlockClaim claim;
  claim.steps = 1000;
  claim.answer.end_step = 1000;
  claim.answer.sent_ns = 1'000'000;
  claim.answer.start_ns = 1'100'000;
  claim.answer.end_ns = 3'101'000;
  claim.answer.received_ns = 3'200'000;
  claim.answer.real_ns = 2'000'000;
  claim.answer.cpu_ns = 1'990'000;
  return claim;
}

TEST(BlockTrust, StepsStampsAndTimesFitTogether) {
  struct Claim {
    std::int64_t end_step, start_ns, end_ns;  // the request is from 1'000'000 to 3'200'000
    double real_ns;
    const char* part;  // of the reason; "" where it is believed
  };
  const char* const outside = "outside the request";
  const char* const window = "within a window of 2001000 ns";
  const Claim claims[] = {{1000, 1'100'000, 3'101'000, 2e6, ""},
                          {999, 1'100'000, 3'101'000, 2e6, "made 999 steps in a block of 1000"},
                          {1001, 1'100'000, 3'101'000, 2e6, "made 1001 steps"},
                          {1000, 999'999, 3'101'000, 2e6, outside},
                          {1000, 1'100'000, 3'200'001, 2e6, outside},
                          {1000, 1'100'000, 1'099'999, 2e6, outside},
                          {1000, 1'000'000, 3'200'000, 2.2e6, ""},  // the whole window
                          {1000, 1'100'000, 3'101'000, 2'001'001, window},
                          {1000, 1'100'000, 3'101'000, 0, window},
                          {1000, 1'100'000, 3'101'000, -5, window},
                          {1000, 1'100'000, 3'101'000, std::numeric_limits<double>::quiet_NaN(), window}};
  for (const Claim& each : claims) {
    BlockClaim claim = honest_claim();
    claim.answer.end_step = each.end_step;
    claim.answer.start_ns = each.start_ns;
    claim.answer.end_ns = each.end_ns;
    claim.answer.real_ns = each.real_ns;
    const std::string reason = untrusted_reason(claim);
    EXPECT_NE(reason.find(each.part), std::string::npos) << each.part << " in " << reason;
    EXPECT_EQ(reason.empty(), *each.part == '\0') << reason;
  }
}

TEST(BlockTrust, TheProcessorRoundsAsEveryProcessBegins) {
  const auto reason = [](std::optional<std::uint32_t> word, bool flushes_denormals = false) {
    BlockClaim claim = honest_claim();
    claim.answer.control_word = word;
    claim.flushes_denormals = flushes_denormals;
    return untrusted_reason(claim);
  };
  EXPECT_EQ(reason(processor::kUsualControlWord), "");
  EXPECT_EQ(reason(processor::kFlushingControlWord, true), "");
  EXPECT_NE(reason(processor::kUsualControlWord, true), "");
  const std::string flushed = ", results that are too small are flushed to zero";
  const std::string denormals = ", denormal operands are taken for zero";
  const std::string left = "left the floating-point control word at ";
#if defined(__x86_64__)
  EXPECT_EQ(reason(0x3f80), left + "0x3f80 instead of 0x1f80") << "rounds down";
  EXPECT_EQ(reason(0x9f80), left + "0x9f80 instead of 0x1f80" + flushed);
  EXPECT_EQ(reason(0x9fc0), left + "0x9fc0 instead of 0x1f80" + flushed + denormals);
#else
  EXPECT_EQ(reason(0x800000), left + "0x800000 instead of 0x0000") << "rounds down";
  EXPECT_EQ(reason(0x1000000), left + "0x1000000 instead of 0x0000" + flushed + denormals);
  EXPECT_EQ(reason(0x0001), left + "0x0001 instead of 0x0000" + denormals);
#endif
}

BlockClaim claim_of(double cpu_ns, int compute_threads = 1, int helper_threads = 0) {
  BlockClaim claim = honest_claim();
  claim.answer.cpu_ns = cpu_ns;
  claim.compute_threads = compute_threads;
  claim.helper_threads = helper_threads;
  return claim;
}

template <class Trust>
std::string judged(int blocks, const BlockClaim& claim) {
  Trust trust;
  std::string reason;
  for (int block = 0; block < blocks; ++block) reason = trust.judge(claim);
  return reason;
}

// 5% of what the threads can use, and 0.1 ms, are no breach: both clocks tick coarsely.
TEST(ProcessorTrust, CpuTimeFitsTheDeclaredThreads) {
  EXPECT_EQ(judged<ProcessorTrust>(3, claim_of(4e6)),
            "used 4.00 ms of CPU time in 2.00 ms with 1 declared thread(s), 3 blocks in a row");
  for (const BlockClaim& claim :
       {claim_of(4e6, 1, 1), claim_of(4e6, 2), claim_of(2'199'000), claim_of(6'399'000, 2, 1)}) {
    EXPECT_EQ(judged<ProcessorTrust>(9, claim), "");
  }
  for (const BlockClaim& claim : {claim_of(2'201'000), claim_of(6'401'000, 2, 1)}) {
    EXPECT_NE(judged<ProcessorTrust>(9, claim), "");
  }
  ProcessorTrust trust;  // single blocks are forgiven
  for (int block = 0; block < 30; ++block) EXPECT_EQ(trust.judge(claim_of(block % 3 == 0 ? 1.9e6 : 4e6)), "") << block;
}

std::string judged_on_device(int blocks, std::optional<double> device_ns, double wall_ns = 10e6) {
  BlockClaim claim = honest_claim();
  claim.answer.real_ns = wall_ns;
  claim.answer.device_ns = device_ns;
  return judged<DeviceTrust>(blocks, claim);
}

// The device may have 1% and 0.02 ms more, the wall clock 10% and 0.1 ms.
TEST(DeviceTrust, TwoClocksOfABlockAgree) {
  for (const double device_ns : {9.99e6, 10.119e6, 9.001e6}) {
    EXPECT_EQ(judged_on_device(9, device_ns), "") << device_ns;
  }
  EXPECT_EQ(judged_on_device(9, std::nullopt), "") << "no device";
  EXPECT_EQ(judged_on_device(9, 5'000, 90'000), "") << "the launch and the wait of a single short step";
  EXPECT_EQ(judged_on_device(3, 12e6),
            "a block takes 12 ms by the device's clock and 10 ms by the wall clock, 3 blocks in a row");
  for (const double device_ns : {10.121e6, 8.999e6, 0., std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(judged_on_device(3, device_ns), "") << device_ns;
  }
  EXPECT_EQ(judged_on_device(2, 8e6), "") << "single blocks are forgiven";
  DeviceTrust trust;
  BlockClaim claim = honest_claim();
  for (int block = 0; block < 9; ++block) {
    claim.answer.device_ns = block % 3 == 2 ? claim.answer.real_ns : 1;
    EXPECT_EQ(trust.judge(claim), "");
  }
}

TEST(OutsideTrust, AllowsForCopiesOfTheStateAndAShareOfTheBlock) {
  const std::pair<OutsideWork, double> cases[] = {
      {{.copy_ns = 10'000, .block_ns = 1e7, .tensors = 4}, 940'000},
      {{.compute_threads = 3, .copy_ns = 10'000, .block_ns = 1e7}, 1'140'000},  // which wait a moment for more work
      // Copies to a device have to be begun.
      {{.copy_ns = 10'000, .block_ns = 1e7, .tensors = 4, .on_device = true}, 1'180'000},
      // Requests and an interpreter take their time.
      {{.told = false, .copy_ns = 10'000, .block_ns = 1e7, .overhead_ns = 1e6, .tensors = 4}, 8'040'000},
      {{.copy_ns = 500'000, .block_ns = 40e6}, 100'000 + 5e6 + 4e6},
      // Caches explain nothing of it.
      {{.copy_ns = 5e6, .is_long_copy = true, .block_ns = 160e6}, 100'000 + 30e6 + 16e6}};
  for (const auto& [work, limit_ns] : cases) EXPECT_EQ(outside_limit_ns(work), limit_ns);
  constexpr double kLimitNs = 940'000;
  EXPECT_EQ(untrusted_for_outside_work({.cpu_ns = kLimitNs, .real_ns = kLimitNs}, kLimitNs), "");
  EXPECT_EQ(
      untrusted_for_outside_work({.cpu_ns = 2.25e6, .real_ns = 1.25e5}, kLimitNs),
      "used 2.25 ms of CPU time, 0.125 ms in all, outside the clock of a block; setting and reading its state allows "
      "for 0.94 ms");
  EXPECT_NE(untrusted_for_outside_work({.cpu_ns = 0, .real_ns = 2e6}, kLimitNs), "") << "a device may do the work";
}

// A block that takes 2 ms, whose answer comes after as long and a tenth of a millisecond.
protocol::BlockAnswer answer_after(double real_ns, double request_ns, double waiting_ns = 0) {
  protocol::BlockAnswer answer;
  answer.real_ns = answer.cpu_ns = answer.request_cpu_ns = real_ns;
  answer.received_ns = static_cast<std::int64_t>(request_ns);
  answer.waiting_ns = waiting_ns;
  return answer;
}

TEST(RequestTrust, BoundsATimeByTheCoordinatorsOwnLessWaitsOutsideTheBlock) {
  const double limit_ns = unclaimed_limit_ns(true, 1, 100'000, 2e6);
  EXPECT_EQ(limit_ns, 310'000);
  EXPECT_GT(unclaimed_limit_ns(false, 1, 100'000, 2e6), limit_ns) << "an interpreter answers";
  EXPECT_EQ(untrusted_for_request(answer_after(2e6, 2.3e6), limit_ns), "");
  EXPECT_EQ(untrusted_for_request(answer_after(1e6, 2.25e6), limit_ns),
            "says that a block took 1 ms, and the answer came after 2.25 ms");
  EXPECT_EQ(untrusted_for_request(answer_after(1e6, 2.25e6, 1e6), limit_ns), "") << "it had no processor";
  EXPECT_EQ(untrusted_for_request(answer_after(2.0e6, 10.27e6, 8.01e6), limit_ns), "") << "before its clock ran";
  // As measured next to two busy loops: 4 ms of the block's 6 are a wait, and 1 ms is hidden.
  protocol::BlockAnswer answer = answer_after(6.08e6, 7.12e6, 4.0e6);
  answer.cpu_ns = 2.09e6;
  answer.request_cpu_ns = 3.07e6;
  EXPECT_EQ(untrusted_for_request(answer, limit_ns),
            "says that a block took 6.08 ms, and the answer came after 7.11 ms");
  answer = answer_after(6.09e6, 6.25e6, 4.0e6);
  answer.cpu_ns = answer.request_cpu_ns = 2.1e6;
  EXPECT_EQ(untrusted_for_request(answer, limit_ns), "") << "an honest block that waits as long";
  answer = answer_after(6.08e6, 10.1e6, 4.0e6);
  answer.request_cpu_ns = 2.1e6;
  EXPECT_NE(untrusted_for_request(answer, limit_ns), "") << "CPU time unknown to the kernel explains no wait away";
}

TEST(RequestTrust, BoundsWhatARequestOfNothingTakes) {
  EXPECT_EQ(untrusted_for_overhead(true, 0.2e6, 2e6), "");
  EXPECT_EQ(untrusted_for_overhead(true, 1.1e6, 2e6),
            "answers a request of no step only 1.1 ms after the time that it says; a block of 2 ms allows for 0.25 ms");
  EXPECT_EQ(untrusted_for_overhead(false, 20e6, 200e6), "") << "a lead-in, a tenth of its block";
  EXPECT_NE(untrusted_for_overhead(false, 20e6, 100e6), "");
}

TEST(ProcessorTrust, FindsWorkThatTheWorkerDoesNotTellOf) {
  struct Work {
    double request_cpu_ns;  // of a request of 2.1 ms, of which the block says that it took 2
    int helper_threads;
    double children_cpu_ns, idle_cpu_ns;  // in 100 ms
    const char* reason;                   // after three such blocks
  };
  const Work works[] = {
      {4e6, 0, 0, 0, "used 4.00 ms of CPU time in 2.10 ms with 1 declared thread(s), 3 blocks in a row"},
      {4e6, 1, 0, 0, ""},     // as many as were declared
      {2e6, 0, 24e6, 0, ""},  // pools that look out for work now and then
      {2e6, 0, 90e6, 0, "processes below its own used 90.00 ms of CPU time in 100.00 ms, between 3 blocks in a row"},
      {2e6, 0, 0, 9e6, ""},  // threads look out for more work for a moment
      {2e6, 0, 0, 11e6, "used 11.00 ms of CPU time in 100.00 ms without a request, between 3 blocks in a row"}};
  for (const Work& work : works) {
    BlockClaim claim{.answer = answer_after(2e6, 2.1e6), .steps = 1, .helper_threads = work.helper_threads};
    claim.answer.request_cpu_ns = work.request_cpu_ns;
    claim.answer.since_ns = 100e6;
    claim.answer.children_cpu_ns = work.children_cpu_ns;
    claim.answer.idle = {.cpu_ns = work.idle_cpu_ns, .real_ns = 100e6};
    EXPECT_EQ(judged<ProcessorTrust>(2, claim), "") << "two are forgiven: " << work.reason;
    EXPECT_EQ(judged<ProcessorTrust>(3, claim), work.reason);
  }
  protocol::BlockAnswer answer;
  EXPECT_EQ(untrusted_for_children(answer), "");
  answer.children = 2;
  EXPECT_EQ(untrusted_for_children(answer), "has 2 process(es) below its own");
}

// A regression of 3 features on a processor whose dependent operations take 1 ns each.
report::Report report_of_a_step(double step_ns, double cpu_per_wall) {
  report::Report report;
  report::VectorCeilings& width = report.ceilings.emplace().best.emplace();
  width.fma_f32_gflop_per_second = 100;
  width.fma_f32_latency_ns = width.addition_f32_latency_ns = 1;
  width.levels = {{"memory", 0, 90000, 100, 4, 100}};
  report::ScenarioRecord& scenario = report.scenarios.emplace_back();
  scenario.key = "s";
  scenario.rows = scenario.batch_rows = 4;
  scenario.features = 3;
  scenario.outputs = 1;
  scenario.parameters = 3;
  scenario.resolved.dtype = report::Dtype::f32;
  scenario.resolved.loss = report::Loss::mse;
  scenario.resolved.model = report::ModelKind::linear_regression;
  scenario.resolved.bias = false;
  report::Cell& cell = report.cells.emplace_back();
  cell.scenario = "s";
  for (int launch = 0; launch < 6; ++launch) {
    cell.samples.push_back(
        {.launch = launch, .round = 1, .steps = 1, .real_ns = step_ns, .cpu_ns = cpu_per_wall * step_ns});
  }
  return report;
}

std::string ceiling_reason(double step_ns, double cpu_per_wall = 1, const char* policy = "") {
  report::Report report = report_of_a_step(step_ns, cpu_per_wall);
  report.cells.front().ranked = *policy == '\0';
  return untrusted_for_ceiling(report, report.cells.front());
}

// Forward an FMA and an addition, the update an FMA and two additions: 5 ns at the least.
TEST(CeilingTrust, NothingIsFasterThanItsProcessorWhateverHoldsItUp) {
  EXPECT_EQ(ceiling_reason(4.6), "") << "within the measurement's error";
  EXPECT_NE(ceiling_reason(4.5), "") << "beyond it";
  EXPECT_EQ(
      ceiling_reason(0.06),
      "takes 0.06 ns a step; its dependent operations take at least 5 ns on this processor, measured again at once");
  EXPECT_EQ(ceiling_reason(0.06, 1, "hoisted"), "");
  EXPECT_EQ(ceiling_reason(0.06, 1.8), "") << "by more than a processor";
  report::Report report = report_of_a_step(0.06, 1);
  report.ceilings->best->fma_f32_gflop_per_second = 0.1;
  const auto reason = [&] { return untrusted_for_ceiling(report, report.cells.front()); };
  EXPECT_NE(reason().find("; its operations take at least "), std::string::npos) << reason();
  report = report_of_a_step(0.06, 1);
  report.ceilings->best->levels = {{"memory", 0, 90000, 0.01, 4, 0.01}};
  EXPECT_NE(reason().find("; the bytes that it moves take at least "), std::string::npos) << reason();
}

TEST(CeilingTrust, IsByWhatTheProcessorGaveAtThatMoment) {
  const auto reason_of = [](double step_ns, double latency_ns) {
    report::Report report = report_of_a_step(step_ns, 1);
    for (int launch = 0; launch < 6; ++launch) {
      report::VectorCeilings now = *report.ceilings->best;
      now.fma_f32_latency_ns = now.addition_f32_latency_ns = latency_ns;
      now.levels.clear();
      now.spans = {{{{90000, 1, 0}, 100}, {{90000, 0, 1}, 100}}};
      report.ceilings->add_launch() = {{"s"}, launch, {}, now};
    }
    return untrusted_for_ceiling(report, report.cells.front());
  };
  EXPECT_EQ(reason_of(4, 0.7), "") << "faster than the best before the launch, as the processor was";
  EXPECT_EQ(reason_of(6, 2),
            "takes 6 ns a step; its dependent operations take at least 10 ns on this processor, measured between its "
            "blocks");
}

TEST(CeilingTrust, JudgesTheSlowEndOfTheInterval) {
  // A step of 4 ns in the middle that may as well take 5 is no faster than its processor.
  report::Report report = report_of_a_step(4, 1);
  for (report::Sample& sample : report.cells.front().samples) sample.real_ns = sample.cpu_ns = 3 + 0.4 * sample.launch;
  EXPECT_EQ(untrusted_for_ceiling(report, report.cells.front()), "");
  report.cells.front().samples.clear();
  EXPECT_EQ(untrusted_for_ceiling(report, report.cells.front()), "") << "nothing was measured";
}

TEST(IdleTrust, AWorkerRestsBetweenRequests) {
  EXPECT_EQ(untrusted_for_idling(protocol::Process()), "") << "nobody is blamed without a process";
  const Result<protocol::Process> resting = protocol::Process::start({"/bin/sleep", "60"}, {}, {});
  EXPECT_EQ(untrusted_for_idling(resting.value()), "");
  EXPECT_EQ(untrusted_for_threads(claim_of(0, 1, 0), resting.value()), "");
  EXPECT_EQ(untrusted_for_threads(claim_of(0, 0, 1), resting.value()), "");
  EXPECT_EQ(untrusted_for_threads(claim_of(0, 0, 0), resting.value()), "has 1 threads, declared 0");
}

TEST(IdleTrust, ABusyOneIsNotBelieved) {
  const Result<protocol::Process> busy = protocol::Process::start({"/bin/sh", "-c", "while :; do :; done"}, {}, {});
  // On a machine that is busy itself the loop may not get a processor at once.
  std::string reason;
  for (int attempt = 0; reason.empty() && attempt < 50; ++attempt) reason = untrusted_for_idling(busy.value());
  double cpu_ms = 0;
  double wall_ms = 0;
  int end = 0;
  std::sscanf(reason.c_str(), "used %lf ms of CPU time in %lf ms without a request%n", &cpu_ms, &wall_ms, &end);
  EXPECT_EQ(end, std::ssize(reason)) << reason;
  EXPECT_LT(std::max(cpu_ms, wall_ms), 60'000) << "in milliseconds";
}

}  // namespace
}  // namespace gdbench::measure
