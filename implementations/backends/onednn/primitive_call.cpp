#include "implementations/backends/onednn/primitive_call.h"

#include <omp.h>

#include <cassert>

namespace gdbench::backends::onednn {
namespace {

dnnl::engine make_engine() {
  dnnl::set_verbose(0);
  dnnl_set_jit_dump(0);
  return {dnnl::engine::kind::cpu, 0};
}

}  // namespace

// oneDNN's runtime is that of the compiler, or it has no OpenMP and no threads.
void start_library(const gdbench_settings* /*settings*/, int threads) { omp_set_num_threads(threads); }

const dnnl::engine& engine() {
  static const dnnl::engine engine = make_engine();
  return engine;
}

dnnl::memory::desc matrix(std::int64_t rows, std::int64_t columns, bool transposed, std::int64_t stride,
                          dnnl::memory::data_type type) {
  if (stride == 0) stride = transposed ? rows : columns;
  const dnnl::memory::dims strides = transposed ? dnnl::memory::dims{1, stride} : dnnl::memory::dims{stride, 1};
  return {{rows, columns}, type, strides};
}

dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

PrimitiveCall::PrimitiveCall(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
                             std::initializer_list<Argument> arguments)
    : primitive_(std::move(primitive)), stream_(engine()) {
  assert(arguments.size() <= kMaximumOperands);
  std::size_t i = 0;
  for (const Argument& argument : arguments) {
    memories_[i] = dnnl::memory(argument.shape, engine(), DNNL_MEMORY_NONE);
    operands_[i] = argument.operand;
    arguments_[i] = {argument.argument, memories_[i].get()};
    ++i;
  }
  memories_[i] = dnnl::memory(scratchpad, engine());
  arguments_[i] = {DNNL_ARG_SCRATCHPAD, memories_[i].get()};
  count_ = static_cast<int>(i) + 1;
}

void PrimitiveCall::execute(const Buffer* buffers) const {
  // The C interface: the C++ one builds a map at every call. Neither function can fail with what the constructor made.
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(count_); ++i) {
    dnnl_memory_set_data_handle(arguments_[i].memory, cpu::data<void>(buffers[operands_[i]]));
  }
  dnnl_primitive_execute(primitive_.get(), stream_.get(), count_, arguments_.data());
}

std::optional<Eltwise> eltwise_of(Activation activation) {
  switch (activation) {
    case Activation::identity:
      break;
    case Activation::relu:
      return Eltwise{dnnl::algorithm::eltwise_relu};
    case Activation::tanh:
      return Eltwise{dnnl::algorithm::eltwise_tanh};
    case Activation::sigmoid:
      return Eltwise{dnnl::algorithm::eltwise_logistic};
    case Activation::leaky_relu:
      return Eltwise{dnnl::algorithm::eltwise_relu, 0.01F};
    case Activation::silu:
      return Eltwise{dnnl::algorithm::eltwise_swish, 1};
    case Activation::gelu:
      return Eltwise{dnnl::algorithm::eltwise_gelu_erf};
    case Activation::gelu_tanh:
      return Eltwise{dnnl::algorithm::eltwise_gelu_tanh};
    case Activation::softplus:
      return Eltwise{dnnl::algorithm::eltwise_soft_relu, 1};
  }
  return std::nullopt;
}

}  // namespace gdbench::backends::onednn
