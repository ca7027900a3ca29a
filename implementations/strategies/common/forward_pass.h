// The forward pass of a chain of fully connected layers and the loss, as calls.
//
// With A_0 = X, layer l computes Z_l = A_(l-1) W_l + b_l and A_l = f_l(Z_l), all [rows, outputs of l]; Z_l and A_l
// share a buffer unless the derivative of f_l reads Z_l. A layer that is normalised computes, of another Z_l, N_l and
// then A_l = f_l(scale_l .* N_l + shift_l).
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

class ForwardPass {
 public:
  // What passes of up to `rows` rows write.
  ForwardPass(Session& session, const gdbench_problem& problem, const Parameters& parameters, std::int64_t rows);

  // Each appends to `program`. x is [rows, features], targets [rows, outputs] or labels [rows, 1], loss a
  // double: `weight` times the mean.
  void add(Program& program, const Matrix& x);
  void add_loss(Program& program, const Matrix& targets, const Matrix& loss, double weight = 1);

  // A_l for a batch of `rows` rows.
  Matrix activations(std::int64_t l, std::int64_t rows) const {
    return {activations_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
  }
  // What op activation_gradient reads of layer l: A_l, or what f_l is taken of.
  Matrix derivative_argument(std::int64_t l, std::int64_t rows) const {
    return {sums_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
  }
  // Of a normalised layer Z_l and N_l, with null buffers of others.
  Matrix unnormalized(std::int64_t l, std::int64_t rows) const {
    return {unnormalized_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
  }
  Matrix normalized(std::int64_t l, std::int64_t rows) const {
    return {normalized_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
  }
  bool is_normalized(std::int64_t l) const { return normalized_[static_cast<std::size_t>(l)] != nullptr; }
  const gdbench_layer& layer(std::int64_t l) const { return problem_.layers[l]; }
  // A request with the problem's dtype and loss.
  backends::Request request(backends::Op op) const;

 private:
  Session& session_;
  const gdbench_problem& problem_;
  const Parameters& parameters_;
  std::vector<backends::Buffer> activations_;
  std::vector<backends::Buffer> sums_;  // what f is taken of, where it is kept; otherwise that of A
  std::vector<backends::Buffer> unnormalized_;
  std::vector<backends::Buffer> normalized_;

  void add_bias(Program& program, std::int64_t l, LayerPart part, const Matrix& sums);
};

}  // namespace gdbench::strategies
