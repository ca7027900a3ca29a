// What the tests of the graph share: small graphs, and what they compute, op by op in double.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/ir/graph.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::strategies::graph {

using backends::Dense;

// An optimizer with one learning rate, or a schedule.
class TestOptimizer {
 public:
  explicit TestOptimizer(const std::vector<double>& rates = {0.25},
                         catalogue::OptimizerKind kind = catalogue::OptimizerKind::sgd)
      : rule_{.kind = kind, .learning_rates = rates}, optimizer_(abi_of(rule_)) {}
  TestOptimizer(const TestOptimizer&) = delete;
  TestOptimizer& operator=(const TestOptimizer&) = delete;
  const gdbench_optimizer& get() const { return optimizer_; }
  Target target(std::uint32_t backend_flags = 0) const { return {backend_flags, &optimizer_}; }

 private:
  scenario::Optimizer rule_;
  gdbench_optimizer optimizer_;
};

// Of products, where a backend has them.
inline constexpr std::uint32_t kEpilogues = backends::kEpilogueBias | backends::kEpilogueActivation;
inline constexpr std::uint32_t kLayerEpilogues =
    kEpilogues | backends::kEpilogueGradients | backends::kEpilogueLayerUpdate;

// Writes graphs down, in f64.
class TestGraph {
 public:
  NodeId x(std::int64_t rows, std::int64_t columns) { return input(Role::x, rows, columns); }
  NodeId targets(std::int64_t rows, std::int64_t columns) { return input(Role::targets, rows, columns); }
  NodeId parameter(std::int64_t rows, std::int64_t columns);
  NodeId scalars() { return input(Role::scalars, 1, 1); }
  NodeId constant(std::int64_t rows, std::int64_t columns, double value);
  NodeId transpose(NodeId value);
  NodeId product(NodeId a, NodeId b, bool transpose_a = false, bool transpose_b = false) {
    return call(ops::Op::product, {a, b}, {.transpose_a = transpose_a, .transpose_b = transpose_b});
  }
  NodeId add_bias(NodeId bias, NodeId value) { return call(ops::Op::add_bias, {bias, value}); }
  NodeId activation(catalogue::Activation activation, NodeId value) {
    return call(ops::Op::activation, {value}, {.activation = activation});
  }
  NodeId scale(double factor, NodeId value) { return combine(factor, value, 0, value); }
  NodeId combine(double alpha, NodeId a, double beta, NodeId b) {
    return call(ops::Op::combine, {a, b}, {.alpha = alpha, .beta = beta});
  }
  NodeId multiply(NodeId a, NodeId b) { return call(ops::Op::multiply, {a, b}); }
  NodeId column_sum(NodeId value) { return call(ops::Op::column_sum, {value}); }
  NodeId loss_gradient(NodeId outputs, NodeId y) { return call(ops::Op::loss_gradient, {outputs, y}); }
  NodeId update(NodeId gradient, NodeId scalars, NodeId parameter, const gdbench_optimizer& optimizer) {
    return call(ops::Op::update, {gradient, scalars, parameter}, {.optimizer = &optimizer});
  }
  void output(NodeId value) { graph_.outputs().push_back({"out" + std::to_string(graph_.outputs().size()), value}); }

  Graph& graph() { return graph_; }

 private:
  NodeId input(Role role, std::int64_t rows, std::int64_t columns);
  NodeId call(ops::Op op, const std::vector<NodeId>& operands, const ops::Attributes& attributes = {});

  Graph graph_;
  std::size_t parameters_ = 0;
};

// A model as a problem; for build_step.
class TestModel {
 public:
  TestModel(std::vector<gdbench_layer> layers, catalogue::Loss loss, const gdbench_optimizer& optimizer,
            catalogue::Task task = catalogue::Task::train, std::int64_t parts = 1);
  TestModel(const TestModel&) = delete;
  TestModel& operator=(const TestModel&) = delete;
  const gdbench_problem& problem() const { return problem_; }

 private:
  std::vector<gdbench_layer> layers_;
  gdbench_problem problem_{};
};

// A step's graph whose loss is its output "loss".
Graph with_loss(Graph step);

inline const std::vector<gdbench_layer> kPerceptron = {{3, 5, GDBENCH_TANH, 1}, {5, 2, GDBENCH_IDENTITY, 1}};

// A step on 7 rows with squared errors, if wanted with_loss.
TestGraph step_of(const std::vector<gdbench_layer>& layers, const gdbench_optimizer& optimizer, bool loss = false,
                  catalogue::Task task = catalogue::Task::train);

// What a graph with squared errors and sgd leaves behind: its outputs, and the parameters after it ran, from masks as
// they are and other inputs that depend on their node ids alone.
std::map<std::string, Dense> interpret(const Graph& graph, double learning_rate = 0.25);

// The same outputs and parameters up to rounding.
void expect_same(const std::map<std::string, Dense>& actual, const std::map<std::string, Dense>& expected);
bool same(const std::map<std::string, Dense>& actual, const std::map<std::string, Dense>& expected);

// How many nodes are calls of an op.
std::int64_t count(const Graph& graph, ops::Op op);

}  // namespace gdbench::strategies::graph
