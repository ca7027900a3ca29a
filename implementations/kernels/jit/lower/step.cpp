#include "implementations/kernels/jit/lower/step.h"

#include <optional>
#include <stdexcept>

#include "implementations/kernels/jit/loops/check.h"
#include "implementations/kernels/jit/lower/product.h"
#include "implementations/kernels/jit/lower/reductions.h"
#include "implementations/kernels/jit/lower/row_blocks.h"
#include "implementations/kernels/jit/lower/scalars.h"
#include "implementations/kernels/jit/lower/update.h"

namespace gdbench::kernels::jit {

namespace {

void lower_group(Context& context, const Group& group) {
  GroupWriter writer(context, group);
  context.builder.note(text_of(context.region, writer.root()));
  switch (writer.root().op()) {
    case Op::product:
      return lower_product(context, writer);
    case Op::column_sum:
      return lower_column_sum(context, writer);
    case Op::loss_gradient:
      if (!is_elementwise(writer.root())) return lower_softmax_gradient(context, writer);
      break;
    default:
      break;
  }
  writer.compute_all();
}

void lower_nodes(Context& context, NodeIndex first, NodeIndex last, bool fuse) {
  for (const Group& group : make_groups(context.region, first, last, fuse)) lower_group(context, group);
}

void set_to_zero(Context& context, ValueId value) {
  const RegionValue& shape = context.region[value];
  context.place_at(value, context.allocate(context.region.name_of(value), shape.rows, shape.columns));
  Builder& builder = context.builder;
  const Matrix& matrix = context.place(value);
  const std::int64_t size = matrix.columns == 1 ? matrix.rows : matrix.rows * matrix.row_stride;
  builder.loop(0, size, context.lanes(), [&](const Affine& index) {
    builder.store({matrix.array, index}, context.real_number(0, context.lanes()));
  });
}

// The batch's nodes block after block, then the others.
void lower_blocks(Context& context, const RowBlocks& blocks, std::int64_t block_rows, bool fuse) {
  for (const ValueId sum : blocks.sums) set_to_zero(context, sum);
  context.accumulated = blocks.sums;
  const std::int64_t whole = blocks.rows / block_rows * block_rows;
  const auto lower_rows = [&](const Affine& first, std::int64_t rows) {
    context.take_rows(blocks.batch, rows, first);
    lower_nodes(context, 0, blocks.nodes, fuse);
  };
  context.builder.loop(0, whole, block_rows, [&](const Affine& first) { lower_rows(first, block_rows); });
  if (whole < blocks.rows) lower_rows(whole, blocks.rows - whole);
  context.accumulated.clear();
  lower_nodes(context, blocks.nodes, context.region.nodes.size(), fuse);
}

void lower_to_loops(Context& context, const std::optional<RowBlocks>& blocks, const Choices& choices) {
  context.builder.steps([&](const Affine& step) {
    load_factors(context, step);
    copy_transposes(context, context.region.nodes.size());
    std::int64_t rows = 0;
    if (blocks) rows = choices.block_rows != 0 ? choices.block_rows : rows_of_a_block(context.region, *blocks);
    if (blocks && rows < blocks->rows) {
      lower_blocks(context, *blocks, rows, choices.fuse);
    } else {
      lower_nodes(context, 0, context.region.nodes.size(), choices.fuse);
    }
  });
}

}  // namespace

Lowered lower(Region region, const Target& target, const Choices& choices) {
  sink_gradients(region);
  const std::optional<RowBlocks> blocks = find_row_blocks(region);
  Lowered lowered;
  lowered.program.name = "region";
  Builder builder(lowered.program);
  Context context(region, target, builder);
  if (scalar_size(region) <= choices.scalar_limit) {
    lower_to_scalars(context);
  } else {
    lower_to_loops(context, blocks, choices);
  }
  lowered.arena_argument = context.arena_argument();
  lowered.arena_bytes = context.arena_bytes();
  if (const std::string error = program_error(lowered.program); !error.empty()) {
    throw std::logic_error("the program is broken: " + error);
  }
  return lowered;
}

}  // namespace gdbench::kernels::jit
