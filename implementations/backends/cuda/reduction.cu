// Column sums and losses.
#include <cmath>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/reduction.h"
#include "implementations/backends/cuda/scratch.h"

namespace gdbench::backends::cuda {
namespace {

struct StoreScaled {
  double* loss;
  double scale;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t /*column*/, double sum) const { *loss = scale * sum; }
};

// Losses are the sum of one column.
template <class T, class Rule>
struct LossTerms {
  Line<T> p;
  Line<T> y;
  double delta;
  GDBENCH_HOST_DEVICE const LossTerms& of_column(std::int64_t /*column*/) const { return *this; }
  GDBENCH_HOST_DEVICE LossTerms from(std::int64_t i) const { return {p.from(i), y.from(i), delta}; }
  GDBENCH_HOST_DEVICE LossTerms every(std::int64_t stride) const { return {p.every(stride), y.every(stride), delta}; }
  GDBENCH_HOST_DEVICE double operator()(int i) const {
    return Rule::term(static_cast<double>(p(i)), static_cast<double>(y(i)), delta);
  }
};

// Shifted by the row's largest logit, so that exp does not overflow.
template <class T>
struct CrossEntropyTerms {
  const T* p;
  const std::int32_t* labels;
  std::int64_t columns;
  std::int64_t distance = 1;  // of rows
  GDBENCH_HOST_DEVICE const CrossEntropyTerms& of_column(std::int64_t /*column*/) const { return *this; }
  GDBENCH_HOST_DEVICE CrossEntropyTerms from(std::int64_t i) const {
    return {p + i * distance * columns, labels + i * distance, columns, distance};
  }
  GDBENCH_HOST_DEVICE CrossEntropyTerms every(std::int64_t stride) const {
    return {p, labels, columns, distance * stride};
  }
  GDBENCH_HOST_DEVICE double operator()(int i) const {
    const T* row = p + i * distance * columns;
    T shift = row[0];
    for (std::int64_t j = 1; j < columns; ++j) shift = row[j] > shift ? row[j] : shift;
    T sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += std::exp(row[j] - shift);
    return static_cast<double>(std::log(sum) - (row[labels[i * distance]] - shift));
  }
};

template <class Number>
OwnedCall* bind_column_sum(Context& context, const Request& request) {
  using T = SumOf<Number>;
  const Operand matrix = request.operands[0];
  return make_call(context, "column_sum",
                   [columns = matrix.columns, sums = Reduction<T>(matrix.rows, matrix.columns, context.stream)](
                       Context& to, const Buffer* buffers) {
                     sums.launch(to.stream, MatrixTerms<Number>{data<const T>(buffers[0]), columns},
                                 StoreColumn<T>{data<T>(buffers[1])});
                   });
}

// The loss as the sum of `terms` numbers.
template <class MakeTerms>
OwnedCall* bind_sum(Context& context, const Request& request, std::int64_t terms, MakeTerms make_terms) {
  const double scale = request.alpha * loss_scale(request);
  return make_call(
      context, "loss",
      [scale, make_terms, sum = Reduction<double>(terms, 1, context.stream)](Context& to, const Buffer* buffers) {
        sum.launch(to.stream, make_terms(buffers), StoreScaled{data<double>(buffers[2]), scale});
      });
}

template <class T>
OwnedCall* bind_loss(Context& context, const Request& request) {
  const Operand outputs = request.operands[0];
  if (catalogue::row_of(request.loss.kind).couples_columns) {
    return bind_sum(context, request, outputs.rows, [outputs](const Buffer* buffers) {
      return CrossEntropyTerms<T>{data<const T>(buffers[0]), data<const std::int32_t>(buffers[1]), outputs.columns};
    });
  }
  const double delta = request.loss.huber_delta;
  return with_loss_of_entries(request.loss, [&](auto rule) {
    return bind_sum(context, request, outputs.rows * outputs.columns, [delta](const Buffer* buffers) {
      return LossTerms<T, decltype(rule)>{{data<const T>(buffers[0]), 1}, {data<const T>(buffers[1]), 1}, delta};
    });
  });
}

}  // namespace

OwnedCall* bind_reduction(Context& context, const Request& request) {
  if (request.op == Op::column_sum) {
    return with_operand(request.dtype, [&](auto zero) { return bind_column_sum<decltype(zero)>(context, request); });
  }
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_loss<decltype(zero)>(context, request); });
}

}  // namespace gdbench::backends::cuda
