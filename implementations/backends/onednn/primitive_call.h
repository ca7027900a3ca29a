// A oneDNN primitive as a call: created once at bind, with its memory descriptors; running it sets addresses.
#pragma once

#include <array>
#include <cstddef>
#include <dnnl.hpp>
#include <initializer_list>
#include <optional>

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::onednn {

// How many threads oneDNN may use for the calling thread from now on: primitives are made for as many, and must not run
// with others. With one of them it starts none and nothing spins. To be called before anything else of the library.
void start_library(const gdbench_settings* settings, int threads);

// The process's CPU engine.
const dnnl::engine& engine();

// A row-major matrix; `transposed`: the transpose of one that lies as [columns, rows]. `stride`: of what lies, from a
// row to the next; 0: dense.
dnnl::memory::desc matrix(std::int64_t rows, std::int64_t columns, bool transposed = false, std::int64_t stride = 0,
                          dnnl::memory::data_type type = dnnl::memory::data_type::f32);

// Up to this many multiplications a primitive takes longer to call than to run.
inline constexpr std::int64_t kSmallProduct = 8192;

// Attributes that let a call own the primitive's scratch space, so that a run does not allocate it.
dnnl::primitive_attr own_scratchpad();

// What the primitive calls `argument` (DNNL_ARG_SRC ...) is the call's operand number `operand`.
struct Argument {
  int argument;
  std::size_t operand;
  dnnl::memory::desc shape;
};

class PrimitiveCall : public cpu::OwnedCall {
 public:
  // `scratchpad` is the primitive's scratchpad_desc().
  PrimitiveCall(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
                std::initializer_list<Argument> arguments);

  // For classes that add loops of their own to the primitive.
  void execute(const Buffer* buffers) const;

 private:
  dnnl::primitive primitive_;
  dnnl::stream stream_;  // not the process's: parts of an op run at the same time
  int count_ = 0;
  std::array<std::size_t, kMaximumOperands> operands_{};  // by argument
  std::array<dnnl_exec_arg_t, kMaximumOperands + 1> arguments_{};
  std::array<dnnl::memory, kMaximumOperands + 1> memories_;  // what arguments_ points to; the last is scratch space
};

// A call that runs the primitive and nothing else.
template <class Description>
cpu::Binding bind_primitive(const Description& description, dnnl::primitive primitive,
                            std::initializer_list<Argument> arguments) {
  return cpu::make_binding(PrimitiveCall(std::move(primitive), description.scratchpad_desc(), arguments),
                           [](const Call* call, const Buffer* buffers, Stream* /*stream*/) {
                             static_cast<const PrimitiveCall*>(call)->execute(buffers);
                           });
}

// A product with its epilogues but that of the update, by the matmul primitive; A and B are of the type, and copies
// without gaps where that is not f32.
cpu::Binding bind_matmul(const Request& request, dnnl::memory::data_type type);

// An activation as oneDNN names it; none for the identity.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
};
std::optional<Eltwise> eltwise_of(Activation activation);

}  // namespace gdbench::backends::onednn
