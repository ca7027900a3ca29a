#include "implementations/strategies/common/op_table.h"

#include <string>

#include "implementations/backends/common/operands.h"
#include "implementations/common/failure.h"

namespace gdbench::strategies::ops {
namespace {

using implementations::Failure;

// The derivative rules. G is the gradient with respect to the result, f' a derivative.

Hint gradient_of(int operand, std::uint32_t dies = 0) { return {operand, dies}; }

Value emit(Emitter& emitter, Op op, const Attributes& attributes, Value a, Value b, const Hint& hint = {}) {
  const Value operands[] = {a, b};
  return emitter.emit(op, attributes, operands, hint);
}

// factor_a A + factor_b B
Value combine(Emitter& emitter, double factor_a, Value a, double factor_b, Value b, const Hint& hint = {}) {
  return emit(emitter, Op::combine, {.alpha = factor_a, .beta = factor_b}, a, b, hint);
}

// factor A; A itself where that is the same.
Value scaled(Emitter& emitter, double factor, Value a, const Hint& hint) {
  return factor == 1 ? a : combine(emitter, factor, a, 0, a, hint);
}

Value product(Emitter& emitter, double alpha, Value a, bool transpose_a, Value b, bool transpose_b, const Hint& hint) {
  return emit(emitter, Op::product, {.transpose_a = transpose_a, .transpose_b = transpose_b, .alpha = alpha}, a, b,
              hint);
}

// C = alpha op(A) op(B): dA = alpha G op(B)' and dB = alpha op(A)' G, transposed where the operand is.
void derivative_of_product(Emitter& emitter, const Application& application, Value* gradients) {
  const Attributes& attributes = application.attributes;
  const Value a = application.operands[0];
  const Value b = application.operands[1];
  const Value g = application.gradient;
  const bool ta = attributes.transpose_a;
  const bool tb = attributes.transpose_b;
  if (application.wants(1)) {
    gradients[1] = tb ? product(emitter, attributes.alpha, g, true, a, ta, gradient_of(1))
                      : product(emitter, attributes.alpha, a, !ta, g, false, gradient_of(1));
  }
  if (application.wants(0)) {
    gradients[0] = ta ? product(emitter, attributes.alpha, b, tb, g, true, gradient_of(0))
                      : product(emitter, attributes.alpha, g, false, b, !tb, gradient_of(0));
  }
}

// R = Z + b in each row: db = column sums of G, dZ = G.
void derivative_of_add_bias(Emitter& emitter, const Application& application, Value* gradients) {
  const Value g = application.gradient;
  if (application.wants(0)) gradients[0] = emitter.emit(Op::column_sum, {}, {&g, 1}, gradient_of(0));
  if (application.wants(1)) gradients[1] = g;
}

// A = f(Z): dZ = G f', from A.
void derivative_of_activation(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  const Value g = application.gradient;
  const catalogue::Activation activation = application.attributes.activation;
  if (activation == catalogue::Activation::identity) {
    gradients[0] = g;
    return;
  }
  const Value argument = catalogue::reads_input(activation) ? application.operands[0] : application.result;
  gradients[0] =
      emit(emitter, Op::activation_gradient, {.activation = activation}, argument, g, gradient_of(0, 1u << 1));
}

// R = D f'(A): dD = G f'(A), dA = D G df'/dA; f' in terms of A is 1 - A^2 for tanh, A (1 - A) for sigmoid and 1 - e^-A
// for softplus.
void derivative_of_activation_gradient(Emitter& emitter, const Application& application, Value* gradients) {
  const Value a = application.operands[0];
  const Value d = application.operands[1];
  const Value g = application.gradient;
  const catalogue::Activation activation = application.attributes.activation;
  if (application.wants(0)) {
    const Value product = emit(emitter, Op::multiply, {}, d, g);
    switch (activation) {
      case catalogue::Activation::tanh: {
        const Value weighted = emit(emitter, Op::multiply, {}, a, product);
        gradients[0] = combine(emitter, -2, weighted, 0, weighted, gradient_of(0));
        break;
      }
      case catalogue::Activation::sigmoid: {
        const Value weighted = emit(emitter, Op::multiply, {}, a, product);
        gradients[0] = combine(emitter, 1, product, -2, weighted, gradient_of(0));
        break;
      }
      case catalogue::Activation::softplus: {
        const Value sloped = emit(emitter, Op::activation_gradient, {.activation = activation}, a, product);
        gradients[0] = combine(emitter, 1, product, -1, sloped, gradient_of(0));
        break;
      }
      default:
        if (catalogue::row_of(activation).slope != catalogue::Slope::varies) {
          // f' is constant wherever it is continuous.
          gradients[0] = combine(emitter, 0, product, 0, product, gradient_of(0));
          break;
        }
        throw Failure(GDBENCH_UNSUPPORTED, std::string("there is no second derivative of ") + name_of(activation));
    }
  }
  if (application.wants(1)) {
    gradients[1] = emit(emitter, Op::activation_gradient, {.activation = activation}, a, g, gradient_of(1, 1u << 1));
  }
}

// Where a backward pass starts: dP = loss_gradient(P, Y), with the loss's alpha.
void derivative_of_loss(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  const Attributes attributes = {.alpha = application.attributes.alpha, .loss = application.attributes.loss};
  gradients[0] =
      emit(emitter, Op::loss_gradient, attributes, application.operands[0], application.operands[1], gradient_of(0));
}

// s = column sums of D: every row of dD is G.
void derivative_of_column_sum(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  const Value d = application.operands[0];
  const Value zeros = combine(emitter, 0, d, 0, d);
  gradients[0] = emit(emitter, Op::add_bias, {}, application.gradient, zeros, gradient_of(0, 1u << 1));
}

// C = alpha A + beta B: dA = alpha G, dB = beta G.
void derivative_of_combine(Emitter& emitter, const Application& application, Value* gradients) {
  const Attributes& attributes = application.attributes;
  if (application.wants(0)) gradients[0] = scaled(emitter, attributes.alpha, application.gradient, gradient_of(0));
  if (application.wants(1)) gradients[1] = scaled(emitter, attributes.beta, application.gradient, gradient_of(1));
}

// C = A .* B: dA = G .* B, dB = G .* A.
void derivative_of_multiply(Emitter& emitter, const Application& application, Value* gradients) {
  const Value g = application.gradient;
  if (application.wants(0)) gradients[0] = emit(emitter, Op::multiply, {}, g, application.operands[1], gradient_of(0));
  if (application.wants(1)) gradients[1] = emit(emitter, Op::multiply, {}, g, application.operands[0], gradient_of(1));
}

// N = the rows of Z normalised: dZ from Z again.
void derivative_of_normalize(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  gradients[0] =
      emit(emitter, Op::normalize_gradient, {}, application.operands[0], application.gradient, gradient_of(0, 1u << 1));
}

// C = s .* A in each row: ds = column sums of G .* A, dA = s .* G.
void derivative_of_scale_columns(Emitter& emitter, const Application& application, Value* gradients) {
  const Value g = application.gradient;
  if (application.wants(0)) {
    const Value products = emit(emitter, Op::multiply, {}, g, application.operands[1]);
    gradients[0] = emitter.emit(Op::column_sum, {}, {&products, 1}, gradient_of(0, 1u << 0));
  }
  if (application.wants(1)) {
    gradients[1] = emit(emitter, Op::scale_columns, {}, application.operands[0], g, gradient_of(1, 1u << 1));
  }
}

constexpr std::uint32_t kFirst = 1;
constexpr std::uint32_t kSecond = 2;
constexpr std::uint32_t kBoth = 3;

constexpr OpRow kRows[] = {
    {.op = Op::product, .differentiable = kBoth, .reads_operands = kBoth, .derivative = derivative_of_product},
    {.op = Op::add_bias,  // b, Z
     .may_alias = kSecond,
     .differentiable = kBoth,
     .derivative = derivative_of_add_bias},
    {.op = Op::activation,
     .may_alias = kFirst,
     .differentiable = kFirst,
     .reads_result = true,
     .derivative = derivative_of_activation},
    {.op = Op::activation_gradient,  // A or Z, D
     .may_alias = kSecond,
     .differentiable = kBoth,
     .reads_operands = kBoth,
     .derivative = derivative_of_activation_gradient},
    {.op = Op::loss,  // P, Y or labels
     .differentiable = kFirst,
     .reads_operands = kBoth,
     .derivative = derivative_of_loss},
    {.op = Op::loss_gradient,  // P, Y or labels
     .may_alias = kFirst},
    {.op = Op::column_sum, .differentiable = kFirst, .reads_operands = kFirst, .derivative = derivative_of_column_sum},
    {.op = Op::combine, .may_alias = kBoth, .differentiable = kBoth, .derivative = derivative_of_combine},
    {.op = Op::multiply,
     .may_alias = kBoth,
     .differentiable = kBoth,
     .reads_operands = kBoth,
     .derivative = derivative_of_multiply},
    {.op = Op::scale_columns,  // s, A
     .may_alias = kSecond,
     .differentiable = kBoth,
     .reads_operands = kBoth,
     .derivative = derivative_of_scale_columns},
    {.op = Op::normalize,
     .may_alias = kFirst,
     .differentiable = kFirst,
     .reads_operands = kFirst,
     .derivative = derivative_of_normalize},
    {.op = Op::normalize_gradient,  // Z, D
     .may_alias = kSecond},
    {.op = Op::update,  // G, scalars, W, slots: the slots are overwritten too
     .may_alias = 1u << 2},
};

}  // namespace

std::span<const OpRow> all_rows() { return kRows; }

const OpRow& row_of(Op op) {
  for (const OpRow& row : kRows) {
    if (row.op == op) return row;
  }
  throw Failure(GDBENCH_INVALID, std::string(backends::name_of(op)) + " is not in the table of ops");
}

DerivativeReads derivative_reads(const OpRow& row, const Attributes& attributes) {
  if (row.op == Op::activation && catalogue::reads_input(attributes.activation)) return {kFirst, false};
  return {row.reads_operands, row.reads_result};
}

backends::Request request_of(Op op, catalogue::Dtype dtype, const Attributes& attributes,
                             std::span<const Shape> operands) {
  backends::Request request{.op = op,
                            .dtype = dtype,
                            .transpose_a = attributes.transpose_a,
                            .transpose_b = attributes.transpose_b,
                            .alpha = attributes.alpha,
                            .beta = attributes.beta,
                            .activation = attributes.activation,
                            .loss = attributes.loss,
                            .optimizer = attributes.optimizer,
                            .moves_as_matrix = attributes.moves_as_matrix};
  row_of(op);                                   // throws where it has none
  const bool has_result = !overwritten_by(op);  // as an operand of its own, the last one
  const std::size_t count = backends::operands_of(request).size() - (has_result ? 1 : 0);
  if (operands.size() != count) {
    throw Failure(GDBENCH_INVALID, std::string(backends::name_of(op)) + ": found " + std::to_string(operands.size()) +
                                       " operands, expected " + std::to_string(count));
  }
  for (const Shape& shape : operands) request.operands[request.operand_count++] = {shape.rows, shape.columns};
  if (has_result) {
    const backends::OperandRow result = backends::operands_of(request).back();
    request.operands[request.operand_count++] = {result.rows, result.columns};
  }
  if (const std::string error = backends::shape_error(request); !error.empty()) throw Failure(GDBENCH_INVALID, error);
  return request;
}

std::optional<std::size_t> overwritten_by(Op op) {
  const std::vector<backends::OperandRow> operands = backends::operands_of(backends::Request{.op = op});
  const std::size_t result = backends::result_of(operands);
  return operands[result].use == backends::Use::updated ? std::optional(result) : std::nullopt;
}

Shape result_shape(Op op, const Attributes& attributes, std::span<const Shape> operands) {
  const backends::Request request = request_of(op, catalogue::Dtype::f32, attributes, operands);
  const backends::Operand& result = request.operands[overwritten_by(op).value_or(operands.size())];
  return {result.rows, result.columns};
}

}  // namespace gdbench::strategies::ops
