#include <dnnl.hpp>
#include <vector>

#include "implementations/backends/onednn/description.h"
#include "implementations/backends/onednn/kernels.h"
#include "implementations/backends/onednn/primitive_call.h"

namespace gdbench::backends::onednn {
namespace {

// Softmax by the primitive, then what makes it the gradient of the loss.
struct CrossEntropyGradientCall : PrimitiveCall {
  CrossEntropyGradientCall(PrimitiveCall softmax, const Request& request)
      : PrimitiveCall(std::move(softmax)), loss(request) {}
  cpu::LossCall loss;
};

// (softmax(P) - one_hot(label)) / m. G may be P's buffer.
void run_cross_entropy_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const CrossEntropyGradientCall&>(*call);
  self.execute(buffers);
  const auto* labels = cpu::data<const std::int32_t>(buffers[1]);
  float* g = cpu::data<float>(buffers[2]);
  const auto scale = static_cast<float>(self.loss.scale);
  for (std::int64_t i = 0; i < self.loss.size(); ++i) g[i] *= scale;
  for (std::int64_t i = 0; i < self.loss.rows; ++i) g[i * self.loss.columns + labels[i]] -= scale;
}

// Column sums are a product with a row of ones.
struct ColumnSumCall : cpu::ShapedCall {
  explicit ColumnSumCall(const Operand& operand) : ShapedCall(operand), ones(static_cast<std::size_t>(rows), 1.0F) {}
  std::vector<float> ones;
};

void run_column_sum(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ColumnSumCall&>(*call);
  dnnl_sgemm('N', 'N', 1, self.columns, self.rows, 1, self.ones.data(), self.rows, cpu::data<const float>(buffers[0]),
             self.columns, 0, cpu::data<float>(buffers[1]), self.columns);
}

// Below, the loop is as fast.
constexpr std::int64_t kLargeColumnSum = 8192;

}  // namespace

cpu::Binding bind_activation(const Request& request) {
  const std::optional<Eltwise> eltwise = eltwise_of(request.activation);
  // The loop is as fast as a selection.
  if (!eltwise || eltwise->algorithm == dnnl::algorithm::eltwise_relu) return {};
  const dnnl::memory::desc shape = matrix(request.operands[0].rows, request.operands[0].columns);
  const dnnl::eltwise_forward::primitive_desc description = describe_eltwise(*eltwise, shape);
  return bind_primitive(description, dnnl::eltwise_forward(description),
                        {{DNNL_ARG_SRC, 0, shape}, {DNNL_ARG_DST, 1, shape}});
}

cpu::Binding bind_loss_gradient(const Request& request) {
  if (request.loss.kind != Loss::softmax_cross_entropy) return {};
  const dnnl::memory::desc shape = matrix(request.operands[0].rows, request.operands[0].columns);
  const dnnl::softmax_forward::primitive_desc description = describe_softmax(shape);
  PrimitiveCall softmax(dnnl::softmax_forward(description), description.scratchpad_desc(),
                        {{DNNL_ARG_SRC, 0, shape}, {DNNL_ARG_DST, 2, shape}});
  return cpu::make_binding(CrossEntropyGradientCall(std::move(softmax), request), run_cross_entropy_gradient);
}

cpu::Binding bind_column_sum(const Request& request) {
  const cpu::ShapedCall shape(request.operands[0]);
  if (shape.columns == 1 || shape.size() < kLargeColumnSum) return {};
  return cpu::make_binding(ColumnSumCall(request.operands[0]), run_column_sum);
}

void run_add_scalar_bias(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const cpu::ShapedCall&>(*call);
  const float bias = *cpu::data<const float>(buffers[0]);
  float* __restrict z = cpu::data<float>(buffers[1]);
  for (std::int64_t i = 0; i < shape.rows; ++i) z[i] += bias;
}

void run_scalar_column_sum(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const cpu::ShapedCall&>(*call);
  const float* d = cpu::data<const float>(buffers[0]);
  // As many sums as two of the widest vectors hold; one would be a chain of additions.
  constexpr std::int64_t kSums = 32;
  float sums[kSums] = {};
  std::int64_t i = 0;
  for (; i + kSums <= shape.rows; i += kSums) {
    for (std::int64_t s = 0; s < kSums; ++s) sums[s] += d[i + s];
  }
  for (std::int64_t s = 0; i < shape.rows; ++i, ++s) sums[s] += d[i];
  float total = 0;
  for (const float sum : sums) total += sum;
  *cpu::data<float>(buffers[1]) = total;
}

}  // namespace gdbench::backends::onednn
