// The passes of a chain of fully connected layers, with derivatives as written by hand, as calls. Forward as in
// strategies/forward_pass.h; backward, with D_l = d loss / d Z_l:
//   D_L = d loss / d A_L * f_L'             dW_l = A_(l-1)' D_l         db_l = column sums of D_l
//   D_(l-1) = (D_l W_l') * f_(l-1)'         for l > 1: the gradient with respect to X is never computed
#pragma once

#include <cstdint>

#include "implementations/strategies/forward_pass.h"
#include "implementations/strategies/parameters.h"
#include "implementations/strategies/program.h"
#include "implementations/strategies/session.h"

namespace gdbench::strategies::hand {

class Network {
 public:
  // What the passes of up to `rows` rows write.
  Network(Session& session, const gdbench_problem& problem, const Parameters& parameters, std::int64_t rows);

  // Each appends to `program`. x is [rows, features], targets [rows, outputs] or labels [rows, 1].
  void add_forward(Program& program, const Matrix& x) { forward_.add(program, x); }
  // Follows add_forward with the same x.
  void add_backward(Program& program, const Matrix& x, const Matrix& targets);

 private:
  // D_l: two buffers in turn, since D_l is dead when D_(l-2) is written.
  Matrix delta(std::int64_t l, std::int64_t rows) const;
  void add_activation_gradient(Program& program, std::int64_t l, const Matrix& delta);

  Session& session_;
  const Parameters& parameters_;
  ForwardPass forward_;
  std::int64_t layer_count_;
  kernels::Buffer deltas_[2] = {nullptr, nullptr};
};

}  // namespace gdbench::strategies::hand
