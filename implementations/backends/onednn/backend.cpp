// oneDNN: products, tanh, sigmoid, softmax and sums of columns are the library's. The rest is plain loops: oneDNN has
// no primitive for them, or one whose call alone (0.2 to 0.3 us) exceeds the loop up to sizes at which both are bound
// by memory (its broadcasting addition, relu and the activations' gradients), or only a reference version (reductions).
#include "implementations/backends/common/cpu/backend.h"

#include "implementations/backends/common/cpu/elementwise_loops.h"
#include "implementations/backends/common/cpu/loss_loops.h"
#include "implementations/backends/onednn/kernels.h"
#include "implementations/backends/onednn/primitive_call.h"
#include "implementations/common/compute_threads.h"

namespace gdbench::backends {
namespace {

cpu::Binding bind(const Request& request) {
  switch (request.op) {
    case Op::product:
      return onednn::bind_product(request);
    case Op::activation:
      return onednn::bind_activation(request);
    case Op::loss_gradient:
      return onednn::bind_loss_gradient(request);
    case Op::column_sum:
      return onednn::bind_column_sum(request);
    default:
      return {};
  }
}

cpu::Functions loops() {
  cpu::Functions functions = {cpu::elementwise_loops<float>(), cpu::loss_loops<float>()};
  functions.elementwise.add_scalar_bias = onednn::run_add_scalar_bias;
  functions.elementwise.scalar_column_sum = onednn::run_scalar_column_sum;
  return functions;
}

}  // namespace

const cpu::Definition& cpu::definition() {
  static const Definition definition = {
      .name = "onednn",
      .flags = kEpilogueBias | kEpilogueActivation | kEpilogueUpdate,
      .dtypes = catalogue::kAll<Dtype> & ~catalogue::bit_of(Dtype::f64),
      .max_compute_threads = implementations::kMaxComputeThreads,
      .options = std::span(&kSharingOption, 1),
      .sharing = &kSharing,
      .bind = bind,
      .f32 = loops(),
      .bind_bfloat16_product = onednn::bind_bfloat16_product,
      .bfloat16_products = onednn::bfloat16_products,
      .bind_in_library = bind,
      .start_library = onednn::start_library,
  };
  return definition;
}

}  // namespace gdbench::backends
