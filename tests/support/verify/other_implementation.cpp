#include "tests/support/verify/other_implementation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tests/support/verify/other_functions.h"
#include "tests/support/verify/other_update.h"

namespace gdbench::verify::testing {

namespace {

using catalogue::ParameterRounding;

template <class T>
using Rows = std::vector<std::vector<T>>;

template <class T>
std::vector<T> column(const Rows<T>& rows, std::size_t index) {
  std::vector<T> values;
  for (const std::vector<T>& row : rows) values.push_back(row[index]);
  return values;
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
    if (!scales()) return;
    scale_ = static_cast<T>(problem_case.start.loss_scaling[0]);
    updates_at_scale_ = problem_case.start.loss_scaling[1];
    skipped_ = problem_case.start.loss_scaling[2];
  }

  void step(std::int64_t number) {
    std::vector<std::size_t> rows = batch(number);
    const std::size_t divisor = rows.size();
    if (fault_ == Fault::dropped_last_row) rows.pop_back();
    forward(rows);
    Rows<T> delta = loss_gradient(rows, divisor);
    std::size_t parameter = parameters_.size();
    std::vector<std::vector<T>> updated = parameters_;
    std::vector<OtherOptimizer<T>> before = optimizers_;
    overflows_ = false;
    for (std::size_t l = case_.problem.layers.size(); l-- > 0;) {
      const scenario::Layer& layer = case_.problem.layers[l];
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t j = 0; j < delta[r].size(); ++j) {
          delta[r][j] =
              gradient_operand(delta[r][j] * derivative(layer.activation, sums_[l][r][j], inputs_[l + 1][r][j]));
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
          const std::vector<T> ones(rows.size(), T(1));
          const T sum = fault_ == Fault::narrow_bias_sums ? narrow_gradient_dot(ones, column(delta, j))
                                                          : dot(column(delta, j), ones, plain);
          update(parameter, j, gradient_result(sum), number, updated);
        }
      }
      --parameter;
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < outputs; ++j) {
          const T sum = gradient_product(column(inputs_[l], i), column(delta, j));
          update(parameter, i * outputs + j, gradient_result(sum), number, updated);
        }
      }
      Rows<T> below(rows.size(), std::vector<T>(inputs));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < inputs; ++i) {
          below[r][i] = gradient_result(gradient_product(weights_row(parameter, l, i), delta[r]));
        }
      }
      delta = below;
    }
    if (count_scaling()) {
      optimizers_.swap(before);
      return;
    }
    parameters_ = updated;
    if (fault_ == Fault::narrow_parameters) {
      for (std::vector<T>& values : parameters_) {
        for (T& value : values) value = operand(value);
      }
    }
    round_parameters(number);
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
    result.loss_scaling = {static_cast<double>(scale_), updates_at_scale_, skipped_};
    return result;
  }

 private:
  bool scales() const { return case_.problem.dtype == scenario::Dtype::f16; }

  // After a step; returns whether it is skipped.
  bool count_scaling() {
    if (!scales()) return false;
    if (overflows_ && fault_ != Fault::updates_on_overflow) {
      skipped_ += 1;
      updates_at_scale_ = 0;
      scale_ /= 2;
      return true;
    }
    updates_at_scale_ += 1;
    if (updates_at_scale_ >= static_cast<double>(case_.problem.loss_scaling.growth_interval)) {
      updates_at_scale_ = 0;
      if (fault_ != Fault::constant_scale) scale_ *= 2;
    }
    return false;
  }

  void round_parameters(std::int64_t number) {
    ParameterRounding rounding = case_.problem.parameter_rounding;
    if (rounding == ParameterRounding::none || fault_ == Fault::unrounded_parameters) return;
    if (fault_ == Fault::nearest_parameters) rounding = ParameterRounding::nearest;
    if (fault_ == Fault::stochastic_parameters) rounding = ParameterRounding::stochastic;
    const std::uint64_t stream = case_.problem.rounding_seed + (fault_ == Fault::other_stream ? 7 : 0);
    const std::uint64_t seed = split_mix_64(stream, static_cast<std::uint64_t>(number));
    std::uint64_t index = 0;
    for (std::vector<T>& values : parameters_) {
      for (T& value : values) {
        const auto single = static_cast<float>(value);
        const std::uint32_t carry = rounding == ParameterRounding::stochastic
                                        ? static_cast<std::uint32_t>(split_mix_64(seed, index++) >> 48)
                                        : 0x7fff + (std::bit_cast<std::uint32_t>(single) >> 16 & 1);
        value = static_cast<T>(std::bit_cast<float>((std::bit_cast<std::uint32_t>(single) + carry) & 0xffff0000U));
      }
    }
  }

  // What the loss's gradient is a factor of is rounded with the scale of the loss.
  T gradient_operand(T value) const {
    const T scale = fault_ == Fault::unscaled_loss ? T(1) : scale_;
    return operand(value * scale) / scale;
  }
  T gradient_result(T value) const { return case_.problem.rounds_results ? gradient_operand(value) : value; }
  // `deltas` were rounded before.
  T gradient_product(std::vector<T> a, std::vector<T> deltas) const {
    for (T& value : a) value = operand(value);
    return fault_ == Fault::narrow_sums ? narrow_gradient_dot(a, deltas)
                                        : dot(std::move(a), std::move(deltas), summation_);
  }

  // What a product multiplies in place of `value`.
  T operand(T value) const {
    if (!catalogue::is_mixed(case_.problem.dtype) || fault_ == Fault::wide_operands) return value;
    const bool cut = fault_ == Fault::cut_operands;
    const auto single = static_cast<float>(value);
    return static_cast<T>(scales() ? rounded_to_binary16(single, cut) : rounded_to_bfloat16(single, cut));
  }

  T result(T value) const { return case_.problem.rounds_results ? operand(value) : value; }

  T product(std::vector<T> a, std::vector<T> b) const {
    for (T& value : a) value = operand(value);
    for (T& value : b) value = operand(value);
    if (fault_ != Fault::narrow_sums) return dot(std::move(a), std::move(b), summation_);
    return narrow_dot(a, b, [this](T sum) { return operand(sum); });
  }

  template <class Round>
  T narrow_dot(const std::vector<T>& a, const std::vector<T>& b, const Round& round) const {
    T sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t next = summation_ == Summation::reversed ? a.size() - 1 - i : i;
      sum = round(sum + a[next] * b[next]);
    }
    return sum;
  }
  T narrow_gradient_dot(const std::vector<T>& a, const std::vector<T>& b) const {
    return narrow_dot(a, b, [this](T sum) { return gradient_operand(sum); });
  }

  T derivative(Activation activation, T z, T a) const {
    if (!catalogue::is_mixed(case_.problem.dtype) || fault_ == Fault::wide_derivatives) return slope(activation, z);
    if (catalogue::reads_input(activation)) return slope(activation, operand(z));
    return slope_at_result(activation, operand(a));
  }

  void update(std::size_t parameter, std::size_t entry, T gradient, std::int64_t number, Rows<T>& updated) {
    const bool finite = std::isfinite(gradient);
    overflows_ = overflows_ || !finite;
    if (!finite && fault_ == Fault::updates_on_overflow) gradient = 0;
    const std::int64_t update = number + 1 - static_cast<std::int64_t>(skipped_);
    updated[parameter][entry] =
        optimizers_[parameter].updated(entry, parameters_[parameter][entry], gradient, number + 1, update);
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
  T scale_ = 1;                                // of the loss
  double updates_at_scale_ = 0;
  double skipped_ = 0;
  bool overflows_ = false;  // a gradient of this step is not finite
};

}  // namespace

void PrintTo(Fault fault, std::ostream* stream) {
  constexpr const char* kNames[] = {"none",
                                    "doubled_loss_gradient",
                                    "frozen_bias",
                                    "dropped_last_row",
                                    "extra_step",
                                    "missing_step",
                                    "summed_loss",
                                    "transposed_weight",
                                    "wrong_entry",
                                    "unshuffled",
                                    "wide_operands",
                                    "cut_operands",
                                    "narrow_sums",
                                    "narrow_parameters",
                                    "wide_derivatives",
                                    "narrow_bias_sums",
                                    "unscaled_loss",
                                    "updates_on_overflow",
                                    "constant_scale",
                                    "unrounded_parameters",
                                    "nearest_parameters",
                                    "stochastic_parameters",
                                    "other_stream"};
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
