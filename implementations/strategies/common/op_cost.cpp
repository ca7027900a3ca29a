#include "implementations/strategies/common/op_cost.h"

#include "implementations/loader/batch_loader.h"

namespace gdbench::strategies {
namespace {

using backends::Op;

double size_of(const backends::Operand& operand) {
  return static_cast<double>(operand.rows) * static_cast<double>(operand.columns);
}

// Per entry of the output, where an op is elementwise.
double flops_per_entry(const backends::Request& request) {
  switch (request.op) {
    case Op::add_bias:
    case Op::column_sum:
      return 1;
    case Op::activation:
      return catalogue::row_of(request.activation).operations;
    case Op::activation_gradient:
      return catalogue::row_of(request.activation).gradient_operations;
    case Op::loss:
      return catalogue::row_of(request.loss.kind).operations;
    case Op::loss_gradient:
      return catalogue::row_of(request.loss.kind).gradient_operations;
    case Op::multiply:
      return 1;
    case Op::combine:  // multiply, multiply, add
      return request.beta == 0 ? 1 : 3;
    case Op::update:
      return catalogue::operations_of(catalogue::kind_of(*request.optimizer), request.optimizer->weight_decay != 0,
                                      request.optimizer->decoupled_weight_decay != 0);
    case Op::product:
    case Op::gather:
      break;
  }
  return 0;
}

// How often operand i crosses the memory interface: an operand that is updated is read and written.
int transfers(const backends::Request& request, std::size_t i) {
  switch (request.op) {
    case Op::product:
      return i == 2 && request.beta != 0 ? 2 : 1;
    case Op::combine:
      return i == 1 && request.beta == 0 ? 0 : 1;
    case Op::add_bias:
    case Op::activation_gradient:
      return i == 1 ? 2 : 1;
    case Op::update:
      return i >= 2 ? 2 : 1;
    default:
      return 1;
  }
}

// Labels and indices are 4 bytes; a loss and the update's scalars are doubles.
double element_bytes(const backends::Request& request, std::size_t i) {
  const auto element = static_cast<double>(catalogue::size_of(request.dtype));
  const bool loss = request.op == Op::loss || request.op == Op::loss_gradient;
  if (loss && i == 1 && takes_labels(request.loss)) return sizeof(std::int32_t);
  if (request.op == Op::gather && i == 1) return sizeof(std::uint32_t);
  if (request.op == Op::loss && i == 2) return sizeof(double);
  if (request.op == Op::update && i == 1) return sizeof(backends::UpdateScalars);
  return element;
}

// An entry is a value and its column; a row has an offset.
double csr_bytes(const backends::Request& request, const backends::Operand& operand) {
  const auto entry = static_cast<double>(catalogue::size_of(request.dtype) + sizeof(std::int32_t));
  return entry * static_cast<double>(operand.entries) + sizeof(std::int32_t) * static_cast<double>(operand.rows + 1);
}

}  // namespace

OpCost cost_of(const backends::Request& request) {
  OpCost cost;
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    if (request.operands[i].layout == backends::Layout::sparse_csr) {
      cost.bytes += csr_bytes(request, request.operands[i]);
      continue;
    }
    cost.bytes += transfers(request, i) * element_bytes(request, i) * size_of(request.operands[i]);
  }
  if (request.op == Op::product) {
    const backends::Operand& a = request.operands[0];
    if (a.layout == backends::Layout::sparse_csr) {
      cost.flops = 2 * static_cast<double>(a.entries) * static_cast<double>(request.operands[2].columns);
      return cost;
    }
    const std::int64_t depth = request.transpose_a ? a.rows : a.columns;
    cost.flops = 2 * static_cast<double>(depth) * size_of(request.operands[2]);
    return cost;
  }
  const std::size_t matrix = request.op == Op::add_bias ? 1 : 0;
  cost.flops = flops_per_entry(request) * size_of(request.operands[matrix]);
  return cost;
}

}  // namespace gdbench::strategies
