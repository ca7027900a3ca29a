#include "implementations/torch_cpp/optimizers.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

#include "harness/abi/catalogue.h"
#include "implementations/common/failure.h"

namespace gdbench::torch_cpp {
namespace {

namespace optim = torch::optim;
using catalogue::OptimizerKind;
using Tensors = std::vector<Tensor>;

// An optimizer of torch::optim whose step takes all parameters at once.
template <class Base, class Options>
class AtOnce : public Base {
 public:
  AtOnce(const Tensors& parameters, const Options& options, std::vector<Tensors> slots)
      : Base(parameters, options), slots_(std::move(slots)) {
    for (std::size_t i = 0; i < parameters.size(); ++i) steps_.push_back(torch::zeros({}));
  }

  void start_at(std::int64_t step) {
    for (Tensor& own : steps_) *own.data_ptr<float>() = static_cast<float>(step);
  }

  Tensor step(optim::Optimizer::LossClosure /*none*/ = nullptr) override {
    const torch::NoGradGuard no_grad;
    gradients_.clear();
    for (const Tensor& parameter : this->parameters()) gradients_.push_back(parameter.grad());
    update(static_cast<const Options&>(this->param_groups()[0].options()));
    return {};
  }

 protected:
  virtual void update(const Options& options) = 0;

  // They count in floats of one number each.
  const Tensors& counted_steps() {
    at::_foreach_add_(steps_, 1);
    return steps_;
  }

  std::vector<Tensors> slots_;
  Tensors gradients_;

 private:
  Tensors steps_;
};

class FusedSgd final : public AtOnce<optim::SGD, optim::SGDOptions> {
  using AtOnce::AtOnce;
  void update(const optim::SGDOptions& options) override {
    at::_fused_sgd_(parameters(), gradients_, slots_.empty() ? Tensors() : slots_[0], options.weight_decay(),
                    options.momentum(), options.lr(), 0, options.nesterov(), false, false);
  }
};

class FusedAdagrad final : public AtOnce<optim::Adagrad, optim::AdagradOptions> {
  using AtOnce::AtOnce;
  void update(const optim::AdagradOptions& options) override {
    at::_fused_adagrad_(parameters(), gradients_, slots_[0], counted_steps(), options.lr(), 0, options.weight_decay(),
                        options.eps(), false);
  }
};

class FusedAdam final : public AtOnce<optim::Adam, optim::AdamOptions> {
  using AtOnce::AtOnce;
  void update(const optim::AdamOptions& options) override {
    const auto [beta1, beta2] = options.betas();
    at::_fused_adam_(parameters(), gradients_, slots_[0], slots_[1], {}, counted_steps(), options.lr(), beta1, beta2,
                     options.weight_decay(), options.eps(), false, false);
  }
};

class FusedAdamW final : public AtOnce<optim::AdamW, optim::AdamWOptions> {
  using AtOnce::AtOnce;
  void update(const optim::AdamWOptions& options) override {
    const auto [beta1, beta2] = options.betas();
    at::_fused_adamw_(parameters(), gradients_, slots_[0], slots_[1], {}, counted_steps(), options.lr(), beta1, beta2,
                      options.weight_decay(), options.eps(), false, false);
  }
};

// It has no fused kernel.
class ForeachRmsprop final : public AtOnce<optim::RMSprop, optim::RMSpropOptions> {
  using AtOnce::AtOnce;
  void update(const optim::RMSpropOptions& options) override {
    counted_steps();
    if (options.weight_decay() != 0) {
      gradients_ = at::_foreach_add(gradients_, parameters(), options.weight_decay());
    }
    at::_foreach_mul_(slots_[0], options.alpha());
    at::_foreach_addcmul_(slots_[0], gradients_, gradients_, 1 - options.alpha());
    const Tensors roots = at::_foreach_sqrt(slots_[0]);
    at::_foreach_add_(roots, options.eps());
    at::_foreach_addcdiv_(parameters(), gradients_, roots, -options.lr());
  }
};

// The tensors of the state that torch::optim keeps of a parameter are the slots.
void keep(optim::SGDParamState& state, const Tensors& slots) { state.momentum_buffer(slots[0]); }
void keep(optim::AdagradParamState& state, const Tensors& slots) { state.sum(slots[0]); }
void keep(optim::RMSpropParamState& state, const Tensors& slots) { state.square_avg(slots[0]); }
template <class State>  // of Adam and AdamW
void keep(State& state, const Tensors& slots) {
  state.exp_avg(slots[0]).exp_avg_sq(slots[1]);
}

template <class State, class AllAtOnce, class Eager, class Options>
void fill(Update& update, Mode mode, const Tensors& parameters, const Options& options) {
  if (mode == Mode::fused) {
    auto optimizer = std::make_unique<AllAtOnce>(parameters, options, update.slots);
    update.start_at = [own = optimizer.get()](std::int64_t step) { own->start_at(step); };
    update.optimizer = std::move(optimizer);
    return;
  }
  update.optimizer = std::make_unique<Eager>(parameters, options);
  std::vector<State*> states;
  for (std::size_t i = 0; i < parameters.size() && !update.slots.empty(); ++i) {
    Tensors slots;
    for (const Tensors& slot : update.slots) slots.push_back(slot[i]);
    auto state = std::make_unique<State>();
    keep(*state, slots);
    states.push_back(state.get());
    update.optimizer->state()[parameters[i].unsafeGetTensorImpl()] = std::move(state);
  }
  update.start_at = [states](std::int64_t step) {
    // SGD counts none.
    if constexpr (requires(State & state) { state.step(step); }) {
      for (State* state : states) state->step(step);
    }
  };
}

}  // namespace

Update make_update(Mode mode, const gdbench_optimizer& settings, const Tensors& parameters) {
  const OptimizerKind kind = catalogue::kind_of(settings);
  const catalogue::OptimizerRow& row = row_of(kind);
  if (settings.weight_decay != 0 && settings.decoupled_weight_decay != 0 && !row.always_decoupled) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED,
                                   std::string("torch::optim has no decoupled weight decay for ") + row.name);
  }
  if ((kind == OptimizerKind::momentum || kind == OptimizerKind::nesterov) && settings.momentum == 0) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "torch::optim keeps no velocity for a momentum of 0");
  }
  Update update;
  for (std::size_t slot = 0; slot < row.slots; ++slot) {
    update.slots.emplace_back();
    for (const Tensor& parameter : parameters) update.slots.back().push_back(torch::zeros_like(parameter).detach());
  }
  const double rate = settings.learning_rates[0];
  const double decay = settings.weight_decay;
  const std::tuple<double, double> betas(settings.beta1, settings.beta2);
  switch (kind) {
    case OptimizerKind::sgd:
    case OptimizerKind::momentum:
    case OptimizerKind::nesterov: {
      optim::SGDOptions options(rate);
      options.weight_decay(decay).nesterov(kind == OptimizerKind::nesterov);
      options.momentum(kind == OptimizerKind::sgd ? 0 : settings.momentum);
      fill<optim::SGDParamState, FusedSgd, optim::SGD>(update, mode, parameters, options);
      break;
    }
    case OptimizerKind::adagrad: {
      const auto options = optim::AdagradOptions(rate).weight_decay(decay).eps(settings.epsilon);
      fill<optim::AdagradParamState, FusedAdagrad, optim::Adagrad>(update, mode, parameters, options);
      break;
    }
    case OptimizerKind::rmsprop: {
      const auto options = optim::RMSpropOptions(rate).weight_decay(decay).alpha(settings.rho).eps(settings.epsilon);
      fill<optim::RMSpropParamState, ForeachRmsprop, optim::RMSprop>(update, mode, parameters, options);
      break;
    }
    case OptimizerKind::adam: {
      const auto options = optim::AdamOptions(rate).weight_decay(decay).betas(betas).eps(settings.epsilon);
      fill<optim::AdamParamState, FusedAdam, optim::Adam>(update, mode, parameters, options);
      break;
    }
    case OptimizerKind::adamw: {
      const auto options = optim::AdamWOptions(rate).weight_decay(decay).betas(betas).eps(settings.epsilon);
      fill<optim::AdamWParamState, FusedAdamW, optim::AdamW>(update, mode, parameters, options);
      break;
    }
    default:  // none of kOptimizers
      throw implementations::Failure(GDBENCH_UNSUPPORTED, std::string("torch::optim has no ") + row.name);
  }
  return update;
}

}  // namespace gdbench::torch_cpp
