#include "implementations/strategies/common/profile.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "implementations/backends/common/operands.h"

namespace gdbench::strategies {
namespace {

using backends::Op;
using backends::Use;

double size_of(const backends::Operand& operand) {
  return static_cast<double>(operand.rows) * static_cast<double>(operand.columns);
}

// Per entry of the output, where an op is elementwise.
double flops_per_entry(const backends::Request& request) {
  switch (request.op) {
    case Op::add_bias:
    case Op::column_sum:
    case Op::multiply:
    case Op::scale_columns:
      return 1;
    case Op::normalize:  // as catalogue::kNormalizations counts them; nothing for what is computed again
      return 5;
    case Op::normalize_gradient:
      return 7;
    case Op::activation:
      return catalogue::row_of(request.activation).operations;
    case Op::activation_gradient:
      return catalogue::row_of(request.activation).gradient_operations;
    case Op::loss:
      return catalogue::row_of(request.loss.kind).operations;
    case Op::loss_gradient:
      return catalogue::row_of(request.loss.kind).gradient_operations;
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

// How often an operand crosses the memory interface.
double transfers(backends::Use use) { return use == Use::unread ? 0 : use == Use::updated ? 2 : 1; }

// An entry is a value and its column; a row has an offset.
double csr_bytes(const backends::Request& request, const backends::Operand& operand) {
  const auto entry = static_cast<double>(catalogue::size_of(request.dtype) + sizeof(std::int32_t));
  return entry * static_cast<double>(operand.entries) + sizeof(std::int32_t) * static_cast<double>(operand.rows + 1);
}

// What follows a product in the same call, counted as the ops that it takes the place of.
double flops_of_epilogues(const backends::Request& product) {
  const auto per_entry = [&](Op op, catalogue::Activation activation) {
    backends::Request alone = product;
    alone.op = op;
    alone.activation = activation;
    return flops_per_entry(alone);
  };
  const double entries = size_of(product.operands[2]);
  const auto columns = static_cast<double>(product.operands[2].columns);
  if (product.epilogue_update) {  // of a bias, too, whose gradient is a sum of the product's B
    const double of_bias = product.epilogue_bias ? columns : 0;
    const double of_sum = product.epilogue_bias ? size_of(product.operands[1]) : 0;
    return per_entry(Op::update, product.activation) * (entries + of_bias) + of_sum;
  }
  double each = product.epilogue_bias ? per_entry(Op::add_bias, product.activation) : 0;
  if (product.epilogue_activation != catalogue::Activation::identity) {
    each += per_entry(Op::activation, product.epilogue_activation);
  }
  if (product.epilogue_activation_gradient) each += per_entry(Op::activation_gradient, product.activation);
  if (product.epilogue_loss_gradient) each += per_entry(Op::loss_gradient, product.activation);
  return each * entries;
}

Range hull(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

bool is_of(const gdbench_profile_record& record, const ModelPart& part, const ProfiledAs& as) {
  return record.phase == static_cast<std::int32_t>(as.phase) && part == as.part &&
         (record.op == as.op || std::strcmp(record.op, as.op) == 0);
}

}  // namespace

OpCost cost_of(const backends::Request& request) {
  OpCost cost;
  const std::vector<backends::OperandRow> operands = backends::operands_of(request);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (request.operands[i].layout == backends::Layout::sparse_csr) {
      cost.bytes += csr_bytes(request, request.operands[i]);
      continue;
    }
    cost.bytes += transfers(operands[i].use) * size_of(request.operands[i]) *
                  static_cast<double>(backends::size_of(operands[i].element, request.dtype));
  }
  if (request.op == Op::product) {
    const backends::Operand& a = request.operands[0];
    const backends::Operand& c = request.operands[2];
    const bool sparse = a.layout == backends::Layout::sparse_csr;
    const double pairs = sparse ? static_cast<double>(a.entries) : size_of(a);
    cost.flops = 2 * pairs * static_cast<double>(c.columns) + flops_of_epilogues(request);
    return cost;
  }
  const std::size_t matrix = request.op == Op::add_bias || request.op == Op::scale_columns ? 1 : 0;
  cost.flops = flops_per_entry(request) * size_of(request.operands[matrix]);
  if (request.moves_as_matrix) {
    const backends::Operand& weights = request.operands[2];
    cost.flops += catalogue::orthogonalization_operations(static_cast<double>(weights.rows),
                                                          static_cast<double>(weights.columns));
  }
  return cost;
}

ModelPart both(const ModelPart& a, const ModelPart& b) {
  ModelPart part = of_layers(hull(a.layers, b.layers));
  if (a.parameters.empty() || b.parameters.empty() || a.use == b.use) {
    part.parameters = hull(a.parameters, b.parameters);
    part.use = a.parameters.empty() ? b.use : a.use;
    return part;
  }
  const ModelPart& stronger = a.use > b.use ? a : b;
  part.parameters = stronger.parameters;
  part.use = stronger.use;
  return part;
}

ModelPart whole_model(const gdbench_problem& problem) {
  std::int64_t parameters = 0;
  catalogue::for_each_parameter(problem, [&](auto... /*parameter*/) { ++parameters; });
  return {{0, problem.layer_count - 1}, {0, parameters - 1}, GDBENCH_UPDATES_PARAMETERS};
}

// Steps repeat their calls in order, so the entry that followed last time is looked at first: what collecting takes
// does not grow with the number of layers.
std::size_t Profile::find(const ProfiledAs& as) const {
  if (entries_.empty()) return 0;
  const std::size_t expected = entries_[last_].next;
  if (is_of(entries_[expected].record, entries_[expected].part, as)) return expected;
  std::size_t i = 0;
  while (i < entries_.size() && !is_of(entries_[i].record, entries_[i].part, as)) ++i;
  return i;
}

void Profile::add(const ProfiledAs& as, double nanoseconds, catalogue::Clock clock) {
  const std::size_t found = find(as);
  if (found == entries_.size()) {
    entries_.push_back(
        {{as.op, static_cast<std::int32_t>(as.phase), static_cast<std::int32_t>(clock), 0, 0, 0, 0, 0}, as.part});
  }
  entries_[last_].next = found;
  last_ = found;
  gdbench_profile_record& record = entries_[found].record;
  ++record.calls;
  record.time_ns += nanoseconds;
  record.flops += as.cost.flops;
  record.bytes += as.cost.bytes;
}

void Profile::distrust_device_clock() {
  for (Entry& entry : entries_) entry.record.device_clock = static_cast<std::int32_t>(catalogue::Clock::host);
}

void Profile::report(const gdbench_profile_sink& sink) const {
  const bool takes_parts = sink.struct_size >= offsetof(gdbench_profile_sink, record_part) + sizeof(sink.record_part) &&
                           sink.record_part != nullptr;
  for (const Entry& entry : entries_) {
    if (!takes_parts || entry.part == ModelPart{}) {
      sink.record(sink.context, &entry.record);
      continue;
    }
    const auto& [layers, parameters, use] = entry.part;
    const gdbench_model_part part = {
        sizeof(part), layers.first, layers.last, parameters.first, parameters.last, use, 0};
    sink.record_part(sink.context, &entry.record, &part);
  }
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gdbench::strategies
