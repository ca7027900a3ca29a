// How a node's operands and its value become the operand list of its kernel, which of them share memory, and what
// a node overwrites.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

struct Signature {
  static constexpr std::size_t kResult = static_cast<std::size_t>(-1);
  // The kernel's operands in its order: an index into the node's operands, or kResult.
  std::vector<std::size_t> kernel_operands;
  std::size_t operand_count = 0;  // the node's
  // The operand whose memory the kernel overwrites with the result.
  std::optional<std::size_t> tied;
  // Operands whose memory the result may take if they are not read later.
  std::vector<std::size_t> may_alias;
};

// Of a call. Its operands are the op table's, with these differences: product takes C behind A and B where beta is not
// 0, and behind those what its epilogues take; combine takes A alone where beta is 0.
Signature signature_of(const Node& node);

// Indices of the operands that a node overwrites: the tied one, and what updates change.
std::vector<std::size_t> written_operands(const Graph& graph, NodeId node);

// Whether a node changes a parameter or slot or is what a step ends in, and so must run even if its value is not read.
bool has_effect(const Graph& graph, NodeId node);

// Whether what `node` reads is still there right after `where`: no state among its operands is written in between.
// `except` is a writer that does not count, because it goes.
bool can_run_after(const Graph& graph, NodeId node, NodeId where, NodeId except);

}  // namespace gdbench::strategies::graph
