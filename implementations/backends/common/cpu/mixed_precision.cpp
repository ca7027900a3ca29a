#include "implementations/backends/common/cpu/mixed_precision.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace gdbench::backends::cpu {
namespace {

std::uint32_t rounded_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1);
  // A NaN's bits might carry into its sign.
  return value != value ? bits | 0x400000 : nearest;
}

template <class To, class Round>
void round_rows(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, To* to, Round round) {
  if (stride == columns) {
    columns *= rows;
    rows = 1;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* __restrict source = from + row * stride;
    To* __restrict target = to + row * columns;
    for (std::int64_t i = 0; i < columns; ++i) target[i] = round(source[i]);
  }
}

// Which operands an op rounds.
struct Rounded {
  std::size_t operands[3];
  std::size_t count;
};
Rounded rounded_by(const Request& request) {
  switch (request.op) {
    case Op::product:
      return {{0, 1, 3}, request.epilogue_activation_gradient ? std::size_t{3} : 2};
    case Op::activation_gradient:
    case Op::column_sum:
      return {{0}, 1};
    default:
      return {{}, 0};
  }
}

struct alignas(GDBENCH_ALIGNMENT) Line {
  std::byte bytes[GDBENCH_ALIGNMENT];
};

struct Copy {
  Copy(std::size_t operand, const Operand& shape)
      : number(operand),
        rows(shape.rows),
        columns(shape.columns),
        stride(stride_of(shape)),
        sparse(shape.layout == Layout::sparse_csr),
        values(sparse ? 0 : static_cast<std::size_t>(rows * columns) * sizeof(float) / sizeof(Line) + 1) {}

  std::size_t number;  // of the operand
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  bool sparse;
  std::vector<Line> values;
  std::vector<float> sparse_values;  // as many as the rows have
  CsrMatrix matrix;
};

struct RoundingCall : OwnedCall {
  CallPointer call;
  std::size_t operand_count = 0;
  mutable std::vector<Copy> copies;  // scratch space of the run
};

// The stored entries alone; rows and columns are those of the original.
Buffer round_sparse(const CsrMatrix& matrix, Copy& copy) {
  const std::int32_t first = matrix.row_offsets[0];
  const std::int32_t end = matrix.row_offsets[copy.rows];
  if (copy.sparse_values.size() < static_cast<std::size_t>(end))
    copy.sparse_values.resize(static_cast<std::size_t>(end));
  round_to_bfloat16(static_cast<const float*>(matrix.values) + first, end - first, 1, end - first,
                    copy.sparse_values.data() + first);
  copy.matrix = {matrix.row_offsets, matrix.column_indices, copy.sparse_values.data()};
  return reinterpret_cast<Buffer>(&copy.matrix);
}

void run_rounding(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const RoundingCall&>(*call);
  Buffer operands[kMaximumOperands];
  std::copy_n(buffers, self.operand_count, operands);
  for (Copy& copy : self.copies) {
    if (copy.sparse) {
      operands[copy.number] = round_sparse(*data<const CsrMatrix>(buffers[copy.number]), copy);
      continue;
    }
    auto* const values = reinterpret_cast<float*>(copy.values.data());
    round_to_bfloat16(data<const float>(buffers[copy.number]), copy.stride, copy.rows, copy.columns, values);
    operands[copy.number] = reinterpret_cast<Buffer>(values);
  }
  self.call->run(self.call.get(), operands, stream);
}

}  // namespace

void round_to_bfloat16(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, Bfloat16* to) {
  round_rows(from, stride, rows, columns, to,
             [](float value) { return static_cast<Bfloat16>(rounded_bits(value) >> 16); });
}

void round_to_bfloat16(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* to) {
  round_rows(from, stride, rows, columns, to,
             [](float value) { return std::bit_cast<float>(rounded_bits(value) & 0xffff0000U); });
}

Binding bind_rounding(const Request& request, Binding (*bind)(const Request& request)) {
  const Rounded rounded = rounded_by(request);
  Request uniform = request;
  uniform.dtype = catalogue::storage_of(request.dtype);
  for (std::size_t i = 0; i < rounded.count; ++i) uniform.operands[rounded.operands[i]].stride = 0;
  const Binding binding = bind(uniform);
  if (binding.call == nullptr || rounded.count == 0) return binding;
  RoundingCall call;
  call.call.reset(binding.call);
  call.operand_count = request.operand_count;
  for (std::size_t i = 0; i < rounded.count; ++i) {
    call.copies.emplace_back(rounded.operands[i], request.operands[rounded.operands[i]]);
  }
  return make_binding(std::move(call), run_rounding);
}

}  // namespace gdbench::backends::cpu
