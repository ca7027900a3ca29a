// Passes, which of them run, and running them until none fires; the graph is verified after each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// What the graph will run on.
struct Target {
  std::uint32_t backend_flags = 0;               // backends::BackendFlag
  const gdbench_optimizer* optimizer = nullptr;  // null for graphs without updates
  bool region = false;                           // the backend takes the whole graph as one region
};

// A pass rewrites a graph into one that computes the same and costs less. Each has a name by which it is switched
// off, and says how often it fired.
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

struct Selection {
  std::vector<bool> passes;  // by index in all_passes()
  bool buffer_reuse = true;
};

// "all", "none", or changes to "all" separated by commas: "-fusion,-buffer-reuse"; "none,+fusion" adds to none. An
// empty text is "all". Throws Failure (GDBENCH_UNSUPPORTED) that lists the names where one is unknown, also among
// `others`, separated by '|', which other code switches.
Selection parse_selection(const std::string& text, const std::string& others = "");

// The last pass is no rewriting of the graph, but named and switched like one: plan/buffers.h.
constexpr const char* kBufferReuse = "buffer-reuse";

// What a selection can switch, as an option of the type GDBENCH_OPTION_SWITCHES lists it. Lives as long as the process.
const char* switch_names();
// What the option is for and, a line each, what the passes do.
const char* switch_description();

struct PassReport {
  const char* name = nullptr;
  std::int64_t fired = 0;
  double nanoseconds = 0;
};

// Sees the graph before the first pass (null) and after each run of a pass that fired.
using Observer = std::function<void(const Graph& graph, const Pass* pass)>;

// Throws Failure (GDBENCH_FAILED) that names the pass after which the graph is not well-formed.
std::vector<PassReport> run_passes(Graph& graph, std::span<const Pass> passes, const std::vector<bool>& selected,
                                   const Target& target, const Observer& observer);

}  // namespace gdbench::strategies::graph
