// One worker as the coordinator uses it: behind it is a process (process_client.h), or in a test a script.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/dataset.h"
#include "harness/protocol/process.h"
#include "harness/protocol/protocol.h"

namespace gdbench::protocol {

struct Limits {
  std::chrono::milliseconds request{60'000};                                  // for one answer
  std::chrono::milliseconds all_requests = std::chrono::milliseconds::max();  // for all of a worker's answers
  // To end after bye: a worker that has long to answer (a device's driver at work, a tool that checks each access) has
  // a part of it to close what is open.
  std::chrono::milliseconds goodbye() const { return std::max(std::chrono::milliseconds{2000}, request / 10); }
  std::int64_t memory_bytes = std::int64_t{4} << 30;  // of a worker's own resident memory
  std::function<bool()> cancelled;                    // asked while waiting; true ends the wait
  std::vector<int> processors;                        // that a worker may use; empty: the same as the coordinator
  Permissions permissions;                            // of a worker
};

struct BlockRequest {
  std::uint64_t steps = 0;
  std::uint64_t warm_up = 0;
  std::size_t warm_up_image = 0;  // state set, outside the clock, before the warm-up
  std::size_t start_image = 0;    // and before the steps
  std::int64_t start_step = 0;
  std::size_t end_image = 1;                  // where the state after the block is put
  std::uint64_t added_iterations = 0;         // of work that a calibration adds to the block; see block_timer.h
  std::function<Status()> before_steps = {};  // called while the worker waits with its start; an error ends the block
  bool each_step = false;                     // whether each step is timed; workers before protocol 1.15 do not
};

struct BlockAnswer : RunAnswer {
  std::int64_t sent_ns = 0;  // ours, around the request that holds the block alone
  std::int64_t received_ns = 0;
  OutsideTime outside{};            // from the end of the block before this one to the end of this one
  bool host_tells_outside = false;  // whether that is the plugin's time alone; hosts before protocol 1.5 do not say
  std::int64_t end_step = 0;
  // What follows is the coordinator's own knowledge, independent of the worker. Zeros where there is no process.
  double waiting_ns = 0;         // of the request, that worker and coordinator were ready and had no processor
  double request_cpu_ns = 0;     // CPU time of the worker's threads during the request
  std::int64_t sent_cpu_ns = 0;  // and since the worker began, until it was sent
  double children_cpu_ns = 0;    // of processes below the worker, since the block before
  double since_ns = 0;           // the time since the block before
  int children = 0;              // processes below the worker now
  double warm_up_ns = 0;         // what the worker says that its warm-up took
  double other_requests_ns = 0;  // all other requests since the block before, less what they waited and runs claim
  double other_cpu_ns = 0;       // CPU time of the worker's threads since the block before, outside requests to run
  OutsideTime idle{};            // since the block before, without a request
  // Of the worker's process during the request; nothing where they are unknown, or others below it do the work.
  std::optional<std::int64_t> page_faults{};
};

// Every call either answers or says how the worker failed.
class Client {
 public:
  virtual ~Client() = default;

  virtual Result<HelloAnswer> hello() = 0;
  virtual Result<SupportsAnswer> supports(const std::string& implementation, const scenario::Problem& problem) = 0;
  virtual Status load(const std::string& implementation, const data::Dataset& dataset) = 0;
  virtual Status prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                         const ThreadSettings& threads, std::size_t state_bytes) = 0;
  // Where the worker has something to change by it; what it does then belongs to no block.
  virtual Status settle() = 0;
  virtual Status set_state(std::size_t image, std::int64_t step) = 0;
  virtual Result<std::int64_t> get_state(std::size_t image) = 0;
  // The state, the warm-up, the state again, the steps and the end state are requests of their own: a worker does not
  // know how long a block is before it is asked for it.
  virtual Result<BlockAnswer> run(const BlockRequest& request) = 0;
  // Goes on from the state at hand, with no state set or read. Of the answer the request alone is known.
  virtual Result<BlockAnswer> run_on(std::uint64_t steps) = 0;
  // With the time of the whole request where the worker does not say what it took.
  virtual Result<EvaluateAnswer> evaluate() = 0;
  virtual Result<ProfileAnswer> profile(std::uint64_t steps) = 0;
  // By the profiler of the worker's framework, where it reads one.
  virtual Result<ProfileOpsAnswer> profile_ops(std::uint64_t steps) = 0;
  // Says bye and waits for the end; kills a worker that does not go. Error: it ended otherwise than with status 0.
  virtual Status bye() = 0;

  // Where there is none, one that was never started.
  virtual const Process& process() const = 0;
  // Reads the worker's memory and returns the largest that was read so far: here, at the end of prepare, and whenever
  // an answer took its time.
  virtual const MemoryUse& peak_memory() = 0;
  virtual const PrepareAnswer& preparation() const = 0;
};

// Starts a worker by its argv. `data` and `state` are the memory that it shares; either may be null for a worker that
// is only asked hello. `preload`: see Process::start.
using ClientFactory = std::function<Result<std::unique_ptr<Client>>(const std::vector<std::string>& argv,
                                                                    const SharedMemory* data, const SharedMemory* state,
                                                                    const Limits& limits, const std::string& preload)>;

}  // namespace gdbench::protocol
