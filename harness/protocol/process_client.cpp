#include "harness/protocol/process_client.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/scheduling.h"
#include "harness/base/system_error.h"
#include "harness/base/text.h"
#include "harness/protocol/message_fields.h"
#include "harness/protocol/state_image.h"

namespace gdbench::protocol {

namespace {

// A worker that prints without end would fill memory that no resident size shows.
constexpr std::int64_t kOutputLimit = 64 << 20;

constexpr const char* kNoPipe = "cannot make a pipe to a worker";

// Where the arrays of a data set lie, or the file that they are streamed from.
DataMessage describe(const data::Dataset& dataset) {
  DataMessage message{
      .dtype = dataset.dtype, .rows = dataset.rows, .features = dataset.features, .outputs = dataset.outputs};
  if (dataset.stream) {
    message.source = DataSource::streamed;
    message.stream = dataset.stream->file();
    return message;
  }
  message.x = {dataset.x_offset};
  (dataset.has_labels ? message.labels : message.y) = {dataset.target_offset};
  if (dataset.has_order) message.order = {dataset.order_offset, dataset.epochs};
  return message;
}

}  // namespace

Result<std::unique_ptr<Client>> ProcessClient::start(const std::vector<std::string>& argv, const SharedMemory* data,
                                                     const SharedMemory* state, const Limits& limits,
                                                     const std::string& preload) {
  int requests[2];
  int responses[2];
  if (pipe2(requests, O_CLOEXEC) != 0) return system_error(kNoPipe);
  const UniqueDescriptor request_read(requests[0]);
  auto client = std::make_unique<ProcessClient>();
  client->request_end_ = UniqueDescriptor(requests[1]);
  if (pipe2(responses, O_CLOEXEC) != 0) return system_error(kNoPipe);
  const UniqueDescriptor response_write(responses[1]);
  client->response_end_ = UniqueDescriptor(responses[0]);

  std::vector<InheritedDescriptor> inherited = {{request_read.number(), kRequestDescriptor},
                                                {response_write.number(), kResponseDescriptor}};
  if (data != nullptr) inherited.push_back({data->descriptor(), kDataDescriptor});
  if (state != nullptr) inherited.push_back({state->descriptor(), kStateDescriptor});
  client->process_ = TRY(Process::start(argv, inherited, limits.processors, preload, &limits.permissions));
  client->channel_ = Channel(client->response_end_.number(), client->request_end_.number());
  client->limits_ = limits;
  return std::unique_ptr<Client>(std::move(client));
}

// Returns the anonymous memory.
std::int64_t ProcessClient::note_memory() {
  const MemoryUse now = process_.memory();
  peak_memory_.anonymous = std::max(peak_memory_.anonymous, now.anonymous);
  peak_memory_.shared = std::max(peak_memory_.shared, now.shared);
  return now.anonymous;
}

const MemoryUse& ProcessClient::peak_memory() {
  note_memory();
  return peak_memory_;
}

Status ProcessClient::watch() {
  if (limits_.cancelled && limits_.cancelled()) return failure("cancelled");
  const std::int64_t bytes = note_memory();
  if (bytes > limits_.memory_bytes) {
    return Error{ErrorKind::crashed, "used " + std::to_string(bytes >> 20) + " MiB of memory, the cap is " +
                                         std::to_string(limits_.memory_bytes >> 20) + " MiB"};
  }
  if (process_.output_bytes() > kOutputLimit) {
    return Error{ErrorKind::crashed, "printed more than " + std::to_string(kOutputLimit >> 20) + " MiB"};
  }
  return {};
}

// Adds what only the process can tell: how it ended, what it printed last.
Error ProcessClient::explain(const Error& error) {
  if (error.kind == ErrorKind::disconnected) {
    // Ended on its own: a moment for the kernel to report it.
    const ProcessEnd end = process_.finish(0.5);
    Error explained{ErrorKind::crashed, end.text()};
    // No process does this to itself by a mistake, and gdbench did not.
    if (end.kind == ProcessEnd::Kind::signal && end.number == SIGKILL) {
      explained.message = "killed from outside, by another process or for lack of memory: " + explained.message;
    }
    if (const std::string line = process_.last_output_line(); !line.empty()) explained.message += ": " + line;
    return explained;
  }
  process_.finish(0);
  if (error.kind != ErrorKind::timed_out) return error;
  const std::string line = process_.last_output_line();
  const std::string late = patience_ < limits_.request
                               ? cat("all its requests together took ", limits_.all_requests.count() / 1000,
                                     " s, no more is left of the budget")
                               : cat("no answer within ", limits_.request.count() / 1000, " s");
  return {error.kind, cat(late, line.empty() ? "" : ", said last: ", line)};
}

Result<Json> ProcessClient::await(std::int64_t id) {
  Json answer = TRY(channel_.receive(patience_, [this] { return watch(); }));
  escape_controls(answer);
  const Json answered = answer.value("id", Json());
  if (answered == id) return answer;
  return failure("answered request " + answered.dump() + ", expected " + std::to_string(id));
}

namespace {

// Sums of what passes are numbers, and steps are no longer than their block.
Status check_times(const RunAnswer& answer, const RunRequest& request) {
  constexpr double kMostNs = 1e15;  // eleven days
  for (const auto& [name, value] : {std::pair("real_ns", answer.real_ns), std::pair("cpu_ns", answer.cpu_ns)}) {
    // Differences of two clocks may be a little below 0. NaN fails.
    if (std::abs(value) <= kMostNs) continue;
    return failure(formatted("run: /%s: found %g, expected nanoseconds up to %g", name, value, kMostNs));
  }
  if (!answer.step_ns) return {};
  const std::vector<double>& steps = *answer.step_ns;
  if (!request.each_step || steps.size() != request.steps) {
    const std::uint64_t expected = request.each_step ? request.steps : 0;
    return failure(cat("run: /step_ns: found ", steps.size(), " times, expected ", expected));
  }
  constexpr double kRounding = 1.001;
  double sum_ns = 0;
  for (const double step_ns : steps) sum_ns = step_ns >= 0 ? sum_ns + step_ns : NAN;
  if (sum_ns <= kRounding * answer.real_ns) return {};
  return failure(formatted("run: /step_ns: found times whose sum is %g, expected at most the block's %g, none below 0",
                           sum_ns, answer.real_ns));
}

}  // namespace

double ProcessClient::waiting_ns() const { return process_.waiting_ns() + gdbench::waiting_ns(kOwnScheduling); }

void ProcessClient::note_idle_time() {
  if (answered_ns_ == 0) return;
  totals_.idle.real_ns += static_cast<double>(monotonic_ns() - answered_ns_);
  totals_.idle.cpu_ns += static_cast<double>(process_.cpu_ns() - answered_cpu_ns_);
}

template <class Request>
Result<typename Request::Answer> ProcessClient::ask(const Request& request) {
  const std::string name = Request::kName;
  if (!process_.running()) return Error{ErrorKind::crashed, "the worker has ended"};
  const std::int64_t id = next_id_++;
  OrderedJson message = {{"request", name}, {"id", id}};
  message.update(RecordWriter::encode(request));
  note_idle_time();
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double, std::nano>(totals_.requests_ns));
  patience_ = std::min(limits_.request, std::max(limits_.all_requests - spent, std::chrono::milliseconds(1)));
  const double waited_before_ns = waiting_ns();
  const std::int64_t cpu_before_ns = process_.cpu_ns();
  const std::int64_t sent_ns = monotonic_ns();
  if (Status status = channel_.send(message); !status.ok()) return explain(status.error());
  const Result<Json> answer = await(id);
  answered_ns_ = monotonic_ns();
  answered_cpu_ns_ = process_.cpu_ns();
  const auto passed_ns = static_cast<double>(answered_ns_ - sent_ns);
  const auto used_ns = static_cast<double>(answered_cpu_ns_ - cpu_before_ns);
  totals_.requests_ns += passed_ns;
  // While it waits for one of its own threads it has a processor.
  totals_.waiting_ns += std::clamp(waiting_ns() - waited_before_ns, 0.0, std::max(0.0, passed_ns - used_ns));
  if (!answer.ok()) {
    Error error = explain(answer.error());
    error.message = name + ": " + error.message;
    return error;
  }
  const Outcome outcome = TRY(message_from<Outcome>(answer.value(), name));
  if (outcome.ok) return message_from<typename Request::Answer>(answer.value(), name);
  Error error = error_of(outcome.error);
  return error;
}

Result<HelloAnswer> ProcessClient::hello() {
  Result<HelloAnswer> hello = ask(HelloRequest{});
  if (hello.ok() && hello->protocol.major != kProtocolMajor) {
    return unsupported("speaks version " + std::to_string(hello->protocol.major) +
                       " of the worker protocol, this gdbench speaks version " + std::to_string(kProtocolMajor));
  }
  return hello;
}

Status ProcessClient::load(const std::string& implementation, const data::Dataset& dataset) {
  return ask(LoadRequest{implementation, {kDataDescriptor, dataset.memory.size()}, describe(dataset)});
}

Status ProcessClient::prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                              const ThreadSettings& threads, std::size_t state_bytes) {
  const std::uint64_t image_bytes = protocol::state_layout(problem).image_bytes;
  PrepareAnswer answer =
      TRY(ask(PrepareRequest{problem, options, threads, {kStateDescriptor, state_bytes, image_bytes}}));
  preparation_ = std::move(answer);
  return watch();
}

Status ProcessClient::settle() {
  if (!preparation_.settles.value_or(false)) return {};
  const Totals before = totals_;
  const std::int64_t cpu_before_ns = process_.cpu_ns();
  Status status = ask(SettleRequest{});
  totals_.claimed_ns += totals_.requests_ns - before.requests_ns - (totals_.waiting_ns - before.waiting_ns);
  const auto cpu_ns = static_cast<double>(answered_cpu_ns_ - cpu_before_ns);
  totals_.claimed_cpu_ns += cpu_ns;
  totals_.runs_cpu_ns += cpu_ns;
  return status;
}

Status ProcessClient::set_state(std::size_t image, std::int64_t step) { return ask(SetStateRequest{image, step}); }

Result<std::int64_t> ProcessClient::get_state(std::size_t image) {
  const StateAnswer answer = TRY(ask(GetStateRequest{image}));
  return answer.step;
}

// As its host says, who tells the plugin's time from its own; of other workers what their answers to run do not claim.
OutsideTime ProcessClient::outside_total(const StateAnswer& answer) const {
  if (answer.outside) return *answer.outside;
  return {static_cast<double>(process_.cpu_ns()) - totals_.claimed_cpu_ns,
          totals_.requests_ns - totals_.waiting_ns - totals_.claimed_ns};
}

Result<BlockAnswer> ProcessClient::run_steps(const RunRequest& request) {
  BlockAnswer result;
  const double waiting_before_ns = totals_.waiting_ns;
  result.sent_cpu_ns = process_.cpu_ns();
  result.sent_ns = monotonic_ns();
  const Result<RunAnswer> answer = ask(request);
  result.received_ns = answered_ns_;
  if (!answer.ok()) return answer.error();
  TRY(check_times(*answer, request));
  static_cast<RunAnswer&>(result) = answer.value();
  result.waiting_ns = totals_.waiting_ns - waiting_before_ns;
  result.request_cpu_ns = static_cast<double>(answered_cpu_ns_ - result.sent_cpu_ns);
  totals_.claimed_cpu_ns += result.cpu_ns;
  totals_.claimed_ns += result.real_ns;
  totals_.runs_cpu_ns += result.request_cpu_ns;
  return result;
}

Result<BlockAnswer> ProcessClient::run(const BlockRequest& block) {
  double warm_up_ns = 0;
  if (block.warm_up > 0) {
    TRY(set_state(block.warm_up_image, block.start_step));
    const Result<BlockAnswer> warm_up = run_steps({.steps = block.warm_up});
    if (!warm_up.ok()) return warm_up;
    warm_up_ns = warm_up->real_ns;
  }
  TRY(set_state(block.start_image, block.start_step));
  if (block.before_steps) TRY(block.before_steps());
  const std::optional<std::int64_t> faults_before = process_.page_faults();
  RunRequest request{.steps = block.steps};
  if (block.added_iterations > 0) request.added_iterations = block.added_iterations;
  if (block.each_step) request.each_step = true;
  Result<BlockAnswer> answer = run_steps(request);
  const std::optional<std::int64_t> faults_after = process_.page_faults();
  if (!answer.ok()) return answer;
  const StateAnswer end = TRY(ask(GetStateRequest{block.end_image}));
  answer->end_step = end.step;
  const OutsideTime outside_before = std::exchange(outside_, outside_total(end));
  answer->host_tells_outside = end.outside.has_value();
  answer->outside = {outside_.cpu_ns - outside_before.cpu_ns, outside_.real_ns - outside_before.real_ns};
  answer->warm_up_ns = warm_up_ns;
  const Descendants below = process_.descendants();
  answer->children = below.processes;
  if (faults_before && faults_after && below.processes == 0) answer->page_faults = *faults_after - *faults_before;
  totals_.children_cpu_ns = static_cast<double>(below.cpu_ns);
  totals_.cpu_ns = process_.cpu_ns();
  const Totals before = std::exchange(before_block_, totals_);
  const auto unclaimed_ns = [](const Totals& totals) {
    return totals.requests_ns - totals.waiting_ns - totals.claimed_ns;
  };
  const double own_ns =
      static_cast<double>(answer->received_ns - answer->sent_ns) - answer->waiting_ns - answer->real_ns;
  answer->other_requests_ns = unclaimed_ns(totals_) - unclaimed_ns(before) - own_ns;
  answer->other_cpu_ns =
      static_cast<double>(totals_.cpu_ns - before.cpu_ns) - (totals_.runs_cpu_ns - before.runs_cpu_ns);
  answer->children_cpu_ns = totals_.children_cpu_ns - before.children_cpu_ns;
  answer->idle = {totals_.idle.cpu_ns - before.idle.cpu_ns, totals_.idle.real_ns - before.idle.real_ns};
  answer->since_ns = answer->idle.real_ns + totals_.requests_ns - before.requests_ns;
  return answer;
}

Result<BlockAnswer> ProcessClient::run_on(std::uint64_t steps) {
  Result<BlockAnswer> answer = run_steps({.steps = steps});
  if (answer.ok()) TRY(watch());  // answers that come at once are not watched
  return answer;
}

Result<EvaluateAnswer> ProcessClient::evaluate() {
  const std::int64_t sent_ns = monotonic_ns();
  Result<EvaluateAnswer> answer = ask(EvaluateRequest{});
  const std::int64_t received_ns = monotonic_ns();
  if (answer.ok() && !answer->real_ns) answer->real_ns = static_cast<double>(received_ns - sent_ns);
  return answer;
}

Result<ProfileAnswer> ProcessClient::profile(std::uint64_t steps) { return ask(ProfileRequest{steps}); }

Result<SupportsAnswer> ProcessClient::supports(const std::string& implementation, const scenario::Problem& problem) {
  return ask(SupportsRequest{implementation, problem});
}

Result<ProfileOpsAnswer> ProcessClient::profile_ops(std::uint64_t steps) { return ask(ProfileOpsRequest{steps}); }

Status ProcessClient::bye() {
  TRY(watch());  // answers that come at once are not watched
  TRY(ask(ByeRequest{}));
  const ProcessEnd end = process_.finish(std::chrono::duration<double>(limits_.goodbye()).count());
  if (end.is_success()) return {};
  return Error{ErrorKind::crashed, "bye: " + end.text()};
}

}  // namespace gdbench::protocol
