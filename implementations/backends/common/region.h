// Regions: whole training steps, or what comes before and after their gradients, that a backend does as one call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "implementations/backends/common/ops.h"

namespace gdbench::backends {

struct Context;  // a backend's own

// Where a value of a region comes from.
enum class RegionRole : std::uint32_t {
  result,   // of one of its nodes
  x,        // the batch
  targets,  // or labels [rows, 1] (int32)
  parameter,
  slot,
  scalars,  // UpdateScalars of the step
  gradient  // of a parameter: read, or written by an update without an optimizer
};

struct RegionValue {
  RegionRole role = RegionRole::result;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t first_row = 0;  // in the batch; x and targets
  std::int64_t offset = 0;     // in its block, in entries; parameters, slots and gradients
  std::size_t slot = 0;        // the slot's number
};

// One op: its operands are Op's inputs in their order and stay as they are, its result is a new value. There are three
// exceptions: an update changes its parameter and slots, one without an optimizer merely keeps its first operand in the
// place of its parameter, which has the role gradient, and product takes C behind A and B where beta is not 0.
struct RegionNode {
  Request request;  // op, dtype and attributes, no operands
  std::uint32_t operands[kMaximumOperands] = {};
  std::size_t operand_count = 0;
  std::uint32_t result = 0;
};

// A training step, or a part of it, as data: values by their number, nodes in an order of execution. No node reads a
// parameter, a slot or a gradient after its update.
struct RegionGraph {
  const RegionValue* values = nullptr;
  std::size_t value_count = 0;
  const RegionNode* nodes = nullptr;
  std::size_t node_count = 0;
};

// Whole training steps of a chain of fully connected layers, on batches of one size. All pointers are read during
// bind_region alone.
struct TrainingRegion {
  Dtype dtype = Dtype::f32;
  const gdbench_layer* layers = nullptr;
  std::int64_t layer_count = 0;
  catalogue::LossFunction loss = {};
  const gdbench_optimizer* optimizer = nullptr;
  std::int64_t rows = 0;  // of a batch
  // Where each parameter starts in its block, in entries and in the ABI's order, and how long the block is. What lies
  // between parameters is zero and stays so.
  const std::int64_t* offsets = nullptr;
  std::int64_t block_size = 0;
  // The same step as a graph, from a strategy that has one; a backend reads either.
  const RegionGraph* graph = nullptr;
  // What the backend's region_options and region_passes were set to; null: all as by default.
  const gdbench_settings* settings = nullptr;
  // What files that a backend writes about the region are called after.
  const char* name = "region";
  // Whether each step's rows are given by their numbers; otherwise every step sees the first `rows` rows.
  bool gathers = false;
  // Whether UpdateScalars differ from step to step.
  bool scalars_vary = true;
  // Whether there is another region of most of the work: these are the fewer rows that end an epoch, or what follows
  // the gradients. Fewer threads than the settings name will do.
  bool minor = false;
  // Whether what is the same in all steps is computed once, although it rounds otherwise: a policy of its own.
  bool hoist = false;
  // X and the targets where all steps see the same ones: may be read while the region is bound; else null.
  Buffer constant_x = nullptr;
  Buffer constant_targets = nullptr;
};

// What was done to a region while it was bound: one of region_passes, or another part of the work.
struct RegionReport {
  const char* name = nullptr;
  std::int64_t fired = 0;
  double nanoseconds = 0;
};

// Its buffers: X and the targets (or labels) of all data; the rows of each step's batch [steps, rows] (uint32), or null
// where every step sees the first `rows` rows; UpdateScalars [steps]; the block of parameters; a block for each of the
// optimizer's slots; and, where there are values of that role, the block of gradients.
struct RegionCall : Call {
  std::uint64_t steps = 0;  // to be set before each run
  // Null where runs work on the blocks themselves. Otherwise the call keeps the parameters and slots in an order of its
  // own: load_state takes them from the blocks, before the first run and after changes by other code, and
  // store_state writes what runs have changed back. Both take the buffers of a run and copy, no more.
  void (*load_state)(const RegionCall* call, const Buffer* buffers) = nullptr;
  void (*store_state)(const RegionCall* call, const Buffer* buffers) = nullptr;
  const RegionReport* reports = nullptr;
  std::size_t report_count = 0;
  // By what its products of a mixed dtype are multiplied, for the report; null where rounded floats are.
  const char* mixed_products = nullptr;
};

struct RegionFunctions {
  // Any number of steps as one call, which is unbound like others. GDBENCH_UNSUPPORTED (with a reason) for
  // what does not fit.
  gdbench_status (*bind)(Context* context, const TrainingRegion& region, RegionCall** call) = nullptr;
  // The options of its regions, and names of passes, separated by '|', which the strategy's own option
  // `passes` switches in addition to its own. A name may be both one of the strategy's and one of the backend's.
  const gdbench_option* options = nullptr;
  std::size_t option_count = 0;
  const char* passes = "";
  const char* pass_descriptions = "";  // lines "NAME: what it does"
};

}  // namespace gdbench::backends
