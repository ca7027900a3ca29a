#include "tests/support/implementations/graph_fixture.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "implementations/strategies/graph/ir/signature.h"

namespace gdbench::strategies::graph {
namespace {

using ops::Op;

using backends::activate;
using backends::activation_slope;

class Interpreter {
 public:
  Interpreter(const Graph& graph, double learning_rate) : graph_(graph), learning_rate_(learning_rate) {}

  std::map<std::string, Dense> run() {
    for (const NodeId id : graph_.order()) values_[id] = compute(id);
    std::map<std::string, Dense> results = parameters_;
    for (const Output& output : graph_.outputs()) results[output.name] = values_[output.node];
    return results;
  }

 private:
  const Dense& operand(const Node& node, std::size_t i) { return values_[node.operands[i]]; }

  Dense compute(NodeId id) {
    const Node& node = graph_[id];
    Dense result(node.shape.rows, node.shape.columns);
    switch (node.kind) {
      case Kind::input: {
        std::mt19937 generator(id + 1);
        result = backends::random_matrix(generator, node.shape.rows, node.shape.columns);
        if (node.role == Role::mask) {
          for_entries(result, [&](std::int64_t i, std::int64_t j) { result.at(i, j) = j == node.column ? 1 : 0; });
        }
        if (node.role == Role::parameter) parameters_[parameter_name(node)] = result;
        return result;
      }
      case Kind::constant:
        for (double& value : result.values) value = node.value;
        return result;
      case Kind::transpose:
        for_entries(result, [&](std::int64_t i, std::int64_t j) { result.at(i, j) = operand(node, 0).at(j, i); });
        return result;
      case Kind::update_all:
        for (std::size_t i = 1; i < node.operands.size(); i += 2) descend(node.operands[i], node.operands[i + 1]);
        return result;
      case Kind::gradients:
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
          parameters_["gradient" + std::to_string(node.parameter + i)] = operand(node, i);
        }
        return result;
      case Kind::call:
        break;
    }
    for_entries(result, [&](std::int64_t i, std::int64_t j) { result.at(i, j) = entry(node, i, j); });
    if (node.is_call(Op::product) && node.request.epilogue_update && node.request.epilogue_bias) {
      parameters_[parameter_name(graph_[node.operands[4]])] = updated_bias(node);
    }
    const std::optional<std::size_t> tied = signature_of(node).tied;
    if (tied && graph_[node.operands[*tied]].is_state()) {
      parameters_[parameter_name(graph_[node.operands[*tied]])] = result;
    }
    return result;
  }

  template <class Body>
  static void for_entries(const Dense& matrix, Body body) {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.columns; ++j) body(i, j);
    }
  }

  static std::string parameter_name(const Node& node) { return "parameter" + std::to_string(node.parameter); }

  void descend(NodeId gradient, NodeId parameter) {
    Dense& value = parameters_[parameter_name(graph_[parameter])];
    for (std::size_t i = 0; i < value.values.size(); ++i) {
      value.values[i] -= learning_rate_ * values_[gradient].values[i];
    }
  }

  // Of plain gradient descent, by the column sums of the product's second operand.
  Dense updated_bias(const Node& node) {
    Dense bias = operand(node, 4);
    const Dense& gradients = operand(node, 1);
    for_entries(gradients,
                [&](std::int64_t i, std::int64_t j) { bias.at(0, j) -= learning_rate_ * gradients.at(i, j); });
    return bias;
  }

  double entry(const Node& node, std::int64_t i, std::int64_t j) {
    const backends::Request& request = node.request;
    switch (request.op) {
      case Op::product:
        return product_entry(node, i, j);
      case Op::add_bias:
        return operand(node, 0).at(0, j) + operand(node, 1).at(i, j);
      case Op::activation:
        return activate(request.activation, operand(node, 0).at(i, j));
      case Op::activation_gradient:
        return operand(node, 1).at(i, j) * activation_slope(request.activation, operand(node, 0).at(i, j));
      case Op::column_sum: {
        double sum = 0;
        for (std::int64_t row = 0; row < operand(node, 0).rows; ++row) sum += operand(node, 0).at(row, j);
        return sum;
      }
      case Op::combine:
        return request.alpha * operand(node, 0).at(i, j) +
               (request.beta == 0 ? 0 : request.beta * operand(node, 1).at(i, j));
      case Op::multiply:
        return operand(node, 0).at(i, j) * operand(node, 1).at(i, j);
      case Op::loss: {
        double sum = 0;
        for (std::size_t e = 0; e < operand(node, 0).values.size(); ++e) {
          sum += std::pow(operand(node, 0).values[e] - operand(node, 1).values[e], 2);
        }
        return request.alpha * sum / static_cast<double>(operand(node, 0).values.size());
      }
      case Op::loss_gradient:
        return request.alpha * 2 * (operand(node, 0).at(i, j) - operand(node, 1).at(i, j)) /
               static_cast<double>(operand(node, 0).values.size());
      case Op::update:
        return operand(node, 2).at(i, j) - learning_rate_ * operand(node, 0).at(i, j);
      default:
        ADD_FAILURE() << "no such op";
        return 0;
    }
  }

  const Dense& told(const Node& node) { return operand(node, node.operands.size() - 1); }

  double product_entry(const Node& node, std::int64_t i, std::int64_t j) {
    const backends::Request& request = node.request;
    const Dense& a = operand(node, 0);
    const Dense& b = operand(node, 1);
    double sum = 0;
    for (std::int64_t k = 0; k < (request.transpose_a ? a.rows : a.columns); ++k) {
      sum += (request.transpose_a ? a.at(k, i) : a.at(i, k)) * (request.transpose_b ? b.at(j, k) : b.at(k, j));
    }
    if (request.epilogue_update) return operand(node, 2).at(i, j) - learning_rate_ * sum;
    if (!request.epilogue_loss_gradient) sum *= request.alpha;
    if (request.beta != 0) sum += request.beta * operand(node, 2).at(i, j);
    if (request.epilogue_bias) sum += operand(node, request.beta != 0 ? 3 : 2).at(0, j);
    if (request.epilogue_activation_gradient) return sum * activation_slope(request.activation, told(node).at(i, j));
    if (request.epilogue_loss_gradient) {
      return request.alpha * 2 * (sum - told(node).at(i, j)) / static_cast<double>(told(node).values.size());
    }
    return activate(request.epilogue_activation, sum);
  }

  const Graph& graph_;
  double learning_rate_;
  std::map<NodeId, Dense> values_;
  std::map<std::string, Dense> parameters_;
};

}  // namespace

TestOptimizer::TestOptimizer(std::vector<double> rates, catalogue::OptimizerKind kind) : rates_(std::move(rates)) {
  optimizer_.struct_size = sizeof(optimizer_);
  optimizer_.kind = static_cast<std::int32_t>(kind);
  optimizer_.learning_rates = rates_.data();
  optimizer_.learning_rate_count = static_cast<std::int64_t>(rates_.size());
}

NodeId TestGraph::input(Role role, std::int64_t rows, std::int64_t columns) {
  Node node;
  node.kind = Kind::input;
  node.role = role;
  node.shape = {rows, columns};
  node.element = role == Role::scalars ? Element::scalars : Element::real;
  return graph_.add(node);
}

NodeId TestGraph::parameter(std::int64_t rows, std::int64_t columns) {
  const NodeId id = input(Role::parameter, rows, columns);
  graph_[id].parameter = parameters_++;
  return id;
}

NodeId TestGraph::constant(std::int64_t rows, std::int64_t columns, double value) {
  Node node;
  node.kind = Kind::constant;
  node.shape = {rows, columns};
  node.value = value;
  node.request.dtype = catalogue::Dtype::f64;
  return graph_.add(node);
}

NodeId TestGraph::transpose(NodeId value) {
  Node node;
  node.kind = Kind::transpose;
  node.shape = {graph_[value].shape.columns, graph_[value].shape.rows};
  node.operands = {value};
  return graph_.add(node);
}

NodeId TestGraph::call(ops::Op op, const std::vector<NodeId>& operands, const ops::Attributes& attributes) {
  return NodeEmitter(graph_, catalogue::Dtype::f64).emit(op, attributes, operands, {});
}

NodeId TestGraph::product(NodeId a, NodeId b, bool transpose_a, bool transpose_b) {
  ops::Attributes attributes;
  attributes.transpose_a = transpose_a;
  attributes.transpose_b = transpose_b;
  return call(Op::product, {a, b}, attributes);
}

NodeId TestGraph::activation(catalogue::Activation activation, NodeId value) {
  ops::Attributes attributes;
  attributes.activation = activation;
  return call(Op::activation, {value}, attributes);
}

NodeId TestGraph::combine(double alpha, NodeId a, double beta, NodeId b) {
  ops::Attributes attributes;
  attributes.alpha = alpha;
  attributes.beta = beta;
  return call(Op::combine, {a, b}, attributes);
}

NodeId TestGraph::update(NodeId gradient, NodeId scalars, NodeId parameter, const gdbench_optimizer& optimizer) {
  ops::Attributes attributes;
  attributes.optimizer = &optimizer;
  return call(Op::update, {gradient, scalars, parameter}, attributes);
}

TestModel::TestModel(std::vector<gdbench_layer> layers, catalogue::Loss loss, const gdbench_optimizer& optimizer,
                     catalogue::Task task, std::int64_t parts)
    : layers_(std::move(layers)) {
  problem_.struct_size = sizeof(problem_);
  problem_.task = static_cast<std::int32_t>(task);
  problem_.dtype = GDBENCH_F64;
  problem_.layer_count = static_cast<std::int64_t>(layers_.size());
  problem_.layers = layers_.data();
  problem_.loss = static_cast<std::int32_t>(loss);
  problem_.micro_batches = parts;
  problem_.optimizer = &optimizer;
}

Graph with_loss(Graph step) {
  const auto is_loss = [&](NodeId id) { return step[id].is_call(Op::loss); };
  step.outputs().push_back({"loss", *std::ranges::find_if(step.order(), is_loss)});
  return step;
}

TestGraph step_of(const std::vector<gdbench_layer>& layers, const gdbench_optimizer& optimizer, bool loss,
                  catalogue::Task task) {
  const TestModel model(layers, catalogue::Loss::mse, optimizer, task);
  TestGraph test;
  test.graph() = build_step(model.problem(), 7, 0);
  if (loss) test.graph() = with_loss(test.graph());
  return test;
}

std::map<std::string, Dense> interpret(const Graph& graph, double learning_rate) {
  return Interpreter(graph, learning_rate).run();
}

bool same(const std::map<std::string, Dense>& actual, const std::map<std::string, Dense>& expected) {
  if (actual.size() != expected.size()) return false;
  for (const auto& [name, value] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end() || found->second.values.size() != value.values.size()) return false;
    for (std::size_t i = 0; i < value.values.size(); ++i) {
      if (!(std::abs(found->second.values[i] - value.values[i]) <= 1e-12 * (1 + std::abs(value.values[i]))))
        return false;
    }
  }
  return true;
}

void expect_same(const std::map<std::string, Dense>& actual, const std::map<std::string, Dense>& expected) {
  EXPECT_TRUE(same(actual, expected));
}

std::int64_t count(const Graph& graph, ops::Op op) {
  std::int64_t calls = 0;
  for (const NodeId id : graph.order()) calls += graph[id].is_call(op) ? 1 : 0;
  return calls;
}

}  // namespace gdbench::strategies::graph
