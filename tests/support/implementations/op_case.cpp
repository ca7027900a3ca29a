#include "tests/support/implementations/op_case.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include "implementations/backends/common/operands.h"

namespace gdbench::backends {
namespace {

// The arrays behind a CsrMatrix. Entries of no row stand before the first row's, as in a slice of rows.
struct SparseRows {
  SparseRows(const Dense& matrix, catalogue::Dtype dtype) : columns(3, 0), offsets{3} {
    Dense kept(1, 3);
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.columns; ++j) {
        if (matrix.at(i, j) == 0) continue;
        columns.push_back(static_cast<std::int32_t>(j));
        kept.values.push_back(matrix.at(i, j));
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    values = bytes_of(kept, dtype);
    view = {offsets.data(), columns.data(), values.data()};
  }
  SparseRows(const SparseRows&) = delete;
  SparseRows& operator=(const SparseRows&) = delete;

  std::vector<std::int32_t> columns;
  std::vector<std::int32_t> offsets;
  std::vector<std::byte> values;
  CsrMatrix view;
};

Operand shape_of(const TestOperand& operand) {
  const Dense& values = operand.values;
  if (operand.content == Content::doubles) return {1, 1};
  if (operand.content != Content::sparse) return {values.rows, values.columns};
  const std::int64_t entries = std::ssize(values.values) - std::ranges::count(values.values, 0.0);
  return {values.rows, values.columns, Layout::sparse_csr, entries};
}

Dense plain_product(const Request& request, const Dense& a, const Dense& b, const Dense& c) {
  Dense result = c;
  const std::int64_t depth = request.transpose_a ? a.rows : a.columns;
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < depth; ++p) {
        sum += (request.transpose_a ? a.at(p, i) : a.at(i, p)) * (request.transpose_b ? b.at(j, p) : b.at(p, j));
      }
      // beta = 0 must ignore what C held, NaN included.
      result.at(i, j) = request.alpha * sum + (request.beta == 0 ? 0 : request.beta * c.at(i, j));
    }
  }
  return result;
}

Dense gathered(const Dense& from, const Dense& index) {
  Dense rows(index.rows, from.columns);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    for (std::int64_t j = 0; j < rows.columns; ++j) {
      rows.at(i, j) = from.at(static_cast<std::int64_t>(index.at(i, 0)), j);
    }
  }
  return rows;
}

// By one op of naive kernels, which writes its last operand or, of an update, all behind the scalars.
std::vector<Dense> by_naive(const Request& request, const std::vector<TestOperand>& operands) {
  OpCase op{request, operands, {operands.size() - 1}};
  if (request.op == Op::update) {
    op.results.clear();
    for (std::size_t i = 2; i < operands.size(); ++i) op.results.push_back(i);
  }
  TestContext context(backend_named("naive"), catalogue::Dtype::f64);
  return results_of(context, op);
}

Request single(Op op, const Request& attributes = Request()) {
  Request request;
  request.op = op;
  request.activation = attributes.activation;
  request.loss = attributes.loss;
  request.alpha = attributes.alpha;
  request.optimizer = attributes.optimizer;
  return request;
}

// Operands of a product: A, B, C, and for the update scalars, slots of C, and a bias with its slots.
std::vector<Dense> updated_by_product(const OpCase& op, const Dense& gradient) {
  const std::size_t slots = catalogue::slot_count(catalogue::kind_of(*op.request.optimizer));
  std::vector<TestOperand> weights = {{gradient}, op.operands[3], op.operands[2]};
  const auto behind = op.operands.begin() + 4;
  weights.insert(weights.end(), behind, behind + static_cast<std::ptrdiff_t>(slots));
  std::vector<Dense> results = by_naive(single(Op::update, op.request), weights);
  if (!op.request.epilogue_bias) return results;
  const Dense& b = op.operands[1].values;
  const Dense sums = by_naive(single(Op::column_sum), {{b}, {Dense(1, b.columns)}}).front();
  std::vector<TestOperand> bias = {{sums}, op.operands[3]};
  bias.insert(bias.end(), behind + static_cast<std::ptrdiff_t>(slots), op.operands.end());
  const std::vector<Dense> updated = by_naive(single(Op::update, op.request), bias);
  results.insert(results.end(), updated.begin(), updated.end());
  return results;
}

std::vector<Dense> expected_of_product(const OpCase& op) {
  const Request& request = op.request;
  Request plain = request;
  if (request.epilogue_loss_gradient) plain.alpha = 1;
  Dense c = plain_product(plain, op.operands[0].values, op.operands[1].values, op.operands[2].values);
  if (request.epilogue_update) return updated_by_product(op, c);
  if (request.epilogue_bias) c = by_naive(single(Op::add_bias), {op.operands[3], {c}}).front();
  if (request.epilogue_activation_gradient) {
    return by_naive(single(Op::activation_gradient, request), {op.operands.back(), {c}});
  }
  if (request.epilogue_loss_gradient) {
    return by_naive(single(Op::loss_gradient, request), {{c}, op.operands.back(), {c}});
  }
  Request activation = single(Op::activation);
  activation.activation = request.epilogue_activation;
  return by_naive(activation, {{c}, {c}});
}

void round_operands(OpCase& op, catalogue::Dtype dtype) {
  const int bits = catalogue::row_of(dtype).operands.bits;
  const auto round = [bits](Dense& matrix) {
    for (double& value : matrix.values) value = rounded_to_bits(value, bits);
  };
  const Op kind = op.request.op;
  if (kind == Op::product || kind == Op::column_sum || kind == Op::activation_gradient) round(op.operands[0].values);
  if (kind == Op::product) round(op.operands[1].values);
  if (kind == Op::product && op.request.epilogue_activation_gradient) round(op.operands.back().values);
}

}  // namespace

TestOperand update_scalars(double learning_rate, double first, double second_root, double gradient) {
  TestOperand operand{Dense(1, 4), Content::doubles};
  operand.values.values = {learning_rate, first, second_root, gradient};
  return operand;
}

std::string text_of(const OpCase& op) {
  const Request& request = op.request;
  std::ostringstream text;
  text << name_of(request.op);
  for (const TestOperand& operand : op.operands) text << " " << operand.values.rows << "x" << operand.values.columns;
  text << " transposed " << request.transpose_a << request.transpose_b << " alpha " << request.alpha << " beta "
       << request.beta << " " << name_of(request.activation) << " " << name_of(request.epilogue_activation) << " "
       << name_of(request.loss.kind) << " epilogues " << request.epilogue_bias << request.epilogue_update
       << request.epilogue_activation_gradient << request.epilogue_loss_gradient << " aliases " << op.aliases.size();
  if (request.optimizer != nullptr) text << " " << name_of(catalogue::kind_of(*request.optimizer));
  return text.str();
}

Request request_of(const OpCase& op, catalogue::Dtype dtype) {
  Request request = op.request;
  request.dtype = dtype;
  request.operand_count = op.operands.size();
  std::ranges::transform(op.operands, request.operands, shape_of);
  return request;
}

std::vector<Dense> results_of(TestContext& context, const OpCase& op) {
  std::vector<Buffer> buffers;
  std::vector<std::unique_ptr<SparseRows>> sparse;
  for (const auto& [values, content] : op.operands) {
    if (content == Content::whole_numbers) {
      const std::vector<std::int32_t> numbers(values.values.begin(), values.values.end());
      buffers.push_back(context.upload_bytes(numbers.data(), numbers.size() * sizeof(std::int32_t)));
    } else if (content == Content::sparse) {
      sparse.push_back(std::make_unique<SparseRows>(values, context.dtype()));
      buffers.push_back(context.upload_bytes(&sparse.back()->view, sizeof(CsrMatrix)));
    } else {
      const bool doubles = content == Content::doubles;
      buffers.push_back(context.upload(values, doubles ? catalogue::Dtype::f64 : context.dtype()));
    }
  }
  for (const auto& [result, other] : op.aliases) buffers[result] = buffers[other];
  context.run(request_of(op, context.dtype()), buffers);
  std::vector<Dense> results;
  for (const std::size_t i : op.results) {
    const auto& [values, content] = op.operands[i];
    const bool doubles = content == Content::doubles;
    results.push_back(
        context.download(buffers[i], values.rows, values.columns, doubles ? catalogue::Dtype::f64 : context.dtype()));
  }
  context.release_buffers();
  return results;
}

std::vector<Dense> expected_of(const OpCase& op, catalogue::Dtype dtype) {
  OpCase rounded = op;
  if (catalogue::is_mixed(dtype)) round_operands(rounded, dtype);
  if (op.request.op == Op::product) return expected_of_product(rounded);
  if (op.request.op == Op::gather) return {gathered(rounded.operands[0].values, rounded.operands[1].values)};
  return by_naive(rounded.request, rounded.operands);
}

void expect_results(const OpCase& op, catalogue::Dtype dtype, const std::vector<Dense>& found,
                    const std::vector<Dense>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  // Losses of entries are added up in double.
  const bool in_double = op.request.op == Op::loss && !catalogue::row_of(op.request.loss.kind).couples_columns;
  for (std::size_t i = 0; i < found.size(); ++i) {
    expect_close(found[i], expected[i], in_double ? catalogue::Dtype::f64 : dtype, op.scale);
  }
}

double rounded_to_bits(double value, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::rint(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace gdbench::backends
