// A pass rewrites a graph into one that computes the same and costs less. Each has a file, a name by which it is
// switched off, and says how often it fired.
#pragma once

#include <cstdint>
#include <span>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// What the graph will run on.
struct Target {
  std::uint32_t backend_flags = 0;               // backends::BackendFlag
  const gdbench_optimizer* optimizer = nullptr;  // null for graphs without updates
  bool region = false;                           // the backend takes the whole graph as one region
};

struct Pass {
  const char* name;
  const char* description;
  // Returns how often it fired; 0: the graph is as it was.
  std::int64_t (*run)(Graph& graph, const Target& target);
};

// In the order in which they run; the list is repeated until none fires.
std::span<const Pass> all_passes();

std::int64_t remove_dead_code(Graph& graph, const Target& target);
std::int64_t fold_constants(Graph& graph, const Target& target);
std::int64_t merge_common_subexpressions(Graph& graph, const Target& target);
std::int64_t simplify_algebra(Graph& graph, const Target& target);
std::int64_t fold_transposes(Graph& graph, const Target& target);
std::int64_t fuse_elementwise(Graph& graph, const Target& target);
std::int64_t form_product_epilogues(Graph& graph, const Target& target);
std::int64_t form_update_epilogues(Graph& graph, const Target& target);
std::int64_t merge_updates(Graph& graph, const Target& target);

}  // namespace gdbench::strategies::graph
