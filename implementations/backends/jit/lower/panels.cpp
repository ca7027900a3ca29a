#include "implementations/backends/jit/lower/panels.h"

#include <algorithm>

#include "implementations/backends/jit/lower/copies.h"
#include "implementations/backends/jit/lower/reductions.h"
#include "implementations/backends/jit/lower/tile_products.h"

namespace gdbench::backends::jit {
namespace {

// Weights, and what is computed entry by entry of them and of their gradients: slots, results.
std::set<ValueId> values_in_blocks(const Region& region, const RowBlocks& blocks) {
  std::set<ValueId> found;
  for (const Node& node : region.nodes) {
    if (is_batch_product(blocks, node)) {
      const ValueId weights = node.operands[1];
      found.insert(weights);
      // Which no other node may read where none updates them.
      if (region[weights].is_rounded_parameter()) found.insert(region.unrounded(weights));
    }
    if (is_gradient(blocks, node)) found.insert(node.result);
  }
  for (const Node& node : region.nodes) {
    if (blocks.batch.contains(node.result) || !is_elementwise(node)) continue;
    const bool reads = std::ranges::any_of(node.operands, [&](ValueId operand) { return found.contains(operand); });
    if (!reads) continue;
    found.insert(node.result);
    const std::size_t first = node.op() == Op::update ? kUpdatedParameter : 0;
    found.insert(node.operands.begin() + static_cast<std::ptrdiff_t>(first), node.operands.end());
  }
  return found;
}

constexpr double kPartOfCache = 0.5;  // the rest is for the batch

// body(block, in_block, active) for the vectors of columns in blocks.
template <class Body>
void for_each_vector_of_blocks(Builder& builder, std::int64_t columns, std::int64_t block, int lanes,
                               const Body& body) {
  for_each_part(builder, {0, columns}, block, [&](const Affine& begin, std::int64_t count) {
    for (std::int64_t vector = 0; vector < count; vector += lanes) {
      body(begin, vector, static_cast<int>(std::min<std::int64_t>(lanes, count - vector)));
    }
  });
}

}  // namespace

bool can_lower_to_panels(const Region& region, const RowBlocks& blocks, const Target& target) {
  if (blocks.rows < target.lanes(region.real)) return false;
  const std::set<ValueId> blocked = values_in_blocks(region, blocks);
  const auto is_batch = [&](ValueId value) { return blocks.batch.contains(value); };
  return std::ranges::all_of(region.nodes, [&](const Node& node) {
    if (is_batch_product(blocks, node)) {
      return region[node.operands[1]].role == RegionRole::parameter && node.request.beta == 0;
    }
    if (is_gradient(blocks, node)) return std::ranges::all_of(node.operands, is_batch) && node.request.beta == 0;
    if (is_batch(node.result)) return is_elementwise(node) || node.op() == Op::loss_gradient;
    // What reads one value in blocks must read nothing else but scalars.
    const auto count = std::ranges::count_if(node.operands, [&](ValueId value) { return blocked.contains(value); });
    const std::size_t others = node.operands.size() - (node.op() == Op::update ? 1 : 0);
    return count == 0 ? node.op() == Op::column_sum || is_elementwise(node)
                      : is_elementwise(node) && static_cast<std::size_t>(count) == others;
  });
}

PanelLowering::PanelLowering(Context& context, const Choices& choices, RowBlocks& blocks, Share share, bool tiles)
    : context_(context),
      builder_(context.builder),
      choices_(choices),
      blocks_(blocks),
      share_(share),
      tiled_(tiles),
      shape_(context.target, context.real(), blocks.rows, tiles),
      rows_(blocks.rows) {}

template <class Body>
void PanelLowering::for_each_panel(const Range& rows_of_batch, const Body& body) {
  for_each_part(builder_, rows_of_batch, shape_.panel, [&](const Affine& first, std::int64_t rows) {
    context_.take_rows(blocks_.batch, rows, first);
    body(first, rows);
  });
  context_.take_rows(blocks_.batch, rows_, 0);
}

std::set<ValueId> PanelLowering::inputs_of_gradients() const {
  std::set<ValueId> inputs;
  for (const Node& node : context_.region.nodes) {
    if (is_gradient(blocks_, node)) inputs.insert(node.operands[0]);
  }
  return inputs;
}

// Each thread transposes all of them for itself: faster than to fetch what another one transposed.
void PanelLowering::place_inputs() {
  const Region& region = context_.region;
  const std::set<ValueId> inputs = inputs_of_gradients();
  for (const ValueId value : blocks_.batch) {
    if (region[value].role == RegionRole::result) continue;
    const bool is_input = inputs.contains(value);
    if (region[value].columns == 1 && !is_input) {
      if (region.gathered) copy_gathered(context_, value);
      continue;
    }
    if (region.constant_batch) {
      if (is_input && !tiled_) layer_inputs_[value] = context_.pack_transpose(value, shape_.block, shared());
      context_.pack(value, shape_.panel, shared());
    } else {
      sources_[value] = context_.place(value);
      context_.place_in_blocks(value, shape_.panel, false);
    }
  }
  for (const ValueId value : inputs) {
    if (layer_inputs_.contains(value) || tiled_) continue;
    layer_inputs_[value] = context_.allocate_blocks(context_.real(), "inputs_" + region.name_of(value),
                                                    region[value].columns, rows_, shape_.block, false);
  }
}

void PanelLowering::place_state() {
  blocked_ = values_in_blocks(context_.region, blocks_);
  for (const ValueId value : blocked_) {
    if (context_.region[value].is_state()) context_.pack(value, shape_.block, shared());
    if (context_.region[value].is_rounded_parameter()) context_.place_in_blocks(value, shape_.block, shared());
  }
}

void PanelLowering::place_results(const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    for (const NodeIndex index : group.nodes) {
      const Node& node = context_.region.nodes[index];
      if (node.op() == Op::update || !is_read_outside(context_.region, group, node)) continue;
      const bool of_batch = blocks_.batch.contains(node.result);
      if (of_batch || blocked_.contains(node.result)) {
        context_.place_in_blocks(node.result, of_batch ? shape_.panel : shape_.block, shared());
      }
    }
  }
}

// A panel's rows of X or the targets, which lie side by side in memory, into the panel and the blocks of columns.
void PanelLowering::transpose_input(ValueId value, const Matrix& source) {
  const int lanes = context_.lanes();
  const auto inputs = layer_inputs_.find(value);
  const bool rounded = context_.region[value].rounded;
  for_each_panel({0, rows_}, [&](const Affine& first, std::int64_t rows) {
    for (std::int64_t begin = 0; begin < rows; begin += lanes) {
      const std::int64_t count = std::min<std::int64_t>(lanes, rows - begin);
      std::vector<Line> lines;
      for (std::int64_t i = 0; i < count; ++i) lines.push_back(context_.row_of(source, first + Affine(begin + i)));
      const auto turn = [&](const Affine& block, std::int64_t in_block, int active) {
        const Affine column = block + Affine(in_block);
        std::vector<Register> vectors;
        for (const Line& line : lines) {
          const Register entries = builder_.load(source.at(line, Line{column, {}}), lanes, active);
          vectors.push_back(rounded ? builder_.narrow(entries) : entries);
        }
        if (inputs != layer_inputs_.end()) {
          for (std::int64_t i = 0; i < count; ++i) {
            const Affine row = (first + Affine(begin + i)) * shape_.block;
            builder_.store({inputs->second.array, block * rows_ + row + Affine(in_block)},
                           vectors[static_cast<std::size_t>(i)]);
          }
        }
        vectors.resize(static_cast<std::size_t>(lanes), context_.real_number(0, lanes));
        const std::vector<Register> columns = transposed(builder_, std::move(vectors));
        for (int j = 0; j < active; ++j) {
          builder_.store(context_.place(value).at(begin, column + Affine(j)), columns[static_cast<std::size_t>(j)]);
        }
      };
      for_each_vector_of_blocks(builder_, source.columns, shape_.block, lanes, turn);
    }
  });
}

// A layer's inputs into blocks of their columns.
void PanelLowering::turn(ValueId value) {
  const int lanes = context_.lanes();
  const Matrix& inputs = layer_inputs_.at(value);
  for_each_panel({0, rows_}, [&](const Affine& first, std::int64_t rows) {
    for (std::int64_t begin = 0; begin < rows; begin += lanes) {
      const std::int64_t count = std::min<std::int64_t>(lanes, rows - begin);
      const auto turn = [&](const Affine& block, std::int64_t in_block, int active) {
        std::vector<Register> vectors;
        for (int j = 0; j < active; ++j) {
          vectors.push_back(builder_.load(context_.place(value).at(begin, block + Affine(in_block + j)), lanes));
        }
        vectors.resize(static_cast<std::size_t>(lanes), context_.real_number(0, lanes));
        const std::vector<Register> lines = transposed(builder_, std::move(vectors));
        for (std::int64_t i = 0; i < count; ++i) {
          const Affine row = (first + Affine(begin + i)) * shape_.block;
          builder_.store({inputs.array, block * rows_ + row + Affine(in_block)}, lines[static_cast<std::size_t>(i)]);
        }
      };
      for_each_vector_of_blocks(builder_, context_.region[value].columns, shape_.block, lanes, turn);
    }
  });
}

Range PanelLowering::own_columns(const Group& group) const {
  const Node& root = context_.region.nodes[group.nodes.front()];
  return own_columns(group.columns, root.op() == Op::product && root.request.transpose_b);
}

Range PanelLowering::own_columns(std::int64_t columns, bool rows_of_weights) const {
  const bool many = columns >= share_.threads * shape_.block;
  return share_.of(columns, rows_of_weights || many ? shape_.block : 1);
}

// This thread's, which it has updated and reads forward; the others read them backward, when all have met.
void PanelLowering::round_weights() {
  const Region& region = context_.region;
  for (const ValueId value : blocked_) {
    if (!region[value].is_rounded_parameter()) continue;
    builder_.note(region.name_of(value));
    const ArrayId from = context_.place(region.unrounded(value)).array;
    const ArrayId to = context_.place(value).array;
    const std::int64_t columns = region[value].columns;
    const Range own = own_columns(columns, false);
    for_each_part(builder_, {0, region[value].rows}, shape_.block, [&](const Affine& block, std::int64_t) {
      builder_.loop(own.begin * shape_.block, own.end * shape_.block, context_.lanes(), [&](const Affine& entry) {
        const Affine at = block * columns + entry;
        builder_.store({to, at}, builder_.narrow(builder_.load({from, at}, context_.lanes())));
      });
    });
  }
}

void PanelLowering::lower_batch(const Group& group) {
  const Node& root = context_.region.nodes[group.nodes.front()];
  if (root.op() == Op::product && tiles_) {
    return tiles_->lower_product(group, [&](const auto& body) { for_each_panel({0, rows_}, body); });
  }
  if (root.op() == Op::product) {
    PanelProduct product(context_, group, shape_, pairs_ ? &*pairs_ : nullptr, choices_.has(Pass::prefetching));
    const Range own = own_columns(group);
    if (own.size() == 0) return;
    const bool in_parts = choices_.has(Pass::cache_blocks);
    const double cache = kPartOfCache * core_of(context_.target).second_cache.bytes;
    const std::int64_t columns = in_parts ? product.columns_within(cache, own.size()) : own.size();
    if (columns < own.size()) ++cached_;
    for_each_part(builder_, own, columns, [&](const Affine& first, std::int64_t count) {
      for_each_panel({0, rows_},
                     [&](const Affine& panel, std::int64_t rows) { product.lower(first, count, panel, rows); });
    });
    return;
  }
  // The classes of a row belong together.
  const bool by_rows = root.op() == Op::loss_gradient && !is_elementwise(root);
  const Range rows_of_batch = by_rows ? share_.of(rows_, shape_.panel) : Range{0, rows_};
  for_each_panel(rows_of_batch, [&](const Affine&, std::int64_t rows) {
    Group panel = group;
    panel.rows = rows;
    GroupWriter writer(context_, panel);
    if (by_rows) return lower_softmax_gradient(context_, writer);
    context_.share_of_entries = share_;
    writer.compute_all();
    context_.share_of_entries = {};
  });
}

// The sums of a panelled value's columns, over all rows of the batch, for this thread's share of the columns.
void PanelLowering::sum_columns(const Group& group) {
  const int lanes = context_.lanes();
  GroupWriter writer(context_, group);
  const ArrayId array = context_.place(writer.root().operands[0]).array;
  const std::int64_t most = std::min<std::int64_t>(kChains, lanes);
  const auto columns_from = [&](const Affine& column, std::int64_t columns) {
    SumChains sums(context_, columns, 1, 1);
    const auto add = [&](const Affine& panel, std::int64_t row, int active) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const Affine at = panel * group.columns + (column + Affine(j)) * shape_.panel + Affine(row);
        Register terms = builder_.load({array, at}, lanes, active);
        if (context_.region.mixed) terms = builder_.narrow(terms);
        builder_.set(sums.at(0, j), builder_.add(builder_.get(sums.at(0, j)), terms));
      }
    };
    const std::int64_t whole = rows_ / shape_.panel * shape_.panel;
    builder_.loop(0, whole, shape_.panel, [&](const Affine& panel) {
      for (std::int64_t row = 0; row < shape_.panel; row += lanes) add(panel, row, lanes);
    });
    for (std::int64_t row = whole; row < rows_; row += lanes) {
      add(whole, row - whole, static_cast<int>(std::min<std::int64_t>(lanes, rows_ - row)));
    }
    const Register total = sums_of_lanes(builder_, sums.totals());
    const int active = static_cast<int>(columns);
    writer.finish({0, column, group.columns == 1, builder_.type_of(total).lanes, active, false}, total);
  };
  for_each_part(builder_, share_.of(group.columns, most), most, columns_from);
}

void PanelLowering::lower_late(const Group& group) {
  const Node& root = context_.region.nodes[group.nodes.front()];
  if (root.op() == Op::column_sum) return sum_columns(group);
  const std::set<ValueId> blocked = blocked_values(group);
  if (is_gradient(blocks_, root) && tiles_) return tiles_->lower_gradient(group, blocked);
  if (is_gradient(blocks_, root)) {
    lower_gradient(context_, group, shape_, pairs_ ? &*pairs_ : nullptr, layer_inputs_.at(root.operands[0]), blocked,
                   rows_, own_columns(group), choices_.has(Pass::prefetching));
    context_.take_rows(blocked, group.rows, 0);
    return;
  }
  context_.share_of_entries = share_;
  if (blocked.empty()) {
    GroupWriter(context_, group).compute_all();
  } else {
    for_each_part(builder_, {0, group.rows}, shape_.block, [&](const Affine& first, std::int64_t count) {
      context_.take_rows(blocked, count, first);
      Group part = group;
      part.rows = count;
      GroupWriter(context_, part).compute_all();
    });
    context_.take_rows(blocked, group.rows, 0);
  }
  context_.share_of_entries = {};
}

std::set<ValueId> PanelLowering::blocked_values(const Group& group) const {
  std::set<ValueId> values;
  for (const NodeIndex index : group.nodes) {
    const Node& node = context_.region.nodes[index];
    for (const ValueId operand : node.operands) {
      if (blocked_.contains(operand)) values.insert(operand);
    }
    if (blocked_.contains(node.result)) values.insert(node.result);
  }
  return values;
}

void PanelLowering::begin() {
  const Region& region = context_.region;
  const Fusion fusion{choices_.has(Pass::product_epilogues), choices_.has(Pass::update_epilogues)};
  const auto of_batch = [&](const Node& node) { return blocks_.batch.contains(node.result); };
  const auto batch_nodes = static_cast<NodeIndex>(std::ranges::count_if(region.nodes, of_batch));
  batch_groups_ = make_groups(region, 0, batch_nodes, fusion);
  late_groups_ = make_groups(region, batch_nodes, region.nodes.size(), fusion);
  place_state();
  if (!tiled_) return;
  tiles_.emplace(context_, blocks_, shape_, late_groups_, share_, choices_.has(Pass::prefetching));
  tiles_->begin();
}

void PanelLowering::lower(const std::function<void(const Group&)>& note) {
  const Region& region = context_.region;
  place_inputs();
  context_.in_lanes = blocks_.batch;
  context_.in_lanes.insert(blocked_.begin(), blocked_.end());
  place_results(batch_groups_);
  place_results(late_groups_);
  const auto lower_groups = [&](const std::vector<Group>& groups, const auto& lower_group) {
    for (const Group& group : groups) {
      synchronise_for(group);
      note(group);
      builder_.note(text_of(region, region.nodes[group.nodes.front()]));
      lower_group(group);
    }
  };
  round_weights();
  if (region.mixed && !tiles_) place_pairs();
  if (tiles_) tiles_->begin_step();
  builder_.note("layers' inputs, transposed");
  for (const auto& [value, source] : sources_) transpose_input(value, source);
  if (pairs_) pairs_->write_inputs(layer_inputs_);
  for (const ValueId value : blocks_.batch) {
    if (region[value].role != RegionRole::result) write_tiles(value);
  }
  lower_groups(batch_groups_, [&](const Group& group) {
    lower_batch(group);
    if (pairs_) write_pairs(group);
    write_tiles(group);
  });
  if (shared()) context_.meet();
  unsynchronised_.clear();
  builder_.note("layers' inputs, transposed");
  for (const auto& [value, inputs] : layer_inputs_) {
    if (region[value].role != RegionRole::result) continue;
    turn(value);
    if (pairs_) pairs_->write_layer_input(value, inputs);
  }
  lower_groups(late_groups_, [&](const Group& group) { lower_late(group); });
  if (shared()) context_.meet();
}

void PanelLowering::place_pairs() {
  pairs_.emplace(context_, shape_, rows_);
  for (const Node& node : context_.region.nodes) {
    if (is_batch_product(blocks_, node)) {
      pairs_->place_operand(node.operands[0]);
      pairs_->place_weights(node.operands[1], node.request.transpose_b);
    }
    if (is_gradient(blocks_, node)) pairs_->place_gradient(node.operands[0], node.operands[1]);
  }
  builder_.note("weights, in pairs of bfloat16");
  pairs_->write_weights();
}

void PanelLowering::write_tiles(ValueId value) {
  if (!tiles_ || !tiles_->reads(value)) return;
  tiles_->write(value, [&](const auto& body) { for_each_panel({0, rows_}, body); });
}

void PanelLowering::write_tiles(const Group& group) {
  std::set<ValueId> results;
  for (const NodeIndex index : group.nodes) results.insert(context_.region.nodes[index].result);
  const bool reads = tiles_ && std::ranges::any_of(results, [&](ValueId value) { return tiles_->reads(value); });
  // Only products leave each thread the columns that it has computed.
  if (reads && shared() && context_.region.nodes[group.nodes.front()].op() != Op::product) {
    context_.meet();
    unsynchronised_ = results;
  }
  for (const ValueId value : results) write_tiles(value);
}

// Of what the group computed and products read.
void PanelLowering::write_pairs(const Group& group) {
  for (const NodeIndex index : group.nodes) {
    const ValueId value = context_.region.nodes[index].result;
    if (!pairs_->is_placed(value)) continue;
    for_each_panel({0, rows_}, [&](const Affine& first, std::int64_t rows) { pairs_->write(value, first, rows); });
  }
}

// Waits until the others have what the group reads of theirs. None reads what is written here before it is complete.
void PanelLowering::synchronise_for(const Group& group) {
  const auto is_unsynchronised = [&](NodeIndex index) {
    const auto contains = [&](ValueId operand) { return unsynchronised_.contains(operand); };
    return std::ranges::any_of(context_.region.nodes[index].operands, contains);
  };
  if (shared() && std::ranges::any_of(group.nodes, is_unsynchronised)) {
    context_.meet();
    unsynchronised_.clear();
  }
  for (const NodeIndex index : group.nodes) unsynchronised_.insert(context_.region.nodes[index].result);
}

}  // namespace gdbench::backends::jit
