#include "implementations/kernels/jit/lower/stream.h"

#include <algorithm>
#include <vector>

#include "implementations/kernels/jit/loops/lane_sums.h"
#include "implementations/kernels/jit/lower/entry_lowering.h"
#include "implementations/kernels/jit/lower/update.h"

namespace gdbench::kernels::jit {
namespace {

class StreamLowering {
 public:
  StreamLowering(Context& context, const RowBlocks& blocks)
      : context_(context),
        builder_(context.builder),
        region_(context.region),
        blocks_(blocks),
        lanes_(context.lanes()),
        state_(context, 1, true),
        rows_(context, lanes_, false) {}

  void run() {
    const std::int64_t count = blocks_.rows;
    context_.take_rows(blocks_.batch, 1, 0);  // of vectors of rows
    state_.load_state();
    builder_.steps([&](const Affine& step) {
      state_.read_state();
      load_factors(context_, step);
      for (ValueId value = 0; value < region_.values.size(); ++value) {
        if (region_[value].role == RegionRole::parameter) spread(value);
      }
      clear_sums();
      const std::int64_t vectors = count / lanes_;
      const std::int64_t together = std::clamp<std::int64_t>(vectors, 1, side_by_side());
      const std::int64_t whole = vectors / together * together * lanes_;
      builder_.loop(0, whole, together * lanes_, [&](const Affine& row) {
        for (std::int64_t i = 0; i < together; ++i)
          visit(row + Affine(i * lanes_), lanes_, static_cast<std::size_t>(i));
      });
      for (std::int64_t row = whole; row < count; row += lanes_) {
        visit(row, static_cast<int>(std::min<std::int64_t>(lanes_, count - row)), 0);
      }
      add_up_sums();
      for (NodeIndex i = blocks_.nodes; i < region_.nodes.size(); ++i) state_.lower(region_.nodes[i]);
    });
    state_.store_state();
  }

 private:
  // Accumulators of a sum over rows, [vectors side by side][entries].
  struct Accumulators {
    std::vector<std::vector<VariableId>> variables;
    double scale = 1;  // what the sum is to be multiplied by
  };

  std::size_t size_of(ValueId value) const {
    return static_cast<std::size_t>(region_[value].rows * region_[value].columns);
  }

  // Vectors of rows whose sums are kept apart, so that an addition need not wait for the one before.
  std::int64_t side_by_side() const {
    constexpr std::int64_t kSums = 8;
    std::size_t entries = 0;
    for (const ValueId sum : blocks_.sums) entries += size_of(sum);
    return std::max<std::int64_t>(1, kSums / static_cast<std::int64_t>(entries));
  }

  // A parameter's entries in all lanes.
  void spread(ValueId value) {
    Entries entries;
    for (std::size_t i = 0; i < size_of(value); ++i) entries.add(builder_.splat(state_.raw(value, i), lanes_));
    rows_[value] = std::move(entries);
  }

  void clear_sums() {
    for (const ValueId sum : blocks_.sums) {
      Accumulators& accumulators = sums_[sum];
      accumulators.variables.resize(static_cast<std::size_t>(side_by_side()));
      for (std::vector<VariableId>& variables : accumulators.variables) {
        for (std::size_t i = 0; i < size_of(sum); ++i) {
          variables.push_back(builder_.variable({context_.real(), lanes_}));
          builder_.set(variables.back(), context_.real_number(0, lanes_));
        }
      }
    }
  }

  // Rows from `row` on, of which `active` are some: forward, backward, and what they add to the sums.
  void visit(const Affine& row, int active, std::size_t side) {
    for (const ValueId value : blocks_.batch) {
      if (region_[value].role == RegionRole::result) continue;
      const Matrix& matrix = context_.place(value);
      Entries entries;
      for (std::int64_t column = 0; column < region_[value].columns; ++column) {
        entries.add(builder_.load(matrix.at(row, column), lanes_, matrix.padded ? lanes_ : active));
      }
      rows_[value] = std::move(entries);
    }
    for (NodeIndex i = 0; i < blocks_.nodes; ++i) {
      const Node& node = region_.nodes[i];
      rows_.lower(node);
      if (node.op() == Op::loss_gradient && active < lanes_) mask(node.result, active);
      if (blocks_.sums.contains(node.result)) add(node.result, side);
    }
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

  void add(ValueId value, std::size_t side) {
    Accumulators& accumulators = sums_.at(value);
    accumulators.scale = rows_[value].scale;
    for (std::size_t i = 0; i < size_of(value); ++i) {
      const VariableId variable = accumulators.variables[side][i];
      Register total = builder_.get(variable);
      for (const auto& [a, b] : rows_[value].sums[i].products) total = builder_.multiply_add(a, b, total);
      for (const Register addend : rows_[value].sums[i].addends) total = builder_.add(total, addend);
      builder_.set(variable, total);
    }
  }

  // Sums as entries of the state's lowering.
  void add_up_sums() {
    for (const auto& [value, accumulators] : sums_) {
      std::vector<Register> vectors;
      for (std::size_t i = 0; i < size_of(value); ++i) {
        Register total = builder_.get(accumulators.variables[0][i]);
        for (std::size_t side = 1; side < accumulators.variables.size(); ++side) {
          total = builder_.add(total, builder_.get(accumulators.variables[side][i]));
        }
        vectors.push_back(total);
      }
      Entries entries;
      entries.scale = accumulators.scale;
      const auto most = static_cast<std::size_t>(lanes_);
      for (std::size_t first = 0; first < vectors.size(); first += most) {
        const std::size_t count = std::min(most, vectors.size() - first);
        const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(first);
        const Register sums = sums_of_lanes(builder_, {begin, begin + static_cast<std::ptrdiff_t>(count)});
        for (std::size_t i = 0; i < count; ++i) entries.add(builder_.lane(sums, static_cast<int>(i)));
      }
      state_[value] = std::move(entries);
    }
  }

  Context& context_;
  Builder& builder_;
  const Region& region_;
  const RowBlocks& blocks_;
  int lanes_;
  EntryLowering state_;  // scalars: parameters, slots, and what follows the batch
  EntryLowering rows_;
  std::map<ValueId, Accumulators> sums_;
};

}  // namespace

std::int64_t stream_size(const Region& region, const RowBlocks& blocks) {
  std::int64_t size = 0;
  for (const ValueId value : blocks.batch) size += region[value].columns;
  for (const ValueId value : blocks.sums) size += region[value].rows * region[value].columns;
  for (const RegionValue& value : region.values) {
    if (value.role == RegionRole::parameter) size += value.rows * value.columns;
  }
  return size;
}

void lower_to_stream(Context& context, const RowBlocks& blocks) { StreamLowering(context, blocks).run(); }

}  // namespace gdbench::kernels::jit
