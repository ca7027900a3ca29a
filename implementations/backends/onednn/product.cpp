// C = f(alpha op(A) op(B) + beta C + b). Two ways into oneDNN: the matmul primitive, whose post-ops do the epilogues,
// and its sgemm, which handles vectors well and costs less to call.
#include <dnnl.hpp>
#include <vector>

#include "implementations/backends/common/cpu/backend.h"
#include "implementations/backends/common/operands.h"
#include "implementations/backends/onednn/description.h"
#include "implementations/backends/onednn/kernels.h"
#include "implementations/backends/onednn/primitive_call.h"

namespace gdbench::backends::onednn {
namespace {

// sgemm (or a loop over a vector), and its epilogues as calls that follow.
struct GemmCall : cpu::OwnedCall {
  explicit GemmCall(const Request& request)
      : shape(product_shape(request)),
        transpose_a(request.transpose_a ? 'T' : 'N'),
        transpose_b(request.transpose_b ? 'T' : 'N'),
        a_stride(stride_of(request.operands[0])),
        b_stride(request.operands[1].columns),
        factors(request) {
    if (shape.n != 1) return;
    // A single column lies like its transpose, which sgemm is up to ten times faster with.
    transpose_b = 'T';
    b_stride = shape.k;
  }

  ProductShape shape;
  char transpose_a;
  char transpose_b;
  std::int64_t a_stride;
  std::int64_t b_stride;
  cpu::ProductFactors<float> factors;
  cpu::Run product = nullptr;
  cpu::CallPointer add_bias;
  cpu::CallPointer activation;
};

void run_gemm(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const GemmCall&>(*call);
  dnnl_sgemm(self.transpose_a, self.transpose_b, self.shape.m, self.shape.n, self.shape.k, self.factors.alpha(buffers),
             cpu::data<const float>(buffers[0]), self.a_stride, cpu::data<const float>(buffers[1]), self.b_stride,
             self.factors.beta, cpu::data<float>(buffers[2]), self.shape.n);
}

// k = 1, and one more dimension is: a vector times a number, for which oneDNN has nothing suitable.
template <std::size_t number>
void run_scaled_vector(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const GemmCall&>(*call);
  const float factor = self.factors.alpha(buffers) * *cpu::data<const float>(buffers[number]);
  const float beta = self.factors.beta;
  const std::int64_t size = self.shape.m * self.shape.n;
  const float* __restrict values = cpu::data<const float>(buffers[1 - number]);
  float* __restrict c = cpu::data<float>(buffers[2]);
  if (beta == 0) {
    for (std::int64_t i = 0; i < size; ++i) c[i] = factor * values[i];
  } else {
    for (std::int64_t i = 0; i < size; ++i) c[i] = factor * values[i] + beta * c[i];
  }
}

cpu::Run choose_product(const ProductShape& shape) {
  if (shape.k == 1 && shape.n == 1) return run_scaled_vector<1>;
  if (shape.k == 1 && shape.m == 1) return run_scaled_vector<0>;
  return run_gemm;
}

void run_gemm_and_epilogues(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const GemmCall&>(*call);
  self.product(call, buffers, stream);
  if (self.add_bias) {
    const Buffer operands[] = {buffers[3], buffers[2]};
    self.add_bias->run(self.add_bias.get(), operands, stream);
  }
  if (self.activation) {
    const Buffer operands[] = {buffers[2], buffers[2]};
    self.activation->run(self.activation.get(), operands, stream);
  }
}

cpu::CallPointer following(Op op, Activation activation, std::initializer_list<Operand> operands) {
  Request request;
  request.op = op;
  request.activation = activation;
  for (const Operand& operand : operands) request.operands[request.operand_count++] = operand;
  return cpu::CallPointer(cpu::bind_request(request).call);
}

// sgemm generates its code when it is first called with such operands, which takes tens of milliseconds: here, not in
// the first step. Small operands are enough.
void generate_code(const GemmCall& call) {
  constexpr std::int64_t kSize = 48;
  static const std::vector<float> zeros(kSize * kSize);
  std::vector<float> c(kSize * kSize);
  const float alpha = 1;
  dnnl_sgemm(call.transpose_a, call.transpose_b, kSize, call.shape.n == 1 ? 1 : kSize, kSize, alpha, zeros.data(),
             kSize, zeros.data(), kSize, call.factors.beta, c.data(), kSize);
}

cpu::Binding bind_gemm(const Request& request) {
  GemmCall call(request);
  const Operand& c = request.operands[2];
  if (request.epilogue_bias) call.add_bias = following(Op::add_bias, Activation::identity, {request.operands[3], c});
  if (request.epilogue_activation != Activation::identity) {
    call.activation = following(Op::activation, request.epilogue_activation, {c, c});
  }
  call.product = choose_product(call.shape);
  if (call.product == run_gemm) generate_code(call);
  const cpu::Run run = call.add_bias || call.activation ? run_gemm_and_epilogues : call.product;
  return cpu::make_binding(std::move(call), run);
}

}  // namespace

cpu::Binding bind_matmul(const Request& request, dnnl::memory::data_type type) {
  const auto [m, n, k] = product_shape(request);
  const dnnl::memory::desc a =
      matrix(m, k, request.transpose_a, type == dnnl::memory::data_type::f32 ? request.operands[0].stride : 0, type);
  const dnnl::memory::desc b = matrix(k, n, request.transpose_b, 0, type);
  const dnnl::memory::desc c = matrix(m, n);
  const dnnl::memory::desc bias = matrix(1, n);
  dnnl::primitive_attr attributes = own_scratchpad();
  dnnl::post_ops operations;
  if (request.alpha != 1) append_factor(attributes, operations, static_cast<float>(request.alpha));
  if (request.beta != 0) operations.append_sum(static_cast<float>(request.beta));
  if (const std::optional<Eltwise> eltwise = eltwise_of(request.epilogue_activation)) {
    append_eltwise(operations, *eltwise);
  }
  attributes.set_post_ops(operations);
  const dnnl::matmul::primitive_desc description =
      describe_matmul(a, b, request.epilogue_bias ? &bias : nullptr, c, attributes);
  if (!request.epilogue_bias) {
    return bind_primitive(description, dnnl::matmul(description),
                          {{DNNL_ARG_SRC, 0, a}, {DNNL_ARG_WEIGHTS, 1, b}, {DNNL_ARG_DST, 2, c}});
  }
  return bind_primitive(
      description, dnnl::matmul(description),
      {{DNNL_ARG_SRC, 0, a}, {DNNL_ARG_WEIGHTS, 1, b}, {DNNL_ARG_DST, 2, c}, {DNNL_ARG_BIAS, 3, bias}});
}

cpu::Binding bind_product(const Request& request) {
  const auto [m, n, k] = product_shape(request);
  // matmul is many times slower than sgemm on vectors, and somewhat slower on a transposed A. Its output scale
  // multiplies the bias too, and is fixed when the primitive is made, so that a learning rate would keep it from its
  // fastest implementation.
  const bool scaled_bias = request.epilogue_bias && request.alpha != 1;
  const bool plain = !request.epilogue_bias && request.epilogue_activation == Activation::identity;
  const bool gemm = m == 1 || n == 1 || m * n * k <= kSmallProduct || (request.transpose_a && plain) || scaled_bias ||
                    request.epilogue_update;
  return gemm ? bind_gemm(request) : bind_matmul(request, dnnl::memory::data_type::f32);
}

}  // namespace gdbench::backends::onednn
