// The strategy `hand`: derivatives written by hand for chains of fully connected layers, all calls bound ahead, a step
// is a walk over a flat list.
#pragma once

#include <cstdint>

#include "implementations/strategies/common/column_masks.h"
#include "implementations/strategies/common/exchange.h"
#include "implementations/strategies/common/forward_pass.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/session.h"
#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::hand {

// The passes of a chain of fully connected layers, with derivatives as written by hand, as calls. Forward as in
// strategies/common/forward_pass.h; backward, with D_l = d loss / d Z_l:
//   D_L = d loss / d A_L * f_L'             dW_l = A_(l-1)' D_l         db_l = column sums of D_l
//   D_(l-1) = (D_l W_l') * f_(l-1)'         for l > 1: the gradient with respect to X is never computed
// Where a layer is normalised, f' leads to the gradient D with respect to scale .* N + shift, and only then to D_l:
//   dshift = column sums of D    dscale = column sums of D * N    D_l = the normalisation's gradient of scale .* D
// The task gradients computes D_L once, too: a column's loss has that column of it and zeros elsewhere, which a sweep
// per column carries down. Sweeps after the first add to the parameters' gradients, as do the parts of a batch.

class Network {
 public:
  // What the passes of up to `rows` rows write. `masks` are the task gradients', else null.
  Network(Session& session, const gdbench_problem& problem, const Parameters& parameters, const ColumnMasks* masks,
          std::int64_t rows);

  // Each appends to `program`. x is [rows, features], targets [rows, outputs] or labels [rows, 1].
  void add_forward(Program& program, const Matrix& x) { forward_.add(program, x); }
  // Follows add_forward with the same x. Leaves the gradient of `weight` times the whole loss, for either task, or adds
  // it to what is there. `exchange` gets each layer whose gradients are complete then; null where they are not.
  void add_backward(Program& program, const Matrix& x, const Matrix& targets, double weight, bool accumulate,
                    Exchange* exchange);

 private:
  // D_l: two buffers in turn, since D_l is dead when D_(l-2) is written.
  Matrix delta(std::int64_t l, std::int64_t rows) const;
  void add_activation_gradient(Program& program, std::int64_t l, const Matrix& delta);
  // D_L of `weight` times the whole loss in `d`.
  void add_output_delta(Program& program, const Matrix& targets, double weight, const Matrix& d);
  // From delta(L) down; writes the parameters' gradients or adds to them.
  void add_sweep(Program& program, const Matrix& x, bool accumulate, Exchange* exchange);
  // From D to D_l of a normalised layer, in place.
  void add_normalization_gradient(Program& program, std::int64_t l, const Matrix& d, bool accumulate);
  // The gradient of a parameter [1, outputs] whose rows' gradients are `d`.
  void add_column_sums(Program& program, std::int64_t l, LayerPart of, const Matrix& d, bool accumulate);

  Session& session_;
  const Parameters& parameters_;
  const ColumnMasks* masks_;
  ForwardPass forward_;
  std::int64_t layer_count_;
  backends::Buffer deltas_[2] = {nullptr, nullptr};
  backends::Buffer output_delta_ = nullptr;  // with masks: D_L of the whole loss
  backends::Buffer products_ = nullptr;      // D * N, where a layer is normalised
  backends::Buffer column_sums_ = nullptr;   // of a sweep, before they are added; where sweeps add up
};

extern const StrategyDescriptor kDescriptor;

}  // namespace gdbench::strategies::hand
