// backend.h: the interface between a strategy (how a step is executed) and a backend (who does the arithmetic).
//
// Two phases. bind() gets an op with shapes, dtype and attributes and prepares all that can be prepared (primitives,
// packing, tile sizes); the Call it returns is run any number of times with buffers. A backend's kernels live in a
// shared object of their own, built for this machine's processor and opened after the processor was checked
// (kernel_library.h); this header, with ops.h and region.h, is all that both sides share.
//
// Buffers are opaque: they may live on a device or be padded. On a CPU backend a Buffer is the data's own address, so
// that a strategy pays no indirection. Scalars that vary from step to step (learning rate, step number) live in buffers
// too; a schedule never rebinds.
//
// Errors: functions that can fail return a gdbench_status after writing one line through Context's `error` callback.
// run never fails on a CPU; a device's failure shows in synchronise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gdbench/plugin.h"
#include "implementations/backends/common/ops.h"
#include "implementations/backends/common/region.h"

namespace gdbench::backends {

// Grows with every incompatible change; both sides are built together, a mismatch means a mixed installation.
constexpr std::uint32_t kInterfaceVersion = 12;

struct Recording;  // a backend's own: calls that are done as one

enum BackendFlag : std::uint32_t {
  kNoArithmetic = 1u << 0,  // the null backend
  kDevice = 1u << 1,        // buffers are not host addresses
  // Epilogues that product takes; all activations, if any. Without the flag bind answers GDBENCH_UNSUPPORTED.
  kEpilogueBias = 1u << 2,
  kEpilogueActivation = 1u << 3,
  kEpilogueUpdate = 1u << 4,  // sgd's, of weights alone
  // product takes a left operand A of the layout sparse_csr, transposed or not; B and C are row-major.
  kSparse = 1u << 5,
  kTf32 = 1u << 6,  // products of floats can round their operands to TF32 (10 bits after the point), if asked to
  kEpilogueLayerUpdate = 1u << 7,  // beyond kEpilogueUpdate: any optimizer's, and the bias's with the weights'
  kEpilogueGradients = 1u << 8,    // of an activation and of a loss
};

struct ContextSettings {
  std::int32_t compute_threads = 1;
  bool tf32 = false;  // only where the backend has kTf32
  void* error_context = nullptr;
  void (*error)(void* error_context, const char* message) = nullptr;
  const gdbench_settings* settings = nullptr;  // the instance's, read during create; null: all as by default
};

// What devices may have in addition to the functions of every backend.
struct DeviceFunctions {
  // Zero-filled host memory whose pages are locked (pinned), so that the device reads them by itself, aligned to
  // GDBENCH_ALIGNMENT: upload from it may still be reading after it returns, until synchronise.
  gdbench_status (*allocate_pinned)(Context* context, std::size_t bytes, void** memory) = nullptr;
  void (*release_pinned)(Context* context, void* memory) = nullptr;

  // The device's own clock; a device has all of these functions or none. Of what is called between the first two, from
  // before the first launch to the end of the last, span_ns tells the nanoseconds, once synchronise has returned.
  gdbench_status (*begin_span)(Context* context) = nullptr;
  gdbench_status (*end_span)(Context* context) = nullptr;
  gdbench_status (*span_ns)(Context* context, double* nanoseconds) = nullptr;

  // The same for calls one by one, each followed by a mark: what the device needs for a call is separated from what the
  // host needs to launch it. begin_marks holds the device back, so that all launches are queued before the first
  // begins. end_marks waits for the last mark, and gives the nanoseconds before each of the `count` marks since
  // begin_marks, without what a mark itself takes. `held` is false where the device was let go before the last mark was
  // there: times then contain launches. It is held back for longer the next time, up to a limit.
  gdbench_status (*begin_marks)(Context* context) = nullptr;
  gdbench_status (*mark)(Context* context) = nullptr;
  gdbench_status (*end_marks)(Context* context, double* nanoseconds, std::size_t count, bool* held) = nullptr;

  // Calls between the two are not done but recorded, and done in their order, with the buffers
  // they were given, by every replay.
  gdbench_status (*begin_recording)(Context* context) = nullptr;
  gdbench_status (*end_recording)(Context* context, Recording** recording) = nullptr;
  void (*replay)(Context* context, const Recording* recording) = nullptr;
  void (*discard)(Context* context, Recording* recording) = nullptr;
};

// Of backends that offer dtypes which scale the loss.
struct LossScalingFunctions {
  // What loss_gradient multiplies by from now on; a power of two, 1 before.
  void (*set)(Context* context, float scale) = nullptr;
  // Divides `count` floats by it; returns whether all are finite.
  bool (*unscale)(Context* context, Buffer values, std::int64_t count) = nullptr;
};

// A backend. Optional entries may be null.
struct Backend {
  std::uint32_t interface_version = kInterfaceVersion;
  const char* name = nullptr;   // "eigen"
  const char* build = nullptr;  // compiler, flags and library versions, for the report
  std::uint32_t flags = 0;
  std::uint32_t dtypes = 0;  // GDBENCH_BIT masks
  std::uint32_t optimizers = 0;
  std::int32_t max_compute_threads = 1;
  std::int32_t helper_threads = 0;          // the most that the backend's own runtime starts in addition to them
  const gdbench_option* options = nullptr;  // its own, in addition to those of the strategy
  std::size_t option_count = 0;
  // Of a plugin's own copy: what its contexts, and its updates, are asked for.
  bool tf32 = false;
  catalogue::ParameterRounding parameter_rounding = catalogue::ParameterRounding::none;

  gdbench_status (*create)(const ContextSettings& settings, Context** context) = nullptr;
  void (*destroy)(Context* context) = nullptr;

  // Zero-filled, aligned to GDBENCH_ALIGNMENT.
  gdbench_status (*allocate)(Context* context, std::size_t bytes, Buffer* buffer) = nullptr;
  void (*release)(Context* context, Buffer buffer) = nullptr;
  // A buffer that shows host memory: on CPU backends the same memory, on a device a copy made now. Released as others.
  gdbench_status (*import_host)(Context* context, const void* data, std::size_t bytes, Buffer* buffer) = nullptr;
  // The part of a buffer that starts at a byte offset; not released.
  Buffer (*slice)(Buffer buffer, std::size_t offset) = nullptr;
  // Ordered on the stream; the memory that upload reads may be changed once it returns, what download writes is there
  // after synchronise.
  void (*upload)(Context* context, Buffer buffer, const void* data, std::size_t bytes, Stream* stream) = nullptr;
  void (*download)(Context* context, Buffer buffer, void* data, std::size_t bytes, Stream* stream) = nullptr;
  gdbench_status (*synchronise)(Context* context, Stream* stream) = nullptr;

  // GDBENCH_UNSUPPORTED (with a reason) for what the backend does not have. The call lives until unbind.
  gdbench_status (*bind)(Context* context, const Request& request, Call** call) = nullptr;
  void (*unbind)(Context* context, Call* call) = nullptr;
  // Optional: whether so many compute threads share a call of this op, or one of them does it alone; null: they take
  // part in regions alone.
  bool (*shares)(const Request& request, int compute_threads) = nullptr;

  // Optional: what the library that this context uses says of itself, a line for the report; null for nothing.
  const char* (*runtime)(Context* context) = nullptr;

  LossScalingFunctions loss_scaling;  // optional
  DeviceFunctions device;             // optional
  RegionFunctions regions;            // optional

  // Optional: why nothing of it can run on this machine, for as long as the process lives; null where it can.
  const char* unavailable = nullptr;
};

// The one symbol that a kernel library exports.
#define GDBENCH_KERNELS_ENTRY_NAME "gdbench_kernels"
using KernelsEntry = const Backend* (*)();

}  // namespace gdbench::backends
