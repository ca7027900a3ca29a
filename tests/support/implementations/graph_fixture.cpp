#include "tests/support/implementations/graph_fixture.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "implementations/strategies/graph/ir/signature.h"
#include "tests/support/implementations/op_case.h"

namespace gdbench::strategies::graph {
namespace {

using backends::OpCase, backends::TestOperand, ops::Op;

class Interpreter {
 public:
  Interpreter(const Graph& graph, double learning_rate) : graph_(graph), learning_rate_(learning_rate) {}

  std::map<std::string, Dense> run() {
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_[id];
      values_[id] = node.kind == Kind::input ? input(id) : TestOperand{compute(node)};
    }
    std::map<std::string, Dense> results = parameters_;
    for (const Output& output : graph_.outputs()) results[output.name] = values_[output.node].values;
    return results;
  }

 private:
  const Dense& operand(const Node& node, std::size_t i) { return values_[node.operands[i]].values; }
  static std::string parameter_name(const Node& node) { return "parameter" + std::to_string(node.parameter); }

  TestOperand input(NodeId id) {
    const Node& node = graph_[id];
    if (node.role == Role::scalars) return backends::update_scalars(learning_rate_);
    std::mt19937 generator(id + 1);
    Dense values = backends::random_matrix(generator, node.shape.rows, node.shape.columns);
    if (node.role == Role::mask) {
      for (std::size_t i = 0; i < values.values.size(); ++i) {
        values.values[i] = static_cast<std::int64_t>(i) % values.columns == node.column ? 1 : 0;
      }
    }
    if (node.role == Role::parameter) parameters_[parameter_name(node)] = values;
    return {values};
  }

  Dense compute(const Node& node) {
    Dense result(node.shape.rows, node.shape.columns);
    switch (node.kind) {
      case Kind::input:
      case Kind::call:
        return call(node);
      case Kind::constant:
        std::ranges::fill(result.values, node.value);
        return result;
      case Kind::transpose:
        for (std::int64_t i = 0; i < result.rows; ++i) {
          for (std::int64_t j = 0; j < result.columns; ++j) result.at(i, j) = operand(node, 0).at(j, i);
        }
        return result;
      case Kind::update_all:
        for (std::size_t i = 1; i < node.operands.size(); i += 2) descend(node.operands[i], node.operands[i + 1]);
        return result;
      case Kind::gradients:
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
          parameters_["gradient" + std::to_string(node.parameter + i)] = operand(node, i);
        }
        return result;
    }
    return result;
  }

  Dense call(const Node& node) {
    const Signature signature = signature_of(node);
    OpCase op{node.request, {}, {}};
    for (const std::size_t i : signature.kernel_operands) {
      if (i != Signature::kResult) op.operands.push_back(values_[node.operands[i]]);
      if (i != Signature::kResult) continue;
      op.operands.push_back(
          {signature.tied ? operand(node, *signature.tied) : Dense(node.shape.rows, node.shape.columns)});
    }
    const std::vector<Dense> results = backends::expected_of(op);
    if (node.is_call(Op::product) && node.request.epilogue_update && node.request.epilogue_bias) {
      parameters_[parameter_name(graph_[node.operands[4]])] = results[1];
    }
    if (signature.tied && graph_[node.operands[*signature.tied]].is_state()) {
      parameters_[parameter_name(graph_[node.operands[*signature.tied]])] = results[0];
    }
    return results[0];
  }

  void descend(NodeId gradient, NodeId parameter) {
    Dense& value = parameters_[parameter_name(graph_[parameter])];
    for (std::size_t i = 0; i < value.values.size(); ++i) {
      value.values[i] -= learning_rate_ * values_[gradient].values.values[i];
    }
  }

  const Graph& graph_;
  double learning_rate_;
  std::map<NodeId, TestOperand> values_;
  std::map<std::string, Dense> parameters_;
};

}  // namespace

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
  test.graph() = build_step(model.problem(), 7);
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
