#include "implementations/backends/jit/lower/stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "implementations/backends/jit/lower/entry_lowering.h"
#include "implementations/backends/jit/lower/reductions.h"
#include "implementations/backends/jit/lower/update.h"

namespace gdbench::backends::jit {
namespace {

std::int64_t entries_of(const Region& region, const std::set<ValueId>& values) {
  std::int64_t size = 0;
  for (const ValueId value : values) size += region[value].size();
  return size;
}

// What lowering a vector of rows has registers for, if all of them stay until they are used for the last time.
std::int64_t values_of_stream(const Region& region, const RowBlocks& blocks) {
  std::int64_t size = entries_of(region, blocks.sums);
  for (const ValueId value : blocks.batch) size += region[value].columns;
  for (const Value& value : region.values) {
    if (value.role == RegionRole::parameter && value.is_state()) size += value.size();
  }
  return size;
}

class StreamLowering {
 public:
  StreamLowering(Context& context, const RowBlocks& blocks, const Share& share)
      : context_(context),
        builder_(context.builder),
        region_(context.region),
        blocks_(blocks),
        share_(share),
        lanes_(context.lanes()),
        state_(context, 1, Chains::brief),
        rows_(context, lanes_, Chains::few) {}

  void run() {
    if (!share_.alone()) parts_ = context_.allocate_parts("sums", 1, entries_of_sums(), share_.threads);
    context_.take_rows(blocks_.batch, 1, 0);  // of vectors of rows
    state_.load_state();
    builder_.steps([&](const Affine& step) {
      state_.read_state();
      load_factors(context_, step);
      for (ValueId value = 0; value < region_.values.size(); ++value) {
        if (region_[value].role == RegionRole::parameter && is_read_from(0, value)) spread(value);
      }
      SumChains sums(context_, entries_of_sums(), blocks_.rows, lanes_);
      sums.for_each_unit([&](std::int64_t chain, const Affine& row, int active) { visit(row, active, sums, chain); });
      add_up(sums);
      if (!share_.alone()) exchange();
      for (NodeIndex i = blocks_.nodes; i < region_.nodes.size(); ++i) state_.lower(region_.nodes[i]);
    });
    if (share_.thread == 0) state_.store_state();
  }

 private:
  std::size_t size_of(ValueId value) const { return static_cast<std::size_t>(region_[value].size()); }

  std::int64_t entries_of_sums() const { return entries_of(region_, blocks_.sums); }

  // A parameter's entries in all lanes.
  void spread(ValueId value) {
    Entries entries;
    for (std::size_t i = 0; i < size_of(value); ++i) entries.add(builder_.splat(state_.raw(value, i), lanes_));
    rows_[value] = std::move(entries);
  }

  // Rows from `row` on, of which `active` are some: forward, backward, and what they add to the sums.
  void visit(const Affine& row, int active, const SumChains& sums, std::int64_t chain) {
    std::int64_t sum = 0;
    context_.take_rows(blocks_.batch, 1, row);  // of vectors of rows
    load_inputs(active, 0);
    bool kept = values_of_stream(region_, blocks_) <= context_.target.registers;
    for (NodeIndex i = 0; i < blocks_.nodes; ++i) {
      const Node& node = region_.nodes[i];
      const bool is_sum = blocks_.sums.contains(node.result);
      if (is_sum && !kept) {
        builder_.fence();
        load_inputs(active, i);
        kept = true;
      }
      rows_.lower(node);
      if (node.op() == Op::loss_gradient && active < lanes_) mask(node.result, active);
      if (!is_sum) continue;
      add(node.result, sums, chain, sum);
      sum += static_cast<std::int64_t>(size_of(node.result));
    }
  }

  // What nodes from `first` on read of the batch.
  void load_inputs(int active, NodeIndex first) {
    for (const ValueId value : blocks_.batch) {
      if (region_[value].role == RegionRole::result || !is_read_from(first, value)) continue;
      const Matrix& matrix = context_.place(value);
      Entries entries;
      for (std::int64_t column = 0; column < region_[value].columns; ++column) {
        const Register entry = builder_.load(matrix.at(0, column), lanes_, matrix.padded ? lanes_ : active);
        entries.add(region_[value].rounded && !region_.constant_batch ? builder_.narrow(entry) : entry);
      }
      rows_[value] = std::move(entries);
    }
  }

  bool is_read_from(NodeIndex first, ValueId value) const {
    const auto begin = region_.nodes.begin() + static_cast<std::ptrdiff_t>(first);
    return std::any_of(begin, region_.nodes.begin() + static_cast<std::ptrdiff_t>(blocks_.nodes),
                       [&](const Node& node) { return std::ranges::count(node.operands, value) != 0; });
  }

  // Rows that are none have no gradient.
  void mask(ValueId value, int active) {
    std::vector<double> lanes(static_cast<std::size_t>(lanes_), 0.0);
    std::fill_n(lanes.begin(), active, 1.0);
    const Register is_row = builder_.constant(Scalar::boolean, std::move(lanes));
    Entries entries;
    entries.scale = rows_[value].scale;
    for (std::size_t i = 0; i < size_of(value); ++i) {
      entries.add(builder_.select(is_row, rows_.raw(value, i), context_.real_number(0, lanes_)));
    }
    rows_[value] = std::move(entries);
  }

  // To sums from `first` on.
  void add(ValueId value, const SumChains& sums, std::int64_t chain, std::int64_t first) {
    scales_[value] = rows_[value].scale;
    for (std::size_t i = 0; i < size_of(value); ++i) {
      const VariableId variable = sums.at(chain, first + static_cast<std::int64_t>(i));
      Register total = builder_.get(variable);
      for (const auto& [a, b] : rows_[value].sums[i].products) total = builder_.multiply_add(a, b, total);
      for (const Register addend : rows_[value].sums[i].addends) total = builder_.add(total, addend);
      builder_.set(variable, total);
    }
  }

  // Sums as entries of the state's lowering.
  void add_up(SumChains& sums) {
    const std::vector<Register> vectors = sums.totals();
    std::size_t done = 0;
    for (NodeIndex i = 0; i < blocks_.nodes; ++i) {
      const ValueId value = region_.nodes[i].result;
      if (!blocks_.sums.contains(value)) continue;
      Entries entries;
      entries.scale = scales_.at(value);
      const std::size_t end = done + size_of(value);
      while (done < end) {
        const std::size_t count = std::min(static_cast<std::size_t>(lanes_), end - done);
        const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(done);
        const Register lanes = sums_of_lanes(builder_, {begin, begin + static_cast<std::ptrdiff_t>(count)});
        for (std::size_t lane = 0; lane < count; ++lane) entries.add(builder_.lane(lanes, static_cast<int>(lane)));
        done += count;
      }
      state_[value] = std::move(entries);
    }
  }

  // Sums of this thread's rows become those of all rows. There are two barriers: no thread writes the next step's
  // before all have read these.
  void exchange() {
    const auto part = [&](std::size_t thread, std::size_t entry) {
      return parts_[thread].at(0, static_cast<std::int64_t>(entry));
    };
    std::size_t entry = 0;
    for (const ValueId value : blocks_.sums) {
      for (std::size_t i = 0; i < size_of(value); ++i) {
        builder_.store(part(static_cast<std::size_t>(share_.thread), entry++), state_.raw(value, i));
      }
    }
    context_.meet();
    entry = 0;
    for (const ValueId value : blocks_.sums) {
      Entries entries;
      entries.scale = scales_.at(value);
      for (std::size_t i = 0; i < size_of(value); ++i, ++entry) {
        Register sum = builder_.load(part(0, entry), 1);
        for (std::size_t thread = 1; thread < parts_.size(); ++thread) {
          sum = builder_.add(sum, builder_.load(part(thread, entry), 1));
        }
        entries.add(sum);
      }
      state_[value] = std::move(entries);
    }
    context_.meet();
  }

  Context& context_;
  Builder& builder_;
  const Region& region_;
  const RowBlocks& blocks_;
  Share share_;
  std::vector<Matrix> parts_;  // sums of each thread's rows
  int lanes_;
  EntryLowering state_;  // scalars: parameters, slots, and what follows the batch
  EntryLowering rows_;
  std::map<ValueId, double> scales_;  // of sums: what they are to be multiplied by
};

}  // namespace

std::int64_t registers_of_stream(const Region& region, const RowBlocks& blocks) {
  constexpr std::int64_t kOthers = 3;
  std::int64_t widest = 0;
  for (NodeIndex i = 0; i < blocks.nodes; ++i) {
    const ValueId value = region.nodes[i].result;
    if (!blocks.sums.contains(value)) widest = std::max(widest, region[value].columns);
  }
  return entries_of(region, blocks.sums) + widest + kOthers;
}

void lower_to_stream(Context& context, const RowBlocks& blocks, const Share& share) {
  StreamLowering(context, blocks, share).run();
}

}  // namespace gdbench::backends::jit
