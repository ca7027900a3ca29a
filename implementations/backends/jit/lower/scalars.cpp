#include "implementations/backends/jit/lower/scalars.h"

#include "implementations/backends/jit/lower/entry_lowering.h"
#include "implementations/backends/jit/lower/update.h"

namespace gdbench::backends::jit {

std::int64_t scalar_size(const Region& region) {
  std::int64_t size = 0;
  for (const Node& node : region.nodes) {
    const RegionValue& result = region[node.result];
    std::int64_t inner = 1;
    if (node.op() == Op::product) {
      const RegionValue& a = region[node.operands[0]];
      inner = node.request.transpose_a ? a.rows : a.columns;
    }
    if (node.op() == Op::column_sum) inner = region[node.operands[0]].rows;
    size += result.rows * result.columns * inner;
  }
  return size;
}

void lower_to_scalars(Context& context) {
  const Region& region = context.region;
  EntryLowering entries(context, 1, Chains::brief);
  entries.load_state();
  // All steps of a call see one batch.
  for (ValueId value = 0; value < region.values.size(); ++value) {
    const RegionRole role = region[value].role;
    if (role != RegionRole::x && role != RegionRole::targets && !region[value].hoisted) continue;
    if (region.readers(value).empty()) continue;
    const auto size = static_cast<std::size_t>(region[value].rows * region[value].columns);
    for (std::size_t i = 0; i < size; ++i) {
      entries[value].add(context.builder.load(entry_address(context.place(value), i), 1));
    }
  }
  context.builder.steps([&](const Affine& step) {
    entries.read_state();
    load_factors(context, step);
    for (const Node& node : region.nodes) entries.lower(node);
  });
  entries.store_state();
}

}  // namespace gdbench::backends::jit
