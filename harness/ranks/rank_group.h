// The ranks of one cell as their worker sees them: processes that a launcher of MPI started, or adapters that it
// started itself, each at the other end of a socket. The worker asks them all and answers for them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/shared_memory.h"
#include "harness/base/unique_descriptor.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/process.h"
#include "harness/ranks/library.h"

namespace gdbench::ranks {

class RankGroup {
 public:
  // Starts `count` ranks: processes of `command` and the name of a socket, which serve_rank answers. The first one gets
  // the descriptors of data and state, the others those of data and of memory like that of the state, all zeros.
  static Result<std::unique_ptr<RankGroup>> start(const Library& library, int count, std::vector<std::string> command,
                                                  int data, const SharedMemory& state);
  // The same of an adapter, whose processes are ordinary workers (harness/protocol/PROTOCOL.md) and connect directly.
  static Result<std::unique_ptr<RankGroup>> start_adapters(const std::vector<std::string>& command, int count, int data,
                                                           const SharedMemory& state);

  int count() const { return static_cast<int>(members_.size()); }
  // What the library says of itself; empty for adapters.
  const std::string& library_version() const { return version_; }
  // State memory of a rank but the first.
  SharedMemory& state_of(int rank) { return *members_[static_cast<std::size_t>(rank)].state; }

  // Asks each rank its message and waits for all answers, which come in order of ranks. Errors name the rank: its
  // refusal, which the others' are given a second to follow; its end, with the signal; nothing can be asked afterwards.
  // A rank that keeps the others waiting is named on stderr.
  Result<std::vector<Json>> ask(const std::vector<OrderedJson>& messages);
  // The same of the first rank alone.
  Result<Json> ask_first(const OrderedJson& message);

  // Untrusted where a rank of a plugin has more threads than `declared`, without those of the library.
  Status check_threads(int declared) const;

  // Waits for the end of ranks that were asked to end.
  Status finish();

 private:
  struct Member {
    UniqueDescriptor connection;
    protocol::Channel channel;
    pid_t process = -1;
    int joining_threads = 0;            // the library's and this program's, before a plugin is loaded
    std::optional<SharedMemory> state;  // of all but the first
    protocol::Process adapter;          // whose end is known without a launcher

    void connect(UniqueDescriptor by);
  };

  Status gather(int count, std::vector<std::string> command, const Library& library);
  Status introduce(const Library& library);
  Status share(int data, const SharedMemory& state);
  Status send(std::size_t rank, const OrderedJson& message);
  Result<std::vector<Json>> collect(std::size_t count);
  Error ended(std::size_t rank);
  std::string end_of_launcher();
  void name_who_is_late(const std::vector<std::optional<Json>>& answers) const;

  std::string launcher_name_;
  ScratchFolder scratch_;  // outlives those who use it
  protocol::Process launcher_;
  std::vector<Member> members_;
  std::string version_;
  std::optional<SharedMemory> progress_;
};

}  // namespace gdbench::ranks
