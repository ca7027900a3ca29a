#include "tests/support/measure/fake_worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/protocol/state_image.h"
#include "harness/verify/reference.h"

namespace gdbench::tests {

namespace {

using protocol::BlockAnswer;
using protocol::BlockRequest;

constexpr double kEmptyBlockNs = 500;
constexpr std::int64_t kRequestNs = 1000;  // from the request to the block, and from the block to the answer

class FakeClient : public protocol::Client {
 public:
  FakeClient(const std::string& id, std::shared_ptr<FakeWorker> worker, std::byte* images)
      : worker_(std::move(worker)), images_(images) {
    hello_.implementations.resize(1);
    hello_.implementations.front().id = id;
  }

  Status start_sleeping() {
    process_ = TRY(protocol::Process::start({"sleep", "60"}, {}, {}));
    return {};
  }

  Result<protocol::HelloAnswer> hello() override { return hello_; }

  Status load(const std::string& /*implementation*/, const data::Dataset& dataset) override {
    dataset_ = &dataset;
    return worker_->before("load");
  }

  Status prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& /*options*/,
                 const protocol::ThreadSettings& /*threads*/, std::size_t /*state_bytes*/) override {
    problem_ = problem;
    worker_->computes(problem_);
    layout_ = protocol::state_layout(problem);
    if (worker_->script_step_ns) preparation_.settles = true;
    return worker_->before("prepare");
  }

  Status settle() override {
    settled_ = true;
    return {};
  }

  Status set_state(std::size_t image, std::int64_t step) override {
    const std::byte* const source = images_ + image * layout_.image_bytes;
    state_ = verify::to_reference<double>(protocol::read_state(layout_, problem_.dtype, source, step));
    return {};
  }

  Result<std::int64_t> get_state(std::size_t image) override {
    std::byte* const target = images_ + image * layout_.image_bytes;
    protocol::write_state(verify::to_state(state_), layout_, problem_.dtype, target);
    return state_.step;
  }

  Result<BlockAnswer> run(const BlockRequest& request) override {
    worker_->max_added_iterations = std::max(worker_->max_added_iterations, request.added_iterations);
    worker_->warm_ups.push_back(request.warm_up);
    if (request.warm_up > 0) worker_->warm_up_images.emplace_back(request.warm_up_image, request.start_image);
    TRY(set_state(request.start_image, request.start_step));
    if (request.before_steps) TRY(request.before_steps());
    worker_->starts.push_back(state_.parameters.front());
    if (!state_.slots.empty()) worker_->starting_slots.push_back(state_.slots.front());
    TRY(run_on(request.steps));
    BlockAnswer answer;
    double step_ns = settled_ ? worker_->step_ns : worker_->script_step_ns.value_or(worker_->step_ns);
    if (request.before_steps) step_ns *= worker_->times_as_long_when_cold;
    if (request.each_step && worker_->cost_of_timing) {
      step_ns *= 1 + *worker_->cost_of_timing;
      answer.step_ns.emplace();
      for (std::uint64_t i = 0; i < request.steps; ++i) answer.step_ns->push_back((i % 2 == 0 ? 0.5 : 1.5) * step_ns);
    }
    answer.real_ns = answer.cpu_ns = kEmptyBlockNs + step_ns * static_cast<double>(request.steps);
    answer.sent_ns = now_ns_;
    if (process_.running()) answer.sent_cpu_ns = process_.cpu_ns();
    answer.start_ns = answer.sent_ns + kRequestNs;
    answer.end_ns = answer.start_ns + static_cast<std::int64_t>(std::ceil(answer.real_ns));
    now_ns_ = answer.received_ns = answer.end_ns + kRequestNs;
    answer.host_tells_outside = true;
    answer.warm_up_ns = worker_->step_ns * static_cast<double>(request.warm_up);
    if (worker_->device_share) {
      answer.device_ns = *worker_->device_share * answer.real_ns;
      answer.device_bytes = kDeviceBytes;
    }
    answer.end_step = TRY(get_state(request.end_image));
    worker_->says(answer);
    return answer;
  }

  Result<BlockAnswer> run_on(std::uint64_t steps) override {
    TRY(worker_->before("run"));
    const std::int64_t end = state_.step + static_cast<std::int64_t>(steps);
    verify::train(problem_, *dataset_, state_, static_cast<std::int64_t>(worker_->steps_made(steps)));
    state_.step = end;
    BlockAnswer answer;
    answer.real_ns = worker_->step_ns * static_cast<double>(steps);
    return answer;
  }

  Result<protocol::EvaluateAnswer> evaluate() override {
    TRY(worker_->before("evaluate"));
    const double loss = verify::evaluate(problem_, *dataset_, state_);
    return protocol::EvaluateAnswer{loss * worker_->stated_loss_factor, worker_->step_ns};
  }

  Result<protocol::ProfileAnswer> profile(std::uint64_t /*steps*/) override { return unsupported("no profile"); }
  Result<protocol::SupportsAnswer> supports(const std::string& /*implementation*/,
                                            const scenario::Problem& /*problem*/) override {
    return protocol::SupportsAnswer();
  }
  Result<protocol::ProfileOpsAnswer> profile_ops(std::uint64_t /*steps*/) override { return unsupported("no profile"); }
  Status bye() override { return worker_->before("bye"); }

  const protocol::Process& process() const override { return process_; }
  const protocol::MemoryUse& peak_memory() override { return peak_memory_; }
  const protocol::PrepareAnswer& preparation() const override { return preparation_; }

 private:
  std::shared_ptr<FakeWorker> worker_;
  std::byte* images_;
  protocol::HelloAnswer hello_;
  const data::Dataset* dataset_ = nullptr;
  scenario::Problem problem_;
  protocol::StateLayout layout_;
  verify::ReferenceState<double> state_;
  bool settled_ = false;
  std::int64_t now_ns_ = 0;
  protocol::Process process_;
  protocol::MemoryUse peak_memory_;
  protocol::PrepareAnswer preparation_;
};

}  // namespace

protocol::CatalogueEntry fake_entry(const std::string& id, const std::shared_ptr<FakeWorker>& worker) {
  protocol::CatalogueEntry entry;
  entry.implementation.id = id;
  entry.file = "fake.so";
  entry.start = [id, worker](const std::vector<std::string>& /*argv*/, const SharedMemory* /*data*/,
                             const SharedMemory* state, const protocol::Limits& /*limits*/,
                             const std::string& /*preload*/) -> Result<std::unique_ptr<protocol::Client>> {
    TRY(worker->before("start"));
    auto client = std::make_unique<FakeClient>(id, worker, state->data());
    if (worker->sleeps) TRY(client->start_sleeping());
    return std::unique_ptr<protocol::Client>(std::move(client));
  };
  return entry;
}

}  // namespace gdbench::tests
