#include "implementations/strategies/hand/network.h"

#include <algorithm>

#include "implementations/pipeline/batch_loader.h"

namespace gdbench::strategies::hand {

using kernels::Op;
using kernels::Request;

Network::Network(Session& session, const gdbench_problem& problem, const Parameters& parameters, std::int64_t rows,
                 bool gradients)
    : session_(session), problem_(problem), parameters_(parameters) {
  const auto row_bytes = [&](std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns) * pipeline::element_size(static_cast<gdbench_dtype>(problem.dtype));
  };
  std::int64_t widest = 0;
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    activations_.push_back(session.allocate(row_bytes(layer(l).outputs)));
    widest = std::max(widest, layer(l).outputs);
  }
  if (!gradients) return;
  for (kernels::Buffer& delta : deltas_) delta = session.allocate(row_bytes(widest));
}

Request Network::request(Op op) const {
  Request request;
  request.op = op;
  request.dtype = static_cast<gdbench_dtype>(problem_.dtype);
  request.loss = static_cast<gdbench_loss>(problem_.loss);
  return request;
}

Matrix Network::activations(std::int64_t l, std::int64_t rows) const {
  return {activations_[static_cast<std::size_t>(l)], rows, layer(l).outputs};
}

Matrix Network::delta(std::int64_t l, std::int64_t rows) const { return {deltas_[l % 2], rows, layer(l).outputs}; }

void Network::add_forward(Program& program, const Matrix& x) {
  Matrix input = x;
  for (std::int64_t l = 0; l < problem_.layer_count; ++l) {
    const Matrix output = activations(l, x.rows);
    program.add(session_, request(Op::product), GDBENCH_PHASE_FORWARD, {input, parameters_.weights(l), output});
    if (layer(l).has_bias != 0) {
      program.add(session_, request(Op::add_bias), GDBENCH_PHASE_FORWARD, {parameters_.bias(l), output});
    }
    if (layer(l).activation != GDBENCH_IDENTITY) {
      Request activation = request(Op::activation);
      activation.activation = static_cast<gdbench_activation>(layer(l).activation);
      program.add(session_, activation, GDBENCH_PHASE_FORWARD, {output, output});
    }
    input = output;
  }
}

void Network::add_loss(Program& program, const Matrix& targets, const Matrix& loss) {
  const Matrix output = activations(problem_.layer_count - 1, targets.rows);
  program.add(session_, request(Op::loss), GDBENCH_PHASE_FORWARD, {output, targets, loss});
}

void Network::add_activation_gradient(Program& program, std::int64_t l, const Matrix& delta) {
  if (layer(l).activation == GDBENCH_IDENTITY) return;
  Request gradient = request(Op::activation_gradient);
  gradient.activation = static_cast<gdbench_activation>(layer(l).activation);
  program.add(session_, gradient, GDBENCH_PHASE_BACKWARD, {activations(l, delta.rows), delta});
}

void Network::add_backward(Program& program, const Matrix& x, const Matrix& targets) {
  const std::int64_t last = problem_.layer_count - 1;
  Matrix d = delta(last, x.rows);
  program.add(session_, request(Op::loss_gradient), GDBENCH_PHASE_BACKWARD, {activations(last, x.rows), targets, d});
  add_activation_gradient(program, last, d);
  for (std::int64_t l = last; l >= 0; --l) {
    const Matrix input = l == 0 ? x : activations(l - 1, x.rows);
    Request weights_gradient = request(Op::product);
    weights_gradient.transpose_a = true;
    program.add(session_, weights_gradient, GDBENCH_PHASE_BACKWARD, {input, d, parameters_.weights_gradient(l)});
    if (layer(l).has_bias != 0) {
      program.add(session_, request(Op::column_sum), GDBENCH_PHASE_BACKWARD, {d, parameters_.bias_gradient(l)});
    }
    if (l == 0) break;
    const Matrix previous = delta(l - 1, x.rows);
    Request input_gradient = request(Op::product);
    input_gradient.transpose_b = true;
    program.add(session_, input_gradient, GDBENCH_PHASE_BACKWARD, {d, parameters_.weights(l), previous});
    add_activation_gradient(program, l - 1, previous);
    d = previous;
  }
}

}  // namespace gdbench::strategies::hand
