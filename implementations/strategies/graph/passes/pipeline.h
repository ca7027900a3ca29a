// Which passes run, and running them: the list again and again until none fires, with the graph verified after each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "implementations/strategies/graph/passes/pass.h"

namespace gdbench::strategies::graph {

struct Selection {
  std::vector<bool> passes;  // by index in all_passes()
  bool buffer_reuse = true;
};

// "all", "none", or changes to "all" separated by commas: "-fusion,-buffer-reuse"; "none,+fusion" adds to none. An
// empty text is "all". Throws Failure (GDBENCH_UNSUPPORTED) that lists the names where one is unknown, also among
// `others`, separated by '|', which somebody else switches.
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
