#include "implementations/strategies/common/op_table.h"

#include <string>

#include "implementations/common/failure.h"
#include "implementations/strategies/common/derivatives.h"

namespace gdbench::strategies::ops {
namespace {

using implementations::Failure;

[[noreturn]] void refuse(Op op, std::span<const Shape> operands, const char* expected) {
  std::string line = std::string(backends::name_of(op)) + ": found operands of shapes";
  for (const Shape& shape : operands) {
    line += " " + std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
  }
  throw Failure(GDBENCH_INVALID, line + ", expected " + expected);
}

Shape product_shape(const Attributes& attributes, std::span<const Shape> operands) {
  const Shape& a = operands[0];
  const Shape& b = operands[1];
  const std::int64_t depth = attributes.transpose_a ? a.rows : a.columns;
  if (depth != (attributes.transpose_b ? b.columns : b.rows)) refuse(Op::product, operands, "equal inner dimensions");
  return {attributes.transpose_a ? a.columns : a.rows, attributes.transpose_b ? b.rows : b.columns};
}

Shape add_bias_shape(const Attributes& /*attributes*/, std::span<const Shape> operands) {
  if (operands[0] != Shape{1, operands[1].columns}) refuse(Op::add_bias, operands, "a row as wide as the matrix");
  return operands[1];
}

Shape first_shape(const Attributes& /*attributes*/, std::span<const Shape> operands) { return operands[0]; }

template <Op op>
Shape equal_shape(const Attributes& /*attributes*/, std::span<const Shape> operands) {
  if (operands[0] != operands[1]) refuse(op, operands, "equal shapes");
  return operands[0];
}

void check_targets(Op op, const Attributes& attributes, std::span<const Shape> operands) {
  if (takes_labels(op, attributes)) {
    if (operands[1] != Shape{operands[0].rows, 1}) refuse(op, operands, "a column of labels, one for each row");
    return;
  }
  if (operands[0] != operands[1]) refuse(op, operands, "targets of the outputs' shape");
}

Shape loss_shape(const Attributes& attributes, std::span<const Shape> operands) {
  check_targets(Op::loss, attributes, operands);
  return {1, 1};
}

Shape loss_gradient_shape(const Attributes& attributes, std::span<const Shape> operands) {
  check_targets(Op::loss_gradient, attributes, operands);
  return operands[0];
}

Shape column_sum_shape(const Attributes& /*attributes*/, std::span<const Shape> operands) {
  return {1, operands[0].columns};
}

Shape update_shape(const Attributes& /*attributes*/, std::span<const Shape> operands) {
  const Shape& parameter = operands[2];
  bool fits = operands[0] == parameter && operands[1] == Shape{1, 1};
  for (const Shape& slot : operands.subspan(3)) fits = fits && slot == parameter;
  if (!fits) refuse(Op::update, operands, "gradient, 1x1, parameter and slots of the parameter's shape");
  return parameter;
}

constexpr std::uint32_t kFirst = 1;
constexpr std::uint32_t kSecond = 2;
constexpr std::uint32_t kBoth = 3;

constexpr OpRow kRows[] = {
    {.op = Op::product,
     .name = "product",
     .arity = 2,
     .variadic = false,
     .result_shape = product_shape,
     .overwrites = -1,
     .may_alias = 0,
     .differentiable = kBoth,
     .reads_operands = kBoth,
     .reads_result = false,
     .derivative = derivative_of_product},
    {.op = Op::add_bias,  // b, Z
     .name = "add_bias",
     .arity = 2,
     .variadic = false,
     .result_shape = add_bias_shape,
     .overwrites = 1,
     .may_alias = kSecond,
     .differentiable = kBoth,
     .reads_operands = 0,
     .reads_result = false,
     .derivative = derivative_of_add_bias},
    {.op = Op::activation,
     .name = "activation",
     .arity = 1,
     .variadic = false,
     .result_shape = first_shape,
     .overwrites = -1,
     .may_alias = kFirst,
     .differentiable = kFirst,
     .reads_operands = 0,
     .reads_result = true,
     .derivative = derivative_of_activation},
    {.op = Op::activation_gradient,  // A or Z, D
     .name = "activation_gradient",
     .arity = 2,
     .variadic = false,
     .result_shape = equal_shape<Op::activation_gradient>,
     .overwrites = 1,
     .may_alias = kSecond,
     .differentiable = kBoth,
     .reads_operands = kBoth,
     .reads_result = false,
     .derivative = derivative_of_activation_gradient},
    {.op = Op::loss,  // P, Y or labels
     .name = "loss",
     .arity = 2,
     .variadic = false,
     .result_shape = loss_shape,
     .overwrites = -1,
     .may_alias = 0,
     .differentiable = kFirst,
     .reads_operands = kBoth,
     .reads_result = false,
     .derivative = derivative_of_loss},
    {.op = Op::loss_gradient,  // P, Y or labels
     .name = "loss_gradient",
     .arity = 2,
     .variadic = false,
     .result_shape = loss_gradient_shape,
     .overwrites = -1,
     .may_alias = kFirst,
     .differentiable = 0,
     .reads_operands = 0,
     .reads_result = false,
     .derivative = nullptr},
    {.op = Op::column_sum,
     .name = "column_sum",
     .arity = 1,
     .variadic = false,
     .result_shape = column_sum_shape,
     .overwrites = -1,
     .may_alias = 0,
     .differentiable = kFirst,
     .reads_operands = kFirst,
     .reads_result = false,
     .derivative = derivative_of_column_sum},
    {.op = Op::combine,
     .name = "combine",
     .arity = 2,
     .variadic = false,
     .result_shape = equal_shape<Op::combine>,
     .overwrites = -1,
     .may_alias = kBoth,
     .differentiable = kBoth,
     .reads_operands = 0,
     .reads_result = false,
     .derivative = derivative_of_combine},
    {.op = Op::multiply,
     .name = "multiply",
     .arity = 2,
     .variadic = false,
     .result_shape = equal_shape<Op::multiply>,
     .overwrites = -1,
     .may_alias = kBoth,
     .differentiable = kBoth,
     .reads_operands = kBoth,
     .reads_result = false,
     .derivative = derivative_of_multiply},
    {.op = Op::update,  // G, scalars, W, slots: the slots are overwritten too
     .name = "update",
     .arity = 3,
     .variadic = true,
     .result_shape = update_shape,
     .overwrites = 2,
     .may_alias = 1u << 2,
     .differentiable = 0,
     .reads_operands = 0,
     .reads_result = false,
     .derivative = nullptr},
};

backends::Operand operand_of(const Shape& shape) { return {shape.rows, shape.columns, backends::Layout::row_major}; }

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

Shape result_shape(Op op, const Attributes& attributes, std::span<const Shape> operands) {
  const OpRow& row = row_of(op);
  const bool fits = row.variadic ? operands.size() >= row.arity : operands.size() == row.arity;
  if (!fits || operands.size() + (row.overwrites < 0 ? 1 : 0) > backends::kMaximumOperands) {
    throw Failure(GDBENCH_INVALID, std::string(row.name) + ": found " + std::to_string(operands.size()) +
                                       " operands, expected " + std::to_string(row.arity));
  }
  for (const Shape& shape : operands) {
    if (shape.rows < 1 || shape.columns < 1) refuse(op, operands, "positive dimensions");
  }
  return row.result_shape(attributes, operands);
}

backends::Request request_of(Op op, catalogue::Dtype dtype, const Attributes& attributes,
                             std::span<const Shape> operands) {
  const Shape result = result_shape(op, attributes, operands);
  backends::Request request;
  request.op = op;
  request.dtype = dtype;
  for (const Shape& shape : operands) request.operands[request.operand_count++] = operand_of(shape);
  if (row_of(op).overwrites < 0) request.operands[request.operand_count++] = operand_of(result);
  request.transpose_a = attributes.transpose_a;
  request.transpose_b = attributes.transpose_b;
  request.alpha = attributes.alpha;
  request.beta = attributes.beta;
  request.activation = attributes.activation;
  request.loss = attributes.loss;
  request.optimizer = attributes.optimizer;
  return request;
}

OpCost cost_of(Op op, catalogue::Dtype dtype, const Attributes& attributes, std::span<const Shape> operands) {
  return strategies::cost_of(request_of(op, dtype, attributes, operands));
}

}  // namespace gdbench::strategies::ops
