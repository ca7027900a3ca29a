#include "implementations/backends/common/cpu/mixed_precision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "implementations/backends/common/operands.h"
#include "implementations/common/mixed_precision/narrow_formats.h"
#include "implementations/common/mixed_precision/stochastic_rounding.h"

namespace gdbench::backends::cpu {
namespace {

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

// From floats to floats, as round_to_bfloat16 has them.
using RoundRows = void (*)(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* to);
template <Dtype dtype>
void round_to_operands(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* to) {
  round_rows(from, stride, rows, columns, to, [](float value) { return implementations::operand_of<dtype>(value); });
}
RoundRows rounding_of(Dtype dtype) {
  return dtype == Dtype::f16 ? round_to_operands<Dtype::f16> : round_to_operands<Dtype::bf16>;
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
  RoundRows round = nullptr;
  std::size_t operand_count = 0;
  mutable std::vector<Copy> copies;  // scratch space of the run
};

// The stored entries alone; rows and columns are those of the original.
Buffer round_sparse(RoundRows round, const CsrMatrix& matrix, Copy& copy) {
  const std::int32_t first = matrix.row_offsets[0];
  const std::int32_t end = matrix.row_offsets[copy.rows];
  if (copy.sparse_values.size() < static_cast<std::size_t>(end))
    copy.sparse_values.resize(static_cast<std::size_t>(end));
  round(static_cast<const float*>(matrix.values) + first, end - first, 1, end - first,
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
      operands[copy.number] = round_sparse(self.round, *data<const CsrMatrix>(buffers[copy.number]), copy);
      continue;
    }
    auto* const values = reinterpret_cast<float*>(copy.values.data());
    self.round(data<const float>(buffers[copy.number]), copy.stride, copy.rows, copy.columns, values);
    operands[copy.number] = reinterpret_cast<Buffer>(values);
  }
  self.call->run(self.call.get(), operands, stream);
}

struct ScalingCall : OwnedCall {
  CallPointer call;
  const float* scale = nullptr;
  std::int64_t count = 0;
};

void run_scaling(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const ScalingCall&>(*call);
  self.call->run(self.call.get(), buffers, stream);
  float* __restrict gradient = data<float>(buffers[2]);
  const float scale = *self.scale;
  for (std::int64_t i = 0; i < self.count; ++i) gradient[i] *= scale;
}

Binding scaled(const Request& request, CallPointer gradient) {
  ScalingCall call;
  call.call = std::move(gradient);
  call.scale = request.loss_scale;
  call.count = request.operands[2].rows * request.operands[2].columns;
  return make_binding(std::move(call), run_scaling);
}

struct RoundingUpdate : OwnedCall {
  CallPointer update;
  std::int64_t size = 0;
  const std::uint64_t* seed = nullptr;
  std::vector<NumberedEntries> numbered;  // of its own entries
};

void run_update_to_nearest(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const RoundingUpdate&>(*call);
  self.update->run(self.update.get(), buffers, stream);
  float* __restrict parameter = data<float>(buffers[2]);
  for (std::int64_t i = 0; i < self.size; ++i) parameter[i] = implementations::rounded_to_bfloat16(parameter[i]);
}

void run_stochastic_update(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const RoundingUpdate&>(*call);
  self.update->run(self.update.get(), buffers, stream);
  const std::uint64_t seed = *self.seed;
  for (const NumberedEntries& entries : self.numbered) {
    float* __restrict parameter = data<float>(buffers[2]) + entries.first;
    for (std::int64_t i = 0; i < entries.count; ++i) {
      const auto number = static_cast<std::uint64_t>(entries.number + i);
      parameter[i] = implementations::rounded_stochastically(parameter[i], implementations::split_mix_64(seed, number));
    }
  }
}

Binding rounding_update(const Request& request, CallPointer update) {
  RoundingUpdate call;
  call.update = std::move(update);
  call.size = request.operands[2].rows * request.operands[2].columns;
  if (request.parameter_rounding == catalogue::ParameterRounding::nearest) {
    return make_binding(std::move(call), run_update_to_nearest);
  }
  call.seed = request.rounding_seed;
  for (const NumberedEntries& all : request.numbered) {
    const std::int64_t first = std::max(all.first - request.first_entry, std::int64_t{0});
    const std::int64_t end = std::min(all.first + all.count - request.first_entry, call.size);
    if (first < end)
      call.numbered.push_back({first, end - first, all.number + first + request.first_entry - all.first});
  }
  return make_binding(std::move(call), run_stochastic_update);
}

}  // namespace

void round_to_bfloat16(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, Bfloat16* to) {
  round_rows(from, stride, rows, columns, to, [](float value) {
    return static_cast<Bfloat16>(std::bit_cast<std::uint32_t>(implementations::rounded_to_bfloat16(value)) >> 16);
  });
}

bool unscale(float* values, std::int64_t count, float scale) {
  const float factor = 1 / scale;
  // An int: bools have no vectors.
  int finite = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] *= factor;
    finite &= std::abs(values[i]) <= std::numeric_limits<float>::max() ? 1 : 0;
  }
  return finite != 0;
}

Binding bind_rounding(const Request& request, Binding (*bind)(const Request& request)) {
  const std::vector<OperandRow> operands = operands_of(request);
  Request uniform = request;
  uniform.dtype = catalogue::storage_of(request.dtype);
  RoundingCall call;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].rounded) continue;
    uniform.operands[i].stride = 0;
    call.copies.emplace_back(i, request.operands[i]);
  }
  const Binding binding = bind(uniform);
  if (binding.call == nullptr) return binding;
  if (request.op == Op::loss_gradient && catalogue::scales_loss(request.dtype)) {
    return scaled(request, CallPointer(binding.call));
  }
  if (request.op == Op::update && request.parameter_rounding != catalogue::ParameterRounding::none) {
    return rounding_update(request, CallPointer(binding.call));
  }
  if (call.copies.empty()) return binding;
  call.round = rounding_of(request.dtype);
  call.call.reset(binding.call);
  call.operand_count = request.operand_count;
  return make_binding(std::move(call), run_rounding);
}

}  // namespace gdbench::backends::cpu
