// The loss of a batch, written once for scalars of any type that has operators and elementary functions: those of a
// tape find exp, log and tanh by their arguments' namespace.
//
// The formulas are those of backends/common/rules, in two respects written otherwise: what depends on a sign is
// `positive_or`, which a tape that is replayed records as such, where it would freeze an if; and the branch at 0 is
// the one whose derivative gdbench/plugin.h asks for.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "implementations/autodiff/common/library.h"
#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"

namespace gdbench::autodiff {

// a for c > 0, else b. A type that can record the choice has an overload of its own.
template <class S>
S positive_or(const S& c, const S& a, const S& b) {
  return c > 0 ? a : b;
}

// log(1 + e^p), with the larger of 1 and e^p taken out, so that e^p does not overflow.
template <class S>
S log_one_and_exp(const S& p) {
  using std::exp;
  using std::log;
  return positive_or(p, p, S(0)) + log(1 + exp(positive_or(p, S(-p), p)));
}

template <class S>
S activated(Activation activation, const S& z) {
  using std::erfc;
  using std::exp;
  using std::tanh;
  switch (activation) {
    case Activation::identity:
      return z;
    case Activation::relu:
      return positive_or(z, z, S(0));
    case Activation::tanh:
      return tanh(z);
    case Activation::sigmoid:
      return 1 / (1 + exp(-z));
    case Activation::leaky_relu:
      return positive_or(z, z, S(z / 100));
    case Activation::silu:
      return z / (1 + exp(-z));
    case Activation::gelu:
      if constexpr (requires { erfc(z); }) {
        return z * erfc(z * -0.70710678118654752440) / 2;  // -1 / sqrt(2)
      } else if constexpr (requires { erf(z); }) {
        return z * (1 + erf(z * 0.70710678118654752440)) / 2;
      }
      break;  // no such function: its row does not offer it
    case Activation::gelu_tanh:
      return z / 2 * (1 + tanh(backends::kGeluScale * z * (1 + backends::kGeluCube * z * z)));
    case Activation::softplus:
      return log_one_and_exp(z);
  }
  std::abort();
}

// What an output p adds for its target y, in a loss whose columns are not coupled.
template <class S, class Target>
S loss_term(const catalogue::LossFunction& loss, const S& p, const Target& y) {
  switch (loss.kind) {
    case Loss::mse:
    case Loss::half_mse: {
      const S error = p - y;
      return error * error;
    }
    case Loss::binary_cross_entropy:
      return log_one_and_exp(p) - p * y;
    case Loss::huber: {
      const S error = p - y;
      const S size = positive_or(error, error, S(-error));
      return positive_or(S(size - loss.huber_delta), S(loss.huber_delta * (size - loss.huber_delta / 2)),
                         S(size * size / 2));
    }
    case Loss::softmax_cross_entropy:
      break;
  }
  std::abort();
}

// log(sum(exp(P))) of a row, with its largest logit taken out, so that exp does not overflow.
template <class S>
S log_sum_exp(const std::vector<S>& p) {
  using std::exp;
  using std::log;
  S largest = p[0];
  for (std::size_t j = 1; j < p.size(); ++j) largest = positive_or(S(p[j] - largest), p[j], largest);
  S sum = exp(p[0] - largest);
  for (std::size_t j = 1; j < p.size(); ++j) sum += exp(p[j] - largest);
  return largest + log(sum);
}

// P of one row of features.
template <class S, class Features>
std::vector<S> outputs_of(const Network& network, const S* parameters, const Features& x, std::int64_t first) {
  std::vector<S> inputs;
  std::vector<S> outputs;
  for (const Layer& layer : network.layers) {
    outputs.clear();
    for (std::int64_t j = 0; j < layer.outputs; ++j) {
      S sum = layer.bias < 0 ? S(0) : parameters[layer.bias + j];
      const S* weights = parameters + layer.weights + j;
      for (std::int64_t i = 0; i < layer.inputs; ++i, weights += layer.outputs) {
        if (inputs.empty()) {
          sum += x[first + i] * *weights;
        } else {
          sum += inputs[static_cast<std::size_t>(i)] * *weights;
        }
      }
      outputs.push_back(activated(layer.activation, sum));
    }
    std::swap(inputs, outputs);
  }
  return inputs;
}

// The mean loss of `rows` rows: x [rows, features] and targets [rows, outputs] by index, of numbers or of what stands
// for numbers on a tape. labels [rows] where they are given; else a loss of labels has targets 0 and 1.
template <class S, class Features, class Targets>
S network_loss(const Network& network, const S* parameters, const Features& x, const Targets& targets,
               const std::int32_t* labels, std::int64_t rows) {
  const std::int64_t features = network.layers.front().inputs;
  const std::int64_t columns = network.layers.back().outputs;
  S total(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<S> p = outputs_of(network, parameters, x, row * features);
    const bool coupled = catalogue::takes_labels(network.loss);
    if (coupled) total += log_sum_exp(p);
    if (coupled && labels != nullptr) {
      total -= p[static_cast<std::size_t>(labels[row])];
      continue;
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      const S& output = p[static_cast<std::size_t>(j)];
      if (coupled) {
        total -= output * targets[row * columns + j];
      } else {
        total += loss_term(network.loss, output, targets[row * columns + j]);
      }
    }
  }
  return total * backends::loss_scale(network.loss, rows, columns);
}

}  // namespace gdbench::autodiff
