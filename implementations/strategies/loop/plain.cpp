// Rows outside, features inside: for each row of the batch the forward pass, the derivative of its loss, and its part
// of the gradient, which is added up; then one update. No kernels, no library, no tricks.
#include "implementations/strategies/loop/plain.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "implementations/strategies/loop/layer.h"

namespace gdbench::loop {
namespace {

using catalogue::Loss;

template <class T>
class Loop final : public Trainer {
 public:
  Loop(const gdbench_data& data, const gdbench_problem& problem)
      : data_(data), problem_(problem), optimizer_(*problem.optimizer) {
    const bool regression = problem.layer_count == 1 && problem.layers[0].outputs == 1 &&
                            problem.layers[0].activation == GDBENCH_IDENTITY &&
                            (problem.loss == GDBENCH_MSE || problem.loss == GDBENCH_HALF_MSE);
    add_gradients_ = regression ? &Loop::linear_regression : &Loop::perceptron;
    constexpr decltype(descend_) kRules[] = {&Loop::sgd,     &Loop::momentum, &Loop::nesterov,
                                             &Loop::adagrad, &Loop::rmsprop,  &Loop::adam,
                                             &Loop::adam,    &Loop::lion,     &Loop::nadam};  // gdbench_optimizer_kind
    static_assert(std::size(kRules) == catalogue::kCount<catalogue::OptimizerKind>);
    descend_ = kRules[optimizer_.kind];
    std::int64_t size = 0;
    for (std::int64_t l = 0; l < problem.layer_count; ++l) {
      const gdbench_layer& layer = problem.layers[l];
      size += (layer.inputs + layer.has_bias) * layer.outputs;
    }
    parameters_.resize(size);
    gradient_.resize(size);
    if (optimizer_.kind != GDBENCH_SGD) slots_[0].resize(size);
    if (optimizer_.kind == GDBENCH_ADAM || optimizer_.kind == GDBENCH_ADAMW || optimizer_.kind == GDBENCH_NADAM) {
      slots_[1].resize(size);
    }
    if (problem.task == GDBENCH_TASK_UPDATE) {
      std::copy_n(static_cast<const T*>(data.x), size, gradient_.begin());
      return;
    }
    T* weights = parameters_.data();
    T* gradient = gradient_.data();
    for (std::int64_t l = 0; l < problem.layer_count; ++l) {
      const auto& [inputs, outputs, value, has_bias] = problem.layers[l];
      const Activation activation = catalogue::activation_of(problem.layers[l]);
      const std::int64_t bias = inputs * outputs;
      layers_.push_back({inputs, outputs, activation, weights, has_bias != 0 ? weights + bias : nullptr, gradient,
                         gradient + bias, std::vector<T>(catalogue::reads_input(activation) ? outputs : 0),
                         std::vector<T>(outputs), std::vector<T>(outputs)});
      weights += bias + has_bias * outputs;
      gradient += bias + has_bias * outputs;
    }
    whole_delta_.resize(layers_.back().outputs);
  }

  void set_state(const gdbench_state& state) override {
    for_each_tensor(state, [](T* own, T* given, std::int64_t size) { std::copy_n(given, size, own); });
    step_ = state.step;
    momentum_product_ = 1;
    for (std::int64_t t = 1; t <= step_; ++t) momentum_product_ *= momentum_of(t);
  }

  void get_state(gdbench_state& state) override {
    for_each_tensor(state, [](T* own, T* given, std::int64_t size) { std::copy_n(own, size, given); });
    state.step = step_;
  }

  void run(std::uint64_t steps) override {
    const bool update_alone = problem_.task == GDBENCH_TASK_UPDATE;
    for (std::uint64_t s = 0; s < steps; ++s) update_alone ? update(1) : train_step();
  }

  std::optional<double> evaluate(std::int32_t split) override {
    const std::int64_t rows = split == 0 ? data_.rows : data_.validation_rows;
    if (rows == 0 || layers_.empty()) return std::nullopt;
    const T* x = static_cast<const T*>(split == 0 ? data_.x : data_.validation_x);
    const T* y = static_cast<const T*>(split == 0 ? data_.y : data_.validation_y);
    const std::int32_t* labels = split == 0 ? data_.labels : data_.validation_labels;
    const std::vector<T>& output = layers_.back().output;
    double sum = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      forward_all(x + row * data_.features);
      if (problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) {
        const T shift = *std::max_element(output.begin(), output.end());
        double exponentials = 0;
        for (const T p : output) exponentials += std::exp(static_cast<double>(p - shift));
        sum += std::log(exponentials) - static_cast<double>(output[labels[row]] - shift);
      } else {
        for (std::size_t j = 0; j < output.size(); ++j) {
          const double target = static_cast<double>(y[row * data_.outputs + j]);
          sum += term(static_cast<double>(output[j]), target) / static_cast<double>(data_.outputs);
        }
      }
    }
    return sum / static_cast<double>(rows);
  }

 private:
  // Calls copy(own, given, size) for parameters and slots. Tensors come as w0 b0 w1 b1 ..., and so do they lie here.
  template <class Copy>
  void for_each_tensor(const gdbench_state& state, Copy copy) {
    const auto copy_all = [&](const gdbench_tensor* tensors, T* own) {
      for (std::int64_t t = 0; t < state.parameter_count; ++t) {
        const std::int64_t size = tensors[t].rows * tensors[t].columns;
        copy(own, static_cast<T*>(tensors[t].data), size);
        own += size;
      }
    };
    copy_all(state.parameters, parameters_.data());
    for (std::int64_t s = 0; s < state.slot_count; ++s) {
      copy_all(state.slots + s * state.parameter_count, slots_[s].data());
    }
  }

  // One update by the rows that the order names for this step. The gradient is added up row by row, so that the parts
  // of an accumulated batch (gdbench_problem.micro_batches) need nothing more.
  void train_step() {
    const std::int64_t steps_per_epoch = (data_.rows + problem_.batch_rows - 1) / problem_.batch_rows;
    const std::int64_t epoch = step_ / steps_per_epoch % data_.epochs;
    const std::int64_t first = step_ % steps_per_epoch * problem_.batch_rows;
    const std::int64_t last = std::min(first + problem_.batch_rows, data_.rows);
    const std::uint32_t* order = data_.order != nullptr ? data_.order + epoch * data_.rows : nullptr;

    std::fill(gradient_.begin(), gradient_.end(), T(0));
    (this->*add_gradients_)(order, first, last);
    // d mse / d P = 2 / (rows outputs) (P - Y), half of it for half_mse; d softmax cross-entropy / d P = 1 / rows
    // (...).
    const double factor = problem_.loss == GDBENCH_MSE ? 2 : 1;
    const std::int64_t outputs = problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY ? 1 : data_.outputs;
    update(static_cast<T>(factor / static_cast<double>((last - first) * outputs)));
  }

  void update(T scale) {
    const std::int64_t last_rate = optimizer_.learning_rate_count - 1;
    (this->*descend_)(scale, static_cast<T>(optimizer_.learning_rates[std::min(step_, last_rate)]));
    ++step_;
  }

  void linear_regression(const std::uint32_t* order, std::int64_t first, std::int64_t last) {
    const T* x = static_cast<const T*>(data_.x);
    const T* y = static_cast<const T*>(data_.y);
    const std::int64_t features = data_.features;
    const T* weights = parameters_.data();
    T* gradient = gradient_.data();
    const bool has_bias = problem_.layers[0].has_bias != 0;
    const T bias = has_bias ? weights[features] : 0;
    T bias_gradient = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = order != nullptr ? order[i] : i;
      T prediction = bias;
      for (std::int64_t f = 0; f < features; ++f) prediction += x[row * features + f] * weights[f];
      const T error = prediction - y[row];
      for (std::int64_t f = 0; f < features; ++f) gradient[f] += error * x[row * features + f];
      bias_gradient += error;
    }
    if (has_bias) gradient[features] = bias_gradient;
  }

  void perceptron(const std::uint32_t* order, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = order != nullptr ? order[i] : i;
      const T* x = static_cast<const T*>(data_.x) + row * data_.features;
      forward_all(x);
      set_output_delta(row);
      std::vector<T>& delta = layers_.back().delta;
      if (problem_.task == GDBENCH_TASK_TRAIN) {
        backward_all(x);
        continue;
      }
      // The task gradients: a sweep per output column, whose delta is 0 elsewhere.
      whole_delta_ = delta;
      for (std::size_t column = 0; column < delta.size(); ++column) {
        std::fill(delta.begin(), delta.end(), T(0));
        delta[column] = whole_delta_[column];
        backward_all(x);
      }
    }
  }

  void forward_all(const T* x) {
    for (Layer<T>& layer : layers_) {
      forward(layer, x);
      x = layer.output.data();
    }
  }

  // What an output adds to a loss that is a mean over them.
  double term(double output, double target) const {
    switch (catalogue::loss_of(problem_)) {
      case Loss::mse:
        return (output - target) * (output - target);
      case Loss::half_mse:
        return (output - target) * (output - target) / 2;
      case Loss::huber: {
        const double error = std::abs(output - target);
        const double delta = problem_.huber_delta;
        return error <= delta ? error * error / 2 : delta * (error - delta / 2);
      }
      case Loss::binary_cross_entropy:
        return std::max(output, 0.0) - output * target + std::log1p(std::exp(-std::abs(output)));
      case Loss::softmax_cross_entropy:
        break;
    }
    return 0;
  }

  // Without the factors that all rows share.
  void set_output_delta(std::int64_t row) {
    Layer<T>& layer = layers_.back();
    const std::vector<T>& output = layer.output;
    if (problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) {
      const T shift = *std::max_element(output.begin(), output.end());  // changes nothing, and exp does not overflow
      T sum = 0;
      for (std::int64_t j = 0; j < layer.outputs; ++j) sum += layer.delta[j] = std::exp(output[j] - shift);
      for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] /= sum;
      layer.delta[data_.labels[row]] -= 1;
      multiply_by_derivative(layer);
      return;
    }
    const T* y = static_cast<const T*>(data_.y) + row * layer.outputs;
    switch (catalogue::loss_of(problem_)) {
      case Loss::mse:
      case Loss::half_mse:
        for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] = output[j] - y[j];
        break;
      case Loss::huber: {
        const T delta = static_cast<T>(problem_.huber_delta);
        for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] = std::clamp(output[j] - y[j], -delta, delta);
        break;
      }
      case Loss::binary_cross_entropy:
        for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] = 1 / (1 + std::exp(-output[j])) - y[j];
        break;
      case Loss::softmax_cross_entropy:
        break;  // above
    }
    multiply_by_derivative(layer);
  }

  void backward_all(const T* x) {
    for (std::size_t l = layers_.size() - 1; l > 0; --l) {
      add_gradient(layers_[l], layers_[l - 1].output.data());
      backward(layers_[l], layers_[l - 1]);
    }
    add_gradient(layers_[0], x);
  }

  // The rules of torch.optim. Each update is by `scale` times the gradient.

  void sgd(T scale, T rate) {
    if (optimizer_.weight_decay != 0) return descend(scale, rate, [=](T g, std::size_t) { return rate * g; });
    const T step = rate * scale;
    for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i] -= step * gradient_[i];
  }

  void momentum(T scale, T rate) {
    const T momentum = static_cast<T>(optimizer_.momentum);
    T* velocity = slots_[0].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      velocity[i] = momentum * velocity[i] + g;
      return rate * velocity[i];
    });
  }

  void nesterov(T scale, T rate) {
    const T momentum = static_cast<T>(optimizer_.momentum);
    T* velocity = slots_[0].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      velocity[i] = momentum * velocity[i] + g;
      return rate * (g + momentum * velocity[i]);
    });
  }

  void adagrad(T scale, T rate) {
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    T* squares = slots_[0].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      squares[i] += g * g;
      return rate * g / (std::sqrt(squares[i]) + epsilon);
    });
  }

  void rmsprop(T scale, T rate) {
    const T rho = static_cast<T>(optimizer_.rho);
    const T rest = static_cast<T>(1 - optimizer_.rho);
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    T* squares = slots_[0].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      squares[i] = rho * squares[i] + rest * g * g;
      return rate * g / (std::sqrt(squares[i]) + epsilon);
    });
  }

  // Also AdamW, whose weight decay is another.
  void adam(T scale, T rate) {
    const T beta1 = static_cast<T>(optimizer_.beta1);
    const T beta2 = static_cast<T>(optimizer_.beta2);
    const T rest1 = static_cast<T>(1 - optimizer_.beta1);
    const T rest2 = static_cast<T>(1 - optimizer_.beta2);
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    const double t = static_cast<double>(step_ + 1);
    const T correction1 = static_cast<T>(1 - std::pow(optimizer_.beta1, t));
    const T correction2 = static_cast<T>(1 - std::pow(optimizer_.beta2, t));
    T* first = slots_[0].data();
    T* second = slots_[1].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      first[i] = beta1 * first[i] + rest1 * g;
      second[i] = beta2 * second[i] + rest2 * g * g;
      return rate * (first[i] / correction1) / (std::sqrt(second[i] / correction2) + epsilon);
    });
  }

  void lion(T scale, T rate) {
    const T beta1 = static_cast<T>(optimizer_.beta1);
    const T beta2 = static_cast<T>(optimizer_.beta2);
    const T rest1 = static_cast<T>(1 - optimizer_.beta1);
    const T rest2 = static_cast<T>(1 - optimizer_.beta2);
    T* momentum = slots_[0].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      const T direction = beta1 * momentum[i] + rest1 * g;
      momentum[i] = beta2 * momentum[i] + rest2 * g;
      return direction > 0 ? rate : direction < 0 ? -rate : direction;
    });
  }

  // NAdam's momentum of update t, counted from 1.
  double momentum_of(std::int64_t t) const {
    return optimizer_.beta1 * (1 - 0.5 * std::pow(0.96, static_cast<double>(t) * optimizer_.momentum_decay));
  }

  void nadam(T scale, T rate) {
    const T beta1 = static_cast<T>(optimizer_.beta1);
    const T beta2 = static_cast<T>(optimizer_.beta2);
    const T rest1 = static_cast<T>(1 - optimizer_.beta1);
    const T rest2 = static_cast<T>(1 - optimizer_.beta2);
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    const std::int64_t t = step_ + 1;
    const double now = momentum_of(t);
    const double next = momentum_of(t + 1);
    momentum_product_ *= now;
    const T of_moment = static_cast<T>(next / (1 - momentum_product_ * next));
    const T of_gradient = static_cast<T>((1 - now) / (1 - momentum_product_));
    const T correction2 = static_cast<T>(1 - std::pow(optimizer_.beta2, static_cast<double>(t)));
    T* first = slots_[0].data();
    T* second = slots_[1].data();
    descend(scale, rate, [=](T g, std::size_t i) {
      first[i] = beta1 * first[i] + rest1 * g;
      second[i] = beta2 * second[i] + rest2 * g * g;
      return rate * (of_moment * first[i] + of_gradient * g) / (std::sqrt(second[i] / correction2) + epsilon);
    });
  }

  // `descent` says by how much a parameter moves, by its gradient and its number. Weight decay is added to the gradient
  // or, decoupled, taken off the parameter.
  template <class Descent>
  void descend(T scale, T rate, Descent descent) {
    const bool decoupled =
        optimizer_.kind == GDBENCH_ADAMW || optimizer_.kind == GDBENCH_LION || optimizer_.decoupled_weight_decay != 0;
    const T decay = static_cast<T>(optimizer_.weight_decay);
    T* parameters = parameters_.data();
    const T* gradient = gradient_.data();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      T g = scale * gradient[i];
      if (decay != 0 && !decoupled) g += decay * parameters[i];
      if (decay != 0 && decoupled) parameters[i] -= rate * decay * parameters[i];
      parameters[i] -= descent(g, i);
    }
  }

  const gdbench_data& data_;
  const gdbench_problem& problem_;
  const gdbench_optimizer& optimizer_;
  void (Loop::*add_gradients_)(const std::uint32_t* order, std::int64_t first, std::int64_t last);
  void (Loop::*descend_)(T scale, T rate);
  std::int64_t step_ = 0;        // updates made so far
  double momentum_product_ = 1;  // NAdam's, up to step_
  std::vector<T> parameters_;    // w0 b0 w1 b1 ..., one after the other, as all that follow
  std::vector<T> gradient_;
  std::vector<T> slots_[2];
  std::vector<Layer<T>> layers_;  // none for the task update
  std::vector<T> whole_delta_;    // of the last layer, for the task gradients
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const gdbench_data& data, const gdbench_problem& problem) {
  if (problem.dtype == GDBENCH_F32) return std::make_unique<Loop<float>>(data, problem);
  return std::make_unique<Loop<double>>(data, problem);
}

const char* build() { return GDBENCH_KERNEL_BUILD; }

}  // namespace gdbench::loop
