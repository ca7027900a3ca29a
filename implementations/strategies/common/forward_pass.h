// The forward pass of a chain of fully connected layers and the loss, as calls.
//
// With A_0 = X, layer l computes Z_l = A_(l-1) W_l + b_l and A_l = f_l(Z_l), all [rows, outputs of l]; Z_l and A_l
// share a buffer unless the derivative of f_l reads Z_l.
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

  // Each appends to `program`. x is [rows, features], targets [rows, outputs] or labels [rows, 1], loss a double.
  void add(Program& program, const Matrix& x);
  void add_loss(Program& program, const Matrix& targets, const Matrix& loss);

  // A_l for a batch of `rows` rows.
  Matrix activations(std::int64_t l, std::int64_t rows) const {
    return {activations_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
  }
  // What op activation_gradient reads of layer l: A_l, or Z_l.
  Matrix derivative_argument(std::int64_t l, std::int64_t rows) const {
    return {sums_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
  }
  const gdbench_layer& layer(std::int64_t l) const { return problem_.layers[l]; }
  // A request with the problem's dtype and loss.
  backends::Request request(backends::Op op) const;

 private:
  Session& session_;
  const gdbench_problem& problem_;
  const Parameters& parameters_;
  std::vector<backends::Buffer> activations_;
  std::vector<backends::Buffer> sums_;  // Z, where it is kept; otherwise that of A
};

}  // namespace gdbench::strategies
