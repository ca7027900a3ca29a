#include "implementations/strategies/graph/plan/buffers.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "implementations/loader/aligned_memory.h"
#include "implementations/strategies/graph/ir/print.h"
#include "implementations/strategies/graph/ir/signature.h"

namespace gdbench::strategies::graph {
namespace {

// Whether `user` may overwrite the memory of an operand.
bool is_last_use(const Graph& graph, NodeId value, NodeId user) {
  const Kind kind = graph[value].kind;
  if (kind == Kind::constant || (kind == Kind::input && !graph[value].is_state()) || graph.is_output(value))
    return false;
  const std::vector<NodeId>& operands = graph[user].operands;
  return graph.users(value).back() == user && std::count(operands.begin(), operands.end(), value) == 1;
}

// Whether what a node reads must lie in the block of gradients, except what is_in_place.
bool reads_block(const Node& node) { return node.kind == Kind::update_all || node.kind == Kind::gradients; }

// Whether update_all finds an input where it lies: scalars and gradients that are given.
bool is_in_place(const Node& node) {
  return node.element == Element::scalars || (node.kind == Kind::input && node.role == Role::gradient);
}

void copy_operand(Graph& graph, NodeId user, std::size_t operand) {
  const NodeId value = graph[user].operands[operand];
  Node copy;
  copy.shape = graph[value].shape;
  copy.element = graph[value].element;
  copy.phase = graph[user].phase;
  copy.about = graph[user].about;
  copy.operands = {value};
  copy.request.op = backends::Op::combine;
  copy.request.dtype = graph[user].request.dtype;
  const NodeId copied = graph.insert_before(user, copy);
  graph[user].operands[operand] = copied;
}

}  // namespace

std::int64_t insert_copies(Graph& graph) {
  std::int64_t copies = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    const bool merged = reads_block(graph[id]);
    for (std::size_t i = 0; i < graph[id].operands.size(); ++i) {
      const NodeId value = graph[id].operands[i];
      if (graph[value].is_state() || (merged && is_in_place(graph[value]))) continue;
      if (!merged) {
        const std::vector<std::size_t> written = written_operands(graph, id);
        if (std::find(written.begin(), written.end(), i) == written.end()) continue;
      }
      if (is_last_use(graph, value, id)) continue;
      copy_operand(graph, id, i);
      ++copies;
    }
  }
  return copies;
}

namespace {

using Place = Location::Place;

std::size_t bytes_of(const Node& node, catalogue::Dtype dtype) {
  return static_cast<std::size_t>(node.shape.rows * node.shape.columns) * backends::size_of(node.element, dtype);
}

class Planner {
 public:
  Planner(const Graph& graph, catalogue::Dtype dtype, bool reuse) : graph_(graph), dtype_(dtype), reuse_(reuse) {
    storage_of_.resize(graph.id_count());
    plan_.locations.resize(graph.id_count());
  }

  BufferPlan run() {
    for (const NodeId id : graph_.order()) {
      if (graph_[id].kind == Kind::update_all) place_gradients_of_update(id);
      if (graph_[id].kind != Kind::gradients) continue;
      const std::vector<NodeId>& gradients = graph_[id].operands;
      for (std::size_t i = 0; i < gradients.size(); ++i) place_gradient(gradients[i], graph_[id].parameter + i);
    }
    for (std::size_t at = 0; at < graph_.order().size(); ++at) locate(graph_.order()[at], at);
    if (!reuse_) {
      for (Lifetime& lifetime : lifetimes_) lifetime = {0, graph_.order().size(), lifetime.bytes, 0};
    }
    plan_.arena_bytes = assign_offsets(lifetimes_);
    for (const NodeId id : graph_.order()) {
      if (storage_of_[id]) plan_.locations[id].offset = lifetimes_[*storage_of_[id]].offset;
    }
    count_shared();
    return plan_;
  }

 private:
  std::size_t last_use(NodeId id, std::size_t at) const {
    if (graph_.is_output(id)) return graph_.order().size();
    const std::vector<NodeId> users = graph_.users(id);
    return users.empty() ? at : graph_.position(users.back());
  }

  void place_gradients_of_update(NodeId update) {
    const std::vector<NodeId>& operands = graph_[update].operands;
    for (std::size_t i = 1; i + 1 < operands.size(); ++i) {
      if (!graph_[operands[i]].is_state()) place_gradient(operands[i], graph_[operands[i + 1]].parameter);
    }
  }

  // A gradient and all values whose memory it takes over go to the block.
  void place_gradient(std::optional<NodeId> value, std::size_t parameter) {
    while (value) {
      plan_.locations[*value].place = Place::gradient;
      plan_.locations[*value].parameter = parameter;
      value = tied_value(*value);
    }
  }

  std::optional<NodeId> tied_value(NodeId id) const {
    const Node& node = graph_[id];
    if (node.kind != Kind::call) return std::nullopt;
    const std::optional<std::size_t> tied = signature_of(node).tied;
    return tied ? std::optional<NodeId>(node.operands[*tied]) : std::nullopt;
  }

  void locate(NodeId id, std::size_t at) {
    const Node& node = graph_[id];
    Location& location = plan_.locations[id];
    location.bytes = bytes_of(node, dtype_);
    if (node.kind == Kind::input || node.kind == Kind::constant) {
      location.place = node.kind == Kind::input ? Place::input : Place::constant;
      location.node = id;
      return;
    }
    if (reads_block(node) || location.place == Place::gradient) return;
    if (const std::optional<NodeId> tied = tied_value(id)) return take_over(id, *tied, at);
    if (const std::optional<NodeId> dying = dying_operand(id, at)) {
      ++plan_.in_place;
      return take_over(id, *dying, at);
    }
    location.place = Place::arena;
    storage_of_[id] = lifetimes_.size();
    lifetimes_.push_back({at, last_use(id, at), loader::aligned_size(location.bytes), 0});
  }

  void take_over(NodeId id, NodeId from, std::size_t at) {
    plan_.locations[id] = plan_.locations[from];
    storage_of_[id] = storage_of_[from];
    if (!storage_of_[id]) return;
    Lifetime& lifetime = lifetimes_[*storage_of_[id]];
    lifetime.last = std::max(lifetime.last, last_use(id, at));
  }

  // An operand in the arena that the op may overwrite and no node reads later.
  std::optional<NodeId> dying_operand(NodeId id, std::size_t at) const {
    if (!reuse_) return std::nullopt;
    const Node& node = graph_[id];
    for (const std::size_t i : signature_of(node).may_alias) {
      const NodeId operand = node.operands[i];
      const Location& location = plan_.locations[operand];
      const bool dies = storage_of_[operand] && lifetimes_[*storage_of_[operand]].last == at;
      if (dies && location.bytes == bytes_of(node, dtype_)) return operand;
    }
    return std::nullopt;
  }

  void count_shared() {
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Lifetime& a = lifetimes_[i];
        const Lifetime& b = lifetimes_[j];
        if (a.offset >= b.offset + b.bytes || b.offset >= a.offset + a.bytes) continue;
        ++plan_.shared;
        break;
      }
    }
  }

  const Graph& graph_;
  catalogue::Dtype dtype_;
  bool reuse_;
  BufferPlan plan_;
  std::vector<std::optional<std::size_t>> storage_of_;  // by node id: index into lifetimes_
  std::vector<Lifetime> lifetimes_;
};

}  // namespace

std::size_t assign_offsets(std::vector<Lifetime>& lifetimes) {
  std::vector<std::size_t> by_size(lifetimes.size());
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<const Lifetime*> placed;  // by offset
  std::size_t total = 0;
  for (const std::size_t index : by_size) {
    Lifetime& lifetime = lifetimes[index];
    lifetime.offset = 0;
    for (const Lifetime* other : placed) {
      if (other->first > lifetime.last || other->last < lifetime.first) continue;
      if (lifetime.offset + lifetime.bytes <= other->offset) break;
      lifetime.offset = std::max(lifetime.offset, other->offset + other->bytes);
    }
    total = std::max(total, lifetime.offset + lifetime.bytes);
    placed.push_back(&lifetime);
    std::sort(placed.begin(), placed.end(), [](const Lifetime* a, const Lifetime* b) { return a->offset < b->offset; });
  }
  return total;
}

BufferPlan plan_buffers(const Graph& graph, catalogue::Dtype dtype, bool reuse) {
  return Planner(graph, dtype, reuse).run();
}

namespace {

bool overlap(const Location& a, const Location& b) {
  if (a.place != b.place) return false;
  switch (a.place) {
    case Place::none:
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
