// A worker in a process of its own: starts it and speaks the protocol. No call blocks longer than its limit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/unique_descriptor.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/client.h"

namespace gdbench::protocol {

class ProcessClient : public Client {
 public:
  // A ClientFactory.
  static Result<std::unique_ptr<Client>> start(const std::vector<std::string>& argv, const SharedMemory* data,
                                               const SharedMemory* state, const Limits& limits,
                                               const std::string& preload = "");

  Result<HelloAnswer> hello() override;
  Status load(const std::string& implementation, const data::Dataset& dataset) override;
  Status prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                 const ThreadSettings& threads, std::size_t state_bytes) override;
  Status set_state(std::size_t image, std::int64_t step) override;
  Result<std::int64_t> get_state(std::size_t image) override;
  Result<BlockAnswer> run(const BlockRequest& request) override;
  Result<BlockAnswer> run_on(std::uint64_t steps) override;
  Status settle() override;
  Result<EvaluateAnswer> evaluate() override;
  Result<ProfileAnswer> profile(std::uint64_t steps) override;
  Result<SupportsAnswer> supports(const std::string& implementation, const scenario::Problem& problem) override;
  Result<ProfileOpsAnswer> profile_ops(std::uint64_t steps) override;
  Status bye() override;

  const Process& process() const override { return process_; }
  const MemoryUse& peak_memory() override;
  const PrepareAnswer& preparation() const override { return preparation_; }

 private:
  template <class Request>
  Result<typename Request::Answer> ask(const Request& request);
  Result<Json> await(std::int64_t id);
  Result<BlockAnswer> run_steps(const RunRequest& request);
  OutsideTime outside_total(const StateAnswer& answer) const;
  Error explain(const Error& error);
  Status watch();
  std::int64_t note_memory();

  Process process_;
  UniqueDescriptor request_end_;
  UniqueDescriptor response_end_;
  Channel channel_;
  Limits limits_;
  std::chrono::milliseconds patience_{};  // for the answer to the latest request
  MemoryUse peak_memory_;
  PrepareAnswer preparation_;
  // Sums over all requests, of which a block's answer has what came since the block before.
  struct Totals {
    double requests_ns = 0;     // until the answers
    double waiting_ns = 0;      // of it, that worker and coordinator were ready and had no processor
    double claimed_ns = 0;      // of it, by the answers to run
    double claimed_cpu_ns = 0;  // likewise
    double runs_cpu_ns = 0;     // CPU time of the worker during these requests, read from outside
    double children_cpu_ns = 0;
    std::int64_t cpu_ns = 0;  // of the worker, read from outside
    OutsideTime idle;
  };
  double waiting_ns() const;
  void note_idle_time();

  Totals totals_;
  Totals before_block_;               // at the end of the latest block
  OutsideTime outside_;               // likewise
  std::int64_t answered_ns_ = 0;      // when the latest answer came; 0: none did
  std::int64_t answered_cpu_ns_ = 0;  // the worker's CPU time then
  std::int64_t next_id_ = 1;
};

}  // namespace gdbench::protocol
