#include "implementations/backends/common/cpu/division.h"

#include <algorithm>

#include "implementations/backends/common/operands.h"

namespace gdbench::backends::cpu {
namespace {

// An elementary function takes as long as so many additions; a plain loop over entries waits for memory.
constexpr double kFunctionWork = 16;
constexpr double kEntryWork = 2;

double size_of(const Operand& operand) {
  return static_cast<double>(operand.rows) * static_cast<double>(operand.columns);
}

double work_of_entry(const Request& request) {
  switch (request.op) {
    case Op::activation:
    case Op::activation_gradient:
      return catalogue::row_of(request.activation).slope == catalogue::Slope::varies ? kFunctionWork : kEntryWork;
    case Op::loss:
    case Op::loss_gradient:
      return catalogue::row_of(request.loss.kind).takes_logits ? kFunctionWork : kEntryWork;
    case Op::update:
      return catalogue::row_of(catalogue::kind_of(*request.optimizer)).operations;
    default:
      return kEntryWork;
  }
}

// Every entry by itself: the arrays are columns. Operands of another shape are read whole.
Division by_entries(const Request& request, std::size_t result) {
  Division division{.request = request};
  const Operand shape = request.operands[result];
  division.rows = shape.rows * shape.columns;
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    Operand& operand = division.request.operands[i];
    if (operand.rows * operand.columns != division.rows) continue;
    operand = {division.rows, 1};
    division.operands[i] = Divided::rows;
  }
  division.work = static_cast<double>(division.rows) * work_of_entry(request);
  return division;
}

// Rows of `matrix` and of all operands that have as many, except for the one that is a sum over them, if any.
Division by_rows(const Request& request, const Operand& matrix, std::optional<std::size_t> sum) {
  Division division{.request = request, .rows = matrix.rows};
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    if (i == sum) {
      division.operands[i] = Divided::sum;
    } else if (request.operands[i].rows == matrix.rows) {
      division.operands[i] = Divided::rows;
    }
  }
  division.work = size_of(matrix) * work_of_entry(request);
  return division;
}

// C[m,n] by its rows, or by the dimension k that is summed over, for which every part needs a C of its own: the longer
// one of both, so that parts share as little as they can. Each thread then has the same weights in every product and in
// their update, where a batch has fewer rows than there are inputs.
std::optional<Division> division_of_product(const Request& request) {
  const auto [m, n, k] = product_shape(request);
  const Operand& a = request.operands[0];
  const bool dense = a.layout == Layout::row_major;
  // What comes behind a sum cannot be done to its parts.
  const bool alone = !request.epilogue_bias && request.epilogue_activation == Activation::identity;
  const bool strides = dense && m > 1 && n > 1 && k > 1 && !request.transpose_b;
  const bool sums = alone && (request.transpose_a ? !strides || k >= m : strides && k > m);
  if (request.transpose_a && (request.transpose_b || (!sums && !strides))) return std::nullopt;
  // Adding up the parts' results is work, too; and columns of one entry would be a vector, which has no stride.
  constexpr std::int64_t kLeastPart = 4;
  Division division{
      .request = request, .rows = sums ? k : m, .least_rows = sums || request.transpose_a ? kLeastPart : 1};
  division.operands[0] = request.transpose_a == sums ? Divided::rows : Divided::columns;
  if (sums) division.operands[1] = Divided::rows;
  division.operands[2] = sums ? Divided::sum : Divided::rows;
  const double pairs = dense ? size_of(a) : static_cast<double>(a.entries);
  division.work = pairs * static_cast<double>(n);
  return division;
}

}  // namespace

std::optional<Division> division_of(const Request& request) {
  switch (request.op) {
    case Op::product:
      return division_of_product(request);
    case Op::add_bias:
    case Op::scale_columns:
    case Op::normalize:
    case Op::normalize_gradient:
      return by_rows(request, request.operands[1], std::nullopt);
    case Op::column_sum:
      return by_rows(request, request.operands[0], 1);
    case Op::loss:
      return by_rows(request, request.operands[0], 2);
    case Op::loss_gradient:
      return by_rows(request, request.operands[0], std::nullopt);
    case Op::activation:
    case Op::activation_gradient:
      return by_entries(request, 0);
    case Op::update:
    case Op::combine:
    case Op::multiply:
      return by_entries(request, 2);
    case Op::gather:
      break;
  }
  return std::nullopt;
}

std::int64_t first_row(std::int64_t rows, int part, int parts) {
  constexpr std::int64_t kLine = 16;  // floats
  const std::int64_t grain = rows >= kLine * parts ? kLine : 1;
  const std::int64_t grains = (rows + grain - 1) / grain;
  return std::min(rows, grains * part / parts * grain);
}

Request part_of(const Division& division, std::int64_t count, bool leads) {
  Request part = division.request;
  for (std::size_t i = 0; i < part.operand_count; ++i) {
    Operand& operand = part.operands[i];
    if (division.operands[i] == Divided::columns) {
      operand.stride = operand.columns;
      operand.columns = count;
    }
    if (division.operands[i] != Divided::rows) continue;
    operand.rows = count;
    operand.entries = operand.entries * count / division.rows;
  }
  // A loss and its gradient are means over all rows, not over the part's.
  if (part.op == Op::loss || part.op == Op::loss_gradient) {
    part.alpha *= static_cast<double>(count) / static_cast<double>(division.rows);
  }
  if (part.op == Op::product && division.operands[2] == Divided::sum && !leads) {
    part.beta = 0;
    if (part.epilogue_update) part.operand_count = 3;
    part.epilogue_update = false;
  }
  return part;
}

}  // namespace gdbench::backends::cpu
