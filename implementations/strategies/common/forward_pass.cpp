#include "implementations/strategies/common/forward_pass.h"

#include "implementations/loader/batch_loader.h"

namespace gdbench::strategies {

using backends::Op;
using backends::Request;

ForwardPass::ForwardPass(Session& session, const gdbench_problem& problem, const Parameters& parameters,
                         std::int64_t rows)
    : session_(session), problem_(problem), parameters_(parameters) {
  const std::size_t element = catalogue::size_of(catalogue::dtype_of(problem));
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    const std::size_t bytes = static_cast<std::size_t>(rows * layer(l).outputs) * element;
    activations_.push_back(session.allocate(bytes));
    const bool keeps_sums = catalogue::reads_input(catalogue::activation_of(layer(l)));
    sums_.push_back(keeps_sums ? session.allocate(bytes) : activations_.back());
    const bool normalizes = catalogue::normalization_of(problem, l) != catalogue::Normalization::none;
    unnormalized_.push_back(normalizes ? session.allocate(bytes) : nullptr);
    normalized_.push_back(normalizes ? session.allocate(bytes) : nullptr);
  }
}

Request ForwardPass::request(Op op) const {
  return Request{.op = op, .dtype = catalogue::dtype_of(problem_), .loss = catalogue::loss_of(problem_)};
}

void ForwardPass::add(Program& program, const Matrix& x) {
  Matrix input = x;
  for (std::int64_t l = 0; l < problem_.layer_count; ++l) {
    const Matrix argument = derivative_argument(l, x.rows);
    const Matrix sums = is_normalized(l) ? unnormalized(l, x.rows) : argument;
    const Matrix output = activations(l, x.rows);
    program.add(session_, request(Op::product), catalogue::Phase::forward,
                parameters_.part_of(l, LayerPart::weights, GDBENCH_READS_PARAMETERS),
                {input, parameters_.value(l, LayerPart::weights), sums});
    if (layer(l).has_bias != 0) add_bias(program, l, LayerPart::bias, sums);
    if (is_normalized(l)) {
      program.add(session_, request(Op::normalize), catalogue::Phase::forward, of_layer(l),
                  {sums, normalized(l, x.rows)});
      program.add(session_, request(Op::scale_columns), catalogue::Phase::forward,
                  parameters_.part_of(l, LayerPart::scale, GDBENCH_READS_PARAMETERS),
                  {parameters_.value(l, LayerPart::scale), normalized(l, x.rows), argument});
      add_bias(program, l, LayerPart::shift, argument);
    }
    if (catalogue::activation_of(layer(l)) != catalogue::Activation::identity) {
      Request activation = request(Op::activation);
      activation.activation = catalogue::activation_of(layer(l));
      program.add(session_, activation, catalogue::Phase::forward, of_layer(l), {argument, output});
    }
    input = output;
  }
}

void ForwardPass::add_bias(Program& program, std::int64_t l, LayerPart part, const Matrix& sums) {
  program.add(session_, request(Op::add_bias), catalogue::Phase::forward,
              parameters_.part_of(l, part, GDBENCH_READS_PARAMETERS), {parameters_.value(l, part), sums});
}

void ForwardPass::add_loss(Program& program, const Matrix& targets, const Matrix& loss, double weight) {
  const Matrix output = activations(problem_.layer_count - 1, targets.rows);
  Request value = request(Op::loss);
  value.alpha = weight;
  program.add(session_, value, catalogue::Phase::forward, of_layer(problem_.layer_count - 1), {output, targets, loss});
}

}  // namespace gdbench::strategies
