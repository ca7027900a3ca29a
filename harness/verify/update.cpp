// The optimizers' update rules as gdbench_optimizer_kind documents them, and what they do to an error of the gradient.
#include "harness/verify/update.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "harness/verify/muon.h"

namespace gdbench::verify {

namespace {

using catalogue::EpsilonPlace;
using scenario::Optimizer;
using scenario::OptimizerKind;

// RAdam has it in one place alone, where Adam may have it.
EpsilonPlace place_of_epsilon(const Optimizer& optimizer) {
  return optimizer.kind == OptimizerKind::radam ? EpsilonPlace::hat : optimizer.epsilon_place;
}

// Of what is moved entry by entry.
double entry_rate(const Optimizer& optimizer, std::int64_t step) {
  const double factor = optimizer.kind == OptimizerKind::muon ? optimizer.adamw_rate_factor : 1;
  return factor * learning_rate(optimizer, step);
}

// A step's constants in the arithmetic's type, after so many steps and updates. Differences such as 1 - beta are taken
// in double, where they are exact or nearly so, as the documented code does.
template <class T>
struct Constants {
  Constants(const Optimizer& optimizer, std::int64_t step, std::int64_t updates)
      : rate(static_cast<T>(entry_rate(optimizer, step))),
        momentum(static_cast<T>(optimizer.momentum)),
        beta1(static_cast<T>(optimizer.beta1)),
        beta2(static_cast<T>(optimizer.beta2)),
        rest1(static_cast<T>(1 - optimizer.beta1)),
        rest2(static_cast<T>(1 - optimizer.beta2)),
        rho(static_cast<T>(optimizer.rho)),
        rest_rho(static_cast<T>(1 - optimizer.rho)),
        epsilon(static_cast<T>(optimizer.epsilon)),
        epsilon_place(place_of_epsilon(optimizer)),
        decay(static_cast<T>(optimizer.weight_decay)) {
    if (!catalogue::row_of(optimizer.kind).corrects_moments) return;
    if (optimizer.kind == OptimizerKind::schedule_free_sgd) {
      average_share = static_cast<T>(share_of_average(optimizer, updates + 1));
      return;
    }
    correction2 = static_cast<T>(1 - power(optimizer.beta2, updates + 1));
    if (optimizer.kind != OptimizerKind::nadam) {
      correction1 = static_cast<T>(1 - power(optimizer.beta1, updates + 1));
      rectification = static_cast<T>(radam_rectification(optimizer, updates + 1));
      return;
    }
    long double product = 1;
    for (std::int64_t t = 1; t <= updates + 1; ++t) product *= nadam_momentum(optimizer, t);
    const long double next = nadam_momentum(optimizer, updates + 2);
    moment_share = static_cast<T>(next / (1 - product * next));
    gradient_share = static_cast<T>((1 - nadam_momentum(optimizer, updates + 1)) / (1 - product));
  }

  // c of schedule_free_sgd in update t, counted from 1.
  static long double share_of_average(const Optimizer& optimizer, std::int64_t t) {
    if (optimizer.learning_rates.size() == 1) return 1 / static_cast<long double>(t);
    long double largest = 0;
    long double sum = 0;
    for (std::int64_t step = 0; step < t; ++step) {
      largest = std::max(largest, static_cast<long double>(learning_rate(optimizer, step)));
      sum += largest * largest;
    }
    return largest * largest / sum;
  }

  // mu_t of torch.optim.NAdam.
  static long double nadam_momentum(const Optimizer& optimizer, std::int64_t t) {
    const long double exponent = static_cast<long double>(t) * static_cast<long double>(optimizer.momentum_decay);
    return static_cast<long double>(optimizer.beta1) * (1 - std::pow(0.96L, exponent) / 2);
  }

  // r_t of torch.optim.RAdam, 0 where it is not taken.
  static long double radam_rectification(const Optimizer& optimizer, std::int64_t t) {
    const long double longest = 2 / (1 - static_cast<long double>(optimizer.beta2)) - 1;
    const long double decayed = power(optimizer.beta2, t);
    const long double length = longest - 2 * static_cast<long double>(t) * decayed / (1 - decayed);
    if (length <= 5) return 0;
    return std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
  }

  static long double power(double base, std::int64_t exponent) {
    return std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
  }

  T rate, momentum, beta1, beta2, rest1, rest2, rho, rest_rho, epsilon;
  EpsilonPlace epsilon_place;
  T decay;
  T correction1 = 1, correction2 = 1;
  T moment_share = 0, gradient_share = 0;  // of nadam's step
  T rectification = 0;                     // of radam's, 0 where it does not divide
  T average_share = 0;                     // of schedule_free_sgd's
};

template <class T>
T sign_of(T value) {
  return static_cast<T>((value > 0) - (value < 0));
}

// The divisor of Adagrad, RMSprop and Adam, of a sum or mean of squares and its correction.
template <class T>
T divisor(const Constants<T>& c, T squares) {
  switch (c.epsilon_place) {
    case EpsilonPlace::hat:
      return (std::sqrt(squares) + c.epsilon) / std::sqrt(c.correction2);
    case EpsilonPlace::inside:
      return std::sqrt(squares + c.epsilon);
    case EpsilonPlace::outside:
    case EpsilonPlace::own:
      break;
  }
  return std::sqrt(squares / c.correction2) + c.epsilon;
}

// One entry: parameter p, gradient g, its slots. The formulas are those of torch.optim's documentation (PyTorch 2,
// classes SGD, Adagrad, RMSprop, Adam, AdamW, NAdam, RAdam), with dampening, lr_decay, centered, amsgrad and maximize
// off, and of Lion's paper; muon's are in muon.cpp, but for what it leaves to AdamW. `direction` is set to what a rule
// takes the sign of.
template <class T>
void update_entry(OptimizerKind kind, const Constants<T>& c, T g, T& p, T* first, T* second, T* direction) {
  switch (kind) {
    case OptimizerKind::sgd:
      p -= c.rate * g;
      return;
    case OptimizerKind::momentum:
      *first = c.momentum * *first + g;
      p -= c.rate * *first;
      return;
    case OptimizerKind::nesterov:
      *first = c.momentum * *first + g;
      p -= c.rate * (g + c.momentum * *first);
      return;
    case OptimizerKind::adagrad:
      *first += g * g;
      p -= c.rate * (g / divisor(c, *first));
      return;
    case OptimizerKind::rmsprop:
      *first = c.rho * *first + c.rest_rho * (g * g);
      p -= c.rate * (g / divisor(c, *first));
      return;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
    case OptimizerKind::muon:
      *first = c.beta1 * *first + c.rest1 * g;
      *second = c.beta2 * *second + c.rest2 * (g * g);
      p -= c.rate * ((*first / c.correction1) / divisor(c, *second));
      return;
    case OptimizerKind::nadam: {
      *first = c.beta1 * *first + c.rest1 * g;
      *second = c.beta2 * *second + c.rest2 * (g * g);
      const T moved = c.moment_share * *first + c.gradient_share * g;
      p -= c.rate * (moved / divisor(c, *second));
      return;
    }
    case OptimizerKind::radam: {
      *first = c.beta1 * *first + c.rest1 * g;
      *second = c.beta2 * *second + c.rest2 * (g * g);
      const T mean = *first / c.correction1;
      p -= c.rate * (c.rectification == 0 ? mean : c.rectification * (mean / divisor(c, *second)));
      return;
    }
    case OptimizerKind::schedule_free_sgd: {
      const T moved = p + *first - c.rate * g;  // Z
      p = (1 - c.average_share) * p + c.average_share * (p + *first) +
          c.rate * (c.momentum * (1 - c.average_share) - 1) * g;
      *first = moved - p;
      return;
    }
    case OptimizerKind::lion:
      *direction = c.beta1 * *first + c.rest1 * g;
      *first = c.beta2 * *first + c.rest2 * g;
      p -= c.rate * sign_of(*direction);
      return;
  }
}

// What a rule divides a mean square by before it takes the root; and the largest |update| / rate of a single step.
double square_correction(const Optimizer& optimizer, std::int64_t updates) {
  if (!catalogue::row_of(optimizer.kind).corrects_moments) return 1;
  return static_cast<double>(1 - Constants<double>::power(optimizer.beta2, updates));
}

double largest_update(const Optimizer& optimizer, std::int64_t updates) {
  if (optimizer.kind == OptimizerKind::rmsprop) return 1 / std::sqrt(1 - optimizer.rho);
  if (optimizer.kind == OptimizerKind::radam) {
    return static_cast<double>(Constants<double>::radam_rectification(optimizer, updates));
  }
  if (optimizer.kind != OptimizerKind::nadam) return 1;
  // Of a gradient after none: its share of the first moment and its own, over the root of its share of the second.
  const Constants<double> c(optimizer, updates - 1, updates - 1);
  return (c.moment_share * c.rest1 + c.gradient_share) * std::sqrt(c.correction2 / c.rest2);
}

// Null of a parameter that is moved entry by entry.
template <class T>
const MovedMatrix* matrix_of(const ReferenceState<T>& state, std::size_t parameter) {
  return state.matrices.empty() || state.matrices[parameter].rows == 0 ? nullptr : &state.matrices[parameter];
}

// 1 + mu + ... + mu^terms.
double geometric_sum(double ratio, std::int64_t terms) {
  double sum = 1;
  double power = 1;
  for (std::int64_t k = 0; k < terms && power > 1e-3; ++k) sum += power *= ratio;
  return sum;
}

}  // namespace

template <class T>
void update(const Optimizer& optimizer, const std::vector<std::vector<T>>& gradients, ReferenceState<T>& state) {
  const Constants<T> constants(optimizer, state.step, state.step - state.skipped);
  const std::size_t slots = scenario::slot_count(optimizer.kind);
  const std::size_t count = state.parameters.size();
  // A state without slots is at its beginning.
  while (state.slots.size() < count * slots) {
    state.slots.emplace_back(state.parameters[state.slots.size() % count].size(), T(0));
  }
  const bool decays = optimizer.weight_decay != 0;
  state.directions.resize(optimizer.kind == OptimizerKind::lion ? count : 0);
  for (std::size_t p = 0; p < count; ++p) {
    std::vector<T>& parameter = state.parameters[p];
    if (matrix_of(state, p) != nullptr) {
      move_matrix(optimizer, learning_rate(optimizer, state.step), gradients[p], parameter, state.slots[p],
                  state.matrices[p]);
      continue;
    }
    T* first = slots > 0 ? state.slots[p].data() : nullptr;
    T* second = slots > 1 ? state.slots[count + p].data() : nullptr;
    if (!state.directions.empty()) state.directions[p].resize(parameter.size());
    for (std::size_t i = 0; i < parameter.size(); ++i) {
      T gradient = gradients[p][i];
      if (decays && optimizer.decoupled_weight_decay) parameter[i] *= 1 - constants.rate * constants.decay;
      if (decays && !optimizer.decoupled_weight_decay) gradient += constants.decay * parameter[i];
      T* direction = state.directions.empty() ? nullptr : &state.directions[p][i];
      update_entry(optimizer.kind, constants, gradient, parameter[i], first, second, direction);
      if (first != nullptr) ++first;
      if (second != nullptr) ++second;
    }
  }
  ++state.step;
}

template <class T>
UpdateError<T>::UpdateError(const Optimizer& optimizer, const ReferenceState<T>& state, std::int64_t steps_left)
    : optimizer_(optimizer),
      state_(state),
      steps_left_(steps_left),
      rate_(std::abs(entry_rate(optimizer, state.step - 1))) {
  switch (optimizer.kind) {
    case OptimizerKind::sgd:
    case OptimizerKind::schedule_free_sgd:  // Y, between Z and its average, is moved by no gradient further than Z
      return;
    case OptimizerKind::momentum:
      gain_ = geometric_sum(optimizer.momentum, steps_left);
      return;
    case OptimizerKind::nesterov:  // its form is one step ahead of momentum's
      gain_ = geometric_sum(optimizer.momentum, steps_left + 1);
      return;
    case OptimizerKind::radam: {
      const std::int64_t updates = state.step - state.skipped;
      if (Constants<double>::radam_rectification(optimizer, updates) == 0) {  // a mean of gradients, which decays
        const double share = (1 - optimizer.beta1) / (1 - std::pow(optimizer.beta1, static_cast<double>(updates)));
        gain_ = share * geometric_sum(optimizer.beta1, steps_left);
        return;
      }
      [[fallthrough]];
    }
    case OptimizerKind::adagrad:
    case OptimizerKind::rmsprop:
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
    case OptimizerKind::nadam:
    case OptimizerKind::muon:
      divides_ = true;
      correction_ = square_correction(optimizer, state.step - state.skipped);
      largest_ = 2 * largest_update(optimizer, state.step - state.skipped);
      return;
    case OptimizerKind::lion:
      turns_ = true;
  }
}

template <class T>
double UpdateError<T>::of(std::size_t parameter, std::size_t entry, double gradient_error) const {
  // The estimate is of a typical entry's error, which the momentum may carry on; the largest of many is a few times
  // that.
  constexpr double kTurningFactor = 8;
  if (const MovedMatrix* matrix = matrix_of(state_, parameter)) {
    const double root = std::sqrt(static_cast<double>(matrix->rows) * static_cast<double>(matrix->columns));
    const double rate = std::abs(learning_rate(optimizer_, state_.step - 1));
    return moved_error(optimizer_, rate, *matrix, gradient_error * root, steps_left_) / root;
  }
  if (turns_) {
    const double direction = std::abs(static_cast<double>(state_.directions[parameter][entry]));
    return direction != 0 && direction < kTurningFactor * gradient_error ? 2 * rate_ : 0;
  }
  if (!divides_) return rate_ * gain_ * gradient_error;
  const std::size_t slots = scenario::slot_count(optimizer_.kind);
  const T square = state_.slots[(slots - 1) * state_.parameters.size() + parameter][entry];
  if (square == 0 || gradient_error == 0) return 0;
  const double root = std::sqrt(static_cast<double>(square) / correction_);
  const EpsilonPlace place = place_of_epsilon(optimizer_);
  const double epsilon = place == EpsilonPlace::hat ? optimizer_.epsilon / std::sqrt(correction_) : optimizer_.epsilon;
  const double divided_by = place == EpsilonPlace::inside ? std::sqrt(root * root + epsilon) : root + epsilon;
  return rate_ * std::min(2 * gradient_error / divided_by, largest_);
}

template <class T>
double rounding_of_matrix(const Optimizer& optimizer, const ReferenceState<T>& state, std::size_t parameter) {
  const MovedMatrix* matrix = matrix_of(state, parameter);
  return matrix == nullptr ? 0 : own_rounding(std::abs(learning_rate(optimizer, state.step - 1)), *matrix);
}

std::int64_t first_usual_update(const Optimizer& optimizer, std::int64_t most) {
  if (optimizer.kind != OptimizerKind::radam) return 1;
  for (std::int64_t t = 1; t <= most; ++t) {
    if (Constants<double>::radam_rectification(optimizer, t) != 0) return t;
  }
  return 1;
}

double scalars_error(const Optimizer& optimizer, std::int64_t updates) {
  if (optimizer.kind != OptimizerKind::radam) return 0;
  const double factor = static_cast<double>(Constants<double>::radam_rectification(optimizer, updates));
  if (factor == 0) return 0;
  // The mean's length is n - 2 t p / (1 - p) with p = beta2^t: the rounding of n and of 1 - p.
  const double longest = 2 / (1 - optimizer.beta2) - 1;
  const double correction = square_correction(optimizer, updates);
  const double t = static_cast<double>(updates);
  const double length = longest - 2 * t * (1 - correction) / correction;
  const double off =
      std::numeric_limits<double>::epsilon() * (longest + 2 * t * (1 - correction) / std::pow(correction, 2));
  return off * (1 / (length - 4) + 1 / (length - 2)) / 2;
}

template <class T>
std::vector<double> update_errors(const Optimizer& optimizer, const ReferenceState<T>& state,
                                  const std::vector<double>& gradient_errors, std::int64_t steps_left) {
  const UpdateError<T> error(optimizer, state, steps_left);
  std::vector<double> errors;
  for (std::size_t p = 0; p < gradient_errors.size(); ++p) {
    const std::size_t size = state.parameters[p].size();
    const double entry_error = gradient_errors[p] / std::sqrt(static_cast<double>(size));
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += std::pow(error.of(p, i, entry_error), 2);
    errors.push_back(std::sqrt(sum));
  }
  return errors;
}

#define GDBENCH_INSTANTIATE(T)                                                                              \
  template void update(const scenario::Optimizer&, const std::vector<std::vector<T>>&, ReferenceState<T>&); \
  template class UpdateError<T>;                                                                            \
  template double rounding_of_matrix(const scenario::Optimizer&, const ReferenceState<T>&, std::size_t);    \
  template std::vector<double> update_errors(const scenario::Optimizer&, const ReferenceState<T>&,          \
                                             const std::vector<double>&, std::int64_t);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
