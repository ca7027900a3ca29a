#include "implementations/backends/jit/lower/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "implementations/backends/jit/lower/entry_lowering.h"
#include "implementations/backends/jit/lower/panels.h"
#include "implementations/backends/jit/lower/row_stream.h"
#include "implementations/backends/jit/lower/step.h"
#include "implementations/backends/jit/lower/stream.h"
#include "implementations/backends/jit/region/rewrites.h"

namespace gdbench::backends::jit {
namespace {

// As most forms take it.
Region without_mixed_precision(Region region) {
  if (region.mixed) round_operands(region);
  return region;
}

bool are_scalars(const Region& region, const Choices& choices) {
  return choices.has(Pass::scalarisation) && scalar_size(region) <= choices.scalar_limit && !region.gathered;
}

class Planner {
 public:
  Planner(const Region& region, const Target& target, const Choices& choices, int threads)
      : mixed_(region.mixed),
        target_(target),
        choices_(choices),
        threads_(threads),
        own_(without_mixed_precision(region)) {
    blocks_ = find_row_blocks(own_);
  }

  std::vector<Plan> plans() const {
    if (are_scalars(own_, choices_)) return {{Plan::Form::scalars, false, 0}};
    if (!blocks_) return {Plan{}};
    std::vector<Plan> plans = panels();
    if (!plans.empty() && choices_.lanes == Lanes::panels) return plans;
    const bool rows_may_be_lanes = choices_.has(Pass::layout) && choices_.lanes != Lanes::columns && can_turn();
    if (rows_may_be_lanes && can_stream()) return {{Plan::Form::stream, true, 0}};
    if (rows_may_be_lanes) add_loops(true, plans);
    if (!rows_may_be_lanes || choices_.lanes != Lanes::rows) {
      add_loops(false, plans);
      if (can_stream_rows()) plans.push_back({Plan::Form::row_stream, false, 0});
    }
    return plans;
  }

 private:
  int lanes() const { return target_.lanes(own_.real); }
  // The fewest that a thread has.
  std::int64_t own_rows() const {
    std::int64_t least = blocks_->rows;
    for (int thread = 0; thread < threads_; ++thread) {
      least = std::min(least, Share{thread, threads_}.of_rows(blocks_->rows, lanes()).size());
    }
    return least;
  }

  // What the batch consists of lies with its rows side by side already, or may be copied once for all steps; and the
  // lowering of softmax has a register for each class.
  bool can_turn() const {
    constexpr std::int64_t kMaxClasses = 32;
    const bool inputs = std::ranges::all_of(blocks_->batch, [&](ValueId value) {
      return own_[value].role == RegionRole::result || own_[value].columns == 1 || own_.constant_batch;
    });
    const bool softmax = std::ranges::all_of(own_.nodes, [&](const Node& node) {
      return node.op() != Op::loss_gradient || !takes_labels(node.request.loss) ||
             own_[node.result].columns <= kMaxClasses;
    });
    // A single row, whose gradients are no sums, is not gone through in blocks.
    const bool enough = choices_.lanes == Lanes::rows ? blocks_->rows > 1 : own_rows() >= 2 * lanes();
    return inputs && softmax && enough;
  }

  bool can_stream() const {
    return choices_.has(Pass::streaming) && !own_.gathered && own_rows() >= 2 * lanes() &&
           registers_of_stream(own_, *blocks_) <= target_.registers;
  }

  std::vector<Plan> panels() const {
    const bool chosen = choices_.has(Pass::panels) && choices_.lanes != Lanes::columns &&
                        choices_.lanes != Lanes::rows && choices_.block_rows == 0;
    if (!chosen || !can_lower_to_panels(own_, *blocks_, target_)) return {};
    std::vector<Plan> plans = {{Plan::Form::panels, true, 0}};
    if (!mixed_) return plans;
    if (target_.pairs && threads_ == 1) plans.push_back({Plan::Form::panels, true, 0, true});
    if (target_.tiles && choices_.has(Pass::tiles)) {
      if (choices_.instructions == InstructionSet::amx) plans.clear();
      plans.push_back({Plan::Form::panels, true, 0, true, true});
    }
    return plans;
  }

  bool can_stream_rows() const {
    return choices_.has(Pass::streaming) && choices_.block_rows == 0 && find_row_stream(own_, *blocks_, target_);
  }

  // Blocks from what the first cache holds of wide layers to what the second does of narrow ones, and the whole batch.
  void add_loops(bool rows_in_lanes, std::vector<Plan>& plans) const {
    const auto add = [&](std::int64_t rows) {
      // Blocks of packed rows follow each other without gaps.
      if (rows_in_lanes) rows = rounded_up(rows, lanes());
      if (rows < own_rows()) plans.push_back({Plan::Form::loops, rows_in_lanes, rows});
    };
    const std::size_t before = plans.size();
    if (choices_.has(Pass::row_blocks) && choices_.block_rows != 0) add(choices_.block_rows);
    if (plans.size() > before) return;
    if (choices_.has(Pass::row_blocks) && choices_.block_rows == 0) {
      for (const std::int64_t rows : {16, 32, 64, 128, 256}) add(equal_blocks(rows, rows_in_lanes ? lanes() : 1));
    }
    plans.push_back({Plan::Form::loops, rows_in_lanes, 0});
  }

  // About `wanted` rows, such that no smaller block, compiled for itself, is left over, if there is such a number.
  std::int64_t equal_blocks(std::int64_t wanted, std::int64_t unit) const {
    std::int64_t best = wanted;
    for (std::int64_t rows = wanted * 3 / 4; rows <= wanted * 4 / 3; ++rows) {
      if (rows % unit != 0 || own_rows() % rows != 0) continue;
      const bool closer = std::abs(rows - wanted) < std::abs(best - wanted);
      if (own_rows() % best != 0 || closer) best = rows;
    }
    return best;
  }

  bool mixed_;
  const Target& target_;
  const Choices& choices_;
  int threads_;
  Region own_;
  std::optional<RowBlocks> blocks_;
};

}  // namespace

std::string text_of(const Plan& plan) {
  if (plan.form == Plan::Form::scalars) return "scalars";
  if (plan.form == Plan::Form::stream) return "one stream of rows, lanes are rows";
  if (plan.form == Plan::Form::row_stream) return "one stream of rows, lanes are columns";
  const char* wide = plan.target.vector_bits == 512 ? ", 512 bits" : "";
  const char* pairs = plan.tiles ? ", tiles of pairs of bfloat16" : plan.pairs ? ", pairs of bfloat16" : "";
  if (plan.form == Plan::Form::panels) return std::string("panels of rows") + wide + pairs;
  return std::string("loops, lanes are ") + (plan.rows_in_lanes ? "rows" : "columns") + ", " +
         (plan.block_rows == 0 ? "all rows together" : "blocks of " + std::to_string(plan.block_rows) + " rows") + wide;
}

PlanChoice choose_plan(const Region& region, std::span<const Target> targets, const Choices& choices, int threads) {
  PlanChoice choice;
  const auto consider = [&](Plan plan, const Target& target) {
    plan.target = target;
    double cycles = predicted_cycles(region, choices, plan, {0, threads});
    // Of few columns the first thread may have none, and the last one has most.
    if (threads > 1 && plan.form == Plan::Form::panels) {
      cycles = std::max(cycles, predicted_cycles(region, choices, plan, {threads - 1, threads}));
    }
    const bool first = choice.considered.empty();
    choice.considered += text_of(plan) + ": " + std::to_string(std::llround(cycles)) + " cycles\n";
    if (!first && cycles >= choice.cycles) return;
    choice.plan = plan;
    choice.cycles = cycles;
  };
  for (const Plan& plan : Planner(region, targets[0], choices, threads).plans()) consider(plan, targets[0]);
  const Plan best = choice.plan;
  for (const Target& other : targets.subspan(1)) {
    for (const Plan& plan : Planner(region, other, choices, threads).plans()) {
      if (plan.form == Plan::Form::panels) consider(plan, other);
    }
    if (best.form == Plan::Form::loops && !best.rows_in_lanes) consider(best, other);
  }
  return choice;
}

std::string reason_against_threads(Region region, const Choices& choices, int threads) {
  if (threads == 1) return "";
  if (are_scalars(region, choices)) return "steps of so few multiplications (scalar_limit) are for one thread";
  const std::optional<RowBlocks> blocks = find_row_blocks(region);
  if (!blocks) return "batches in parts and hoisted ones are for one thread";
  if (blocks->rows >= threads) return "";
  return std::to_string(threads) + " threads need as many rows, and a batch has " + std::to_string(blocks->rows);
}

}  // namespace gdbench::backends::jit
