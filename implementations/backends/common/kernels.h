// kernels.h: the interface between a strategy (how a step is executed) and a backend (who does the arithmetic).
//
// Two phases. bind() gets an op with shapes, dtype and attributes and prepares all that can be prepared (primitives,
// packing, tile sizes); the Call it returns is run any number of times with buffers. A backend's kernels live in a
// shared object of their own, built for this machine's processor and opened after the processor was checked
// (kernel_library.h); this header is all that both sides share.
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
#include "harness/abi/catalogue.h"

namespace gdbench::backends {

using catalogue::Activation;
using catalogue::Dtype;
using catalogue::Loss;
using catalogue::OptimizerKind;

// Grows with every incompatible change; both sides are built together, a mismatch means a mixed installation.
constexpr std::uint32_t kInterfaceVersion = 5;

// Operands are listed as inputs, then outputs; shapes are [rows, columns], row-major.
enum class Op : std::uint32_t {
  // C[m,n] = alpha op(A) op(B) + beta C. Operands A, B, C; transpose_a/b say whether op transposes. With epilogues,
  // which are optional (BackendFlag): C = f(alpha op(A) op(B) + beta C + b) for a fourth operand b[1,n]
  // (epilogue_bias) and f = epilogue_activation; or C -= learning rate times op(A) op(B), with alpha 1 and beta 0, for
  // a fourth operand `scalars` (epilogue_update: sgd's update of weights C).
  product,
  // Z[m,n] += b[1,n] for every row. Operands b, Z.
  add_bias,
  // A[m,n] = f(Z[m,n]). Operands Z, A (may be the same buffer).
  activation,
  // D[m,n] *= f'(z), with f' from f's result A, or from Z where catalogue::reads_input says so. Operands A or Z, D.
  activation_gradient,
  // loss[1] = alpha times the loss of outputs P[m,n] against targets Y[m,n], or labels [m,1] (int32) for cross-entropy.
  // Operands P, Y, loss; the loss is a double whatever the dtype.
  loss,
  // G[m,n] = alpha d loss / d P. Operands P, Y (or labels), G. G may be P's buffer.
  loss_gradient,
  // s[1,n] = sum over rows of D[m,n]. Operands D, s.
  column_sum,
  // One optimizer update of W[m,n] by its gradient. Operands G, scalars, W, slots in the ABI's order.
  // `scalars` [1,1] is UpdateScalars in the backend's memory.
  update,
  // C[m,n] = alpha A[m,n] + beta B[m,n]. Operands A, B, C; C may be A's or B's buffer. With beta 0, B is never read
  // (any buffer of that shape will do), so that it also copies and scales.
  combine,
  // C[m,n] = A[m,n] .* B[m,n], entry by entry. Operands A, B, C; C may be A's or B's buffer.
  multiply,
  // B[k,n] = A[index[k,1], n]. Operands A, index (uint32), B. Optional.
  gather,
};
using catalogue::name_of;
inline constexpr catalogue::Named<Op> kOps[] = {{Op::product, "product"},
                                                {Op::add_bias, "add_bias"},
                                                {Op::activation, "activation"},
                                                {Op::activation_gradient, "activation_gradient"},
                                                {Op::loss, "loss"},
                                                {Op::loss_gradient, "loss_gradient"},
                                                {Op::column_sum, "column_sum"},
                                                {Op::update, "update"},
                                                {Op::combine, "combine"},
                                                {Op::multiply, "multiply"},
                                                {Op::gather, "gather"}};
constexpr const auto& rows_of(Op /*any*/) { return kOps; }

// What an update takes that varies from step to step. Lives in a buffer, written by upload; always doubles.
struct UpdateScalars {
  double learning_rate = 0;
  // Adam's and AdamW's bias corrections as factors of the first moment and of the second one's root: 1 / (1 - beta1^t)
  // and 1 / sqrt(1 - beta2^t) for update number t, counted from 1. Nadam's first one is mu_(t+1) / (1 - product of mu_1
  // to mu_(t+1)).
  double first_moment_factor = 1;
  double second_moment_root_factor = 1;
  double gradient_factor = 0;  // Nadam's (1 - mu_t) / (1 - product of mu_1 to mu_t)
};

enum class Layout : std::uint32_t { row_major, sparse_csr, packed };

struct Operand {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Layout layout = Layout::row_major;
  std::int64_t entries = 0;  // of sparse_csr, as many as are stored or expected: what the op's cost is told by
};

// What a buffer of the layout sparse_csr shows on a CPU: a matrix in compressed sparse rows. Row i's entries are those
// from row_offsets[i] to row_offsets[i + 1], which need not start at 0 for row 0: a slice of rows is another
// row_offsets into the same arrays.
struct CsrMatrix {
  const std::int32_t* row_offsets = nullptr;     // [rows + 1], ascending
  const std::int32_t* column_indices = nullptr;  // ascending within a row
  const void* values = nullptr;                  // of the request's dtype
};

constexpr std::size_t kMaximumOperands = 6;

struct Request {
  Op op = Op::product;
  Dtype dtype = Dtype::f32;
  std::size_t operand_count = 0;
  Operand operands[kMaximumOperands];
  // Attributes; each op reads its own.
  bool transpose_a = false;
  bool transpose_b = false;
  double alpha = 1;
  double beta = 0;
  Activation activation = Activation::identity;
  catalogue::LossFunction loss;
  const gdbench_optimizer* optimizer = nullptr;  // for update; valid during bind
  bool epilogue_bias = false;
  Activation epilogue_activation = Activation::identity;
  bool epilogue_update = false;  // excludes the other two
};

struct BufferTag;
using Buffer = BufferTag*;  // opaque; a host address on CPU backends

struct Stream;     // an order of execution on a device; null on CPU backends
struct Context;    // a backend's own
struct Recording;  // a backend's own: calls that are done as one

// What bind returns: the first member makes running it one indirect call. A backend derives its own struct.
struct Call {
  void (*run)(const Call* call, const Buffer* buffers, Stream* stream) = nullptr;
};

// Where a value of a region comes from.
enum class RegionRole : std::uint32_t {
  result,   // of one of its nodes
  x,        // the batch
  targets,  // or labels [rows, 1] (int32)
  parameter,
  slot,
  scalars,  // UpdateScalars of the step
};

struct RegionValue {
  RegionRole role = RegionRole::result;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t first_row = 0;  // in the batch; x and targets
  std::int64_t offset = 0;     // in its block, in entries; parameters and slots
  std::size_t slot = 0;        // the slot's number
};

// One op: its operands are Op's inputs in their order and stay as they are, its result is a new value. There are two
// exceptions: an update changes its parameter and slots, and product takes C behind A and B where beta is not 0.
struct RegionNode {
  Request request;  // op, dtype and attributes, no operands
  std::uint32_t operands[kMaximumOperands] = {};
  std::size_t operand_count = 0;
  std::uint32_t result = 0;
};

// A training step as data: values by their number, nodes in an order of execution. Nobody reads a parameter or a slot
// after its update.
struct RegionGraph {
  const RegionValue* values = nullptr;
  std::size_t value_count = 0;
  const RegionNode* nodes = nullptr;
  std::size_t node_count = 0;
};

// Whole training steps of a chain of fully connected layers, on batches of one size. All pointers are read during
// bind_region alone.
struct TrainingRegion {
  Dtype dtype = Dtype::f32;
  const gdbench_layer* layers = nullptr;
  std::int64_t layer_count = 0;
  catalogue::LossFunction loss;
  const gdbench_optimizer* optimizer = nullptr;
  std::int64_t rows = 0;  // of a batch
  // Where each parameter starts in its block, in entries and in the ABI's order, and how long the block is. What lies
  // between parameters is zero and stays so.
  const std::int64_t* offsets = nullptr;
  std::int64_t block_size = 0;
  // The same step as a graph, from a strategy that has one; a backend reads either.
  const RegionGraph* graph = nullptr;
  // What the backend's region_options and region_passes were set to; null: all as by default.
  const gdbench_settings* settings = nullptr;
  // What files that a backend writes about the region are called after.
  const char* name = "region";
  // Whether each step's rows are given by their numbers; otherwise every step sees the first `rows` rows. Of a graph
  // only: whoever reads the layers takes both.
  bool gathers = false;
  // Whether what is the same in all steps is computed once, though it rounds otherwise than step by step: a policy of
  // its own.
  bool hoist = false;
  // X and the targets where all steps see the same ones, whose entries may be read while the region is bound; else
  // null.
  Buffer constant_x = nullptr;
  Buffer constant_targets = nullptr;
};

// What was done to a region while it was bound: one of region_passes, or another part of the work.
struct RegionReport {
  const char* name = nullptr;
  std::int64_t fired = 0;
  double nanoseconds = 0;
};

// Its buffers: X and the targets (or labels) of all data; the rows of each step's batch [steps, rows] (uint32), or null
// where every step sees the first `rows` rows; UpdateScalars [steps]; the block of parameters; a block for each slot.
struct RegionCall : Call {
  std::uint64_t steps = 0;  // to be set before each run
  const RegionReport* reports = nullptr;
  std::size_t report_count = 0;
};

enum BackendFlag : std::uint32_t {
  kNoArithmetic = 1u << 0,  // the null backend
  kDevice = 1u << 1,        // buffers are not host addresses
  // Epilogues that product takes; all activations, if any. Without the flag bind answers GDBENCH_UNSUPPORTED.
  kEpilogueBias = 1u << 2,
  kEpilogueActivation = 1u << 3,
  kEpilogueUpdate = 1u << 4,
  // product takes a left operand A of the layout sparse_csr, transposed or not; B and C are row-major.
  kSparse = 1u << 5,
  kTf32 = 1u << 6,  // products of floats can round their operands to TF32 (10 bits after the point), if asked to
};

struct ContextSettings {
  std::int32_t compute_threads = 1;
  bool tf32 = false;  // only where the backend has kTf32
  void* error_context = nullptr;
  void (*error)(void* error_context, const char* message) = nullptr;
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
  std::int32_t helper_threads = 0;  // the most that the backend's own runtime starts beside them
  bool tf32 = false;                // of a plugin's own copy: what its contexts are asked for

  gdbench_status (*create)(const ContextSettings& settings, Context** context) = nullptr;
  void (*destroy)(Context* context) = nullptr;

  // Zero-filled, aligned to GDBENCH_ALIGNMENT.
  gdbench_status (*allocate)(Context* context, std::size_t bytes, Buffer* buffer) = nullptr;
  void (*release)(Context* context, Buffer buffer) = nullptr;
  // A buffer that shows host memory: on CPU backends the same memory, on a device a copy made now. Released like any
  // other.
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

  // Optional, of devices: locks the pages of host memory until unpin, so that the device reads them by itself; upload
  // then only begins to read before it returns.
  gdbench_status (*pin)(Context* context, const void* data, std::size_t bytes) = nullptr;
  void (*unpin)(Context* context, const void* data) = nullptr;

  // Optional, of devices: the time that the device itself needs for what is called between the two, in nanoseconds.
  // end_timing waits for it.
  gdbench_status (*begin_timing)(Context* context) = nullptr;
  gdbench_status (*end_timing)(Context* context, double* nanoseconds) = nullptr;

  // Optional, of devices: calls between the two are not done but recorded, and done in their order, with the buffers
  // they were given, by every replay.
  gdbench_status (*begin_recording)(Context* context) = nullptr;
  gdbench_status (*end_recording)(Context* context, Recording** recording) = nullptr;
  void (*replay)(Context* context, const Recording* recording) = nullptr;
  void (*discard)(Context* context, Recording* recording) = nullptr;

  // Optional: any number of steps as one call, which is unbound like others. GDBENCH_UNSUPPORTED (with a reason) for
  // what does not fit.
  gdbench_status (*bind_region)(Context* context, const TrainingRegion& region, RegionCall** call) = nullptr;
  // What its regions can be told: options, and names of passes, separated by '|', which the strategy's own option
  // `passes` switches besides its own. A name may be both one of the strategy's and one of the backend's.
  const gdbench_option* region_options = nullptr;
  std::size_t region_option_count = 0;
  const char* region_passes = "";
  const char* region_pass_descriptions = "";  // lines "NAME: what it does"

  // Optional: why nothing of it can run on this machine, for as long as the process lives; null where it can.
  const char* unavailable = nullptr;
};

// The one symbol that a kernel library exports.
#define GDBENCH_KERNELS_ENTRY_NAME "gdbench_kernels"
using KernelsEntry = const Backend* (*)();

}  // namespace gdbench::backends
