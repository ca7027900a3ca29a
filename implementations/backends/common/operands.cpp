#include "implementations/backends/common/operands.h"

#include <algorithm>

namespace gdbench::backends {

namespace {

std::string text_of(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

// As `operand` is.
OperandRow like(const Operand& operand, Use use = Use::read) { return {operand.rows, operand.columns, use}; }

OperandRow rounded(const Operand& operand) {
  OperandRow row = like(operand);
  row.rounded = true;
  return row;
}

constexpr OperandRow kScalars = {1, 1, Use::read, Element::scalars};

OperandRow targets_of(const Request& request) {
  const Operand& outputs = request.operands[0];
  if (takes_labels(request.loss)) return {outputs.rows, 1, Use::read, Element::label};
  return like(outputs);
}

// A parameter, or a bias, with its slots.
void append_updated(std::vector<OperandRow>& rows, const Request& request, std::int64_t m, std::int64_t n) {
  rows.insert(rows.end(), 1 + slots_of(request), {m, n, Use::updated});
}

std::vector<OperandRow> operands_of_product(const Request& request) {
  const auto [m, n, k] = product_shape(request);
  const Operand b = request.transpose_b ? Operand{n, k} : Operand{k, n};
  std::vector<OperandRow> rows = {rounded(request.operands[0]), rounded(b)};
  if (request.epilogue_update) {
    append_updated(rows, request, m, n);
    rows.insert(rows.begin() + 3, kScalars);
    if (request.epilogue_bias) append_updated(rows, request, 1, n);
    return rows;
  }
  rows.push_back({m, n, request.beta != 0 ? Use::updated : Use::written});
  if (request.epilogue_bias) rows.push_back({1, n});
  if (request.epilogue_activation_gradient) rows.push_back(rounded({m, n}));
  if (request.epilogue_loss_gradient) rows.push_back({m, n});
  return rows;
}

std::vector<OperandRow> operands_of_update(const Request& request) {
  const Operand& parameter = request.operands[2];
  std::vector<OperandRow> rows = {like(parameter), kScalars};
  append_updated(rows, request, parameter.rows, parameter.columns);
  return rows;
}

bool attributes_fit(const Request& request) {
  if (request.op == Op::update) return request.optimizer != nullptr;
  if (request.op != Op::product) return true;
  const bool gradient = request.epilogue_activation_gradient || request.epilogue_loss_gradient;
  const int excluding = (request.epilogue_update ? 1 : 0) + (request.epilogue_activation_gradient ? 1 : 0) +
                        (request.epilogue_loss_gradient ? 1 : 0) +
                        (request.epilogue_activation != Activation::identity ? 1 : 0);
  if (excluding > 1 || (gradient && request.beta != 0)) return false;
  if (request.epilogue_activation_gradient && request.epilogue_bias) return false;
  if (request.epilogue_loss_gradient && catalogue::row_of(request.loss.kind).couples_columns) return false;
  if (!request.epilogue_update) return true;
  return request.optimizer != nullptr && request.alpha == 1 && request.beta == 0 &&
         !(request.epilogue_bias && request.transpose_b);
}

}  // namespace

std::size_t size_of(Element element, Dtype dtype) {
  switch (element) {
    case Element::real:
      return catalogue::size_of(dtype);
    case Element::label:
      return sizeof(std::int32_t);
    case Element::index:
      return sizeof(std::uint32_t);
    case Element::loss:
      return sizeof(double);
    case Element::scalars:
      return sizeof(UpdateScalars);
  }
  return 0;
}

std::vector<OperandRow> operands_of(const Request& request) {
  const Operand& first = request.operands[0];
  const Operand& second = request.operands[1];
  switch (request.op) {
    case Op::product:
      return operands_of_product(request);
    case Op::add_bias:
      return {{1, second.columns}, like(second, Use::updated)};
    case Op::activation:
      return {like(first), like(first, Use::written)};
    case Op::activation_gradient:
      return {rounded(second), like(second, Use::updated)};
    case Op::loss:
      return {like(first), targets_of(request), {1, 1, Use::written, Element::loss}};
    case Op::loss_gradient:
      return {like(first), targets_of(request), like(first, Use::written)};
    case Op::column_sum:
      return {rounded(first), {1, first.columns, Use::written}};
    case Op::update:
      return operands_of_update(request);
    case Op::combine:
      return {like(first), like(first, request.beta == 0 ? Use::unread : Use::read), like(first, Use::written)};
    case Op::multiply:
      return {like(first), like(first), like(first, Use::written)};
    case Op::scale_columns:
      return {{1, second.columns}, like(second), like(second, Use::written)};
    case Op::normalize:
      return {like(first), like(first, Use::written)};
    case Op::normalize_gradient:
      return {like(second), like(second, Use::updated)};
    case Op::gather:
      return {like(first), {second.rows, 1, Use::read, Element::index}, {second.rows, first.columns, Use::written}};
  }
  return {};
}

std::size_t result_of(const std::vector<OperandRow>& operands) {
  auto result = std::ranges::find(operands, Use::written, &OperandRow::use);
  if (result == operands.end()) result = std::ranges::find(operands, Use::updated, &OperandRow::use);
  return static_cast<std::size_t>(result - operands.begin());
}

std::string shape_error(const Request& request) {
  const std::string name = name_of(request.op);
  const std::vector<OperandRow> rows = operands_of(request);
  if (request.operand_count != rows.size()) {
    return name + ": found " + std::to_string(request.operand_count) + " operands, expected " +
           std::to_string(rows.size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [found_rows, found_columns, layout, entries, stride] = request.operands[i];
    if (found_rows > 0 && found_columns > 0 && found_rows == rows[i].rows && found_columns == rows[i].columns) continue;
    return name + ": operand " + std::to_string(i) + " is " + text_of(found_rows, found_columns) + ", expected " +
           text_of(std::max<std::int64_t>(rows[i].rows, 1), std::max<std::int64_t>(rows[i].columns, 1));
  }
  return attributes_fit(request) ? "" : name + ": attributes that exclude one another";
}

std::size_t slots_of(const Request& request) {
  return request.optimizer == nullptr ? 0 : catalogue::slot_count(catalogue::kind_of(*request.optimizer));
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
