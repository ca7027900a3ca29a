// Steps of wide layers, on batches of a vector of rows or more. Lanes are rows of the batch, and weights are read one
// by one, so that one copy of them serves forward, backward and the update:
//
//   values of the batch  [panel][column][row]   a panel: the rows of a tile's vectors
//   weights, slots       [block][column][row]   a block: as many rows as fill a cache line
//   inputs of layers     [block][row of the batch][column], once more, for the gradients of weights
//
// In mixed precision weights lie in blocks once more, rounded, or all that products read does in pairs: for vectors
// (pairs.h) or for AMX's tiles (tile_operands.h).
//
// What an inner loop reads lies line behind line, at no stride that is a multiple of a page's, and the call keeps
// weights and slots in this order from one run to the next (RegionCall::load_state).
//
// Threads share each layer by the columns of its weights, forward and in the update, so that no weights that one of
// them wrote move to another but backward, where values and their gradients have to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "implementations/backends/jit/lower/choices.h"
#include "implementations/backends/jit/lower/context.h"
#include "implementations/backends/jit/lower/groups.h"
#include "implementations/backends/jit/lower/pairs.h"
#include "implementations/backends/jit/lower/panel_products.h"
#include "implementations/backends/jit/lower/row_blocks.h"
#include "implementations/backends/jit/lower/tile_products.h"

namespace gdbench::backends::jit {

// Whether the region, whose gradients are last, is a step of that kind.
bool can_lower_to_panels(const Region& region, const RowBlocks& blocks, const Target& target);

// The step of one thread, of which `blocks` are those of the whole batch: layer after layer and back, then the weights.
class PanelLowering {
 public:
  PanelLowering(Context& context, const Choices& choices, RowBlocks& blocks, Share share, bool tiles);

  // Before the loop over steps.
  void begin();
  // Within it. `note` gets what is computed together.
  void lower(const std::function<void(const Group&)>& note);
  // Of the products, those whose weights are taken in parts that the second cache holds.
  std::int64_t cached() const { return cached_; }

 private:
  bool shared() const { return !share_.alone(); }
  // Of a group's result, this thread's.
  Range own_columns(const Group& group) const;
  Range own_columns(std::int64_t columns, bool rows_of_weights) const;
  void synchronise_for(const Group& group);
  void place_inputs();
  void round_weights();
  void place_state();
  void place_results(const std::vector<Group>& groups);
  // The inputs of layers whose gradients of weights read them.
  std::set<ValueId> inputs_of_gradients() const;
  // What the group reads and writes in blocks of rows.
  std::set<ValueId> blocked_values(const Group& group) const;
  template <class Body>
  void for_each_panel(const Range& rows_of_batch, const Body& body);
  void transpose_input(ValueId value, const Matrix& source);
  void turn(ValueId value);
  void lower_batch(const Group& group);
  void lower_late(const Group& group);
  void sum_columns(const Group& group);
  void place_pairs();
  void write_pairs(const Group& group);
  void write_tiles(const Group& group);
  void write_tiles(ValueId value);

  Context& context_;
  Builder& builder_;
  const Choices& choices_;
  RowBlocks& blocks_;
  Share share_;
  bool tiled_;
  PanelShape shape_;
  std::int64_t rows_;                       // of the batch
  std::set<ValueId> blocked_;               // weights, slots and gradients in blocks of rows
  std::map<ValueId, Matrix> sources_;       // of the batch, that each step turns
  std::map<ValueId, Matrix> layer_inputs_;  // in blocks of their columns
  std::vector<Group> batch_groups_;
  std::vector<Group> late_groups_;
  std::optional<Pairs> pairs_;         // of a mixed region
  std::optional<TileProducts> tiles_;  // likewise
  std::set<ValueId> unsynchronised_;   // written since the threads met
  std::int64_t cached_ = 0;
};

}  // namespace gdbench::backends::jit
