// A worker in a process of its own: starts it and speaks the protocol. No call blocks longer than its limit, whatever
// the worker does.
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
  Status run_on(std::uint64_t steps) override;
  Result<EvaluateAnswer> evaluate() override;
  Result<ProfileAnswer> profile(std::uint64_t steps) override;
  Status bye() override;

  const Process& process() const override { return process_; }
  const MemoryUse& peak_memory() override;
  const PrepareAnswer& preparation() const override { return preparation_; }

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
