// The half of a backend that all CPU backends share: memory, checking of requests, binding and its error text. A
// backend adds its name and one binder per op.
#pragma once

#include <array>
#include <cstdint>

#include "implementations/kernels/cpu/call.h"
#include "implementations/kernels/kernels.h"

namespace gdbench::kernels::cpu {

// Chooses the function for a request whose shapes are consistent. May throw std::bad_alloc.
using Binder = Binding (*)(const Request& request);

constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::gather) + 1;

struct Kernels {
  const char* name = nullptr;
  std::array<Binder, kOpCount> binders{};  // by Op; null: not offered

  // `binder` for `op`; for writing tables that do not depend on the order of the enumerators.
  constexpr Kernels& with(Op op, Binder binder) {
    binders[static_cast<std::size_t>(op)] = binder;
    return *this;
  }
};

// A Backend without its `create`, which each backend writes as a call of create_context with its own kernels.
Backend make_backend(const Kernels& kernels, const char* build, std::uint32_t optimizers);

// `kernels` must outlive the context.
gdbench_status create_context(const ContextSettings& settings, const Kernels& kernels, Context** context);

}  // namespace gdbench::kernels::cpu
