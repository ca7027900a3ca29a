// Answers for several ranks: each request goes to all of them, and one answer is made out of theirs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/protocol/protocol.h"
#include "harness/protocol/state_image.h"
#include "harness/ranks/library.h"
#include "harness/ranks/rank_group.h"

namespace gdbench::worker {

// Adds the options that every implementation of a plugin with ranks has, which are this host's and unknown to the
// plugin, to what such implementations of `answer` declare, and says so where no library is here.
void declare_ranks(const std::vector<ranks::Library>& libraries, protocol::HelloAnswer& answer);

// What the processes of ranks are: workers of a plugin, started by one of the libraries, or adapters.
struct RankProgram {
  std::string plugin_file;
  std::vector<ranks::Library> libraries;
  std::vector<std::string> adapter;  // the command; empty for a plugin
};

class Relay {
 public:
  // Starts as many ranks as the options of `prepare` ask for and lets them load and prepare. `answer` becomes theirs.
  // Errors as RankGroup has them.
  static Result<std::unique_ptr<Relay>> start(const RankProgram& program, const protocol::LoadRequest& load,
                                              protocol::PrepareRequest prepare, protocol::PrepareAnswer& answer);

  Result<protocol::Done> answer_to(const protocol::SettleRequest& request);
  Result<protocol::Done> answer_to(const protocol::SetStateRequest& request);
  // The first rank's state; an error that names a rank whose bits differ from it.
  Result<protocol::StateAnswer> answer_to(const protocol::GetStateRequest& request);
  // From the first rank's start to the last one's end, with the CPU time of all; an error where one of a plugin has
  // more threads than it declared.
  Result<protocol::RunAnswer> answer_to(const protocol::RunRequest& request);
  // Asks the first rank.
  Result<protocol::EvaluateAnswer> answer_to(const protocol::EvaluateRequest& request);
  // Asks all; the first one's answer counts.
  Result<protocol::ProfileAnswer> answer_to(const protocol::ProfileRequest& request);
  Result<protocol::ProfileOpsAnswer> answer_to(const protocol::ProfileOpsRequest& request);
  Result<protocol::Done> answer_to(const protocol::ByeRequest& request);

 private:
  template <class Request>
  Result<std::vector<typename Request::Answer>> ask(const std::vector<Request>& requests);
  template <class Request>
  Result<std::vector<typename Request::Answer>> ask_all(const Request& request);
  std::byte* image_of(int rank, std::uint64_t image);

  std::unique_ptr<ranks::RankGroup> group_;
  SharedMemory state_;
  protocol::StateLayout layout_;
  std::size_t element_bytes_ = 0;
  std::optional<int> declared_threads_;  // of each rank of a plugin; an adapter's pools are its own business
};

}  // namespace gdbench::worker
