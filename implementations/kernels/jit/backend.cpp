// Code that is made for a region while its model is prepared. Single ops, which the evaluation of the loss takes, are
// the plain loops of naive: no step of training runs them.
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "implementations/kernels/cpu/backend.h"
#include "implementations/kernels/cpu/elementwise_loops.h"
#include "implementations/kernels/cpu/loss_loops.h"
#include "implementations/kernels/jit/llvm/compiler.h"
#include "implementations/kernels/jit/lower/context.h"
#include "implementations/kernels/jit/lower/step.h"
#include "implementations/kernels/naive/product.h"

namespace gdbench::kernels {

namespace jit {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

Memory zeroed(std::int64_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t rounded = (static_cast<std::size_t>(bytes) / kPage + 1) * kPage;
  Memory memory(std::aligned_alloc(kPage, rounded));
  if (!memory) throw std::bad_alloc();
  std::fill_n(static_cast<char*>(memory.get()), rounded, '\0');
  return memory;
}

struct RegionRun : cpu::OwnedCall {
  std::unique_ptr<Compiled> compiled;
  Memory arena;
  std::size_t arena_argument = 0;  // behind the buffers
};

void run(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& region = *static_cast<const RegionRun*>(call);
  void* arguments[kMostArguments];
  for (std::size_t i = 0; i < region.arena_argument; ++i) arguments[i] = cpu::data<void>(buffers[i]);
  arguments[region.arena_argument] = region.arena.get();
  region.compiled->function(arguments, static_cast<std::int64_t>(region.steps));
}

cpu::OwnedCall* bind_region(const TrainingRegion& training, std::string& unsupported) {
  const Target* target = this_machine(0);
  if (target == nullptr) unsupported = "code for a processor without AVX2 and FMA";
  if (unsupported.empty()) unsupported = unsupported_reason(training);
  if (!unsupported.empty()) return nullptr;
  const Lowered lowered = lower(region_of(training), *target);
  std::string error;
  RegionRun region;
  region.compiled = compile(lowered.program, target->vector_bits, nullptr, error);
  if (region.compiled == nullptr) throw std::runtime_error(error);
  region.arena = zeroed(lowered.arena_bytes);
  region.arena_argument = lowered.arena_argument;
  return cpu::make_binding(std::move(region), run).call;
}

}  // namespace
}  // namespace jit

const cpu::Definition& cpu::definition() {
  static const Definition definition = {
      .name = "jit",
      .build = GDBENCH_KERNEL_BUILD,
      .flags = 0,
      .dtypes = GDBENCH_BIT(GDBENCH_F32) | GDBENCH_BIT(GDBENCH_F64),
      .optimizers = kAllOptimizers,
      .bind =
          [](const Request& request) { return request.op == Op::product ? naive::bind_product(request) : Binding(); },
      .f32 = {elementwise_loops<float>(), loss_loops<float>()},
      .f64 = {elementwise_loops<double>(), loss_loops<double>()},
      .bind_region = jit::bind_region,
  };
  return definition;
}

}  // namespace gdbench::kernels
