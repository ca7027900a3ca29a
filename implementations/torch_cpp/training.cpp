// Trainings as the tutorials of libtorch teach them: nn::Sequential, a loss module, torch::optim. Mode by mode what
// implementations/frameworks/pytorch_adapter.py does in Python.
#include "implementations/torch_cpp/training.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/nn.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/abi/catalogue.h"
#include "implementations/common/failure.h"
#include "implementations/torch_cpp/batches.h"
#include "implementations/torch_cpp/model.h"
#include "implementations/torch_cpp/optimizers.h"
#include "implementations/torch_cpp/own_tensors.h"

namespace gdbench::torch_cpp {
namespace {

namespace nn = torch::nn;
using catalogue::Task;
using implementations::Failure;

// Time of profiled steps by phase.
class PhaseTimes {
 public:
  // Since the call before belongs to `phase`.
  void add(catalogue::Phase phase) {
    const Clock::time_point now = Clock::now();
    times_[phase] += std::chrono::duration<double, std::nano>(now - last_).count();
    last_ = now;
  }
  void report(std::uint64_t steps, const gdbench_profile_sink& sink) const {
    for (const auto& [phase, time_ns] : times_) {
      gdbench_profile_record record{};
      record.op = name_of(phase);
      record.phase = static_cast<std::int32_t>(phase);
      record.calls = steps;
      record.time_ns = time_ns;
      sink.record(sink.context, &record);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::map<catalogue::Phase, double> times_;
};

// A text of many lines as the report wants it.
std::string one_line(const std::string& text) {
  constexpr std::size_t kEnough = 600;
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line.substr(0, kEnough);
}

// What all tasks share: parameters with their slots, the number of the step, and its learning rate.
class Steps : public Training {
 public:
  Steps(Mode mode, const gdbench_problem& problem, const std::vector<Tensor>& parameters)
      : problem_(problem), update_(make_update(mode, *problem.optimizer, parameters)) {
    own_.emplace_back(parameters, task() != Task::update);
    for (const std::vector<Tensor>& slot : update_.slots) own_.emplace_back(slot, task() != Task::update);
  }

  void set_state(const gdbench_state& state) override {
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i].read(host(state, i));
    step_ = state.step;
    update_.start_at(step_);
  }

  void get_state(gdbench_state& state) override {
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i].write(host(state, i));
    state.step = step_;
  }

  void run(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i, ++step_) {
      follow_schedule();
      step();
    }
  }

  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override {
    PhaseTimes times;
    for (std::uint64_t i = 0; i < steps; ++i, ++step_) {
      follow_schedule();
      profile_step(times);
    }
    times.report(steps, sink);
  }

  const char* runtime() const override { return runtime_.c_str(); }

  double evaluate(std::int32_t /*split*/) override {
    throw Failure(GDBENCH_UNSUPPORTED, std::string("the task ") + name_of(task()) + " has no loss");
  }

 protected:
  virtual void step() = 0;
  virtual void profile_step(PhaseTimes& times) {
    step();
    times.add(task() == Task::update ? catalogue::Phase::update : catalogue::Phase::other);
  }

  Task task() const { return catalogue::task_of(problem_); }
  const gdbench_problem& problem() const { return problem_; }
  torch::optim::Optimizer& optimizer() { return *update_.optimizer; }

  std::int64_t step_ = 0;

 private:
  void follow_schedule() {
    const gdbench_optimizer& settings = *problem_.optimizer;
    if (settings.learning_rate_count == 1) return;
    update_.set_rate(settings.learning_rates[std::min(step_, settings.learning_rate_count - 1)]);
  }

  // The parameters, then slot after slot.
  static const gdbench_tensor* host(const gdbench_state& state, std::size_t i) {
    return i == 0 ? state.parameters : state.slots + (i - 1) * static_cast<std::size_t>(state.parameter_count);
  }

  const gdbench_problem& problem_;
  Update update_;
  std::vector<OwnTensors> own_;  // the parameters, then slot after slot
  const std::string runtime_ = one_line(at::show_config());
};

// The optimizer alone, by gradients that are given.
class UpdateSteps final : public Steps {
 public:
  UpdateSteps(Mode mode, const gdbench_data& data, const gdbench_problem& problem)
      : Steps(mode, problem, tensors(data, problem)) {}

 private:
  static std::vector<Tensor> tensors(const gdbench_data& data, const gdbench_problem& problem) {
    const Tensor given = view(data.x, {data.features}, element_type(problem)).clone();
    std::vector<Tensor> parameters;
    std::int64_t first = 0;
    for (std::int64_t l = 0; l < problem.layer_count; ++l) {
      const std::int64_t rows = problem.layers[l].inputs;
      const std::int64_t columns = problem.layers[l].outputs;
      parameters.push_back(torch::zeros({rows, columns}, torch::dtype(element_type(problem)).requires_grad(true)));
      parameters.back().mutable_grad() = given.slice(0, first, first + rows * columns).view({rows, columns});
      first += rows * columns;
    }
    return parameters;
  }
  void step() override { optimizer().step(); }
};

// The least that autograd does. The model is there for its state.
class FloorSteps final : public Steps {
 public:
  FloorSteps(Mode mode, const gdbench_problem& problem) : Steps(mode, problem, make_model(problem)->parameters()) {}

 private:
  void step() override {
    (weight_ * tiny_).backward();
    weight_.mutable_grad().reset();
  }
  Tensor tiny_ = torch::ones(1);
  Tensor weight_ = torch::ones(1, torch::requires_grad());
};

class TrainingSteps final : public Steps {
 public:
  TrainingSteps(Mode mode, const gdbench_data& data, const gdbench_problem& problem, nn::Sequential model)
      : Steps(mode, problem, model->parameters()),
        model_(std::move(model)),
        loss_(make_loss(problem)),
        batches_(data, problem) {}

  double evaluate(std::int32_t split) override {
    if (split != 0) throw Failure(GDBENCH_UNSUPPORTED, "only the training split");
    const torch::NoGradGuard no_grad;
    const Batch all = batches_.all();
    return loss_(model_->forward(all.x), all.y).item<double>();
  }

 private:
  void step() override {
    const Batch& batch = batches_.of(step_);
    if (problem().micro_batches > 1) {
      step_in_parts(batch);
      return;
    }
    const Tensor recorded = forward(batch);
    backward(recorded, batch);
    optimizer().step();
  }

  void profile_step(PhaseTimes& times) override {
    if (problem().micro_batches > 1) {
      Steps::profile_step(times);
      return;
    }
    const Batch& batch = batches_.of(step_);
    times.add(catalogue::Phase::data);
    const Tensor recorded = forward(batch);
    times.add(catalogue::Phase::forward);
    backward(recorded, batch);
    times.add(catalogue::Phase::backward);
    optimizer().step();
    times.add(catalogue::Phase::update);
  }

  // The loss; the outputs for the task gradients.
  Tensor forward(const Batch& batch) {
    optimizer().zero_grad();
    Tensor outputs = model_->forward(batch.x);
    return task() == Task::gradients ? outputs : loss_(outputs, batch.y);
  }

  // For the task gradients, a gradient per output column from one recording; grad adds them up.
  void backward(const Tensor& recorded, const Batch& batch) {
    if (task() != Task::gradients) {
      recorded.backward();
      return;
    }
    for (const Tensor& mask : torch::eye(recorded.size(1), recorded.options()).unbind()) {
      loss_(recorded * mask, batch.y * mask).backward({}, true);
    }
  }

  void step_in_parts(const Batch& batch) {
    optimizer().zero_grad();
    const std::vector<Tensor> x = batch.x.tensor_split(problem().micro_batches);
    const std::vector<Tensor> y = batch.y.tensor_split(problem().micro_batches);
    for (std::size_t part = 0; part < x.size() && x[part].size(0) > 0; ++part) {
      const double share = static_cast<double>(x[part].size(0)) / static_cast<double>(batch.x.size(0));
      (loss_(model_->forward(x[part]), y[part]) * share).backward();
    }
    optimizer().step();
  }

  nn::Sequential model_;
  LossFunction loss_;
  Batches batches_;
};

}  // namespace
}  // namespace gdbench::torch_cpp

extern "C" GDBENCH_EXPORT gdbench::torch_cpp::Training* gdbench_make_torch_training(gdbench::torch_cpp::Mode mode,
                                                                                    const gdbench_data& data,
                                                                                    const gdbench_problem& problem,
                                                                                    int compute_threads) {
  using namespace gdbench::torch_cpp;
  // It has read the number from the environment. Setting it also makes threads for XNNPACK, which nothing here uses.
  if (at::get_num_threads() != compute_threads) at::set_num_threads(compute_threads);
  at::set_num_interop_threads(1);
  switch (gdbench::catalogue::task_of(problem)) {
    case Task::update:
      return new UpdateSteps(mode, data, problem);
    case Task::floor:
      return new FloorSteps(mode, problem);
    case Task::train:
    case Task::gradients:
    case Task::forward:  // which it does not offer
      break;
  }
  return new TrainingSteps(mode, data, problem, make_model(problem));
}
