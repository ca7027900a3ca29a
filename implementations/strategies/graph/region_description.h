// A graph in the terms of backends/common/region.h, for backends that lower it themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "implementations/backends/common/region.h"
#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// Values and nodes of a graph without dead code (passes/pipeline.h): the loss, which no node reads, is not in a region.
class RegionDescription {
 public:
  // `parts` of the batch. Throws Failure (GDBENCH_UNSUPPORTED) for what regions have no word for: constants,
  // transposes, inputs of other tasks than train.
  RegionDescription(const Graph& graph, const Parameters& parameters, const std::vector<MicroBatch>& parts);

  // Valid as long as this and the graph are.
  backends::RegionGraph graph() const { return {values_.data(), values_.size(), nodes_.data(), nodes_.size()}; }

 private:
  std::uint32_t add_value(const backends::RegionValue& value);
  void add_call(const Node& node, std::uint32_t result);
  // An update without an optimizer for each.
  void keep_gradients(const Graph& graph, const Node& node, const Parameters& parameters);

  std::vector<std::uint32_t> numbers_;  // by the graph's id
  std::vector<backends::RegionValue> values_;
  std::vector<backends::RegionNode> nodes_;
  std::optional<std::uint32_t> kept_by_;  // scalars, which those updates do not read
};

}  // namespace gdbench::strategies::graph
