// The client against real worker processes: honest ones, and each kind of fault.
#include "harness/protocol/process_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/verify/reference.h"
#include "tests/unit/protocol/plugins.h"

namespace gdbench::protocol {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class ProcessClientTest : public testing::Test {
 protected:
  ProcessClientTest() { std::signal(SIGPIPE, SIG_IGN); }

  // A worker of `file` up to and including hello.
  Result<HelloAnswer> start(const std::filesystem::path& file, const Limits& limits = {}) {
    const Result<std::vector<std::string>> command = worker_command(test_arm(), file);
    if (!command.ok()) return command.error();
    Result<std::unique_ptr<Client>> client =
        ProcessClient::start(command.value(), &small_.dataset.memory, &small_.state_memory, limits);
    if (!client.ok()) return client.error();
    client_ = std::move(client).value();
    return client_->hello();
  }

  // Up to and including prepare.
  Status prepare(const std::filesystem::path& file, const Limits& limits = {},
                 const std::map<std::string, std::string>& chosen = {}) {
    const Result<HelloAnswer> hello = start(file, limits);
    if (!hello.ok()) return hello.error();
    const ImplementationDescription& implementation = hello->implementations.at(0);
    if (Status status = client_->load(implementation.id, small_.dataset); !status.ok()) return status;
    std::map<std::string, std::string> options;
    for (const OptionDeclaration& option : implementation.options) options[option.key] = option.default_value;
    for (const auto& [key, value] : chosen) options[key] = value;
    return client_->prepare(small_.problem, options, {}, small_.state_memory.size());
  }

  SmallProblem small_;
  std::unique_ptr<Client> client_;
};

void expect_follows_the_reference(const SmallProblem& small, const BlockAnswer& answer) {
  auto reference = verify::to_reference<long double>(small.start);
  verify::train(small.problem, small.dataset, reference, 5);
  const scenario::State actual = small.state(1, answer.end_step);
  EXPECT_EQ(answer.end_step, 5);
  const double tolerance = small.problem.dtype == scenario::Dtype::f32 ? 1e-5 : 1e-13;
  for (std::size_t i = 0; i < actual.parameters[0].size(); ++i) {
    EXPECT_NEAR(actual.parameters[0][i], static_cast<double>(reference.parameters[0][i]), tolerance);
  }
}

TEST_F(ProcessClientTest, TellsWhatAPluginLoaded) {
  ASSERT_TRUE(prepare(fake_plugin("import")).ok());
  const PrepareAnswer& answer = client_->preparation();
  EXPECT_EQ(answer.import_ns, 250e6);
  EXPECT_EQ(answer.imported_resident_bytes, 3 << 20);
  EXPECT_EQ(answer.runtime.value().at("library"), "a library, version 7");
  ASSERT_TRUE(prepare(fake_plugin("delay")).ok());
  EXPECT_FALSE(client_->preparation().import_ns.has_value());
}

TEST_F(ProcessClientTest, RunsABlockFromItsStartState) {
  ASSERT_TRUE(prepare(fake_plugin("delay")).ok());
  const Result<BlockAnswer> answer = client_->run({.steps = 5, .warm_up = 3});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  expect_follows_the_reference(small_, answer.value());
  EXPECT_TRUE(answer->host_tells_outside);
  EXPECT_GT(answer->outside.real_ns, 0) << "setting and reading the state";
  EXPECT_GT(answer->real_ns, 0);
  EXPECT_LE(answer->sent_ns, answer->start_ns);
  EXPECT_LE(answer->start_ns, answer->end_ns);
  EXPECT_LE(answer->end_ns, answer->received_ns);
  EXPECT_TRUE(answer->page_faults.has_value());
  EXPECT_TRUE(client_->bye().ok());
}

TEST_F(ProcessClientTest, TimesEachStepWhereItIsAskedTo) {
  ASSERT_TRUE(prepare(fake_plugin("delay"), {}, {{"delay_ns", "100000"}}).ok());
  const Result<BlockAnswer> answer = client_->run({.steps = 5, .warm_up = 3, .each_step = true});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  expect_follows_the_reference(small_, answer.value());
  ASSERT_EQ(answer->step_ns.value().size(), 5U);
  double sum_ns = 0;
  for (const double step_ns : *answer->step_ns) {
    EXPECT_GE(step_ns, 100'000) << "the wait in each step";
    sum_ns += step_ns;
  }
  EXPECT_LE(sum_ns, answer->real_ns);
  EXPECT_FALSE(client_->run({.steps = 5})->step_ns);
  // Of another language, which does not know the request.
  ASSERT_TRUE(prepare(adapter("adapters", "script")).ok());
  const Result<BlockAnswer> other = client_->run({.steps = 5, .each_step = true});
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_FALSE(other->step_ns);
}

TEST_F(ProcessClientTest, GoesOnFromTheStateAtHand) {
  ASSERT_TRUE(prepare(fake_plugin("delay")).ok());
  ASSERT_TRUE(client_->set_state(0, 0).ok());
  ASSERT_TRUE(client_->run_on(2).ok());
  ASSERT_TRUE(client_->run_on(3).ok());
  const Result<std::int64_t> step = client_->get_state(1);
  BlockAnswer block;
  block.end_step = step.value();
  expect_follows_the_reference(small_, block);
}

TEST_F(ProcessClientTest, AWorkerInAnyLanguageServes) {
  for (const char* dtype : {"f32", "f64"}) {
    small_ = SmallProblem(dtype);
    ASSERT_TRUE(prepare(adapter("adapters", "script")).ok());
    const Result<BlockAnswer> answer = client_->run({.steps = 5, .warm_up = 2});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_FALSE(answer->host_tells_outside);
    EXPECT_GT(answer->outside.cpu_ns, 0) << "whole requests";
    expect_follows_the_reference(small_, answer.value());
    const auto reference = verify::to_reference<double>(small_.state(1, 5));
    const Result<EvaluateAnswer> loss = client_->evaluate();
    EXPECT_NEAR(loss->loss, verify::evaluate(small_.problem, small_.dataset, reference), 1e-12);
    const Result<ProfileAnswer> profile = client_->profile(1);
    EXPECT_EQ(profile.error().kind, ErrorKind::unsupported);
    // A refusal is an answer: the worker goes on.
    EXPECT_TRUE(client_->run({.steps = 1}).ok());
    EXPECT_TRUE(client_->bye().ok());
  }
}

TEST_F(ProcessClientTest, RequestsOutOfOrderOrOfAnImageOutsideOfTheMemoryAreRefused) {
  ASSERT_TRUE(start(fake_plugin("delay")).ok());
  EXPECT_FALSE(client_->set_state(0, 0).ok());
  EXPECT_FALSE(client_->run({.steps = 1}).ok());
  EXPECT_FALSE(client_->prepare(small_.problem, {}, {}, small_.state_memory.size()).ok());
  EXPECT_FALSE(client_->load("fake/other", small_.dataset).ok());
  EXPECT_TRUE(client_->load("fake/delay", small_.dataset).ok());
  ASSERT_TRUE(prepare(fake_plugin("delay")).ok());
  EXPECT_FALSE(client_->set_state(2, 0).ok());
  EXPECT_TRUE(client_->set_state(1, 0).ok());
}

struct FaultInRun {
  const char* fake;
  ErrorKind kind;
  std::vector<std::string> parts;  // of the message
};

TEST_F(ProcessClientTest, AFaultInRunIsSaid) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const std::string segmentation_fault = "run: ";
#else
  const std::string segmentation_fault = "run: signal 11 (Segmentation fault)";
#endif
  const FaultInRun faults[] = {
      {"crash", ErrorKind::crashed, {segmentation_fault}},
      {"hang", ErrorKind::timed_out, {"run: no answer within 1 s"}},
      {"memory", ErrorKind::crashed, {"the cap is 200 MiB"}},
      {"exit", ErrorKind::crashed, {"run: exit status 0"}},
      {"throw", ErrorKind::crashed, {"signal 6 (Aborted)", "thrown by fake/throw"}},
  };
  for (const FaultInRun& fault : faults) {
    SCOPED_TRACE(fault.fake);
    Limits limits;
    limits.memory_bytes = std::int64_t{200} << 20;
    limits.request = milliseconds(std::string(fault.fake) == "hang" ? 1000 : 60'000);
    const auto start = Clock::now();
    ASSERT_TRUE(prepare(fake_plugin(fault.fake), limits).ok());
    const Error error = client_->run({.steps = 5}).error();
    EXPECT_EQ(error.kind, fault.kind);
    for (const std::string& part : fault.parts) EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(40));
    EXPECT_FALSE(client_->process().running());
    EXPECT_EQ(client_->run({.steps = 1}).error().kind, ErrorKind::crashed) << "it is gone";
  }
}

TEST_F(ProcessClientTest, ManyLateAnswersEndAtALimit) {
  Limits limits;
  limits.all_requests = milliseconds(1000);
  ASSERT_TRUE(prepare(fake_plugin("delay"), limits).ok());
  Result<BlockAnswer> answer = client_->run({.steps = 1});
  for (int i = 0; i < 10'000 && answer.ok(); ++i) answer = client_->run({.steps = 100'000});
  EXPECT_EQ(answer.error().kind, ErrorKind::timed_out);
  // Of a slow machine another request of the block may be the last.
  EXPECT_NE(answer.error().message.find(": all its requests together took 1 s, no more is left of the budget"),
            std::string::npos)
      << answer.error().message;
}

// A driver that is closed, or a tool that writes what it found, takes its time.
TEST_F(ProcessClientTest, WhoMayAnswerLateMayLeaveLate) {
  const std::vector<std::string> leaves_late = {"/bin/sh", "-c",
                                                R"(read bye <&3; echo '{"id":1,"ok":true}' >&4; exec sleep 2.5)"};
  const auto bye_within = [&](milliseconds request) {
    Limits limits;
    limits.request = request;
    Result<std::unique_ptr<Client>> client = ProcessClient::start(leaves_late, nullptr, nullptr, limits);
    return client.ok() ? client.value()->bye() : client.error();
  };
  const Status late = bye_within(milliseconds(120'000));
  EXPECT_TRUE(late.ok()) << late.error().message;
  const Status too_late = bye_within(milliseconds(5'000));
  ASSERT_FALSE(too_late.ok());
  EXPECT_EQ(too_late.error().message, "bye: signal 9 (Killed)");
}

}  // namespace
}  // namespace gdbench::protocol
