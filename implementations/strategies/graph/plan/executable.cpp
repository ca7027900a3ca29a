#include "implementations/strategies/graph/plan/executable.h"

#include <utility>
#include <vector>

#include "implementations/common/failure.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/ir/verify.h"
#include "implementations/strategies/graph/plan/buffers.h"

namespace gdbench::strategies::graph {

using implementations::Failure;

Compiled compile(Graph graph, const Target& target, const Selection& selection, catalogue::Dtype dtype,
                 const Observer& observer) {
  Compiled compiled;
  compiled.reports = run_passes(graph, all_passes(), selection.passes, target, observer);
  insert_copies(graph);
  if (const std::string error = graph_error(graph, Stage::executable); !error.empty()) {
    throw Failure(GDBENCH_FAILED, "the graph cannot be executed: " + error);
  }
  const double start = now_ns();
  compiled.plan = plan_buffers(graph, dtype, selection.buffer_reuse);
  if (const std::string error = plan_error(graph, compiled.plan); !error.empty()) {
    throw Failure(GDBENCH_FAILED, "the buffer plan is broken: " + error);
  }
  compiled.reports.push_back({kBufferReuse, compiled.plan.in_place + compiled.plan.shared, now_ns() - start});
  compiled.graph = std::move(graph);
  return compiled;
}

namespace {

using Place = Location::Place;

// Binds the nodes of a compiled graph in their order.
class Binder {
 public:
  Binder(Session& session, const Compiled& compiled, Parameters& parameters, const ColumnMasks* masks,
         Exchange* exchange, backends::Buffer arena, std::span<const Batch> parts)
      : session_(session),
        graph_(compiled.graph),
        plan_(compiled.plan),
        parameters_(parameters),
        masks_(masks),
        exchange_(exchange),
        arena_(arena),
        parts_(parts),
        constants_(graph_.id_count(), nullptr) {}

  void bind(Program& program) {
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_[id];
      if (node.kind == Kind::constant) constants_[id] = make_constant(node);
      if (node.kind == Kind::update_all) parameters_.add_update(program);
      if (node.kind == Kind::gradients) exchange_->add_layer(program, node.about.layers.first);
      if (node.kind == Kind::call) add_call(program, id);
    }
  }

 private:
  void add_call(Program& program, NodeId id) {
    const Node& node = graph_[id];
    std::vector<Matrix> operands;
    for (const std::size_t operand : signature_of(node).kernel_operands) {
      operands.push_back(matrix(operand == Signature::kResult ? id : node.operands[operand]));
    }
    program.add(session_, node.request, node.phase, node.about, operands);
  }

  Matrix matrix(NodeId id) const {
    const Node& node = graph_[id];
    const Shape& shape = node.shape;
    if (node.kind == Kind::input && node.role == Role::x) return parts_[node.part].x_matrix(shape.columns);
    return {buffer(plan_.locations[id]), shape.rows, shape.columns};
  }

  backends::Buffer buffer(const Location& location) const {
    switch (location.place) {
      case Place::input:
        return input(graph_[location.node]);
      case Place::constant:
        return constants_[location.node];
      case Place::gradient:
        return parameters_.gradient(location.parameter).buffer;
      case Place::arena:
        return session_.slice(arena_, location.offset);
      case Place::none:
        break;
    }
    return nullptr;
  }

  backends::Buffer input(const Node& node) const {
    switch (node.role) {
      case Role::x:
        return parts_[node.part].x;
      case Role::targets:
        return parts_[node.part].targets;
      case Role::parameter:
        return parameters_.value(node.parameter).buffer;
      case Role::slot:
        return parameters_.slot(node.parameter, node.slot).buffer;
      case Role::gradient:
        return parameters_.gradient(node.parameter).buffer;
      case Role::scalars:
        return parameters_.scalars().buffer;
      case Role::mask:
        return masks_->mask(node.column, node.shape.rows).buffer;
    }
    return nullptr;
  }

  backends::Buffer make_constant(const Node& node) {
    const auto size = static_cast<std::size_t>(node.shape.rows * node.shape.columns);
    return catalogue::with_element(node.request.dtype, [&](auto zero) {
      return session_.allocate_filled(std::vector<decltype(zero)>(size, static_cast<decltype(zero)>(node.value)));
    });
  }

  Session& session_;
  const Graph& graph_;
  const BufferPlan& plan_;
  Parameters& parameters_;
  const ColumnMasks* masks_;
  Exchange* exchange_;
  backends::Buffer arena_;
  std::span<const Batch> parts_;
  std::vector<backends::Buffer> constants_;  // by node id
};

}  // namespace

Program make_executable(Session& session, const Compiled& compiled, Parameters& parameters, const ColumnMasks* masks,
                        Exchange* exchange, backends::Buffer arena, std::span<const Batch> parts) {
  Program program;
  Binder(session, compiled, parameters, masks, exchange, arena, parts).bind(program);
  return program;
}

}  // namespace gdbench::strategies::graph
