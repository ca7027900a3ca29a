#include "implementations/strategies/graph/ir/build.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "implementations/strategies/graph/ir/emitter.h"

namespace gdbench::strategies::graph {
namespace {

using kernels::Op;

class Builder {
 public:
  Builder(const gdbench_problem& problem, std::int64_t rows)
      : problem_(problem), rows_(rows), emitter_(graph_, static_cast<gdbench_dtype>(problem.dtype)) {}

  void add_inputs() {
    const gdbench_layer& last = layer(problem_.layer_count - 1);
    const bool labels = problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY;
    x_ = add_input(Role::x, {rows_, layer(0).inputs}, Element::real);
    targets_ = add_input(Role::targets, {rows_, labels ? 1 : last.outputs}, labels ? Element::label : Element::real);
    for (std::int64_t l = 0; l < problem_.layer_count; ++l) {
      add_parameter({layer(l).inputs, layer(l).outputs});
      if (layer(l).has_bias != 0) add_parameter({1, layer(l).outputs});
    }
  }

  void add_optimizer_inputs(std::size_t slots) {
    scalars_ = add_input(Role::scalars, {1, 1}, Element::scalars);
    slots_.resize(slots);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (std::size_t parameter = 0; parameter < parameters_.size(); ++parameter) {
        const NodeId id = add_input(Role::slot, graph_[parameters_[parameter]].shape, Element::real);
        graph_[id].parameter = parameter;
        graph_[id].slot = slot;
        slots_[slot].push_back(id);
      }
    }
  }

  void add_forward() {
    emitter_.set_phase(GDBENCH_PHASE_FORWARD);
    NodeId value = x_;
    std::size_t next = 0;
    for (std::int64_t l = 0; l < problem_.layer_count; ++l) {
      value = emit(Op::product, {}, std::array{value, parameters_[next++]});
      if (layer(l).has_bias != 0) value = emit(Op::add_bias, {}, std::array{parameters_[next++], value});
      ops::Attributes activation;
      activation.activation = static_cast<gdbench_activation>(layer(l).activation);
      value = emit(Op::activation, activation, std::array{value});
    }
    ops::Attributes loss;
    loss.loss = static_cast<gdbench_loss>(problem_.loss);
    loss_ = emit(Op::loss, loss, std::array{value, targets_});
    if (problem_.task == GDBENCH_TASK_GRADIENTS) {
      add_column_losses(value, loss);
    } else {
      differentiated_ = {loss_};
    }
  }

  // A sweep per differentiated loss; their gradients are added up.
  void add_backward() {
    emitter_.set_phase(GDBENCH_PHASE_BACKWARD);
    const std::vector<NodeId> forward = graph_.order();
    const std::size_t forward_ids = graph_.id_count();
    totals_.assign(parameters_.size(), std::nullopt);
    for (const NodeId loss : differentiated_) {
      gradients_.assign(forward_ids, std::nullopt);
      add_sweep(forward, loss);
      for (std::size_t p = 0; p < parameters_.size(); ++p) accumulate(totals_[p], *gradients_[parameters_[p]]);
    }
  }

  void add_updates() {
    emitter_.set_phase(GDBENCH_PHASE_UPDATE);
    for (std::size_t parameter = 0; parameter < parameters_.size(); ++parameter) {
      std::vector<NodeId> operands = {*totals_[parameter], scalars_, parameters_[parameter]};
      for (const std::vector<NodeId>& slot : slots_) operands.push_back(slot[parameter]);
      ops::Attributes update;
      update.optimizer = problem_.optimizer;
      emit(Op::update, update, operands);
    }
  }

  void want_loss() { graph_.outputs().push_back({kLossOutput, loss_}); }
  Graph take() { return std::move(graph_); }

 private:
  const gdbench_layer& layer(std::int64_t l) const { return problem_.layers[l]; }

  NodeId add_input(Role role, Shape shape, Element element) {
    Node node;
    node.kind = Kind::input;
    node.role = role;
    node.shape = shape;
    node.element = element;
    return graph_.add(node);
  }

  void add_column_losses(NodeId outputs, const ops::Attributes& loss) {
    const Shape shape = graph_[outputs].shape;
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      const NodeId mask = add_input(Role::mask, shape, Element::real);
      graph_[mask].column = column;
      const NodeId masked_outputs = emit(Op::multiply, {}, std::array{outputs, mask});
      const NodeId masked_targets = emit(Op::multiply, {}, std::array{targets_, mask});
      differentiated_.push_back(emit(Op::loss, loss, std::array{masked_outputs, masked_targets}));
    }
  }

  void add_parameter(Shape shape) {
    const NodeId id = add_input(Role::parameter, shape, Element::real);
    graph_[id].parameter = parameters_.size();
    parameters_.push_back(id);
  }

  NodeId emit(Op op, const ops::Attributes& attributes, std::span<const NodeId> operands) {
    return emitter_.emit(op, attributes, operands, {});
  }

  // Walks back from the loss; a node's gradient is complete when the walk reaches it.
  void add_sweep(const std::vector<NodeId>& forward, NodeId loss) {
    for (std::size_t i = forward.size(); i-- > 0;) {
      const NodeId id = forward[i];
      if (graph_[id].kind == Kind::call && (id == loss || gradients_[id])) derive(id);
    }
  }

  // Gradients of all operands that have one; what nobody needs is dead code.
  void derive(NodeId id) {
    const Node node = graph_[id];
    const ops::OpRow& row = ops::row_of(node.request.op);
    std::vector<NodeId> gradients(node.operands.size(), ops::kNoValue);
    row.derivative(emitter_,
                   {.attributes = attributes_of(node.request),
                    .operands = node.operands,
                    .result = id,
                    .gradient = gradients_[id].value_or(ops::kNoValue),
                    .wanted = row.differentiable},
                   gradients.data());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i] != ops::kNoValue) accumulate(gradients_[node.operands[i]], gradients[i]);
    }
  }

  void accumulate(std::optional<NodeId>& sum, NodeId gradient) {
    if (!sum) {
      sum = gradient;
      return;
    }
    ops::Attributes add;
    add.beta = 1;
    sum = emit(Op::combine, add, std::array{*sum, gradient});
  }

  const gdbench_problem& problem_;
  std::int64_t rows_;
  Graph graph_;
  NodeEmitter emitter_;
  NodeId x_ = 0;
  NodeId targets_ = 0;
  NodeId loss_ = 0;
  NodeId scalars_ = 0;
  std::vector<std::vector<NodeId>> slots_;        // [slots][parameters]
  std::vector<NodeId> parameters_;                // in the ABI's order
  std::vector<NodeId> differentiated_;            // the losses that a sweep starts from
  std::vector<std::optional<NodeId>> gradients_;  // of a sweep's loss with respect to a forward node, by id
  std::vector<std::optional<NodeId>> totals_;     // [parameters], over all sweeps
};

}  // namespace

Graph build_step(const gdbench_problem& problem, std::int64_t rows, std::size_t slots, bool loss_wanted) {
  Builder builder(problem, rows);
  builder.add_inputs();
  builder.add_optimizer_inputs(slots);
  builder.add_forward();
  builder.add_backward();
  builder.add_updates();
  if (loss_wanted) builder.want_loss();
  return builder.take();
}

}  // namespace gdbench::strategies::graph
