#include "implementations/backends/common/rules/shapes.h"

namespace gdbench::backends {

std::size_t slots_of(const Request& request) {
  return request.optimizer == nullptr ? 0 : catalogue::slot_count(catalogue::kind_of(*request.optimizer));
}

namespace {

std::string text_of(const Operand& operand) {
  return std::to_string(operand.rows) + "x" + std::to_string(operand.columns);
}

bool is(const Operand& operand, std::int64_t rows, std::int64_t columns) {
  return operand.rows == rows && operand.columns == columns;
}

bool same(const Operand& a, const Operand& b) { return is(a, b.rows, b.columns); }

std::size_t expected_of_product(const Request& request) {
  const std::size_t bias = request.epilogue_bias ? 1 : 0;
  if (request.epilogue_update) return 4 + slots_of(request) + bias * (1 + slots_of(request));
  return 3 + bias + (request.epilogue_activation_gradient || request.epilogue_loss_gradient ? 1 : 0);
}

std::size_t expected_operands(const Request& request) {
  switch (request.op) {
    case Op::product:
      return expected_of_product(request);
    case Op::loss:
    case Op::loss_gradient:
    case Op::combine:
    case Op::multiply:
    case Op::gather:
      return 3;
    case Op::add_bias:
    case Op::activation:
    case Op::activation_gradient:
    case Op::column_sum:
      return 2;
    case Op::update:
      break;
  }
  return 3 + slots_of(request);
}

// `scalars`, the slots of the weights, the bias and its slots.
bool layer_update_fits(const Request& request, const ProductShape& shape) {
  if (request.optimizer == nullptr || request.alpha != 1 || request.beta != 0) return false;
  if (!is(request.operands[3], 1, 1)) return false;
  const std::size_t of_weights = 4 + slots_of(request);
  for (std::size_t i = 4; i < request.operand_count; ++i) {
    if (!is(request.operands[i], i < of_weights ? shape.m : 1, shape.n)) return false;
  }
  return !request.epilogue_bias || !request.transpose_b;
}

bool product_fits(const Request& request) {
  const Operand& a = request.operands[0];
  const Operand& b = request.operands[1];
  const std::int64_t a_columns = request.transpose_a ? a.rows : a.columns;
  const std::int64_t b_rows = request.transpose_b ? b.columns : b.rows;
  const ProductShape shape = product_shape(request);
  if (a_columns != b_rows || !is(request.operands[2], shape.m, shape.n)) return false;
  const bool gradient = request.epilogue_activation_gradient || request.epilogue_loss_gradient;
  const int excluding = (request.epilogue_update ? 1 : 0) + (request.epilogue_activation_gradient ? 1 : 0) +
                        (request.epilogue_loss_gradient ? 1 : 0) +
                        (request.epilogue_activation != Activation::identity ? 1 : 0);
  if (excluding > 1) return false;
  if (request.epilogue_update) return layer_update_fits(request, shape);
  if (request.epilogue_bias && !is(request.operands[3], 1, shape.n)) return false;
  if (request.epilogue_activation_gradient && request.epilogue_bias) return false;
  if (request.epilogue_loss_gradient && catalogue::row_of(request.loss.kind).couples_columns) return false;
  return !gradient || (request.beta == 0 && is(request.operands[request.operand_count - 1], shape.m, shape.n));
}

bool update_fits(const Request& request) {
  if (request.optimizer == nullptr) return false;
  const Operand& parameter = request.operands[2];
  if (!same(request.operands[0], parameter)) return false;
  for (std::size_t slot = 3; slot < request.operand_count; ++slot) {
    if (!same(request.operands[slot], parameter)) return false;
  }
  return true;
}

bool targets_fit(const Request& request) {
  const Operand& output = request.operands[0];
  const Operand& targets = request.operands[1];
  return takes_labels(request.loss) ? is(targets, output.rows, 1) : same(targets, output);
}

bool fits(const Request& request) {
  const Operand* operands = request.operands;
  switch (request.op) {
    case Op::product:
      return product_fits(request);
    case Op::add_bias:
      return is(operands[0], 1, operands[1].columns);
    case Op::activation:
    case Op::activation_gradient:
      return same(operands[0], operands[1]);
    case Op::loss:
      return targets_fit(request) && is(operands[2], 1, 1);
    case Op::loss_gradient:
      return targets_fit(request) && same(operands[0], operands[2]);
    case Op::column_sum:
      return is(operands[1], 1, operands[0].columns);
    case Op::update:
      return update_fits(request);
    case Op::combine:
    case Op::multiply:
      return same(operands[0], operands[2]) && same(operands[1], operands[2]);
    case Op::gather:
      return operands[1].columns == 1 && is(operands[2], operands[1].rows, operands[0].columns);
  }
  return false;
}

}  // namespace

std::string shape_error(const Request& request) {
  const std::string name = name_of(request.op);
  if (request.operand_count != expected_operands(request) || request.operand_count > kMaximumOperands) {
    return name + ": found " + std::to_string(request.operand_count) + " operands, expected " +
           std::to_string(expected_operands(request));
  }
  std::string shapes;
  bool positive = true;
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    shapes += ' ';
    shapes += text_of(request.operands[i]);
    positive = positive && request.operands[i].rows > 0 && request.operands[i].columns > 0;
  }
  if (!positive || !fits(request)) return name + ": operands of shapes" + shapes + " do not fit together";
  return {};
}

ProductShape product_shape(const Request& request) {
  const Operand& a = request.operands[0];
  const Operand& b = request.operands[1];
  ProductShape shape;
  shape.m = request.transpose_a ? a.columns : a.rows;
  shape.k = request.transpose_a ? a.rows : a.columns;
  shape.n = request.transpose_b ? b.rows : b.columns;
  return shape;
}

}  // namespace gdbench::backends
