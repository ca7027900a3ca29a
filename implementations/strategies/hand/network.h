// The forward pass of a chain of fully connected layers, its derivatives as written by hand, and the loss, as calls.
//
// With A_0 = X, layer l computes Z_l = A_(l-1) W_l + b_l and A_l = f_l(Z_l), all [rows, outputs of l]. Backward, with
// D_l = d loss / d Z_l:
//   D_L = d loss / d A_L * f_L'             dW_l = A_(l-1)' D_l         db_l = column sums of D_l
//   D_(l-1) = (D_l W_l') * f_(l-1)'         for l > 1: the gradient with respect to X is never computed
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/strategies/parameters.h"
#include "implementations/strategies/program.h"
#include "implementations/strategies/session.h"

namespace gdbench::strategies::hand {

class Network {
 public:
  // What the passes of up to `rows` rows write. Backward passes need `gradients`.
  Network(Session& session, const gdbench_problem& problem, const Parameters& parameters, std::int64_t rows,
          bool gradients);

  // Each appends to `program`. x is [rows, features], targets [rows, outputs] or labels [rows, 1], loss [1, 1]
  // (double).
  void add_forward(Program& program, const Matrix& x);
  void add_loss(Program& program, const Matrix& targets, const Matrix& loss);
  // Follows add_forward with the same x.
  void add_backward(Program& program, const Matrix& x, const Matrix& targets);

 private:
  const gdbench_layer& layer(std::int64_t l) const { return problem_.layers[l]; }
  kernels::Request request(kernels::Op op) const;
  // A_l for a batch of `rows` rows.
  Matrix activations(std::int64_t l, std::int64_t rows) const;
  // D_l: two buffers in turn, since D_l is dead when D_(l-2) is written.
  Matrix delta(std::int64_t l, std::int64_t rows) const;
  void add_activation_gradient(Program& program, std::int64_t l, const Matrix& delta);

  Session& session_;
  const gdbench_problem& problem_;
  const Parameters& parameters_;
  std::vector<kernels::Buffer> activations_;
  kernels::Buffer deltas_[2] = {nullptr, nullptr};
};

}  // namespace gdbench::strategies::hand
