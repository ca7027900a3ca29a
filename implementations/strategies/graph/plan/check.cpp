#include <algorithm>
#include <vector>

#include "implementations/strategies/graph/ir/print.h"
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/plan/buffers.h"

namespace gdbench::strategies::graph {
namespace {

using Place = Location::Place;

bool overlap(const Location& a, const Location& b) {
  if (a.place != b.place) return false;
  switch (a.place) {
    case Place::nowhere:
      return false;
    case Place::input:
    case Place::constant:
      return a.node == b.node;
    case Place::gradient:
      return a.parameter == b.parameter;
    case Place::arena:
      return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  }
  return false;
}

// Who wrote each piece of memory last.
class Memory {
 public:
  explicit Memory(const BufferPlan& plan) : plan_(plan) {}

  void write(NodeId value) {
    owners_.erase(std::remove_if(owners_.begin(), owners_.end(),
                                 [&](NodeId owner) { return overlap(location(owner), location(value)); }),
                  owners_.end());
    owners_.push_back(value);
  }
  bool holds(NodeId value) const { return std::find(owners_.begin(), owners_.end(), value) != owners_.end(); }

 private:
  const Location& location(NodeId value) const { return plan_.locations[value]; }

  const BufferPlan& plan_;
  std::vector<NodeId> owners_;
};

// Whether a result may lie where operand i lies: exactly there, and the kernel allows it.
bool may_share(const Node& node, std::size_t i, const Location& operand, const Location& result) {
  const Signature signature = signature_of(node);
  const bool allowed = signature.tied == i || std::find(signature.may_alias.begin(), signature.may_alias.end(), i) !=
                                                  signature.may_alias.end();
  return allowed && operand.offset == result.offset && operand.bytes == result.bytes;
}

}  // namespace

std::string plan_error(const Graph& graph, const BufferPlan& plan) {
  Memory memory(plan);
  for (const NodeId id : graph.order()) {
    const Node& node = graph[id];
    const Location& result = plan.locations[id];
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const NodeId operand = node.operands[i];
      if (!memory.holds(operand)) {
        return text_of(graph, id) + ": the memory of %" + std::to_string(operand) + " was reused before";
      }
      const Location& from = plan.locations[operand];
      if (node.kind == Kind::call && overlap(from, result) && !may_share(node, i, from, result)) {
        return text_of(graph, id) + ": overwrites %" + std::to_string(operand) + " while it reads it";
      }
    }
    if (result.place == Place::arena &&
        (result.offset % GDBENCH_ALIGNMENT != 0 || result.offset + result.bytes > plan.arena_bytes)) {
      return text_of(graph, id) + ": not within the arena, or not aligned";
    }
    memory.write(id);
  }
  for (const Output& output : graph.outputs()) {
    if (!memory.holds(output.node)) return "output " + output.name + ": its memory was reused";
  }
  return {};
}

}  // namespace gdbench::strategies::graph
