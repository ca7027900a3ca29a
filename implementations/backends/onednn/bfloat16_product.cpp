// C = f(alpha op(A) op(B) + beta C + b) by matmul on copies of A and B that are rounded to bfloat16; sums are floats.
#include <dnnl.hpp>
#include <vector>

#include "implementations/backends/common/cpu/mixed_precision.h"
#include "implementations/backends/common/operands.h"
#include "implementations/backends/onednn/kernels.h"
#include "implementations/backends/onednn/primitive_call.h"

namespace gdbench::backends::onednn {
namespace {

using cpu::Bfloat16;

// A copy of an operand as it lies, without gaps.
struct Copy {
  explicit Copy(const Operand& operand)
      : rows(operand.rows),
        columns(operand.columns),
        stride(stride_of(operand)),
        values(static_cast<std::size_t>(rows * columns)) {}

  Buffer fill(Buffer from) {
    cpu::round_to_bfloat16(cpu::data<const float>(from), stride, rows, columns, values.data());
    return reinterpret_cast<Buffer>(values.data());
  }

  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  std::vector<Bfloat16> values;
};

struct MixedCall : cpu::OwnedCall {
  explicit MixedCall(const Request& request)
      : biased(request.epilogue_bias), a(request.operands[0]), b(request.operands[1]) {}

  bool biased;
  mutable Copy a;  // scratch space of the run
  mutable Copy b;
  cpu::CallPointer product;
};

void run(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const MixedCall&>(*call);
  const Buffer operands[] = {self.a.fill(buffers[0]), self.b.fill(buffers[1]), buffers[2],
                             self.biased ? buffers[3] : nullptr};
  self.product->run(self.product.get(), operands, stream);
}

}  // namespace

const char* bfloat16_products() {
  static const bool native = dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core_bf16;
  return native ? "products of bfloat16 by the processor's instructions for them, except small ones" : nullptr;
}

cpu::Binding bind_bfloat16_product(const Request& request) {
  const ProductShape shape = product_shape(request);
  const bool small = shape.m == 1 || shape.n == 1 || shape.m * shape.n * shape.k <= kSmallProduct;
  const bool scaled_bias = request.epilogue_bias && request.alpha != 1;
  if (bfloat16_products() == nullptr || small || scaled_bias || request.epilogue_update) return {};
  MixedCall call(request);
  call.product.reset(bind_matmul(request, dnnl::memory::data_type::bf16).call);
  return cpu::make_binding(std::move(call), run);
}

}  // namespace gdbench::backends::onednn
