#include "implementations/backends/jit/lower/step.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "implementations/backends/jit/loops/check.h"
#include "implementations/backends/jit/loops/cost.h"
#include "implementations/backends/jit/loops/unroll.h"
#include "implementations/backends/jit/lower/copies.h"
#include "implementations/backends/jit/lower/entry_lowering.h"
#include "implementations/backends/jit/lower/normalization.h"
#include "implementations/backends/jit/lower/panels.h"
#include "implementations/backends/jit/lower/product.h"
#include "implementations/backends/jit/lower/reductions.h"
#include "implementations/backends/jit/lower/row_blocks.h"
#include "implementations/backends/jit/lower/row_stream.h"
#include "implementations/backends/jit/lower/stream.h"
#include "implementations/backends/jit/lower/update.h"
#include "implementations/backends/jit/region/rewrites.h"

namespace gdbench::backends::jit {

namespace {

std::string whole(double number) { return std::to_string(std::llround(number)); }

// With the sums that it takes along.
void lower_group(Context& context, const Group& group, const std::vector<Group>& sums) {
  context.builder.note(text_of(context.region, context.region.nodes[group.nodes.front()]));
  if (!sums.empty()) return lower_with_sums(context, group, sums);
  GroupWriter writer(context, group);
  switch (writer.root().op()) {
    case Op::product:
      return lower_product(context, writer);
    case Op::column_sum:
      return lower_column_sum(context, writer);
    case Op::loss_gradient:
      if (!is_elementwise(writer.root())) return lower_softmax_gradient(context, writer);
      break;
    case Op::normalize:
    case Op::normalize_gradient:
      return lower_normalization(context, writer);
    default:
      break;
  }
  writer.compute_all();
}

constexpr std::size_t kMaxUnrolled = 160;  // instructions

class StepLowering {
 public:
  StepLowering(Region region, const Choices& choices, const Plan& plan, Share share)
      : choices_(choices),
        plan_(plan),
        share_(share),
        region_(rewritten(std::move(region))),
        blocks_(find_row_blocks(region_)),
        rows_(take_share()),
        builder_(lowered_.program),
        context_(region_, plan_.target, builder_) {
    lowered_.program.name = "region";
    context_.refines = choices.has(Pass::refinement) && context_.target.avx512 && context_.real() == Scalar::f32;
  }

  Lowered run() {
    note("vectors of " + std::to_string(context_.target.vector_bits) + " bits, " +
         std::to_string(context_.target.registers) + " registers");
    if (!share_.alone()) {
      std::string line = "thread " + std::to_string(share_.thread) + " of " + std::to_string(share_.threads);
      if (plan_.form != Plan::Form::panels) {
        line += ": rows " + std::to_string(rows_.begin) + " to " + std::to_string(rows_.end - 1);
      }
      note(line);
    }
    note(text_of(plan_));
    if (plan_.rows_in_lanes && plan_.form != Plan::Form::panels) put_rows_into_lanes();
    switch (plan_.form) {
      case Plan::Form::scalars:
        fired(Pass::scalarisation) = scalar_size(region_);
        lower_to_scalars(context_);
        break;
      case Plan::Form::stream:
        fired(Pass::streaming) = 1;
        lower_to_stream(context_, *blocks_, share_);
        break;
      case Plan::Form::row_stream:
        fired(Pass::streaming) = 1;
        row_stream_ = find_row_stream(region_, *blocks_, context_.target);
        lower_to_loops();
        break;
      case Plan::Form::loops:
        lower_to_loops();
        break;
      case Plan::Form::panels:
        lower_to_panels();
        break;
    }
    fired(Pass::refinement) = context_.refined;
    if (choices_.has(Pass::unrolling)) {
      fired(Pass::unrolling) = unroll_short_loops(lowered_.program, kMaxUnrolled);
    }
    lowered_.arena_argument = context_.arena_argument();
    lowered_.arena_bytes = context_.arena_bytes();
    lowered_.shared_bytes = context_.shared_bytes();
    lowered_.packs = context_.packs();
    lowered_.state = context_.state_packs();
    lowered_.precomputed = context_.precomputed();
    note("arena of " + std::to_string(lowered_.arena_bytes) + " bytes");
    return std::move(lowered_);
  }

 private:
  // With its gradients last, and what scalars and streams do by themselves.
  Region rewritten(Region region) {
    if (region.mixed) (plan_.pairs ? round_what_tells_slopes : round_operands)(region);
    if (plan_.form == Plan::Form::loops) {
      if (choices_.has(Pass::scale_folding)) fired(Pass::scale_folding) = static_cast<std::int64_t>(fold_rate(region));
      if (choices_.has(Pass::unit_products)) {
        region.unit_products = true;
        fired(Pass::unit_products) = static_cast<std::int64_t>(drop_sums_of_one_row(region));
      }
    }
    sink_gradients(region);
    return region;
  }

  // Leaves the thread's rows of the batch.
  Range take_share() {
    if (!blocks_) return {};
    if (plan_.form == Plan::Form::panels) return {0, blocks_->rows};  // whose threads share more than rows
    const Range own = share_.of_rows(blocks_->rows, plan_.target.lanes(region_.real));
    for (const ValueId value : blocks_->batch) {
      region_.values[value].rows = own.size();
      if (region_[value].role != RegionRole::result) region_.values[value].first_row += own.begin;
    }
    blocks_->rows = own.size();
    return own;
  }

  std::int64_t& fired(Pass pass) { return lowered_.fired[static_cast<std::size_t>(pass)]; }
  void note(const std::string& line) { lowered_.plan += line + "\n"; }

  void put_rows_into_lanes() {
    ++fired(Pass::layout);
    context_.in_lanes = blocks_->batch;
    for (const ValueId value : blocks_->batch) {
      const RegionValue& input = region_[value];
      if (input.role == RegionRole::result || (input.columns == 1 && !is_packed_once(value))) continue;
      const bool vectors = plan_.form == Plan::Form::stream;
      context_.pack(value, vectors ? context_.lanes() : plan_.block_rows == 0 ? blocks_->rows : plan_.block_rows);
    }
  }

  // Of a batch that is the same in all steps what is rounded is copied in any case.
  bool is_packed_once(ValueId value) const { return region_[value].rounded && region_.constant_batch; }

  void pack_rounded_rows() {
    for (ValueId value = 0; value < region_.values.size(); ++value) {
      if (region_[value].is_batch() && is_packed_once(value)) context_.pack_rows(value);
    }
  }

  void lower_to_loops() {
    const std::int64_t rows = plan_.block_rows;
    if (rows != 0) fired(Pass::row_blocks) = rounded_up_quotient(blocks_->rows, rows);
    if (!plan_.rows_in_lanes) pack_rounded_rows();
    PaddedState padded(context_);
    // What several threads share stays where it is.
    if (choices_.has(Pass::padding) && share_.alone()) fired(Pass::padding) = padded.copy_in();
    builder_.steps([&](const Affine& step) {
      load_factors(context_, step);
      context_.begin_step(step);
      gather(context_);
      round_inputs(context_);
      copy_transposes(context_);
      if (!share_.alone()) {
        lower_share(rows);
      } else if (rows != 0 || row_stream_) {
        for (const ValueId sum : blocks_->sums) context_.place_result(sum);
        lower_batch(rows);
        lower_nodes(blocks_->nodes, region_.nodes.size(), true);
      } else {
        lower_nodes(0, region_.nodes.size(), true);
      }
    });
    padded.copy_back();
  }

  void lower_to_panels() {
    ++fired(Pass::panels);
    fired(Pass::tiles) = plan_.tiles;
    fired(Pass::prefetching) = choices_.has(Pass::prefetching);
    // Those of the batch first.
    const auto of_batch = [&](const Node& node) { return blocks_->batch.contains(node.result); };
    std::stable_partition(region_.nodes.begin(), region_.nodes.end(), of_batch);
    PanelLowering panels(context_, choices_, *blocks_, share_, plan_.tiles);
    panels.begin();
    builder_.steps([&](const Affine& step) {
      load_factors(context_, step);
      context_.begin_step(step);
      panels.lower([&](const Group& group) { note_group(group, "group: "); });
      fired(Pass::cache_blocks) = panels.cached();
    });
  }

  // `count`: whether the groups are noted and their passes counted: a block is lowered twice if the last is smaller.
  void lower_nodes(NodeIndex first, NodeIndex last, bool count) {
    const Fusion fusion{choices_.has(Pass::product_epilogues), choices_.has(Pass::update_epilogues)};
    const std::vector<Group> groups = make_groups(region_, first, last, fusion);
    const SumEpilogues sums =
        choices_.has(Pass::sum_epilogues) ? find_sum_epilogues(context_, groups) : SumEpilogues(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (sums.is_taken[i]) continue;
      std::vector<Group> taken;
      for (const std::size_t sum : sums.taken[i]) taken.push_back(groups[sum]);
      if (count) note_group(groups[i], "group: ");
      if (count) fired(Pass::sum_epilogues) += static_cast<std::int64_t>(taken.size());
      for (const Group& sum : taken) {
        if (count) note_group(sum, "  with: ");
      }
      lower_group(context_, groups[i], taken);
    }
  }

  void note_group(const Group& group, std::string line) {
    for (const NodeIndex index : group.nodes) {
      const bool root = index == group.nodes.front();
      const bool update = region_.nodes[index].op() == Op::update;
      if (update && adds_unit_product(region_, group)) ++fired(Pass::unit_products);
      if (!root) ++fired(update ? Pass::update_epilogues : Pass::product_epilogues);
      line += (root ? "" : "; ") + text_of(region_, region_.nodes[index]);
    }
    note(line);
  }

  void set_to_zero(ValueId value) {
    const Matrix& matrix = context_.place(value);
    const std::int64_t size = lowered_.program.arrays[matrix.array].size;
    builder_.loop(0, size, context_.lanes(), [&](const Affine& index) {
      builder_.store({matrix.array, index}, context_.real_number(0, context_.lanes()));
    });
  }

  // Inputs that no cache of one core holds, in rows of a few lines each: blocks are too short for prefetching hardware.
  bool is_fetched_ahead(ValueId value) const {
    constexpr std::int64_t kBytes = 1 << 20;
    constexpr std::int64_t kRowBytes = 512;
    const RegionValue& input = region_[value];
    const std::int64_t row_bytes = input.columns * static_cast<std::int64_t>(bytes_of(region_.real));
    return input.role == RegionRole::x && !region_.gathered && input.columns > 1 && row_bytes <= kRowBytes &&
           blocks_->rows * row_bytes > kBytes;
  }

  // The batch's nodes.
  void lower_batch(std::int64_t rows) {
    if (row_stream_) {
      builder_.note(text_of(region_, region_.nodes[row_stream_->product]));
      lower_row_stream(context_, *blocks_, *row_stream_);
    } else if (rows != 0) {
      lower_blocks(rows);
    } else {
      lower_nodes(0, blocks_->nodes, true);
    }
  }

  // The same, block after block.
  void lower_blocks(std::int64_t rows) {
    for (const ValueId sum : blocks_->sums) set_to_zero(sum);
    context_.accumulated = blocks_->sums;
    const std::int64_t whole = blocks_->rows / rows * rows;
    for (const ValueId value : blocks_->batch) {
      if (is_fetched_ahead(value)) context_.fetch_ahead(value, context_.entries_per_block(value, rows));
    }
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
    lower_batch(rows);
    context_.meet();
    context_.parts = std::move(parts);
    context_.share_of_entries = share_;
    lower_nodes(blocks_->nodes, region_.nodes.size(), true);
    context_.meet();
  }

  Choices choices_;
  Plan plan_;
  Share share_;
  Lowered lowered_;
  Region region_;
  std::optional<RowBlocks> blocks_;
  Range rows_;  // of the batch, this thread's
  std::optional<RowStream> row_stream_;
  Builder builder_;
  Context context_;
};

}  // namespace

double predicted_cycles(const Region& region, const Choices& choices, const Plan& plan, Share share) {
  return cost_of(StepLowering(region, choices, plan, share).run().program, core_of(plan.target)).cycles;
}

Lowered lower(Region region, const Choices& choices, const Plan& plan, Share share) {
  Lowered lowered = StepLowering(std::move(region), choices, plan, share).run();
  const Cost cost = cost_of(lowered.program, core_of(plan.target));
  lowered.plan += std::string("predicted") + (plan.target.measured ? "" : " by constants of x86-64") + ": " +
                  whole(cost.cycles) + " cycles a step, of which instructions " + whole(cost.instruction_cycles) +
                  "; bytes to the first cache " + whole(cost.second_cache_bytes) + ", to the second " +
                  whole(cost.beyond_bytes) + "\n";
  for (const auto& [note, cycles] : cost.noted_cycles) lowered.plan += "  " + whole(cycles) + ": " + note + "\n";
  if (const std::string error = program_error(lowered.program); !error.empty()) {
    throw std::logic_error("the program is broken: " + error);
  }
  return lowered;
}

}  // namespace gdbench::backends::jit
