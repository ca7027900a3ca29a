#include "implementations/strategies/hand/network.h"

#include <algorithm>

#include "implementations/pipeline/batch_loader.h"

namespace gdbench::strategies::hand {

using kernels::Op;
using kernels::Request;

Network::Network(Session& session, const gdbench_problem& problem, const Parameters& parameters, std::int64_t rows)
    : session_(session),
      parameters_(parameters),
      forward_(session, problem, parameters, rows),
      layer_count_(problem.layer_count) {
  std::int64_t widest = 0;
  for (std::int64_t l = 0; l < layer_count_; ++l) widest = std::max(widest, forward_.layer(l).outputs);
  const std::size_t element = pipeline::element_size(static_cast<gdbench_dtype>(problem.dtype));
  for (kernels::Buffer& delta : deltas_) delta = session.allocate(static_cast<std::size_t>(rows * widest) * element);
}

Matrix Network::delta(std::int64_t l, std::int64_t rows) const {
  return {deltas_[l % 2], rows, forward_.layer(l).outputs};
}

void Network::add_activation_gradient(Program& program, std::int64_t l, const Matrix& delta) {
  if (forward_.layer(l).activation == GDBENCH_IDENTITY) return;
  Request gradient = forward_.request(Op::activation_gradient);
  gradient.activation = static_cast<gdbench_activation>(forward_.layer(l).activation);
  program.add(session_, gradient, GDBENCH_PHASE_BACKWARD, {forward_.activations(l, delta.rows), delta});
}

void Network::add_backward(Program& program, const Matrix& x, const Matrix& targets) {
  const std::int64_t last = layer_count_ - 1;
  Matrix d = delta(last, x.rows);
  program.add(session_, forward_.request(Op::loss_gradient), GDBENCH_PHASE_BACKWARD,
              {forward_.activations(last, x.rows), targets, d});
  add_activation_gradient(program, last, d);
  for (std::int64_t l = last; l >= 0; --l) {
    const Matrix input = l == 0 ? x : forward_.activations(l - 1, x.rows);
    Request weights_gradient = forward_.request(Op::product);
    weights_gradient.transpose_a = true;
    program.add(session_, weights_gradient, GDBENCH_PHASE_BACKWARD, {input, d, parameters_.weights_gradient(l)});
    if (forward_.layer(l).has_bias != 0) {
      program.add(session_, forward_.request(Op::column_sum), GDBENCH_PHASE_BACKWARD,
                  {d, parameters_.bias_gradient(l)});
    }
    if (l == 0) break;
    const Matrix previous = delta(l - 1, x.rows);
    Request input_gradient = forward_.request(Op::product);
    input_gradient.transpose_b = true;
    program.add(session_, input_gradient, GDBENCH_PHASE_BACKWARD, {d, parameters_.weights(l), previous});
    add_activation_gradient(program, l - 1, previous);
    d = previous;
  }
}

}  // namespace gdbench::strategies::hand
