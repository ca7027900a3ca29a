#include "harness/worker/serve.h"

#include <sched.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "harness/base/clock.h"
#include "harness/worker/added_work.h"
#include "harness/worker/allocation_totals.h"
#include "harness/worker/block_timer.h"
#include "harness/worker/channel.h"
#include "harness/worker/instance.h"
#include "harness/worker/outside_clock.h"
#include "harness/worker/plugin_library.h"

namespace gdbench::worker {

namespace {

using nlohmann::json;

// Why a request was refused, in the protocol's terms.
const char* kind_name(ErrorKind kind) { return kind == ErrorKind::unsupported ? "unsupported" : "failed"; }

Status pin_calling_thread(const std::vector<int>& cores) {
  if (cores.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cores.front(), &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return failure("cannot pin to processor " + std::to_string(cores.front()));
}

// MXCSR without the flags of what happened so far.
std::uint32_t floating_point_control_word() {
  constexpr std::uint32_t kFlags = 0x3f;
  return _mm_getcsr() & ~kFlags;
}

class Server {
 public:
  Server(std::string plugin_file, std::string build) : plugin_file_(std::move(plugin_file)), build_(std::move(build)) {}

  // The answer's body, without id and ok.
  Result<json> answer(const json& request) {
    const std::string name = request.value("request", "");
    if (name == "hello") return hello();
    if (name == "load") return load(request);
    if (name == "prepare") return prepare(request);
    if (name == "set_state") return set_state(request);
    if (name == "get_state") return get_state(request);
    if (name == "run") return run(request);
    if (name == "evaluate") return evaluate(request);
    if (name == "profile") return profile(request);
    if (name == "bye") return json::object();
    return unsupported("request \"" + name + "\" is unknown to this worker");
  }

 private:
  Result<json> hello() {
    Result<std::unique_ptr<PluginLibrary>> library = PluginLibrary::open(plugin_file_);
    if (!library.ok()) return library.error();
    library_ = std::move(library).value();
    HelloAnswer answer = library_->describe();
    answer.worker_build = build_;
    return hello_to_json(answer);
  }

  Result<json> load(const json& request) {
    if (library_ == nullptr) return failure("load came before hello");
    const Result<DataMessage> data = data_from_json(request.at("data"));
    if (!data.ok()) return data.error();
    Result<SharedMemory> memory = adopt(request.at("memory"), SharedMemory::Access::read_only);
    if (!memory.ok()) return memory.error();
    Status status = instance_.create(*library_, request.at("implementation").get<std::string>());
    if (status.ok()) status = instance_.load(data.value(), std::move(memory).value());
    if (!status.ok()) return status.error();
    return json::object();
  }

  Result<json> prepare(const json& request) {
    if (!instance_.loaded()) return failure("prepare came before load");
    const Result<scenario::Problem> problem = problem_from_json(request.at("problem"));
    if (!problem.ok()) return problem.error();
    ThreadSettings threads;
    const json& thread_request = request.at("threads");
    threads.compute = thread_request.at("compute").get<int>();
    threads.compute_cores = thread_request.value("compute_cores", std::vector<int>{});
    threads.helper_cores = thread_request.value("helper_cores", std::vector<int>{});
    if (Status status = pin_calling_thread(threads.compute_cores); !status.ok()) return status.error();
    Result<SharedMemory> memory = adopt(request.at("state"), SharedMemory::Access::read_write);
    if (!memory.ok()) return memory.error();
    const auto options = request.value("options", std::map<std::string, std::string>{});
    if (Status status = instance_.prepare(problem.value(), options, threads, std::move(memory).value()); !status.ok()) {
      return status.error();
    }
    json body = json::object();
    if (const std::optional<int> helpers = instance_.helper_threads()) body["helper_threads"] = *helpers;
    add_allocations(instance_.preparation(), body);
    return body;
  }

  Result<json> set_state(const json& request) {
    if (!instance_.prepared()) return not_prepared();
    const auto image = request.at("image").get<std::size_t>();
    const auto step = request.at("step").get<std::int64_t>();
    const Status status = outside_.count([&] { return instance_.set_state(image, step); });
    if (!status.ok()) return status.error();
    return json::object();
  }

  Result<json> get_state(const json& request) {
    if (!instance_.prepared()) return not_prepared();
    const auto image = request.at("image").get<std::size_t>();
    const Result<std::int64_t> step = outside_.count([&] { return instance_.get_state(image); });
    if (!step.ok()) return step.error();
    const OutsideTime outside = outside_.total();
    return json{{"step", step.value()}, {"outside", {{"cpu_ns", outside.cpu_ns}, {"real_ns", outside.real_ns}}}};
  }

  Result<json> run(const json& request) {
    if (!instance_.prepared()) return not_prepared();
    const auto steps = request.at("steps").get<std::uint64_t>();
    const auto added_iterations = request.value("added_iterations", std::uint64_t{0});
    Status status;
    std::optional<AllocationTotals> allocated;
    const auto steps_and_added_work = [&] {
      const std::optional<AllocationTotals> before = allocation_totals();
      if (steps > 0) status = instance_.run(steps);
      if (added_iterations > 0) add_work(added_iterations);
      if (before) allocated = *allocation_totals() - *before;
    };
    const BlockTime time = outside_.leave_out([&] { return time_block(steps_and_added_work); });
    if (!status.ok()) return status.error();
    json body = {
        {"start_ns", time.start_ns}, {"end_ns", time.end_ns}, {"real_ns", time.real_ns}, {"cpu_ns", time.cpu_ns}};
    body["control_word"] = floating_point_control_word();
    add_allocations(allocated, body);
    return body;
  }

  Result<json> evaluate(const json& request) {
    if (!instance_.prepared()) return not_prepared();
    const std::int64_t start_ns = monotonic_ns();
    const std::string split = request.value("split", "train");
    const bool validation = split == "validation";
    if (!validation && split != "train") return unsupported("split \"" + split + "\" is unknown to this worker");
    const Result<double> loss = outside_.count([&] { return instance_.evaluate(validation ? 1 : 0); });
    const std::int64_t end_ns = monotonic_ns();
    if (!loss.ok()) return loss.error();
    return json{{"loss", loss.value()}, {"real_ns", static_cast<double>(end_ns - start_ns)}};
  }

  Result<json> profile(const json& request) {
    if (!instance_.prepared()) return not_prepared();
    Result<ProfileRecords> said = ProfileRecords();
    const auto steps = request.at("steps").get<std::uint64_t>();
    const BlockTime time = time_block([&] { said = instance_.profile(steps); });
    if (!said.ok()) return said.error();
    Result<json> records = said.value().to_json(instance_.problem());
    if (!records.ok()) return records.error();
    return json{{"records", std::move(records).value()}, {"real_ns", time.real_ns}};
  }

  static void add_allocations(const std::optional<AllocationTotals>& allocated, json& body) {
    if (allocated) body["allocations"] = {{"calls", allocated->calls}, {"bytes", allocated->bytes}};
  }

  static Error not_prepared() { return failure("the request came before prepare"); }

  // Each descriptor is mapped once; the mapping outlives the descriptor that a second request would reuse.
  static Result<SharedMemory> adopt(const json& memory, SharedMemory::Access access) {
    const int descriptor = dup(memory.at("fd").get<int>());
    if (descriptor < 0) return failure("the shared memory's descriptor is not open");
    return SharedMemory::adopt(descriptor, memory.at("bytes").get<std::size_t>(), access);
  }

  std::string plugin_file_;
  std::string build_;
  std::unique_ptr<PluginLibrary> library_;
  Instance instance_;
  OutsideClock outside_;
};

json respond(Server& server, const json& request) {
  Result<json> body = [&]() -> Result<json> {
    try {
      return server.answer(request);
    } catch (const json::exception& exception) {
      return failure(std::string("malformed request: ") + exception.what());
    }
  }();
  json response;
  if (body.ok()) {
    response = std::move(body).value();
    response["ok"] = true;
  } else {
    response = {{"ok", false}, {"error", {{"kind", kind_name(body.error().kind)}, {"message", body.error().message}}}};
  }
  response["id"] = request.contains("id") ? request.at("id") : json(0);
  return response;
}

}  // namespace

int serve(const std::string& plugin_file, const std::string& build) {
  Channel channel(kRequestDescriptor, kResponseDescriptor);
  Server server(plugin_file, build);
  for (;;) {
    const Result<json> request = channel.receive(std::chrono::milliseconds(0), nullptr);
    if (!request.ok()) return 1;
    if (!channel.send(respond(server, request.value())).ok()) return 1;
    if (request.value().value("request", "") == "bye") return 0;
  }
}

}  // namespace gdbench::worker
