// Ops on random operands.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/implementations/op_case.h"

namespace gdbench::backends {

struct Shape {
  std::int64_t m, n, k;  // of a product; rows, outputs and inputs of a layer
};

class OpMaker {
 public:
  Dense random(std::int64_t rows, std::int64_t columns) { return random_matrix(generator_, rows, columns); }

  OpCase product(const Shape& shape, bool transpose_a, bool transpose_b, double alpha = 1, double beta = 0) {
    const auto& [m, n, k] = shape;
    OpCase op;
    op.request.transpose_a = transpose_a;
    op.request.transpose_b = transpose_b;
    op.request.alpha = alpha;
    op.request.beta = beta;
    op.operands = {
        {transpose_a ? random(k, m) : random(m, k)}, {transpose_b ? random(n, k) : random(k, n)}, {random(m, n)}};
    if (beta == 0) op.operands[2].values.values[0] = std::numeric_limits<double>::quiet_NaN();  // must not be read
    op.results = {2};
    op.scale = static_cast<double>(k) + 1;
    return op;
  }

  // Row 1 and column 2 of the left operand are empty, and what `density` says.
  OpCase sparse_product(const Shape& shape, double density, bool transpose_a, double alpha = 1, double beta = 0) {
    OpCase op = product(shape, transpose_a, false, alpha, beta);
    op.operands[0].content = Content::sparse;
    Dense& a = op.operands[0].values;
    std::bernoulli_distribution kept(density);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t j = 0; j < a.columns; ++j) {
        if (i == 1 || j == 2 || !kept(generator_)) a.at(i, j) = 0;
      }
    }
    return op;
  }

  // The product of a gradient that ends in an update, of weights and where wanted of the bias.
  OpCase layer_update(OpCase gradient, const gdbench_optimizer& optimizer, bool has_bias) {
    OpCase op = std::move(gradient);
    op.request.epilogue_update = true;
    op.request.epilogue_bias = has_bias;
    op.request.optimizer = &optimizer;
    op.operands[2].values = random(op.operands[2].values.rows, op.operands[2].values.columns);
    op.operands.push_back(update_scalars(0.125, 1.5, 2, 0.75));
    const std::size_t slots = catalogue::slot_count(catalogue::kind_of(optimizer));
    add_positive(op, slots, op.operands[2].values.rows);
    if (has_bias) add_positive(op, 1 + slots, 1);
    for (std::size_t i = 4; i < op.operands.size(); ++i) op.results.push_back(i);
    return op;
  }

  OpCase update(const gdbench_optimizer& optimizer, std::int64_t size) {
    OpCase op;
    op.request.op = Op::update;
    op.request.optimizer = &optimizer;
    op.operands = {{random(1, size)}, update_scalars(0.125, 1.5, 2, 0.75), {random(1, size)}};
    op.results = {2};
    add_positive(op, catalogue::slot_count(catalogue::kind_of(optimizer)), 1);
    for (std::size_t i = 3; i < op.operands.size(); ++i) op.results.push_back(i);
    op.scale = 4;
    return op;
  }

  // Of weights that muon moves as one matrix.
  OpCase matrix_update(const gdbench_optimizer& optimizer, std::int64_t rows, std::int64_t columns) {
    OpCase op;
    op.request.op = Op::update;
    op.request.optimizer = &optimizer;
    op.request.moves_as_matrix = true;
    op.operands = {{random(rows, columns)}, update_scalars(0.125, 1.5, 2, 0.75)};
    for (const int parameter_or_slot : {2, 3, 4}) {
      op.operands.push_back({random(rows, columns)});
      op.results.push_back(static_cast<std::size_t>(parameter_or_slot));
    }
    return op;
  }

  // Of `count` matrices of one shape, of which it writes the last one.
  OpCase entrywise(Op kind, std::size_t count, std::int64_t rows, std::int64_t columns) {
    OpCase op;
    op.request.op = kind;
    for (std::size_t i = 0; i < count; ++i) op.operands.push_back({random(rows, columns)});
    op.results = {count - 1};
    op.scale = 4;
    return op;
  }

  OpCase add_bias(std::int64_t rows, std::int64_t columns) {
    OpCase op = entrywise(Op::add_bias, 2, rows, columns);
    op.operands[0].values = random(1, columns);
    return op;
  }

  std::vector<OpCase> normalization(std::int64_t rows, std::int64_t columns) {
    std::vector<OpCase> ops = {entrywise(Op::scale_columns, 3, rows, columns),
                               entrywise(Op::normalize, 2, rows, columns),
                               entrywise(Op::normalize_gradient, 2, rows, columns)};
    ops[0].operands[0].values = random(1, columns);
    for (OpCase& op : ops) op.scale = 64;  // rows whose entries are near one another
    return ops;
  }

  OpCase column_sum(std::int64_t rows, std::int64_t columns) {
    OpCase op = entrywise(Op::column_sum, 2, rows, columns);
    op.operands[1].values = random(1, columns);
    op.scale = std::sqrt(static_cast<double>(rows));
    return op;
  }

  // Or its gradient, which may take the outputs' buffer.
  OpCase loss(catalogue::Loss kind, bool gradient, std::int64_t rows, std::int64_t columns) {
    OpCase op = entrywise(gradient ? Op::loss_gradient : Op::loss, 3, rows, columns);
    op.request.loss = {kind, 0.7};
    op.request.alpha = rows % 2 == 0 ? 0.25 : 1;
    if (takes_labels(op.request.loss)) {
      op.operands[1] = {Dense(rows, 1), Content::whole_numbers};
      for (std::int64_t i = 0; i < rows; ++i)
        op.operands[1].values.at(i, 0) = static_cast<double>((3 * i + 1) % columns);
    }
    if (gradient) return op;
    op.operands[2] = {Dense(1, 1), Content::doubles};
    op.scale = 4 * std::sqrt(static_cast<double>(rows * columns));
    return op;
  }

  // Where it has a kink, and where it saturates; or its derivative.
  OpCase activation(catalogue::Activation kind, bool gradient, std::int64_t rows, std::int64_t columns) {
    OpCase op = entrywise(gradient ? Op::activation_gradient : Op::activation, 2, rows, columns);
    op.request.activation = kind;
    if (gradient && !catalogue::reads_input(kind)) return op;
    std::vector<double>& values = op.operands[0].values.values;
    values.front() = kind == catalogue::Activation::relu ? 0 : 30;
    if (values.size() > 2) values[1] = -30;
    return op;
  }

  // Each op but products, updates and what devices alone have.
  std::vector<OpCase> others(std::int64_t rows, std::int64_t columns) {
    std::vector<OpCase> ops = normalization(rows, columns);
    ops.push_back(add_bias(rows, columns));
    ops.push_back(column_sum(rows, columns));
    ops.push_back(entrywise(Op::multiply, 3, rows, columns));
    for (const auto& [alpha, beta] : {std::pair(1.0, 1.0), {1.0, 0.0}, {-0.5, 0.0}, {2.0, -0.25}}) {
      ops.push_back(entrywise(Op::combine, 3, rows, columns));
      ops.back().request.alpha = alpha;
      ops.back().request.beta = beta;
    }
    for (const bool gradient : {false, true}) {
      for (const auto kind : catalogue::all_of<catalogue::Activation>()) {
        ops.push_back(activation(kind, gradient, rows, columns));
      }
      for (const auto kind : catalogue::all_of<catalogue::Loss>()) ops.push_back(loss(kind, gradient, rows, columns));
    }
    return ops;
  }

 private:
  // Some slots are sums of squares.
  void add_positive(OpCase& op, std::size_t count, std::int64_t rows) {
    for (std::size_t i = 0; i < count; ++i) {
      Dense values = random(rows, op.operands[2].values.columns);
      for (double& value : values.values) value = std::abs(value);
      op.operands.push_back({values});
    }
  }

  std::mt19937 generator_{20240117};
};

// The operands whose buffer an op's result may have.
inline std::vector<std::size_t> places_of(const OpCase& op) {
  switch (op.request.op) {
    case Op::multiply:
    case Op::combine:
      return {0, 1};
    case Op::scale_columns:
      return {1};
    case Op::normalize:
    case Op::activation:
    case Op::loss_gradient:
      return {0};
    default:
      return {};
  }
}

// An optimizer and its learning rate, of which ops read neither.
struct OpOptimizer {
  explicit OpOptimizer(const OptimizerCase& values) : rule(optimizer_of(values, {0.25})), abi(abi_of(rule)) {}
  OpOptimizer(const OpOptimizer&) = delete;
  OpOptimizer& operator=(const OpOptimizer&) = delete;
  scenario::Optimizer rule;
  gdbench_optimizer abi;
};

}  // namespace gdbench::backends
