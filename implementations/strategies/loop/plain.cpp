// Rows outside, features inside: for each row of the batch the forward pass, the derivative of its loss, and its part
// of the gradient, which is added up; then one update. No kernels, no library, no tricks.
#include "implementations/strategies/loop/plain.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "implementations/common/mixed_precision/loss_scaling.h"
#include "implementations/strategies/loop/muon.h"
#include "implementations/strategies/loop/rows.h"

namespace gdbench::loop {
namespace {

std::int64_t parameter_count(const gdbench_problem& problem) {
  std::int64_t count = 0;
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    const gdbench_layer& layer = problem.layers[l];
    count += (layer.inputs + layer.has_bias) * layer.outputs;
  }
  return count;
}

// The begin and the end of work by several threads take a microsecond or two, in which one does so many operations.
constexpr std::int64_t kOperationsOfThread = 16384;

// Whether a batch is large enough for its rows to be shared; each weight of a row takes three multiply-adds, or two.
bool shares_rows(const gdbench_problem& problem, int threads) {
  const std::int64_t parameters = parameter_count(problem);
  // A thread's gradient is filled with zeros and added to that of the first.
  constexpr std::int64_t kLeastRows = 4;
  return threads > 1 && problem.task != GDBENCH_TASK_UPDATE && problem.batch_rows >= kLeastRows * threads &&
         2 * problem.batch_rows * parameters >= kOperationsOfThread * threads;
}

bool shares_update(const gdbench_problem& problem, int threads) {
  return threads > 1 && problem.task != GDBENCH_TASK_FORWARD &&
         2 * parameter_count(problem) >= kOperationsOfThread * threads;
}

template <catalogue::Dtype dtype>
class Loop final : public Trainer {
  using T = typename catalogue::ElementOf<dtype>::Type;

 public:
  Loop(const gdbench_data& data, const gdbench_problem& problem, int threads)
      : data_(data),
        problem_(problem),
        optimizer_(*problem.optimizer),
        scaling_(problem),
        threads_(threads),
        shares_rows_(shares_rows(problem, threads)),
        shares_update_(shares_update(problem, threads)) {
    constexpr decltype(descend_) kRules[] = {
        &Loop::sgd,     &Loop::momentum, &Loop::nesterov, &Loop::adagrad,
        &Loop::rmsprop, &Loop::adam,     &Loop::adam,     &Loop::lion,
        &Loop::nadam,   &Loop::radam,    &Loop::muon,     &Loop::schedule_free_sgd};  // gdbench_optimizer_kind
    static_assert(std::size(kRules) == catalogue::kCount<catalogue::OptimizerKind>);
    descend_ = kRules[optimizer_.kind];
    const auto size = static_cast<std::size_t>(parameter_count(problem));
    const bool forward = problem.task == GDBENCH_TASK_FORWARD;
    parameters_.resize(forward ? size + 1 : size);
    last_ = parameter_count(problem);
    add_matrices();
    for (std::size_t slot = 0; slot < catalogue::slot_count(catalogue::kind_of(optimizer_)); ++slot) {
      slots_[slot].resize(size);
    }
    if (problem.task == GDBENCH_TASK_UPDATE) {
      given_gradient_.assign(static_cast<const T*>(data.x), static_cast<const T*>(data.x) + size);
      gradient_ = given_gradient_.data();
      step_of_task_ = &Loop::update_step;
      return;
    }
    const int parts = shares_rows_ ? threads : 1;
    for (int part = 0; part < parts; ++part) rows_.emplace_back(data, problem, parameters_);
    sums_.resize(rows_.size());
    gradient_ = rows_[0].gradient().data();
    step_of_task_ = forward ? &Loop::forward_step : &Loop::train_step;
  }

  void set_state(const gdbench_state& state) override {
    for_each_tensor(state, [](T* own, T* given, std::int64_t size) { std::copy_n(given, size, own); });
    step_ = state.step;
    loss_sum_ = static_cast<double>(parameters_.back());
    scaling_.set_state(state);
    momentum_product_ = 1;
    for (std::int64_t t = 1; t < next_update(); ++t) momentum_product_ *= momentum_of(t);
    largest_rate_ = squared_rates_ = 0;
    const bool averages = catalogue::averages(catalogue::kind_of(optimizer_));
    for (std::int64_t step = 0; averages && step < step_; ++step) {
      largest_rate_ = std::max(largest_rate_, learning_rate(step));
      squared_rates_ += largest_rate_ * largest_rate_;
    }
  }

  void get_state(gdbench_state& state) override {
    if (problem_.task == GDBENCH_TASK_FORWARD) parameters_.back() = static_cast<T>(loss_sum_);
    for_each_tensor(state, [](T* own, T* given, std::int64_t size) { std::copy_n(own, size, given); });
    state.step = step_;
    scaling_.get_state(state);
  }

  void run(std::uint64_t steps) override {
    for (std::uint64_t s = 0; s < steps; ++s) (this->*step_of_task_)();
  }

  std::optional<double> evaluate(std::int32_t split) override {
    const std::int64_t rows = split == 0 ? data_.rows : data_.validation_rows;
    if (rows == 0 || rows_.empty()) return std::nullopt;
    const T* x = static_cast<const T*>(split == 0 ? data_.x : data_.validation_x);
    const T* y = static_cast<const T*>(split == 0 ? data_.y : data_.validation_y);
    const std::int32_t* labels = split == 0 ? data_.labels : data_.validation_labels;
    const auto loss = [&] { return rows_[0].loss_sum(x, y, labels, nullptr, 0, rows) / static_cast<double>(rows); };
    if (!catalogue::averages(catalogue::kind_of(optimizer_))) return loss();
    const Array<T> kept = parameters_;
    const T share = static_cast<T>(1 - 1 / optimizer_.momentum);
    for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i] += share * slots_[0][i];
    const double at_average = loss();
    std::ranges::copy(kept, parameters_.begin());
    return at_average;
  }

 private:
  static constexpr bool kScalesLoss = catalogue::scales_loss(dtype);

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

  // The rows that the order names for this step, from the first to before the last.
  struct BatchRows {
    const std::uint32_t* order;
    std::int64_t first;
    std::int64_t last;
  };
  BatchRows batch_rows() const {
    const std::int64_t smaller = data_.rows % problem_.batch_rows != 0 && problem_.drops_last_batch == 0 ? 1 : 0;
    const std::int64_t steps_per_epoch = data_.rows / problem_.batch_rows + smaller;
    const std::int64_t epoch = step_ / steps_per_epoch % data_.epochs;
    const std::int64_t first = step_ % steps_per_epoch * problem_.batch_rows;
    const std::int64_t last = std::min(first + problem_.batch_rows, data_.rows);
    return {data_.order != nullptr ? data_.order + epoch * data_.rows : nullptr, first, last};
  }

  void update_step() { update(1); }

  // The gradient, or the loss, is added up row by row, so that the parts of an accumulated batch
  // (gdbench_problem.micro_batches) need nothing more.
  void train_step() {
    const auto [order, first, last] = batch_rows();
    // d mse / d P = 2 / (rows outputs) (P - Y), half of it for half_mse; d softmax cross-entropy / d P = 1 / rows
    // (...).
    const double multiple = problem_.loss == GDBENCH_MSE ? 2 : 1;
    const std::int64_t outputs = problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY ? 1 : data_.outputs;
    T factor = static_cast<T>(multiple / static_cast<double>((last - first) * outputs));
    if constexpr (kScalesLoss) factor *= scaling_.scale();
    if (shares_rows_) {
      share_gradient(order, first, last, factor);
    } else {
      rows_[0].find_gradient(order, first, last, factor);
    }
    if constexpr (kScalesLoss) return update_where_finite();
    update(Rows<dtype>::mixed ? T(1) : factor);
  }

  void forward_step() {
    const BatchRows batch = batch_rows();
    const std::int64_t rows = batch.last - batch.first;
    const auto sum_of = [&](std::int64_t part, std::int64_t parts) {
      return rows_[static_cast<std::size_t>(part)].loss_sum(
          static_cast<const T*>(data_.x), static_cast<const T*>(data_.y), data_.labels, batch.order,
          batch.first + rows * part / parts, batch.first + rows * (part + 1) / parts);
    };
    if (shares_rows_) {
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
      for (int part = 0; part < threads_; ++part) sums_[static_cast<std::size_t>(part)] = sum_of(part, threads_);
    } else {
      sums_[0] = sum_of(0, 1);
    }
    loss_sum_ += std::accumulate(sums_.begin(), sums_.end(), 0.0) / static_cast<double>(rows);
    ++step_;
  }

  // Every thread takes as many rows as the others, one after the other, and adds up its share of the parameters'
  // gradients in the threads' order: the same sums in every run.
  void share_gradient(const std::uint32_t* order, std::int64_t first, std::int64_t last, T factor) {
    const std::int64_t size = static_cast<std::int64_t>(parameters_.size());
#pragma omp parallel num_threads(threads_)
    {
#pragma omp for schedule(static, 1)
      for (int part = 0; part < threads_; ++part) {
        const std::int64_t rows = last - first;
        rows_[static_cast<std::size_t>(part)].find_gradient(order, first + rows * part / threads_,
                                                            first + rows * (part + 1) / threads_, factor);
      }
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < size; ++i) {
        T sum = gradient_[i];
        for (int part = 1; part < threads_; ++part) sum += rows_[static_cast<std::size_t>(part)].gradient()[i];
        gradient_[i] = sum;
      }
    }
  }

  void update_where_finite() {
    const T scale = scaling_.scale();
    const T* const end = gradient_ + parameters_.size();
    bool finite = true;
    for (const T* g = gradient_; g != end; ++g) finite &= std::isfinite(*g);
    if (finite) {
      update(1 / scale);
    } else {
      ++step_;
    }
    scaling_.count(finite);
  }

  // The number of the next update, counted from 1.
  std::int64_t next_update() const { return step_ + 1 - scaling_.skipped(); }

  double learning_rate(std::int64_t step) const {
    return optimizer_.learning_rates[std::min(step, optimizer_.learning_rate_count - 1)];
  }

  void update(T scale) {
    (this->*descend_)(scale, static_cast<T>(learning_rate(step_)));
    ++step_;
  }

  // The rules of torch.optim. Each update is by `scale` times the gradient.

  void sgd(T scale, T rate) {
    if (optimizer_.weight_decay != 0) return descend(scale, rate, [=](T g, std::int64_t) { return rate * g; });
    const T step = rate * scale;
    T* parameters = parameters_.data();
    const T* gradient = gradient_;
    for_each_parameter([=](std::int64_t i) { parameters[i] -= step * gradient[i]; });
  }

  void momentum(T scale, T rate) {
    const T momentum = static_cast<T>(optimizer_.momentum);
    T* velocity = slots_[0].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
      velocity[i] = momentum * velocity[i] + g;
      return rate * velocity[i];
    });
  }

  void nesterov(T scale, T rate) {
    const T momentum = static_cast<T>(optimizer_.momentum);
    T* velocity = slots_[0].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
      velocity[i] = momentum * velocity[i] + g;
      return rate * (g + momentum * velocity[i]);
    });
  }

  void adagrad(T scale, T rate) {
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    const bool inside = catalogue::epsilon_place_of(optimizer_) == catalogue::EpsilonPlace::inside;
    T* squares = slots_[0].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
      squares[i] += g * g;
      return rate * g / (inside ? std::sqrt(squares[i] + epsilon) : std::sqrt(squares[i]) + epsilon);
    });
  }

  void rmsprop(T scale, T rate) {
    const T rho = static_cast<T>(optimizer_.rho);
    const T rest = static_cast<T>(1 - optimizer_.rho);
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    const bool inside = catalogue::epsilon_place_of(optimizer_) == catalogue::EpsilonPlace::inside;
    T* squares = slots_[0].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
      squares[i] = rho * squares[i] + rest * g * g;
      return rate * g / (inside ? std::sqrt(squares[i] + epsilon) : std::sqrt(squares[i]) + epsilon);
    });
  }

  // Also AdamW, whose weight decay is another.
  void adam(T scale, T rate) {
    const T beta1 = static_cast<T>(optimizer_.beta1);
    const T beta2 = static_cast<T>(optimizer_.beta2);
    const T rest1 = static_cast<T>(1 - optimizer_.beta1);
    const T rest2 = static_cast<T>(1 - optimizer_.beta2);
    const double t = static_cast<double>(next_update());
    const T correction1 = static_cast<T>(1 - std::pow(optimizer_.beta1, t));
    const T correction2 = static_cast<T>(1 - std::pow(optimizer_.beta2, t));
    // (sqrt(v) + epsilon) / sqrt(c) is sqrt(v / c) + epsilon / sqrt(c).
    const bool hat = catalogue::epsilon_place_of(optimizer_) == catalogue::EpsilonPlace::hat;
    const T epsilon = static_cast<T>(hat ? optimizer_.epsilon / std::sqrt(correction2) : optimizer_.epsilon);
    T* first = slots_[0].data();
    T* second = slots_[1].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
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
    descend(scale, rate, [=](T g, std::int64_t i) {
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
    const std::int64_t t = next_update();
    const double now = momentum_of(t);
    const double next = momentum_of(t + 1);
    momentum_product_ *= now;
    const T of_moment = static_cast<T>(next / (1 - momentum_product_ * next));
    const T of_gradient = static_cast<T>((1 - now) / (1 - momentum_product_));
    const T correction2 = static_cast<T>(1 - std::pow(optimizer_.beta2, static_cast<double>(t)));
    T* first = slots_[0].data();
    T* second = slots_[1].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
      first[i] = beta1 * first[i] + rest1 * g;
      second[i] = beta2 * second[i] + rest2 * g * g;
      return rate * (of_moment * first[i] + of_gradient * g) / (std::sqrt(second[i] / correction2) + epsilon);
    });
  }

  void radam(T scale, T rate) {
    const T beta1 = static_cast<T>(optimizer_.beta1);
    const T beta2 = static_cast<T>(optimizer_.beta2);
    const T rest1 = static_cast<T>(1 - optimizer_.beta1);
    const T rest2 = static_cast<T>(1 - optimizer_.beta2);
    const T epsilon = static_cast<T>(optimizer_.epsilon);
    const double t = static_cast<double>(next_update());
    const double correction1 = 1 - std::pow(optimizer_.beta1, t);
    const double correction2 = 1 - std::pow(optimizer_.beta2, t);
    const double longest = 2 / (1 - optimizer_.beta2) - 1;
    const double length = longest - 2 * t * (1 - correction2) / correction2;
    const T of_mean = static_cast<T>(rate / correction1);
    T* first = slots_[0].data();
    T* second = slots_[1].data();
    if (length <= 5) {
      return descend(scale, rate, [=](T g, std::int64_t i) {
        first[i] = beta1 * first[i] + rest1 * g;
        second[i] = beta2 * second[i] + rest2 * g * g;
        return of_mean * first[i];
      });
    }
    const double rectification =
        std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
    const T of_quotient = static_cast<T>(rate * rectification * std::sqrt(correction2) / correction1);
    descend(scale, rate, [=](T g, std::int64_t i) {
      first[i] = beta1 * first[i] + rest1 * g;
      second[i] = beta2 * second[i] + rest2 * g * g;
      return of_quotient * first[i] / (std::sqrt(second[i]) + epsilon);
    });
  }

  // Where the gradients are taken, between what SGD moves and its average, and the way from here to the former.
  void schedule_free_sgd(T scale, T rate) {
    const double largest = largest_rate_ = std::max(largest_rate_, static_cast<double>(rate));
    squared_rates_ += largest * largest;
    const T share = static_cast<T>(largest * largest / squared_rates_);
    const T momentum = static_cast<T>(optimizer_.momentum);
    T* way = slots_[0].data();
    descend(scale, rate, [=](T g, std::int64_t i) {
      const T descent = rate * (1 - momentum * (1 - share)) * g - share * way[i];
      way[i] = (1 - share) * (way[i] - rate * momentum * g);
      return descent;
    });
  }

  // What lies before, between and after the matrices moves as by AdamW.
  void muon(T scale, T rate) {
    const T rate_of_entries = rate * static_cast<T>(optimizer_.adamw_rate_factor);
    first_ = 0;
    for (auto& [place, matrix] : matrices_) {
      last_ = place;
      adam(scale, rate_of_entries);
      matrix.update(optimizer_, scale, rate, gradient_ + place, slots_[0].data() + place, parameters_.data() + place);
      first_ = place + matrix.size();
    }
    last_ = std::ssize(parameters_);
    adam(scale, rate_of_entries);
  }

  void add_matrices() {
    std::int64_t place = 0;
    catalogue::for_each_parameter(problem_, [&](std::int64_t l, catalogue::LayerPart part, auto rows, auto columns) {
      if (catalogue::moves_as_matrix(problem_, l, part)) matrices_.emplace_back(place, MuonMatrix<T>(rows, columns));
      place += rows * columns;
    });
  }

  // `descent` says by how much a parameter moves, by its gradient and its number. Weight decay is added to the gradient
  // or, decoupled, taken off the parameter.
  template <class Descent>
  void descend(T scale, T rate, Descent descent) {
    const bool decoupled =
        catalogue::row_of(catalogue::kind_of(optimizer_)).always_decoupled || optimizer_.decoupled_weight_decay != 0;
    const T decay = static_cast<T>(optimizer_.weight_decay);
    T* parameters = parameters_.data();
    const T* gradient = gradient_;
    for_each_parameter([=](std::int64_t i) {
      T g = scale * gradient[i];
      if (decay != 0 && !decoupled) g += decay * parameters[i];
      if (decay != 0 && decoupled) parameters[i] -= rate * decay * parameters[i];
      parameters[i] -= descent(g, i);
    });
  }

  template <class Body>
  void for_each_parameter(const Body& body) {
    const std::int64_t first = first_;
    const std::int64_t last = last_;
    if (!shares_update_) {
      for (std::int64_t i = first; i < last; ++i) body(i);
      return;
    }
    const Body shared = body;  // of its own, so that the loop above is compiled as if there were no threads
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t i = first; i < last; ++i) shared(i);
  }

  const gdbench_data& data_;
  const gdbench_problem& problem_;
  const gdbench_optimizer& optimizer_;
  implementations::LossScaling scaling_;
  const int threads_;
  const bool shares_rows_;
  const bool shares_update_;
  void (Loop::*descend_)(T scale, T rate);
  void (Loop::*step_of_task_)();
  std::int64_t step_ = 0;    // updates made so far
  double loss_sum_ = 0;      // of the task forward
  double largest_rate_ = 0;  // schedule_free_sgd's, up to step_, and the sum of these squared of each step
  double squared_rates_ = 0;
  double momentum_product_ = 1;  // NAdam's, up to step_
  Array<T> parameters_;          // w0 b0 w1 b1 ..., one after the other, as all that follow; of forward the sum, too
  Array<T> slots_[2];
  std::vector<std::pair<std::int64_t, MuonMatrix<T>>> matrices_;  // that muon moves, and where they begin
  // The parameters that a rule goes through: from the first to before the last.
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  Array<T> given_gradient_;        // of the task update
  std::vector<Rows<dtype>> rows_;  // by thread, where they share a batch; none for the task update
  std::vector<double> sums_;       // of a batch's losses, by thread likewise
  T* gradient_ = nullptr;          // of the step; threads add up theirs in that of the first
};

}  // namespace

bool shares(const gdbench_problem& problem, int threads) {
  return shares_rows(problem, threads) || shares_update(problem, threads);
}

std::unique_ptr<Trainer> make_trainer(const gdbench_data& data, const gdbench_problem& problem, int threads) {
  return catalogue::with(catalogue::dtype_of(problem), [&](auto dtype) -> std::unique_ptr<Trainer> {
    return std::make_unique<Loop<dtype.value>>(data, problem, threads);
  });
}

const char* build() { return GDBENCH_KERNEL_BUILD; }

}  // namespace gdbench::loop
