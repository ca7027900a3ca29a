#include "implementations/backends/jit/lower/gather.h"

#include <algorithm>

namespace gdbench::backends::jit {
namespace {

// Entries of one row at a time, by products alone. A matrix of one column is read as a vector of rows.
bool is_read_by_rows(const Context& context, ValueId value) {
  if (context.region[value].columns == 1) return false;
  return std::ranges::all_of(context.region.readers(value), [&](NodeIndex reader) {
    const Node& node = context.region.nodes[reader];
    return node.op() == Op::product && node.operands[0] == value && std::ranges::count(node.operands, value) == 1;
  });
}

void copy(Context& context, ValueId value) {
  Builder& builder = context.builder;
  const Matrix from = context.place(value);
  const Scalar element = builder.element_of(from.array);
  const Matrix to =
      context.allocate(element, "gathered_" + context.region.name_of(value), from.rows, from.columns, false);
  const int lanes = context.lanes();
  builder.loop(0, from.rows, 1, [&](const Affine& row) {
    const Line line = context.row_of(from, row);
    if (from.columns == 1) {
      builder.store(to.at(row, 0), builder.load(from.at(line, Line{0, {}}), 1));
      return;
    }
    const auto move = [&](const Affine& column, int active) {
      builder.store(to.at(row, column), builder.load(from.at(line, Line{column, {}}), lanes, active), active);
    };
    context.for_each_vector({0, from.columns}, move);
  });
  context.place_at(value, to);
}

}  // namespace

void gather(Context& context) {
  if (!context.region.gathered) return;
  for (ValueId value = 0; value < context.region.values.size(); ++value) {
    const RegionRole role = context.region[value].role;
    if (role != RegionRole::x && role != RegionRole::targets) continue;
    if (!context.in_lanes.empty() || !is_read_by_rows(context, value)) copy(context, value);
  }
}

}  // namespace gdbench::backends::jit
