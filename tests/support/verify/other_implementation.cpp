#include "tests/support/verify/other_implementation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "tests/support/verify/other_update.h"

namespace gdbench::verify::testing {

namespace {

using scenario::Activation;
using scenario::Loss;

template <class T>
using Rows = std::vector<std::vector<T>>;

template <class T>
T pairwise_sum(const T* terms, std::size_t count) {
  if (count == 0) return T(0);
  if (count == 1) return terms[0];
  return pairwise_sum(terms, count / 2) + pairwise_sum(terms + count / 2, count - count / 2);
}

double cut_to_tf32(double value) { return value; }
float cut_to_tf32(float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU); }

// To the nearest bfloat16, ties to even, or to the next one towards zero.
float rounded_to_bfloat16(float value, bool cut) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (!cut) bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

// Sum of a[i] * b[i].
template <class T>
T dot(std::vector<T> a, std::vector<T> b, Summation summation) {
  T sum = 0;
  switch (summation) {
    case Summation::reversed:
      std::reverse(a.begin(), a.end());
      std::reverse(b.begin(), b.end());
      [[fallthrough]];
    case Summation::forward:
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    case Summation::fused:
      for (std::size_t i = 0; i < a.size(); ++i) sum = std::fma(a[i], b[i], sum);
      return sum;
    case Summation::tf32:
      for (std::size_t i = 0; i < a.size(); ++i) sum += cut_to_tf32(a[i]) * cut_to_tf32(b[i]);
      return sum;
    case Summation::pairwise:
      for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
      return pairwise_sum(a.data(), a.size());
    case Summation::blocked: {
      T lanes[8] = {};
      for (std::size_t i = 0; i < a.size(); ++i) lanes[i % 8] += a[i] * b[i];
      for (const T lane : lanes) sum += lane;
      return sum;
    }
  }
  return sum;
}

template <class T>
std::vector<T> column(const Rows<T>& rows, std::size_t index) {
  std::vector<T> values;
  for (const std::vector<T>& row : rows) values.push_back(row[index]);
  return values;
}

template <class T>
T twice_gelu_argument(T z) {
  return std::sqrt(8 / std::acos(T(-1))) * (z + T(0.044715L) * z * z * z);
}

template <class T>
T apply(Activation activation, T z) {
  switch (activation) {
    case Activation::identity:
      break;
    case Activation::relu:
      return std::max(z, T(0));
    case Activation::tanh:
      return std::tanh(z);
    case Activation::sigmoid:
      return T(1) / (T(1) + std::exp(-z));
    case Activation::leaky_relu:
      return std::max(z, z * T(0.01L));
    case Activation::silu:
      return z * apply(Activation::sigmoid, z);
    case Activation::gelu:
      return z - z * std::erfc(z / std::sqrt(T(2))) / 2;
    case Activation::gelu_tanh:
      return z * apply(Activation::sigmoid, twice_gelu_argument(z));
  }
  return z;
}

template <class T>
T slope(Activation activation, T z) {
  switch (activation) {
    case Activation::identity:
      break;
    case Activation::relu:
      return z > 0 ? T(1) : T(0);
    case Activation::tanh:
      return T(1) - std::tanh(z) * std::tanh(z);
    case Activation::sigmoid:
      return apply(activation, z) * (T(1) - apply(activation, z));
    case Activation::leaky_relu:
      return z > 0 ? T(1) : T(0.01L);
    case Activation::silu: {
      const T s = apply(Activation::sigmoid, z);
      return s + z * s * (1 - s);
    }
    case Activation::gelu:
      return 1 - std::erfc(z / std::sqrt(T(2))) / 2 + z * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(T(-1)));
    case Activation::gelu_tanh: {
      const T s = apply(Activation::sigmoid, twice_gelu_argument(z));
      return s +
             s * (1 - s) * (twice_gelu_argument(z) + std::sqrt(8 / std::acos(T(-1))) * 2 * T(0.044715L) * z * z * z);
    }
  }
  return T(1);
}

// The same told from f(z), where it can be.
template <class T>
T slope_at_result(Activation activation, T a) {
  if (activation == Activation::tanh) return (T(1) + a) * (T(1) - a);
  if (activation == Activation::sigmoid) return a - a * a;
  return slope(activation, a);  // relu, leaky_relu, identity, whose results have the sign of z
}

// Of a loss that is a mean over entries.
template <class T>
T term(const catalogue::LossFunction& loss, T p, T y) {
  switch (loss.kind) {
    case Loss::mse:
      return (p - y) * (p - y);
    case Loss::half_mse:
      return (p - y) * (p - y) / 2;
    case Loss::binary_cross_entropy:
      return (1 - y) * p + std::log1p(std::exp(-p));
    case Loss::huber: {
      const T near = std::min(std::abs(p - y), static_cast<T>(loss.huber_delta));
      return near * (std::abs(p - y) - near / 2);
    }
    case Loss::softmax_cross_entropy:
      break;
  }
  throw std::logic_error("no loss of entries");
}

template <class T>
T term_slope(const catalogue::LossFunction& loss, T p, T y) {
  switch (loss.kind) {
    case Loss::mse:
      return 2 * (p - y);
    case Loss::half_mse:
      return p - y;
    case Loss::binary_cross_entropy:
      return (std::tanh(p / 2) + 1) / 2 - y;
    case Loss::huber:
      return std::max(std::min(p - y, static_cast<T>(loss.huber_delta)), -static_cast<T>(loss.huber_delta));
    case Loss::softmax_cross_entropy:
      break;
  }
  throw std::logic_error("no loss of entries");
}

template <class T>
class Trainer {
 public:
  Trainer(const Case& problem_case, Summation summation, Fault fault)
      : case_(problem_case), summation_(summation), fault_(fault) {
    for (const std::vector<double>& tensor : problem_case.start.parameters) {
      optimizers_.emplace_back(problem_case.problem.optimizer, problem_case.start, parameters_.size());
      parameters_.emplace_back(tensor.begin(), tensor.end());
    }
  }

  void step(std::int64_t number) {
    std::vector<std::size_t> rows = batch(number);
    const std::size_t divisor = rows.size();
    if (fault_ == Fault::dropped_last_row) rows.pop_back();
    forward(rows);
    Rows<T> delta = loss_gradient(rows, divisor);
    std::size_t parameter = parameters_.size();
    std::vector<std::vector<T>> updated = parameters_;
    for (std::size_t l = case_.problem.layers.size(); l-- > 0;) {
      const scenario::Layer& layer = case_.problem.layers[l];
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t j = 0; j < delta[r].size(); ++j) {
          delta[r][j] = operand(delta[r][j] * derivative(layer.activation, sums_[l][r][j], inputs_[l + 1][r][j]));
        }
      }
      const std::size_t outputs = static_cast<std::size_t>(layer.outputs);
      const std::size_t inputs = static_cast<std::size_t>(layer.inputs);
      if (layer.bias) {
        --parameter;
        const bool frozen = fault_ == Fault::frozen_bias && l + 1 == case_.problem.layers.size();
        // No product, whatever it is written as here.
        const Summation plain = summation_ == Summation::tf32 ? Summation::forward : summation_;
        for (std::size_t j = 0; j < outputs && !frozen; ++j) {
          const T sum = dot(column(delta, j), std::vector<T>(rows.size(), T(1)), plain);
          update(parameter, j, result(sum), number, updated);
        }
      }
      --parameter;
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < outputs; ++j) {
          update(parameter, i * outputs + j, result(product(column(inputs_[l], i), column(delta, j))), number, updated);
        }
      }
      Rows<T> below(rows.size(), std::vector<T>(inputs));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < inputs; ++i) below[r][i] = result(product(delta[r], weights_row(parameter, l, i)));
      }
      delta = below;
    }
    parameters_ = updated;
    if (fault_ != Fault::narrow_parameters) return;
    for (std::vector<T>& values : parameters_) {
      for (T& value : values) value = operand(value);
    }
  }

  double loss() {
    std::vector<std::size_t> rows;
    for (std::int64_t r = 0; r < case_.problem.rows; ++r) rows.push_back(static_cast<std::size_t>(r));
    forward(rows);
    T sum = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::vector<T>& output = inputs_.back()[r];
      if (case_.dataset.has_labels) {
        const T largest = *std::max_element(output.begin(), output.end());
        T exponentials = 0;
        for (const T value : output) exponentials += std::exp(value - largest);
        sum += largest + std::log(exponentials) - output[static_cast<std::size_t>(case_.dataset.labels()[r])];
        continue;
      }
      for (std::size_t j = 0; j < output.size(); ++j) {
        sum += term(case_.problem.loss, output[j], target(r, j)) / static_cast<T>(output.size());
      }
    }
    return static_cast<double>(sum) / static_cast<double>(rows.size());
  }

  scenario::State state() const {
    scenario::State result;
    for (const std::vector<T>& tensor : parameters_) result.parameters.emplace_back(tensor.begin(), tensor.end());
    return result;
  }

 private:
  // What a product multiplies in place of `value`.
  T operand(T value) const {
    if (!catalogue::is_mixed(case_.problem.dtype) || fault_ == Fault::wide_operands) return value;
    return static_cast<T>(rounded_to_bfloat16(static_cast<float>(value), fault_ == Fault::cut_operands));
  }

  T result(T value) const { return case_.problem.rounds_results ? operand(value) : value; }

  T product(std::vector<T> a, std::vector<T> b) const {
    for (T& value : a) value = operand(value);
    for (T& value : b) value = operand(value);
    if (fault_ != Fault::narrow_sums) return dot(std::move(a), std::move(b), summation_);
    T sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum = operand(sum + a[i] * b[i]);
    return sum;
  }

  T derivative(Activation activation, T z, T a) const {
    if (!catalogue::is_mixed(case_.problem.dtype) || fault_ == Fault::wide_derivatives) return slope(activation, z);
    if (catalogue::reads_input(activation)) return slope(activation, operand(z));
    return slope_at_result(activation, operand(a));
  }

  void update(std::size_t parameter, std::size_t entry, T gradient, std::int64_t number, Rows<T>& updated) {
    updated[parameter][entry] =
        optimizers_[parameter].updated(entry, parameters_[parameter][entry], gradient, number + 1);
  }

  std::vector<std::size_t> batch(std::int64_t number) const {
    const scenario::Problem& problem = case_.problem;
    const std::int64_t per_epoch = problem.steps_per_epoch();
    const std::int64_t first = number % per_epoch * problem.batch_rows;
    const std::int64_t last = std::min(first + problem.batch_rows, problem.rows);
    const std::uint32_t* const order = case_.dataset.order();
    std::vector<std::size_t> rows;
    for (std::int64_t position = first; position < last; ++position) {
      const bool shuffled = order != nullptr && fault_ != Fault::unshuffled;
      const std::int64_t epoch = shuffled ? number / per_epoch % case_.dataset.epochs : 0;
      rows.push_back(shuffled ? order[epoch * problem.rows + position] : static_cast<std::size_t>(position));
    }
    return rows;
  }

  T stored(std::size_t index, bool is_target) const {
    if (case_.dataset.dtype == scenario::Dtype::f32) {
      return static_cast<T>((is_target ? case_.dataset.y<float>() : case_.dataset.x<float>())[index]);
    }
    return static_cast<T>((is_target ? case_.dataset.y<double>() : case_.dataset.x<double>())[index]);
  }

  T target(std::size_t row, std::size_t output) const {
    return stored(row * static_cast<std::size_t>(case_.problem.outputs()) + output, true);
  }

  T weight(std::size_t parameter, std::size_t l, std::size_t i, std::size_t j) const {
    const scenario::Layer& layer = case_.problem.layers[l];
    if (fault_ == Fault::transposed_weight && l == 0)
      return parameters_[parameter][j * static_cast<std::size_t>(layer.inputs) + i];
    return parameters_[parameter][i * static_cast<std::size_t>(layer.outputs) + j];
  }

  std::vector<T> weights_row(std::size_t parameter, std::size_t l, std::size_t i) const {
    std::vector<T> values;
    for (std::int64_t j = 0; j < case_.problem.layers[l].outputs; ++j) {
      values.push_back(weight(parameter, l, i, static_cast<std::size_t>(j)));
    }
    return values;
  }

  void forward(const std::vector<std::size_t>& rows) {
    const std::size_t features = static_cast<std::size_t>(case_.problem.layers.front().inputs);
    inputs_.assign(1, Rows<T>(rows.size(), std::vector<T>(features)));
    sums_.clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < features; ++i) inputs_[0][r][i] = stored(rows[r] * features + i, false);
    }
    std::size_t parameter = 0;
    for (std::size_t l = 0; l < case_.problem.layers.size(); ++l) {
      const scenario::Layer& layer = case_.problem.layers[l];
      const std::size_t outputs = static_cast<std::size_t>(layer.outputs);
      Rows<T> z(rows.size(), std::vector<T>(outputs));
      Rows<T> a = z;
      for (std::size_t j = 0; j < outputs; ++j) {
        std::vector<T> weights;
        for (std::size_t i = 0; i < static_cast<std::size_t>(layer.inputs); ++i) {
          weights.push_back(weight(parameter, l, i, j));
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
          z[r][j] =
              result(product(inputs_[l][r], weights) + (layer.bias ? result(parameters_[parameter + 1][j]) : T(0)));
          a[r][j] = result(apply(layer.activation, z[r][j]));
        }
      }
      parameter += layer.bias ? 2 : 1;
      sums_.push_back(z);
      inputs_.push_back(a);
    }
  }

  Rows<T> loss_gradient(const std::vector<std::size_t>& rows, std::size_t divisor) const {
    T factor = T(1) / static_cast<T>(divisor);
    if (fault_ == Fault::summed_loss) factor = T(1);
    if (fault_ == Fault::doubled_loss_gradient) factor *= T(2);
    Rows<T> gradient = inputs_.back();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<T>& row = gradient[r];
      if (case_.dataset.has_labels) {
        const T largest = *std::max_element(row.begin(), row.end());
        T exponentials = 0;
        for (T& value : row) exponentials += (value = std::exp(value - largest));
        for (T& value : row) value /= exponentials;
        row[static_cast<std::size_t>(case_.dataset.labels()[rows[r]])] -= T(1);
      } else {
        const T columns = static_cast<T>(row.size());
        for (std::size_t j = 0; j < row.size(); ++j) {
          row[j] = term_slope(case_.problem.loss, row[j], target(rows[r], j)) / columns;
        }
      }
      for (T& value : row) value *= factor;
    }
    return gradient;
  }

  const Case& case_;
  Summation summation_;
  Fault fault_;
  std::vector<std::vector<T>> parameters_;
  std::vector<OtherOptimizer<T>> optimizers_;  // one per parameter
  std::vector<Rows<T>> inputs_;                // of each layer, then the output
  std::vector<Rows<T>> sums_;                  // pre-activations
};

}  // namespace

void PrintTo(Fault fault, std::ostream* stream) {
  constexpr const char* kNames[] = {
      "none",          "doubled_loss_gradient", "frozen_bias",       "dropped_last_row",  "extra_step",
      "missing_step",  "summed_loss",           "transposed_weight", "wrong_entry",       "unshuffled",
      "wide_operands", "cut_operands",          "narrow_sums",       "narrow_parameters", "wide_derivatives"};
  *stream << kNames[static_cast<std::size_t>(fault)];
}

template <class T>
Outcome train_otherwise(const Case& problem_case, std::int64_t steps, Summation summation, Fault fault) {
  Trainer<T> trainer(problem_case, summation, fault);
  std::int64_t made = steps;
  if (fault == Fault::extra_step) ++made;
  if (fault == Fault::missing_step) --made;
  for (std::int64_t step = 0; step < made; ++step) trainer.step(problem_case.start.step + step);
  Outcome outcome{trainer.state(), trainer.loss()};
  outcome.state.step = problem_case.start.step + steps;
  if (fault == Fault::wrong_entry) outcome.state.parameters[0].back() *= 1.001;
  return outcome;
}

template Outcome train_otherwise<float>(const Case&, std::int64_t, Summation, Fault);
template Outcome train_otherwise<double>(const Case&, std::int64_t, Summation, Fault);

}  // namespace gdbench::verify::testing
