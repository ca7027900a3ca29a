#include "harness/worker/client.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/worker/data_message.h"
#include "harness/worker/state_image.h"

namespace gdbench::worker {

namespace {

using nlohmann::json;

// A worker that prints without end would fill memory that no resident size shows.
constexpr std::int64_t kOutputLimit = 64 << 20;
constexpr double kGoodbyeSeconds = 2;

ErrorKind kind_from_name(const std::string& name) {
  return name == "unsupported" ? ErrorKind::unsupported : ErrorKind::failed;
}

// Nothing where the worker does not count, or not in the way that PROTOCOL.md describes.
std::optional<AllocationTotals> allocations_in(const json& answer) {
  const auto entry = answer.find("allocations");
  if (entry == answer.end() || !entry->is_object()) return std::nullopt;
  const json calls = entry->value("calls", json(0U));
  const json bytes = entry->value("bytes", json(0U));
  if (!calls.is_number_unsigned() || !bytes.is_number_unsigned()) return std::nullopt;
  return AllocationTotals{calls.get<std::uint64_t>(), bytes.get<std::uint64_t>()};
}

Result<std::int64_t> step_in(const json& answer) {
  const json step = answer.value("step", json());
  if (!step.is_number_integer()) return failure("get_state: the answer has no step");
  return step.get<std::int64_t>();
}

// Nothing where the worker says nothing of them, or not in the way that PROTOCOL.md describes.
std::optional<LoadedLibraries> libraries_in(const json& answer) {
  const json import_ns = answer.value("import_ns", json());
  if (!import_ns.is_number()) return std::nullopt;
  LoadedLibraries libraries;
  libraries.seconds = import_ns.get<double>() * 1e-9;
  const json bytes = answer.value("imported_resident_bytes", json());
  if (bytes.is_number_integer()) libraries.resident_bytes = bytes.get<std::int64_t>();
  const json text = answer.value("runtime", json::object());
  for (const auto& [key, value] : text.items()) {
    if (value.is_string()) libraries.text[key] = value.get<std::string>();
  }
  return libraries;
}

}  // namespace

Client::Descriptor::~Descriptor() { close(number); }

Result<Client> Client::start(const std::vector<std::string>& argv, const SharedMemory* data, const SharedMemory* state,
                             const Limits& limits, const std::string& preload) {
  int requests[2];
  int responses[2];
  if (pipe2(requests, O_CLOEXEC) != 0) return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  Descriptor request_read(requests[0]);
  Client client;
  client.request_end_ = std::make_unique<Descriptor>(requests[1]);
  if (pipe2(responses, O_CLOEXEC) != 0) return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  Descriptor response_write(responses[1]);
  client.response_end_ = std::make_unique<Descriptor>(responses[0]);

  std::vector<InheritedDescriptor> inherited = {{request_read.number, kRequestDescriptor},
                                                {response_write.number, kResponseDescriptor}};
  if (data != nullptr) inherited.push_back({data->descriptor(), kDataDescriptor});
  if (state != nullptr) inherited.push_back({state->descriptor(), kStateDescriptor});
  Result<Process> process = Process::start(argv, inherited, limits.processors, preload);
  if (!process.ok()) return process.error();
  client.process_ = std::move(process).value();
  client.channel_ = Channel(client.response_end_->number, client.request_end_->number);
  client.limits_ = limits;
  return client;
}

// Returns the anonymous memory.
std::int64_t Client::note_memory() {
  const MemoryUse now = process_.memory();
  peak_memory_.anonymous = std::max(peak_memory_.anonymous, now.anonymous);
  peak_memory_.shared = std::max(peak_memory_.shared, now.shared);
  return now.anonymous;
}

const MemoryUse& Client::peak_memory() {
  note_memory();
  return peak_memory_;
}

Status Client::watch() {
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
Error Client::explain(const Error& error) {
  if (error.kind == ErrorKind::timed_out) {
    process_.finish(0);
    return {error.kind, "no answer within " + std::to_string(limits_.request.count() / 1000) + " s"};
  }
  if (error.kind != ErrorKind::disconnected) {
    process_.finish(0);
    return error;
  }
  // Ended on its own: a moment for the kernel to report it.
  Error explained{ErrorKind::crashed, process_.finish(0.5).text()};
  if (const std::string line = process_.last_output_line(); !line.empty()) explained.message += ": " + line;
  return explained;
}

Result<json> Client::await(std::int64_t id) {
  for (;;) {
    Result<json> answer = channel_.receive(limits_.request, [this] { return watch(); });
    if (!answer.ok()) return answer;
    const json answered = answer.value().value("id", json());
    if (answered == id) return answer;
    return failure("answered request " + answered.dump() + ", expected " + std::to_string(id));
  }
}

Result<json> Client::request(const std::string& name, json fields) {
  if (!process_.running()) return Error{ErrorKind::crashed, "the worker has ended"};
  const std::int64_t id = next_id_++;
  fields["request"] = name;
  fields["id"] = id;
  const std::int64_t sent_ns = monotonic_ns();
  if (Status status = channel_.send(fields); !status.ok()) return explain(status.error());
  Result<json> answer = await(id);
  requests_ns_ += monotonic_ns() - sent_ns;
  if (!answer.ok()) {
    Error error = explain(answer.error());
    error.message = name + ": " + error.message;
    return error;
  }
  try {
    if (answer.value().at("ok").get<bool>()) return answer;
    const json& error = answer.value().at("error");
    return Error{kind_from_name(error.at("kind").get<std::string>()), one_line(error.at("message").get<std::string>())};
  } catch (const json::exception& exception) {
    return failure(name + ": malformed answer: " + exception.what());
  }
}

Result<HelloAnswer> Client::hello() {
  const Result<json> answer = request("hello", {{"protocol", {{"major", kProtocolMajor}, {"minor", kProtocolMinor}}}});
  if (!answer.ok()) return answer.error();
  Result<HelloAnswer> hello = hello_from_json(answer.value());
  if (hello.ok() && hello.value().protocol_major != kProtocolMajor) {
    return unsupported("speaks version " + std::to_string(hello.value().protocol_major) +
                       " of the worker protocol, this gdbench speaks version " + std::to_string(kProtocolMajor));
  }
  return hello;
}

Status Client::load(const std::string& implementation, const scenario::Dataset& dataset) {
  const Result<json> answer = request("load", {{"implementation", implementation},
                                               {"memory", {{"fd", kDataDescriptor}, {"bytes", dataset.memory.size()}}},
                                               {"data", to_json(describe(dataset))}});
  return answer.ok() ? Status{} : Status(answer.error());
}

Status Client::prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                       const ThreadSettings& threads, std::size_t state_bytes) {
  const StateLayout layout = state_layout(problem);
  const Result<json> answer = request(
      "prepare", {{"problem", problem_to_json(problem)},
                  {"options", options},
                  {"threads",
                   {{"compute", threads.compute},
                    {"compute_cores", threads.compute_cores},
                    {"helper_cores", threads.helper_cores}}},
                  {"state", {{"fd", kStateDescriptor}, {"bytes", state_bytes}, {"image_bytes", layout.image_bytes}}}});
  if (!answer.ok()) return answer.error();
  note_memory();
  const json helpers = answer.value().value("helper_threads", json());
  if (helpers.is_number_integer() && helpers >= 0) helper_threads_ = helpers.get<int>();
  prepared_ = allocations_in(answer.value());
  libraries_ = libraries_in(answer.value());
  return {};
}

Status Client::set_state(std::size_t image, std::int64_t step) {
  const Result<json> answer = request("set_state", {{"image", image}, {"step", step}});
  return answer.ok() ? Status{} : Status(answer.error());
}

Result<std::int64_t> Client::get_state(std::size_t image) {
  const Result<json> answer = request("get_state", {{"image", image}});
  return answer.ok() ? step_in(answer.value()) : answer.error();
}

// As its host says, who tells the plugin's time from its own; of other workers what their answers to run do not claim.
OutsideTime Client::outside_total(const json& answer) const {
  const json outside = answer.value("outside", json::object());
  const json cpu_ns = outside.value("cpu_ns", json());
  const json real_ns = outside.value("real_ns", json());
  if (cpu_ns.is_number() && real_ns.is_number()) return {cpu_ns.get<double>(), real_ns.get<double>()};
  return {static_cast<double>(process_.cpu_ns()) - claimed_cpu_ns_, static_cast<double>(requests_ns_) - claimed_ns_};
}

Result<BlockAnswer> Client::run_steps(std::uint64_t steps, std::uint64_t added_iterations) {
  BlockAnswer result;
  json fields = {{"steps", steps}};
  if (added_iterations > 0) fields["added_iterations"] = added_iterations;
  result.sent_ns = monotonic_ns();
  const Result<json> answer = request("run", std::move(fields));
  result.received_ns = monotonic_ns();
  if (!answer.ok()) return answer.error();
  try {
    result.real_ns = answer.value().at("real_ns").get<double>();
    result.cpu_ns = answer.value().at("cpu_ns").get<double>();
    result.start_ns = answer.value().at("start_ns").get<std::int64_t>();
    result.end_ns = answer.value().at("end_ns").get<std::int64_t>();
    result.allocated = allocations_in(answer.value());
    result.traces = answer.value().value("traces", std::uint64_t{0});
    if (answer.value().contains("control_word")) {
      result.control_word = answer.value().at("control_word").get<std::uint32_t>();
    }
  } catch (const json::exception& exception) {
    return failure(std::string("run: malformed answer: ") + exception.what());
  }
  claimed_cpu_ns_ += result.cpu_ns;
  claimed_ns_ += result.real_ns;
  return result;
}

Result<BlockAnswer> Client::run(const BlockRequest& block) {
  if (Status status = set_state(block.start_image, block.start_step); !status.ok()) return status.error();
  if (block.warm_up > 0) {
    const Result<BlockAnswer> warm_up = run_steps(block.warm_up);
    if (!warm_up.ok()) return warm_up;
    if (Status status = set_state(block.start_image, block.start_step); !status.ok()) return status.error();
  }
  Result<BlockAnswer> answer = run_steps(block.steps, block.added_iterations);
  if (!answer.ok()) return answer;
  const Result<json> end = request("get_state", {{"image", block.end_image}});
  if (!end.ok()) return end.error();
  const Result<std::int64_t> end_step = step_in(end.value());
  if (!end_step.ok()) return end_step.error();
  answer.value().end_step = end_step.value();
  const OutsideTime before = std::exchange(outside_, outside_total(end.value()));
  answer.value().host_tells_outside = end.value().contains("outside");
  answer.value().outside = {outside_.cpu_ns - before.cpu_ns, outside_.real_ns - before.real_ns};
  return answer;
}

Status Client::run_on(std::uint64_t steps) {
  const Result<BlockAnswer> answer = run_steps(steps);
  return answer.ok() ? Status{} : Status(answer.error());
}

Result<EvaluationAnswer> Client::evaluate_timed() {
  const std::int64_t sent_ns = monotonic_ns();
  const Result<json> answer = request("evaluate", {{"split", "train"}});
  const std::int64_t received_ns = monotonic_ns();
  if (!answer.ok()) return answer.error();
  const json loss = answer.value().value("loss", json());
  const json real_ns = answer.value().value("real_ns", json());
  // JSON has no infinities and no NaN: null stands for a loss that is none.
  if (!loss.is_number() && !loss.is_null()) {
    return failure("evaluate: found the loss " + loss.dump() + ", expected a number");
  }
  EvaluationAnswer result;
  result.loss = loss.is_number() ? loss.get<double>() : std::numeric_limits<double>::quiet_NaN();
  result.real_ns = real_ns.is_number() ? real_ns.get<double>() : static_cast<double>(received_ns - sent_ns);
  return result;
}

Result<double> Client::evaluate() {
  const Result<EvaluationAnswer> answer = evaluate_timed();
  if (!answer.ok()) return answer.error();
  return answer.value().loss;
}

Result<json> Client::profile(std::uint64_t steps) { return request("profile", {{"steps", steps}}); }

Status Client::bye() {
  if (const Result<json> answer = request("bye", json::object()); !answer.ok()) return answer.error();
  const ProcessEnd end = process_.finish(kGoodbyeSeconds);
  if (end.is_success()) return {};
  return Error{ErrorKind::crashed, "bye: " + end.text()};
}

}  // namespace gdbench::worker
