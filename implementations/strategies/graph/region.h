// The graph of a whole training step as a region of backends/common/region.h, for backends that lower it themselves.
#pragma once

#include <vector>

#include "implementations/strategies/common/micro_batches.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

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

}  // namespace gdbench::strategies::graph
