#include "implementations/kernels/jit/lower/step.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "implementations/kernels/jit/loops/check.h"
#include "implementations/kernels/jit/lower/gather.h"
#include "implementations/kernels/jit/lower/layout.h"
#include "implementations/kernels/jit/lower/product.h"
#include "implementations/kernels/jit/lower/reductions.h"
#include "implementations/kernels/jit/lower/row_blocks.h"
#include "implementations/kernels/jit/lower/scalars.h"
#include "implementations/kernels/jit/lower/stream.h"
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

// What shares of a batch's rows are multiples of: whole vectors, if there are enough of them.
std::int64_t rows_of_shares(std::int64_t rows, int lanes, int threads) { return rows >= threads * lanes ? lanes : 1; }

bool are_scalars(const Region& region, const Choices& choices) {
  return choices.has(Pass::scalarisation) && scalar_size(region) <= choices.scalar_limit && !region.gathered;
}

class StepLowering {
 public:
  StepLowering(Region region, const Target& target, const Choices& choices, Share share)
      : region_(ordered(std::move(region))),
        choices_(choices),
        share_(share),
        blocks_(find_row_blocks(region_)),
        rows_(take_share(target)),
        builder_(lowered_.program),
        context_(region_, target, builder_) {
    lowered_.program.name = "region";
  }

  Lowered run() {
    const std::int64_t size = scalar_size(region_);
    note("vectors of " + std::to_string(context_.target.vector_bits) + " bits, " +
         std::to_string(context_.target.registers) + " registers");
    if (!share_.alone()) {
      note("thread " + std::to_string(share_.thread) + " of " + std::to_string(share_.threads) + ": rows " +
           std::to_string(rows_.begin) + " to " + std::to_string(rows_.end - 1));
    }
    if (are_scalars(region_, choices_)) {
      fired(Pass::scalarisation) = size;
      note("scalars: " + std::to_string(size) + " multiplications a step, no loops");
      lower_to_scalars(context_);
    } else if (can_stream()) {
      fired(Pass::streaming) = 1;
      note("streaming: one pass over " + std::to_string(blocks_->rows) + " rows, " +
           std::to_string(stream_size(region_, *blocks_)) + " registers");
      put_rows_into_lanes(blocks_->rows);
      lower_to_stream(context_, *blocks_, share_);
    } else {
      lower_to_loops();
    }
    lowered_.arena_argument = context_.arena_argument();
    lowered_.arena_bytes = context_.arena_bytes();
    lowered_.shared_bytes = context_.shared_bytes();
    lowered_.packs = context_.packs();
    lowered_.precomputed = context_.precomputed();
    note("arena of " + std::to_string(lowered_.arena_bytes) + " bytes");
    if (const std::string error = program_error(lowered_.program); !error.empty()) {
      throw std::logic_error("the program is broken: " + error);
    }
    return std::move(lowered_);
  }

 private:
  static Region ordered(Region region) {
    sink_gradients(region);
    return region;
  }

  // Leaves the thread's rows of the batch.
  Range take_share(const Target& target) {
    if (!blocks_) return {};
    const std::int64_t unit = rows_of_shares(blocks_->rows, target.lanes(region_.real), share_.threads);
    const Range own = share_.of(blocks_->rows, unit);
    least_rows_ = own.size();
    for (int thread = 0; thread < share_.threads; ++thread) {
      least_rows_ = std::min(least_rows_, Share{thread, share_.threads}.of(blocks_->rows, unit).size());
    }
    for (const ValueId value : blocks_->batch) {
      region_.values[value].rows = own.size();
      if (region_[value].role != RegionRole::result) region_.values[value].first_row += own.begin;
    }
    blocks_->rows = own.size();
    return own;
  }

  std::int64_t& fired(Pass pass) { return lowered_.fired[static_cast<std::size_t>(pass)]; }
  void note(const std::string& line) { lowered_.plan += line + "\n"; }

  bool can_stream() const {
    // Twice as many values as there are registers may be alive, if not at once.
    return blocks_ && choices_.has(Pass::streaming) && choices_.has(Pass::layout) && choices_.lanes != Lanes::columns &&
           can_have_rows_in_lanes(region_, *blocks_) && !region_.gathered && least_rows_ >= 2 * context_.lanes() &&
           stream_size(region_, *blocks_) <= 2 * context_.target.registers;
  }

  bool rows_are_lanes() {
    if (!blocks_ || !choices_.has(Pass::layout) || choices_.lanes == Lanes::columns) return false;
    if (!can_have_rows_in_lanes(region_, *blocks_)) return false;
    if (choices_.lanes == Lanes::rows) return true;
    const LayoutCosts costs = layout_costs(region_, *blocks_, context_.target);
    note("vector operations, roughly: " + std::to_string(costs.columns_in_lanes) + " with columns as lanes, " +
         std::to_string(costs.rows_in_lanes) + " with rows");
    return blocks_->rows >= 2 * context_.lanes() && costs.rows_in_lanes < 0.9 * costs.columns_in_lanes;
  }

  // 0: the batch as a whole.
  std::int64_t block_rows(bool in_lanes) const {
    if (!blocks_ || !choices_.has(Pass::row_blocks)) return 0;
    std::int64_t rows = choices_.block_rows;
    if (rows == 0) {
      rows =
          in_lanes ? rows_of_a_block_in_lanes(region_, *blocks_, context_.lanes()) : rows_of_a_block(region_, *blocks_);
    }
    // Blocks of packed rows follow each other without gaps.
    const std::int64_t lanes = context_.lanes();
    if (in_lanes) rows = (rows + lanes - 1) / lanes * lanes;
    return rows < blocks_->rows ? rows : 0;
  }

  void put_rows_into_lanes(std::int64_t block_rows) {
    ++fired(Pass::layout);
    note("layout: lanes are rows");
    context_.in_lanes = blocks_->batch;
    for (const ValueId value : blocks_->batch) {
      const RegionValue& input = region_[value];
      if (input.role != RegionRole::result && input.columns > 1) context_.pack(value, block_rows);
    }
  }

  void lower_to_loops() {
    const bool in_lanes = rows_are_lanes();
    const std::int64_t rows = block_rows(in_lanes);
    if (in_lanes) put_rows_into_lanes(rows == 0 ? blocks_->rows : rows);
    if (rows != 0) {
      fired(Pass::row_blocks) = (blocks_->rows + rows - 1) / rows;
      note("row blocks: " + std::to_string(blocks_->rows) + " rows in blocks of " + std::to_string(rows));
    }
    builder_.steps([&](const Affine& step) {
      load_factors(context_, step);
      context_.begin_step(step);
      gather(context_);
      copy_transposes(context_, region_.nodes.size());
      if (!share_.alone()) {
        lower_share(rows);
      } else if (rows != 0) {
        for (const ValueId sum : blocks_->sums) place_sum(sum);
        lower_blocks(rows);
        lower_nodes(blocks_->nodes, region_.nodes.size(), true);
      } else {
        lower_nodes(0, region_.nodes.size(), true);
      }
    });
  }

  // `count`: whether the groups are noted and their passes counted; a block is lowered twice where the last one is
  // smaller.
  void lower_nodes(NodeIndex first, NodeIndex last, bool count) {
    const Fusion fusion{choices_.has(Pass::product_epilogues), choices_.has(Pass::update_epilogues)};
    for (const Group& group : make_groups(region_, first, last, fusion)) {
      if (count) note_group(group);
      lower_group(context_, group);
    }
  }

  void note_group(const Group& group) {
    std::string line = "group:";
    for (const NodeIndex index : group.nodes) {
      const bool root = index == group.nodes.front();
      const bool update = region_.nodes[index].op() == Op::update;
      if (!root) ++fired(update ? Pass::update_epilogues : Pass::product_epilogues);
      line += (root ? " " : "; ") + text_of(region_, region_.nodes[index]);
    }
    note(line);
  }

  void place_sum(ValueId value) {
    const RegionValue& shape = region_[value];
    context_.place_at(value, context_.allocate(region_.name_of(value), shape.rows, shape.columns));
  }

  void set_to_zero(ValueId value) {
    const Matrix& matrix = context_.place(value);
    const std::int64_t size = lowered_.program.arrays[matrix.array].size;
    builder_.loop(0, size, context_.lanes(), [&](const Affine& index) {
      builder_.store({matrix.array, index}, context_.real_number(0, context_.lanes()));
    });
  }

  // The batch's nodes, block after block.
  void lower_blocks(std::int64_t rows) {
    for (const ValueId sum : blocks_->sums) set_to_zero(sum);
    context_.accumulated = blocks_->sums;
    const std::int64_t whole = blocks_->rows / rows * rows;
    const auto lower_rows = [&](const Affine& first, std::int64_t count) {
      context_.take_rows(blocks_->batch, count, first);
      lower_nodes(0, blocks_->nodes, count == rows);
    };
    builder_.loop(0, whole, rows, [&](const Affine& first) { lower_rows(first, rows); });
    if (whole < blocks_->rows) lower_rows(whole, blocks_->rows - whole);
    context_.accumulated.clear();
  }

  // This thread's rows; then, when all threads have theirs, its share of what is made of all rows' sums.
  void lower_share(std::int64_t rows) {
    std::map<ValueId, std::vector<Matrix>> parts;
    for (const ValueId sum : blocks_->sums) {
      const RegionValue& shape = region_[sum];
      parts[sum] = context_.allocate_parts(region_.name_of(sum), shape.rows, shape.columns, share_.threads);
      context_.place_at(sum, parts[sum][static_cast<std::size_t>(share_.thread)]);
    }
    if (rows != 0) {
      lower_blocks(rows);
    } else {
      lower_nodes(0, blocks_->nodes, true);
    }
    context_.meet();
    context_.parts = std::move(parts);
    context_.share_of_entries = share_;
    lower_nodes(blocks_->nodes, region_.nodes.size(), true);
    context_.meet();
  }

  Region region_;
  Choices choices_;
  Share share_;
  std::optional<RowBlocks> blocks_;
  std::int64_t least_rows_ = 0;  // of all threads' shares: what decides how they meet is the same for all
  Range rows_;                   // of the batch, this thread's
  Lowered lowered_;
  Builder builder_;
  Context context_;
};

}  // namespace

Lowered lower(Region region, const Target& target, const Choices& choices, Share share) {
  return StepLowering(std::move(region), target, choices, share).run();
}

std::string reason_against_threads(Region region, const Choices& choices, int threads) {
  if (threads == 1) return "";
  if (are_scalars(region, choices)) return "second thread for steps of so few multiplications (scalar_limit)";
  const std::optional<RowBlocks> blocks = find_row_blocks(region);
  if (!blocks) return "second thread for batches in parts and hoisted ones";
  if (blocks->rows >= threads) return "";
  return "rows for each of " + std::to_string(threads) + " threads in batches of " + std::to_string(blocks->rows);
}

}  // namespace gdbench::kernels::jit
