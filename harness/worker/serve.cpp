#include "harness/worker/serve.h"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/base/clock.h"
#include "harness/base/control_word.h"
#include "harness/base/json.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/message_fields.h"
#include "harness/protocol/process_client.h"
#include "harness/protocol/system_calls.h"
#include "harness/ranks/membership.h"
#include "harness/worker/block_timer.h"
#include "harness/worker/instance.h"
#include "harness/worker/plugin_library.h"
#include "harness/worker/relay.h"
#include "harness/worker/thread_pool.h"

namespace gdbench::worker {

namespace {

// Why a request was refused, in the protocol's terms.
const char* kind_name(ErrorKind kind) {
  if (kind == ErrorKind::untrusted) return "untrusted";
  return kind == ErrorKind::unsupported ? "unsupported" : "failed";
}

Status pin_calling_thread(const std::vector<int>& cores) {
  if (cores.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cores.front(), &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return failure("cannot pin to processor " + std::to_string(cores.front()));
}

class Server {
 public:
  // `membership`: of a process that is one of several ranks, else null.
  Server(RankProgram program, std::string build, ranks::Membership* membership)
      : program_(std::move(program)), build_(std::move(build)), membership_(membership) {}

  // The answer's fields, without id and ok.
  Result<OrderedJson> answer(const Json& request) {
    return dispatch(request.value("request", ""), request, static_cast<protocol::Requests*>(nullptr));
  }

 private:
  template <class... Request>
  Result<OrderedJson> dispatch(const std::string& name, const Json& request, std::tuple<Request...>* /*all*/) {
    Result<OrderedJson> answer = unsupported("request \"" + name + "\" is unknown to this worker");
    static_cast<void>(((name == Request::kName && (answer = encoded_answer<Request>(request), true)) || ...));
    return answer;
  }

  template <class Request>
  Result<OrderedJson> encoded_answer(const Json& object) {
    const Request request = TRY(protocol::message_from<Request>(object, Request::kName));
    if constexpr (requires(Relay & relay) { relay.answer_to(request); }) {
      if (relay_ != nullptr) return RecordWriter::encode(TRY(relay_->answer_to(request)));
    }
    return RecordWriter::encode(TRY(answer_to(request)));
  }

  Result<protocol::HelloAnswer> answer_to(const protocol::HelloRequest& /*request*/) {
    if (!program_.adapter.empty()) return hello_of_adapter();
    limit_spinning_of_thread_pools();
    library_ = TRY(PluginLibrary::open(program_.plugin_file));
    protocol::HelloAnswer answer = library_->describe();
    answer.worker.build = build_;
    if (membership_ == nullptr) declare_ranks(program_.libraries, answer);
    for (protocol::ImplementationDescription& implementation : answer.implementations) {
      if (implementation.has_capability(name_of(catalogue::Capability::device))) continue;
      implementation.capabilities.emplace_back("flush_denormals");  // which this host does, before prepare
    }
    return answer;
  }

  // Asks a process of its own, because ranks are started when their number is known.
  Result<protocol::HelloAnswer> hello_of_adapter() const {
    const std::unique_ptr<protocol::Client> adapter =
        TRY(protocol::ProcessClient::start(program_.adapter, nullptr, nullptr, {}));
    protocol::HelloAnswer answer = TRY(adapter->hello());
    TRY(adapter->bye());
    return answer;
  }

  Result<protocol::Done> answer_to(const protocol::LoadRequest& request) {
    if (!program_.adapter.empty()) {
      load_of_ranks_ = request;
      return protocol::Done{};
    }
    if (library_ == nullptr) return failure("load came before hello");
    const gdbench_implementation* const implementation = library_->find(request.implementation);
    if (membership_ == nullptr && implementation != nullptr &&
        (implementation->capabilities & GDBENCH_BIT(GDBENCH_CAPABILITY_RANKS)) != 0) {
      load_of_ranks_ = request;  // by the ranks, whose number prepare tells
      return protocol::Done{};
    }
    const int inherited = membership_ != nullptr ? membership_->data() : request.memory.fd;
    SharedMemory memory = TRY(adopt(inherited, request.memory.bytes, SharedMemory::Access::read_only));
    TRY(instance_.create(*library_, request.implementation));
    TRY(instance_.load(request.data, std::move(memory)));
    return protocol::Done{};
  }

  Result<protocol::PrepareAnswer> answer_to(const protocol::PrepareRequest& request) {
    if (load_of_ranks_) {
      protocol::PrepareAnswer answer;
      relay_ = TRY(Relay::start(program_, *load_of_ranks_, request, answer));
      return answer;
    }
    if (!instance_.loaded()) return failure("prepare came before load");
    TRY(pin_calling_thread(request.threads.compute_cores));
    // Threads have the word of the one that starts them.
    if (request.problem.flushes_denormals) processor::set_control_word(processor::kFlushingControlWord);
    const int inherited = membership_ != nullptr ? membership_->state() : request.state.fd;
    SharedMemory memory = TRY(adopt(inherited, request.state.bytes, SharedMemory::Access::read_write));
    const gdbench_ranks* const ranks = membership_ != nullptr ? &membership_->interface() : nullptr;
    TRY(instance_.prepare(request.problem, request.options, request.threads, std::move(memory), ranks));
    if (membership_ == nullptr) protocol::refuse_new_processes();
    protocol::PrepareAnswer answer{.helper_threads = instance_.helper_threads(),
                                   .allocations = instance_.preparation(),
                                   .runtime = instance_.runtime()};
    if (const std::optional<Instance::Import> imported = TRY(instance_.imported())) {
      answer.import_ns = imported->ns;
      answer.imported_resident_bytes = imported->resident_bytes;
    }
    return answer;
  }

  Result<protocol::Done> answer_to(const protocol::SetStateRequest& request) {
    if (!instance_.prepared()) return not_prepared();
    TRY(outside_.count([&] { return instance_.set_state(request.image, request.step); }));
    return protocol::Done{};
  }

  Result<protocol::StateAnswer> answer_to(const protocol::GetStateRequest& request) {
    if (!instance_.prepared()) return not_prepared();
    const std::int64_t step = TRY(outside_.count([&] { return instance_.get_state(request.image); }));
    return protocol::StateAnswer{step, outside_.total()};
  }

  Result<protocol::RunAnswer> answer_to(const protocol::RunRequest& request) {
    if (!instance_.prepared()) return not_prepared();
    const std::uint64_t added_iterations = request.added_iterations.value_or(0);
    Status status;
    std::optional<std::vector<double>> step_ns;
    if (request.each_step.value_or(false)) step_ns.emplace(request.steps);
    std::optional<protocol::AllocationTotals> allocated;
    const auto steps_and_added_work = [&] {
      const std::optional<protocol::AllocationTotals> before = allocation_totals();
      if (step_ns) {
        status = time_each_step(*step_ns);
      } else if (request.steps > 0) {
        status = instance_.run(request.steps);
      }
      if (added_iterations > 0) add_work(added_iterations);
      if (before) allocated = *allocation_totals() - *before;
    };
    // Ranks begin together; until then those that were asked earlier wait outside the clock.
    if (membership_ != nullptr) TRY(membership_->barrier());
    const double exchanged_before_ns = membership_ != nullptr ? membership_->exchange_ns() : 0;
    const BlockTime time = outside_.leave_out([&] { return time_block(steps_and_added_work); });
    TRY(status);
    std::optional<double> exchange_ns;
    if (membership_ != nullptr) exchange_ns = membership_->exchange_ns() - exchanged_before_ns;
    std::optional<double> device_ns;
    if (request.steps > 0) device_ns = TRY(outside_.count([&] { return instance_.device_ns(); }));
    return protocol::RunAnswer{.start_ns = time.start_ns,
                               .end_ns = time.end_ns,
                               .real_ns = time.real_ns,
                               .cpu_ns = time.cpu_ns,
                               .control_word = processor::control_word(),
                               .allocations = allocated,
                               .device_ns = device_ns,
                               .device_bytes = outside_.count([&] { return instance_.device_bytes(); }),
                               .exchange_ns = exchange_ns,
                               .step_ns = std::move(step_ns)};
  }

  Status time_each_step(std::vector<double>& step_ns) {
    std::int64_t before_ns = monotonic_ns();
    for (double& time_ns : step_ns) {
      TRY(instance_.run(1));
      const std::int64_t now_ns = monotonic_ns();
      time_ns = static_cast<double>(now_ns - std::exchange(before_ns, now_ns));
    }
    return {};
  }

  // A plugin's process is as any program's from the start.
  Result<protocol::Done> answer_to(const protocol::SettleRequest& /*request*/) const { return protocol::Done{}; }

  Result<protocol::EvaluateAnswer> answer_to(const protocol::EvaluateRequest& request) {
    if (!instance_.prepared()) return not_prepared();
    const std::int64_t start_ns = monotonic_ns();
    const Result<double> loss = outside_.count([&] { return instance_.evaluate(static_cast<int>(request.split)); });
    const std::int64_t end_ns = monotonic_ns();
    if (!loss.ok()) return loss.error();
    return protocol::EvaluateAnswer{loss.value(), static_cast<double>(end_ns - start_ns)};
  }

  Result<protocol::ProfileAnswer> answer_to(const protocol::ProfileRequest& request) {
    if (!instance_.prepared()) return not_prepared();
    Result<ProfileRecords> said = ProfileRecords();
    const BlockTime time = time_block([&] { said = instance_.profile(request.steps); });
    if (!said.ok()) return said.error();
    std::vector<protocol::OpTotals> records = TRY(said->totals(instance_.problem()));
    return protocol::ProfileAnswer{.real_ns = time.real_ns - said->left_out_ns(), .records = std::move(records)};
  }

  static Result<protocol::SupportsAnswer> answer_to(const protocol::SupportsRequest& /*request*/) {
    return protocol::SupportsAnswer();  // what a plugin declares is all that it says before prepare
  }
  static Result<protocol::ProfileOpsAnswer> answer_to(const protocol::ProfileOpsRequest& /*request*/) {
    return unsupported("no profiler of a plugin's framework is read");
  }

  Result<protocol::Done> answer_to(const protocol::ByeRequest& /*request*/) const {
    if (membership_ != nullptr) TRY(membership_->leave());
    return protocol::Done{};
  }

  static Error not_prepared() { return failure("the request came before prepare"); }

  // Each descriptor is mapped once; the mapping outlives the descriptor that a second request would reuse.
  static Result<SharedMemory> adopt(int inherited, std::size_t bytes, SharedMemory::Access access) {
    const int descriptor = dup(inherited);
    if (descriptor < 0) return failure("the shared memory's descriptor is not open");
    return SharedMemory::adopt(descriptor, bytes, access);
  }

  RankProgram program_;
  std::string build_;
  ranks::Membership* membership_;
  std::optional<protocol::LoadRequest> load_of_ranks_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<PluginLibrary> library_;
  Instance instance_;
  OutsideClock outside_;
};

OrderedJson respond(Server& server, const Json& request) {
  const Result<OrderedJson> answer = [&]() -> Result<OrderedJson> {
    try {
      return server.answer(request);
    } catch (const Json::exception& exception) {
      return failure(std::string("malformed request: ") + exception.what());
    }
  }();
  protocol::Outcome outcome{.ok = answer.ok()};
  if (!answer.ok()) outcome.error = {kind_name(answer.error().kind), answer.error().message};
  OrderedJson response = {{"id", request.contains("id") ? request.at("id") : Json(0)}};
  response.update(RecordWriter::encode(outcome));
  if (answer.ok()) response.update(answer.value());
  return response;
}

int answer_requests(Server& server, protocol::Channel& channel) {
  for (;;) {
    const Result<Json> request = channel.receive(std::chrono::milliseconds(0), nullptr);
    if (!request.ok()) return 1;
    if (!channel.send(respond(server, request.value())).ok()) return 1;
    if (request->value("request", "") == "bye") return 0;
  }
}

}  // namespace

int serve(RankProgram program, const std::string& build) {
  protocol::Channel channel(protocol::kRequestDescriptor, protocol::kResponseDescriptor);
  Server server(std::move(program), build, nullptr);
  return answer_requests(server, channel);
}

int serve_rank(const std::string& plugin_file, const std::string& socket_name) {
  ranks::Membership membership;
  if (Status status = membership.join(socket_name); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  Server server({plugin_file, {}, {}}, "", &membership);
  return answer_requests(server, membership.channel());
}

}  // namespace gdbench::worker
