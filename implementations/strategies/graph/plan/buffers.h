// Where each value lives: inputs and constants in memory of their own, the gradients of a merged update and those that
// a step ends in in the parameters' block of gradients, everything else at an offset of one arena, shared by values
// that are not alive at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// Kernels that overwrite an operand get a copy of it where it is needed later.

// Returns how many copies were inserted; none for the graphs of plain networks. Afterwards the graph is
// Stage::executable unless it holds transposes. Gradients that update_all reads, or that a step ends in, are given ones
// or distinct computed values afterwards.
std::int64_t insert_copies(Graph& graph);

struct Location {
  enum class Place : std::uint8_t { none, input, constant, gradient, arena };
  Place place = Place::none;
  NodeId node = 0;            // the input or constant
  std::size_t parameter = 0;  // whose gradient
  std::size_t offset = 0;     // bytes from the arena's start, a multiple of GDBENCH_ALIGNMENT
  std::size_t bytes = 0;
};

struct BufferPlan {
  std::vector<Location> locations;  // by node id
  std::size_t arena_bytes = 0;
  // Values that took an operand's memory without having to, and storages that share bytes with an earlier one.
  std::int64_t in_place = 0;
  std::int64_t shared = 0;
};

// A storage of the arena: alive from the position in the order that writes it first to the last one that reads it.
struct Lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t bytes = 0;
  std::size_t offset = 0;
};

// Offsets such that storages alive at the same position do not overlap: the largest first, each at the lowest offset
// that is free. Returns the bytes they take together.
std::size_t assign_offsets(std::vector<Lifetime>& lifetimes);

// For a graph that is executable. Without `reuse` every value has its own memory, except where a kernel overwrites.
BufferPlan plan_buffers(const Graph& graph, catalogue::Dtype dtype, bool reuse);

// Empty, or one line about the first operand whose memory holds another value when it is read. Follows the plan in
// order and knows nothing of lifetimes.
std::string plan_error(const Graph& graph, const BufferPlan& plan);

}  // namespace gdbench::strategies::graph
