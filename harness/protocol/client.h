// The coordinator's side of one worker: starts the process and speaks the protocol. Every call either answers or says
// how the worker failed; none blocks longer than its limit, whatever the worker does.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"
#include "harness/data/dataset.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/process.h"
#include "harness/protocol/protocol.h"

namespace gdbench::protocol {

struct Limits {
  std::chrono::milliseconds request{60'000};          // for one answer
  std::int64_t memory_bytes = std::int64_t{4} << 30;  // of a worker's own resident memory
  std::function<bool()> cancelled;                    // asked while waiting; true ends the wait
  std::vector<int> processors;  // that a worker may use, whatever the coordinator keeps to; empty: the same as it
};

struct BlockRequest {
  std::uint64_t steps = 0;
  std::uint64_t warm_up = 0;
  std::size_t start_image = 0;  // state set, outside the clock, before the warm-up and before the steps
  std::int64_t start_step = 0;
  std::size_t end_image = 1;           // where the state after the block is put
  std::uint64_t added_iterations = 0;  // of work that a calibration adds to the block; see added_work.h
};

struct BlockAnswer : RunAnswer {
  std::int64_t sent_ns = 0;  // ours, around the request that holds the block alone
  std::int64_t received_ns = 0;
  OutsideTime outside{};            // from the end of the block before this one to the end of this one
  bool host_tells_outside = false;  // whether that is the plugin's time alone; hosts before protocol 1.5 do not say
  std::int64_t end_step = 0;
};

class Client {
 public:
  Client() = default;
  Client(Client&&) = default;
  Client& operator=(Client&&) = default;

  // `data` and `state` are inherited by the process; either may be null for a worker that is only asked hello.
  // `preload`: see Process::start.
  static Result<Client> start(const std::vector<std::string>& argv, const SharedMemory* data, const SharedMemory* state,
                              const Limits& limits, const std::string& preload = "");

  Result<HelloAnswer> hello();
  Status load(const std::string& implementation, const data::Dataset& dataset);
  Status prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                 const ThreadSettings& threads, std::size_t state_bytes);
  Status set_state(std::size_t image, std::int64_t step);
  Result<std::int64_t> get_state(std::size_t image);
  // In requests of their own: the state, the warm-up, the state again, the steps, and where they end. A worker does not
  // know how long a block is before it is asked for it.
  Result<BlockAnswer> run(const BlockRequest& request);
  // Goes on from the state at hand, with no state set or read.
  Status run_on(std::uint64_t steps);
  // With the time of the whole request where the worker does not say what it took.
  Result<EvaluateAnswer> evaluate_timed();
  Result<double> evaluate();  // the loss alone
  Result<ProfileAnswer> profile(std::uint64_t steps);
  // Says bye and waits for the end; kills a worker that does not go. Error: it ended otherwise than with status 0.
  Status bye();

  const Process& process() const { return process_; }
  // Reads the worker's memory and returns the largest that was read so far: here, at the end of prepare, and whenever
  // an answer took its time.
  const MemoryUse& peak_memory();
  const PrepareAnswer& preparation() const { return preparation_; }

 private:
  template <class Request>
  Result<typename Request::Answer> ask(const Request& request);
  Result<Json> await(std::int64_t id);
  Result<BlockAnswer> run_steps(std::uint64_t steps, std::uint64_t added_iterations = 0);
  OutsideTime outside_total(const StateAnswer& answer) const;
  Error explain(const Error& error);
  Status watch();
  std::int64_t note_memory();

  Process process_;
  UniqueDescriptor request_end_;
  UniqueDescriptor response_end_;
  Channel channel_;
  Limits limits_;
  MemoryUse peak_memory_;
  PrepareAnswer preparation_;
  double claimed_cpu_ns_ = 0;     // by the answers to run
  std::int64_t requests_ns_ = 0;  // what all answers took
  double claimed_ns_ = 0;         // of it, by the answers to run
  OutsideTime outside_;           // by the end of the latest block
  std::int64_t next_id_ = 1;
};

}  // namespace gdbench::protocol
