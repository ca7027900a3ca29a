#include "implementations/strategies/graph/ir/build.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "implementations/strategies/common/batch_rows.h"

namespace gdbench::strategies::graph {

NodeId NodeEmitter::emit(ops::Op op, const ops::Attributes& attributes, std::span<const NodeId> operands,
                         const ops::Hint& /*hint*/) {
  std::vector<Shape> shapes;
  for (const NodeId operand : operands) shapes.push_back(graph_[operand].shape);
  Node node;
  node.shape = ops::result_shape(op, attributes, shapes);
  node.request = ops::request_of(op, dtype_, attributes, shapes);
  node.phase = phase_;
  node.about.layers = layers_;
  node.about.use = op == ops::Op::update ? GDBENCH_UPDATES_PARAMETERS : GDBENCH_READS_PARAMETERS;
  node.element = op == ops::Op::loss ? Element::loss : Element::real;
  node.operands.assign(operands.begin(), operands.end());
  for (const NodeId operand : operands) {
    if (graph_[operand].kind != Kind::input || graph_[operand].role != Role::parameter) continue;
    node.about.parameters = Range::of(static_cast<std::int64_t>(graph_[operand].parameter));
  }
  // The second operand of a scaling is not read.
  if (op == ops::Op::combine && attributes.beta == 0) node.operands.resize(1);
  return graph_.add(std::move(node));
}

namespace {

using backends::Op;

class Builder {
 public:
  explicit Builder(const gdbench_problem& problem)
      : problem_(problem), emitter_(graph_, catalogue::dtype_of(problem)) {}

  void add_batch(const std::vector<MicroBatch>& parts) {
    const gdbench_layer& last = layer(problem_.layer_count - 1);
    const bool labels = catalogue::takes_labels(problem_);
    for (const MicroBatch& part : parts) {
      const NodeId x = add_input(Role::x, {part.rows, layer(0).inputs}, Element::real);
      const NodeId targets =
          add_input(Role::targets, {part.rows, labels ? 1 : last.outputs}, labels ? Element::label : Element::real);
      graph_[x].part = graph_[targets].part = parts_.size();
      parts_.push_back({x, targets, part.weight});
    }
  }

  void add_parameters() {
    catalogue::for_each_parameter(problem_, [&](std::int64_t l, auto part, auto rows, auto columns) {
      add_parameter(l, {rows, columns});
      moves_as_matrix_.push_back(catalogue::moves_as_matrix(problem_, l, part));
    });
    totals_.resize(parameters_.size());
  }

  void add_given_gradients() {
    for (std::size_t parameter = 0; parameter < parameters_.size(); ++parameter) {
      const NodeId id = add_input(Role::gradient, graph_[parameters_[parameter]].shape, Element::real);
      graph_[id].parameter = parameter;
      totals_[parameter] = id;
    }
  }

  void add_optimizer_inputs() {
    scalars_ = add_input(Role::scalars, {1, 1}, Element::scalars);
    slots_.resize(catalogue::slot_count(catalogue::kind_of(*problem_.optimizer)));
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      for (std::size_t parameter = 0; parameter < parameters_.size(); ++parameter) {
        const NodeId id = add_input(Role::slot, graph_[parameters_[parameter]].shape, Element::real);
        graph_[id].parameter = parameter;
        graph_[id].slot = slot;
        slots_[slot].push_back(id);
      }
    }
  }

  // The passes of a part of the batch after those of the parts before.
  void add_passes() {
    for (const Part& part : parts_) {
      add_forward(part);
      add_backward();
    }
  }

  void add_losses() {
    for (const Part& part : parts_) {
      add_forward(part);
      graph_.outputs().push_back({"loss" + std::to_string(graph_.outputs().size()), differentiated_.front()});
    }
  }

  void add_updates() {
    emitter_.set_phase(catalogue::Phase::update);
    for (std::size_t parameter = 0; parameter < parameters_.size(); ++parameter) {
      std::vector<NodeId> operands = {*totals_[parameter], scalars_, parameters_[parameter]};
      emitter_.set_layers(graph_[parameters_[parameter]].about.layers);
      for (const std::vector<NodeId>& slot : slots_) operands.push_back(slot[parameter]);
      emit(Op::update, {.optimizer = problem_.optimizer, .moves_as_matrix = moves_as_matrix_[parameter]}, operands);
    }
  }

  // Each layer's as soon as they are there, from the last layer on.
  void add_gradients() {
    for (std::size_t end = parameters_.size(); end > 0;) {
      const Range layers = graph_[parameters_[end - 1]].about.layers;
      Node node;
      node.kind = Kind::gradients;
      node.shape = {1, 1};
      node.phase = catalogue::Phase::backward;
      node.parameter = end - 1;
      while (node.parameter > 0 && graph_[parameters_[node.parameter - 1]].about.layers == layers) --node.parameter;
      node.about = {layers,
                    {static_cast<std::int64_t>(node.parameter), static_cast<std::int64_t>(end) - 1},
                    GDBENCH_COMPUTES_GRADIENTS};
      NodeId last = *totals_[node.parameter];
      for (std::size_t parameter = node.parameter; parameter < end; ++parameter) {
        node.operands.push_back(*totals_[parameter]);
        if (graph_.position(*totals_[parameter]) > graph_.position(last)) last = *totals_[parameter];
      }
      end = node.parameter;
      graph_.insert_after(last, node);
    }
  }

  Graph take() { return std::move(graph_); }

 private:
  struct Part {
    NodeId x;
    NodeId targets;
    double weight;
  };

  const gdbench_layer& layer(std::int64_t l) const { return problem_.layers[l]; }

  void add_forward(const Part& part) {
    emitter_.set_phase(catalogue::Phase::forward);
    NodeId value = part.x;
    std::size_t next = 0;
    for (std::int64_t l = 0; l < problem_.layer_count; ++l) {
      emitter_.set_layers(Range::of(l));
      value = emit(Op::product, {}, std::array{value, parameters_[next++]});
      if (layer(l).has_bias != 0) value = emit(Op::add_bias, {}, std::array{parameters_[next++], value});
      if (catalogue::normalization_of(problem_, l) != catalogue::Normalization::none) {
        value = emit(Op::normalize, {}, std::array{value});
        value = emit(Op::scale_columns, {}, std::array{parameters_[next++], value});
        value = emit(Op::add_bias, {}, std::array{parameters_[next++], value});
      }
      value = emit(Op::activation, {.activation = catalogue::activation_of(layer(l))}, std::array{value});
    }
    const ops::Attributes loss = {.alpha = part.weight, .loss = catalogue::loss_of(problem_)};
    const NodeId whole = emit(Op::loss, loss, std::array{value, part.targets});
    if (catalogue::task_of(problem_) == catalogue::Task::gradients) {
      differentiated_ = column_losses(value, part.targets, loss);
    } else {
      differentiated_ = {whole};
    }
  }

  // A sweep per differentiated loss; their gradients are added to those of the parts before.
  void add_backward() {
    emitter_.set_phase(catalogue::Phase::backward);
    const std::vector<NodeId> forward = graph_.order();
    const std::size_t forward_ids = graph_.id_count();
    for (const NodeId loss : differentiated_) {
      gradients_.assign(forward_ids, std::nullopt);
      add_sweep(forward, loss);
    }
  }

  NodeId add_input(Role role, Shape shape, Element element) {
    return graph_.add({.kind = Kind::input, .shape = shape, .element = element, .role = role});
  }

  std::vector<NodeId> column_losses(NodeId outputs, NodeId targets, const ops::Attributes& loss) {
    const Shape shape = graph_[outputs].shape;
    std::vector<NodeId> losses;
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      const NodeId mask = add_input(Role::mask, shape, Element::real);
      graph_[mask].column = column;
      const NodeId masked_outputs = emit(Op::multiply, {}, std::array{outputs, mask});
      const NodeId masked_targets = emit(Op::multiply, {}, std::array{targets, mask});
      losses.push_back(emit(Op::loss, loss, std::array{masked_outputs, masked_targets}));
    }
    return losses;
  }

  void add_parameter(std::int64_t layer, Shape shape) {
    const NodeId id = add_input(Role::parameter, shape, Element::real);
    graph_[id].parameter = parameters_.size();
    graph_[id].about = of_layer(layer);
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

  // Gradients of all operands that have one; what no result needs is dead code.
  void derive(NodeId id) {
    const Node node = graph_[id];
    const ops::OpRow& row = ops::row_of(node.request.op);
    std::vector<NodeId> gradients(node.operands.size(), ops::kNoValue);
    emitter_.set_layers(node.about.layers);
    row.derivative(emitter_,
                   {.attributes = attributes_of(node.request),
                    .operands = node.operands,
                    .result = id,
                    .gradient = gradients_[id].value_or(ops::kNoValue),
                    .wanted = row.differentiable},
                   gradients.data());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i] == ops::kNoValue) continue;
      std::optional<NodeId>& sum = sum_of(node.operands[i]);
      accumulate(sum, gradients[i]);
      if (!is_parameter(node.operands[i])) continue;
      const auto parameter = static_cast<std::int64_t>(graph_[node.operands[i]].parameter);
      graph_[gradients[i]].about = {node.about.layers, Range::of(parameter), GDBENCH_COMPUTES_GRADIENTS};
      graph_[*sum].about = graph_[gradients[i]].about;
    }
  }

  bool is_parameter(NodeId value) const {
    return graph_[value].kind == Kind::input && graph_[value].role == Role::parameter;
  }

  // Where a value's gradient is added up. A parameter's goes to its total at once, so that what it was computed from
  // dies before the rest of the sweep.
  std::optional<NodeId>& sum_of(NodeId value) {
    return is_parameter(value) ? totals_[graph_[value].parameter] : gradients_[value];
  }

  void accumulate(std::optional<NodeId>& sum, NodeId gradient) {
    if (!sum) {
      sum = gradient;
      return;
    }
    sum = emit(Op::combine, {.beta = 1}, std::array{*sum, gradient});
  }

  const gdbench_problem& problem_;
  Graph graph_;
  NodeEmitter emitter_;
  std::vector<Part> parts_;
  NodeId scalars_ = 0;
  std::vector<std::vector<NodeId>> slots_;        // [slots][parameters]
  std::vector<NodeId> parameters_;                // in the ABI's order
  std::vector<bool> moves_as_matrix_;             // of each; see backends::Request
  std::vector<NodeId> differentiated_;            // the losses of a part that a sweep starts from
  std::vector<std::optional<NodeId>> gradients_;  // of a sweep's loss with respect to a forward node, by id
  std::vector<std::optional<NodeId>> totals_;     // [parameters], over all sweeps, or given
};

}  // namespace

Graph build_step(const gdbench_problem& problem, std::int64_t rows) {
  Builder builder(problem);
  builder.add_batch(micro_batches(rows, problem.micro_batches));
  builder.add_parameters();
  builder.add_optimizer_inputs();
  builder.add_passes();
  builder.add_updates();
  return builder.take();
}

Graph build_gradients(const gdbench_problem& problem, std::int64_t rows, const loader::Rank& rank) {
  Builder builder(problem);
  builder.add_batch(micro_batches(rows, problem.micro_batches, rank));
  builder.add_parameters();
  builder.add_passes();
  builder.add_gradients();
  return builder.take();
}

Graph build_forward(const gdbench_problem& problem, std::int64_t rows) {
  Builder builder(problem);
  builder.add_batch(micro_batches(rows, problem.micro_batches));
  builder.add_parameters();
  builder.add_losses();
  return builder.take();
}

Graph build_update(const gdbench_problem& problem) {
  Builder builder(problem);
  builder.add_parameters();
  builder.add_optimizer_inputs();
  builder.add_given_gradients();
  builder.add_updates();
  return builder.take();
}

}  // namespace gdbench::strategies::graph
