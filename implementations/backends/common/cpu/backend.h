// The half of a backend that all CPU backends share: memory, checking of requests, binding, error texts and the
// exported entry. It is compiled into each backend's library, which adds its kernels by defining `definition`.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "implementations/backends/common/backend.h"
#include "implementations/backends/common/cpu/functions.h"
#include "implementations/backends/common/cpu/sharing.h"

namespace gdbench::backends::cpu {

// What a backend is made of.
struct Definition {
  const char* name = nullptr;
  std::uint32_t flags = 0;                        // BackendFlag
  std::uint32_t dtypes = catalogue::kAll<Dtype>;  // GDBENCH_BIT masks
  std::uint32_t optimizers = catalogue::kAll<OptimizerKind>;
  std::int32_t max_compute_threads = 1;
  std::span<const gdbench_option> options = {};
  const Sharing* sharing = nullptr;  // of its single ops among them; null: they take part in regions alone

  // Asked first, for ops that take more preparation than choosing a function: a request whose shapes are consistent,
  // whose layouts, dtype and epilogues are the backend's. An empty Binding leaves the request to
  // the functions. May throw; null where there is no such op.
  Binding (*bind)(const Request& request) = nullptr;
  Functions f32 = {};
  Functions f64 = {};
  // The same for products of bf16; null, or an empty Binding: their operands are rounded and multiplied as
  // numbers of the elements' own dtype (mixed_precision.h).
  Binding (*bind_bfloat16_product)(const Request& request) = nullptr;
  // By what it multiplies them, for the report; null where it never does.
  const char* (*bfloat16_products)() = nullptr;

  // The calls of ops that the library itself divides among threads, an empty Binding for others; kSharingOption is then
  // among the options.
  Binding (*bind_in_library)(const Request& request) = nullptr;
  // Says, before anything is bound, how many threads the library may use from now on, for the caller of prepare and
  // run. `settings` may be null. May throw.
  void (*start_library)(const gdbench_settings* settings, int threads) = nullptr;
  // Backend::runtime, of the library that was started.
  const char* (*runtime)() = nullptr;

  // RegionFunctions::bind, if any, and the options of its regions. Null with the reason in `unsupported`. May throw.
  OwnedCall* (*bind_region)(const TrainingRegion& region, int threads, std::string& unsupported) = nullptr;
  RegionFunctions regions = {};
};

// Defined by each backend.
const Definition& definition();

// Binds a request for which Definition::bind's conditions hold, for one thread. For calls that are made of others.
Binding bind_request(const Request& request);

}  // namespace gdbench::backends::cpu
