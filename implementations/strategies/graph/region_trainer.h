// Trains by a region: whole steps, as many as are asked for, as one call of the backend.
#pragma once

#include <optional>
#include <vector>

#include "implementations/strategies/common/micro_batches.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/row_order.h"
#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/trainer.h"
#include "implementations/strategies/graph/compilation.h"
#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// The graph of a whole training step as a region of backends/common/region.h, for backends that lower it themselves.

// Values and nodes of a graph without dead code (passes/pass.h): the loss, which nobody reads, has no place in a
// region.
class RegionDescription {
 public:
  // `parts` of the batch (micro_batches.h). Throws Failure (GDBENCH_UNSUPPORTED) for what regions have no word for:
  // constants, transposes, inputs of other tasks than train.
  RegionDescription(const Graph& graph, const Parameters& parameters, const std::vector<MicroBatch>& parts);

  // Valid as long as this and the graph are.
  backends::RegionGraph graph() const { return {values_.data(), values_.size(), nodes_.data(), nodes_.size()}; }

 private:
  std::uint32_t add_value(const Graph& graph, NodeId node, const Parameters& parameters,
                          const std::vector<MicroBatch>& parts);
  void add_node(const Node& node, std::uint32_t result);

  std::vector<std::uint32_t> numbers_;  // by the graph's id
  std::vector<backends::RegionValue> values_;
  std::vector<backends::RegionNode> nodes_;
};

class RegionTrainer final : public Trainer {
 public:
  // `hoists`: what is the same in all steps is computed once.
  explicit RegionTrainer(const Setup& setup, bool hoists = false);
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  // How the region gets a step's batch.
  enum class Batches {
    same,      // there is one
    numbered,  // by the numbers of its rows in the data
    loaded     // it lies where the loader put it, a step at a time
  };

  Batches choose_batches() const;
  std::optional<RowOrder> numbered_rows() const;
  RowOrder* order() { return order_ ? &*order_ : nullptr; }
  backends::RegionCall* bind(std::int64_t rows);
  void set_batch(backends::Buffer x, backends::Buffer targets, backends::Buffer scalars);
  void run_call(std::int64_t rows, std::int64_t steps);
  // As many steps as one call can do, at most `wanted`; not where batches are loaded. Returns how many.
  std::int64_t run_together(std::int64_t wanted);
  // Where they are.
  void run_loaded(const BatchFeed::Batch& batch);

  bool hoists_;
  const gdbench_settings& settings_;
  Compilation compilation_;
  Batches batches_;
  std::optional<RowOrder> order_;  // numbered
  std::int64_t window_;            // steps of a call
  StepWindows windows_;
  backends::RegionCall* full_;
  backends::RegionCall* partial_;  // null where all batches are of one size
  std::vector<backends::Buffer> buffers_;
};

}  // namespace gdbench::strategies::graph
