#include "harness/worker/relay.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/protocol/message_fields.h"
#include "harness/ranks/sockets.h"

namespace gdbench::worker {

namespace {

constexpr const char* kLibraryOption = "mpi";

std::string own_program() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).string();
}

// Takes an option that is this host's out of the plugin's.
std::string take_option(std::map<std::string, std::string>& options, const char* key) {
  const auto node = options.extract(key);
  return node.empty() ? std::string() : node.mapped();
}

// The processors of one of `count` ranks. Where there are fewer than its threads, ranks share them.
protocol::ThreadSettings threads_of(const protocol::ThreadSettings& all, int rank) {
  protocol::ThreadSettings own = all;
  own.compute_cores.clear();
  for (int thread = 0; thread < all.compute && !all.compute_cores.empty(); ++thread) {
    const auto place = static_cast<std::size_t>(rank * all.compute + thread) % all.compute_cores.size();
    own.compute_cores.push_back(all.compute_cores[place]);
  }
  return own;
}

template <class Request>
OrderedJson message_of(const Request& request) {
  OrderedJson message = {{"request", Request::kName}, {"id", 0}};
  message.update(RecordWriter::encode(request));
  return message;
}

Result<std::unique_ptr<ranks::RankGroup>> start_group(const RankProgram& program, int count,
                                                      protocol::PrepareRequest& prepare, int data,
                                                      const SharedMemory& state) {
  if (!program.adapter.empty()) return ranks::RankGroup::start_adapters(program.adapter, count, data, state);
  const std::string wanted = take_option(prepare.options, kLibraryOption);
  const auto library = std::ranges::find(program.libraries, wanted, &ranks::Library::name);
  if (library == program.libraries.end()) return unsupported(cat("not installed: ", wanted));
  return ranks::RankGroup::start(*library, count, {own_program(), "rank", "--plugin", program.plugin_file}, data,
                                 state);
}

}  // namespace

void declare_ranks(const std::vector<ranks::Library>& libraries, protocol::HelloAnswer& answer) {
  protocol::OptionDeclaration library{.key = kLibraryOption,
                                      .type = protocol::OptionType::choice,
                                      .default_value = libraries.empty() ? "openmpi" : libraries.front().name,
                                      .choices = {"openmpi", "mpich"},
                                      .description = "the library by which ranks add up their gradients"};
  for (protocol::ImplementationDescription& implementation : answer.implementations) {
    if (!implementation.has_capability(name_of(catalogue::Capability::ranks))) continue;
    implementation.options.push_back(protocol::rank_count_option());
    implementation.options.push_back(library);
    if (libraries.empty() && implementation.unavailable.empty()) {
      implementation.unavailable = "not installed: Debian's libopenmpi-dev and openmpi-bin, or libmpich-dev and mpich";
    }
  }
}

template <class Request>
Result<std::vector<typename Request::Answer>> Relay::ask(const std::vector<Request>& requests) {
  std::vector<OrderedJson> messages;
  for (const Request& request : requests) messages.push_back(message_of(request));
  std::vector<typename Request::Answer> answers;
  for (const Json& answer : TRY(group_->ask(messages))) {
    answers.push_back(TRY(protocol::message_from<typename Request::Answer>(answer, Request::kName)));
  }
  return answers;
}

template <class Request>
Result<std::vector<typename Request::Answer>> Relay::ask_all(const Request& request) {
  return ask(std::vector<Request>(static_cast<std::size_t>(group_->count()), request));
}

Result<std::unique_ptr<Relay>> Relay::start(const RankProgram& program, const protocol::LoadRequest& load,
                                            protocol::PrepareRequest prepare, protocol::PrepareAnswer& answer) {
  const std::string count_text = take_option(prepare.options, catalogue::kRanksOption);
  const int count = number_of<int>(count_text).value_or(0);
  if (count < 1) return failure(cat("prepare: /options/", catalogue::kRanksOption, ": found ", in_quotes(count_text)));

  auto relay = std::make_unique<Relay>();
  relay->layout_ = protocol::state_layout(prepare.problem);
  relay->element_bytes_ = scenario::size_of(prepare.problem.dtype);
  relay->state_ =
      TRY(SharedMemory::adopt(dup(prepare.state.fd), prepare.state.bytes, SharedMemory::Access::read_write));
  relay->group_ = TRY(start_group(program, count, prepare, load.memory.fd, relay->state_));
  const std::vector<protocol::HelloAnswer> known = TRY(relay->ask_all(protocol::HelloRequest{}));
  for (const protocol::ImplementationDescription& each : known.front().implementations) {
    if (each.id != load.implementation || !program.adapter.empty()) continue;
    relay->declared_threads_ = prepare.threads.compute + each.helper_threads;
  }
  TRY(relay->ask_all(load));
  std::vector<protocol::PrepareRequest> prepares(static_cast<std::size_t>(count), prepare);
  std::vector<std::string> addresses;
  if (!program.adapter.empty()) addresses = TRY(ranks::free_addresses(prepares.size()));
  for (int rank = 0; rank < count; ++rank) {
    protocol::PrepareRequest& own = prepares[static_cast<std::size_t>(rank)];
    own.threads = threads_of(prepare.threads, rank);
    if (!addresses.empty()) own.ranks = {rank, addresses};
  }
  answer = TRY(relay->ask(prepares)).front();
  if (!answer.runtime) answer.runtime.emplace();
  const std::string& version = relay->group_->library_version();
  (*answer.runtime)["ranks"] = cat(count, version.empty() ? "" : " by ", version);
  return relay;
}

std::byte* Relay::image_of(int rank, std::uint64_t image) {
  SharedMemory& memory = rank == 0 ? state_ : group_->state_of(rank);
  return memory.data() + image * layout_.image_bytes;
}

Result<protocol::Done> Relay::answer_to(const protocol::SettleRequest& request) {
  TRY(ask_all(request));
  return protocol::Done{};
}

Result<protocol::Done> Relay::answer_to(const protocol::SetStateRequest& request) {
  for (int rank = 1; rank < group_->count(); ++rank) {
    std::memcpy(image_of(rank, request.image), image_of(0, request.image), layout_.image_bytes);
  }
  TRY(ask_all(request));
  return protocol::Done{};
}

Result<protocol::StateAnswer> Relay::answer_to(const protocol::GetStateRequest& request) {
  const std::vector<protocol::StateAnswer> answers = TRY(ask_all(request));
  protocol::StateAnswer combined = answers.front();
  for (int rank = 1; rank < group_->count(); ++rank) {
    const protocol::StateAnswer& own = answers[static_cast<std::size_t>(rank)];
    if (own.step != combined.step) {
      return Error{ErrorKind::untrusted, cat("rank ", rank, " made ", own.step, " steps, rank 0 made ", combined.step)};
    }
    for (std::size_t tensor = 0; tensor < layout_.parameters.size(); ++tensor) {
      const protocol::StateLayout::Entry& place = layout_.parameters[tensor];
      const std::size_t bytes = static_cast<std::size_t>(place.size()) * element_bytes_;
      if (std::memcmp(image_of(rank, request.image) + place.offset, image_of(0, request.image) + place.offset, bytes) !=
          0) {
        return Error{ErrorKind::untrusted,
                     cat("rank ", rank, " ended with other parameters than rank 0, in tensor ", tensor)};
      }
    }
    if (!own.outside || !combined.outside) continue;
    combined.outside->cpu_ns += own.outside->cpu_ns;
    combined.outside->real_ns = std::max(combined.outside->real_ns, own.outside->real_ns);
  }
  return combined;
}

Result<protocol::RunAnswer> Relay::answer_to(const protocol::RunRequest& request) {
  const std::vector<protocol::RunAnswer> answers = TRY(ask_all(request));
  if (declared_threads_) TRY(group_->check_threads(*declared_threads_));
  protocol::RunAnswer combined = answers.front();
  combined.step_ns.reset();  // each rank has its own
  for (std::size_t rank = 1; rank < answers.size(); ++rank) {
    const protocol::RunAnswer& own = answers[rank];
    combined.start_ns = std::min(combined.start_ns, own.start_ns);
    combined.end_ns = std::max(combined.end_ns, own.end_ns);
    combined.real_ns = std::max(combined.real_ns, own.real_ns);
    combined.cpu_ns += own.cpu_ns;
    if (own.exchange_ns) combined.exchange_ns = combined.exchange_ns.value_or(0) + *own.exchange_ns;
    if (own.allocations && combined.allocations) {
      combined.allocations->calls += own.allocations->calls;
      combined.allocations->bytes += own.allocations->bytes;
    }
  }
  if (combined.exchange_ns) *combined.exchange_ns /= static_cast<double>(answers.size());
  return combined;
}

Result<protocol::EvaluateAnswer> Relay::answer_to(const protocol::EvaluateRequest& request) {
  const Json answer = TRY(group_->ask_first(message_of(request)));
  return protocol::message_from<protocol::EvaluateAnswer>(answer, protocol::EvaluateRequest::kName);
}

Result<protocol::ProfileAnswer> Relay::answer_to(const protocol::ProfileRequest& request) {
  return std::move(TRY(ask_all(request)).front());
}

Result<protocol::ProfileOpsAnswer> Relay::answer_to(const protocol::ProfileOpsRequest& request) {
  return std::move(TRY(ask_all(request)).front());
}

Result<protocol::Done> Relay::answer_to(const protocol::ByeRequest& request) {
  TRY(ask_all(request));
  TRY(group_->finish());
  return protocol::Done{};
}

}  // namespace gdbench::worker
