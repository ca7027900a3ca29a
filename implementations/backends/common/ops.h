// The ops that a backend computes: what a strategy asks bind() for, and the call that it returns. The operands' shapes
// are [rows, columns].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench::backends {

using catalogue::Activation;
using catalogue::Dtype;
using catalogue::Loss;
using catalogue::OptimizerKind;

// Operands are listed as inputs, then outputs; shapes are [rows, columns], row-major.
enum class Op : std::uint32_t {
  // C[m,n] = alpha op(A) op(B) + beta C. Operands A, B, C; transpose_a/b say whether op transposes. With epilogues,
  // which are optional (BackendFlag): C = f(alpha op(A) op(B) + beta C + b) for a fourth operand b[1,n]
  // (epilogue_bias) and f = epilogue_activation. With beta 0, for gradients: C = alpha op(A) op(B) .* f' for f =
  // `activation`, at a fourth operand A or Z[m,n] as in activation_gradient (epilogue_activation_gradient); or
  // C = alpha d loss / d (op(A) op(B) + b) for targets Y[m,n] behind the bias (epilogue_loss_gradient, of losses whose
  // columns are not coupled). With alpha 1 and beta 0, for weights C whose gradient is op(A) op(B): their update
  // (epilogue_update) by `optimizer`; operands behind C are `scalars` and C's slots. With epilogue_bias the same for a
  // bias[1,n] whose gradient are the column sums of B: it and its slots follow.
  product,
  // Z[m,n] += b[1,n] for every row. Operands b, Z.
  add_bias,
  // A[m,n] = f(Z[m,n]). Operands Z, A (may be the same buffer).
  activation,
  // D[m,n] *= f'(z), with f' from f's result A, or from Z where catalogue::reads_input says so. Operands A or Z, D.
  activation_gradient,
  // loss[1] = alpha times the loss of outputs P[m,n] against targets Y[m,n], or labels [m,1] (int32) for cross-entropy.
  // Operands P, Y, loss; the loss is a double for every dtype.
  loss,
  // G[m,n] = alpha d loss / d P, times the context's scale of the loss. Operands P, Y (or labels), G, which may be P.
  loss_gradient,
  // s[1,n] = sum over rows of D[m,n]. Operands D, s.
  column_sum,
  // One optimizer update of W[m,n] by its gradient. Operands G, scalars, W, slots in the ABI's order.
  // `scalars` [1,1] is UpdateScalars in the backend's memory. Ends with W rounded as `parameter_rounding` says. Muon's
  // moves W as one matrix where `moves_as_matrix` says so, and otherwise as one of the parameters that it leaves to
  // AdamW.
  update,
  // C[m,n] = alpha A[m,n] + beta B[m,n]. Operands A, B, C; C may be A's or B's buffer. With beta 0, B is never read
  // (any buffer of that shape will do), so that it also copies and scales.
  combine,
  // C[m,n] = A[m,n] .* B[m,n], entry by entry. Operands A, B, C; C may be A's or B's buffer.
  multiply,
  // C[m,n] = s[1,n] .* A[m,n] in every row. Operands s, A, C; C may be A's buffer.
  scale_columns,
  // N[m,n] = (Z[m,n] - mean) / sqrt(var + GDBENCH_LAYER_NORM_EPSILON), mean and var being each row's own. Operands Z, N
  // (may be the same buffer).
  normalize,
  // From D[m,n], the gradient with respect to N, to that with respect to Z, in place. Operands Z, D.
  normalize_gradient,
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
                                                {Op::scale_columns, "scale_columns"},
                                                {Op::normalize, "normalize"},
                                                {Op::normalize_gradient, "normalize_gradient"},
                                                {Op::gather, "gather"}};
constexpr const auto& rows_of(Op /*any*/) { return kOps; }

// What an update takes that varies from step to step. Lives in a buffer, written by upload; always doubles.
struct UpdateScalars {
  double learning_rate = 0;
  // Of schedule_free_sgd: momentum (1 - c), c, and 1 - momentum (1 - c).
  //
  // Adam's and AdamW's bias corrections as factors of the first moment and of the second one's root: 1 / (1 - beta1^t)
  // and 1 / sqrt(1 - beta2^t) for update number t, counted from 1. Nadam's first one is mu_(t+1) / (1 - product of mu_1
  // to mu_(t+1)).
  double first_moment_factor = 1;
  double second_moment_root_factor = 1;
  // Nadam's, of the gradient: (1 - mu_t) / (1 - product of mu_1 to mu_t). RAdam's, of the first moment that is not
  // divided: 1 / (1 - beta1^t) in the updates in which nothing is, when first_moment_factor is 0; later 0.
  double added_factor = 0;

  // Of Adam with the factors r and f, whose epsilon e is to be added to the root before it is corrected: r m / (f
  // sqrt(v) + f e) is (r / f) m / (sqrt(v) + e).
  void add_epsilon_before_correction() {
    first_moment_factor /= second_moment_root_factor;
    second_moment_root_factor = 1;
  }
};

// `count` entries of an update's W from entry `first` on, and the number of the first one in the model's flat order.
struct NumberedEntries {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t number = 0;
};

enum class Layout : std::uint32_t { row_major, sparse_csr, packed };

struct Operand {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Layout layout = Layout::row_major;
  std::int64_t entries = 0;  // of sparse_csr, as many as are stored or expected: what the op's cost depends on
  // Entries from a row to the next; 0: as many as there are columns. Backends ask it of themselves alone, for product's
  // A where no dimension is 1 and B is not transposed.
  std::int64_t stride = 0;
};
constexpr std::int64_t stride_of(const Operand& operand) {
  return operand.stride != 0 ? operand.stride : operand.columns;
}

// What a buffer of the layout sparse_csr shows on a CPU: a matrix in compressed sparse rows. Row i's entries are those
// from row_offsets[i] to row_offsets[i + 1], which need not start at 0 for row 0: a slice of rows is another
// row_offsets into the same arrays.
struct CsrMatrix {
  const std::int32_t* row_offsets = nullptr;     // [rows + 1], ascending
  const std::int32_t* column_indices = nullptr;  // ascending within a row
  const void* values = nullptr;                  // of the request's dtype
};

constexpr std::size_t kMaximumOperands = 9;

struct Request {
  Op op = Op::product;
  Dtype dtype = Dtype::f32;
  std::size_t operand_count = 0;
  Operand operands[kMaximumOperands] = {};
  // Attributes; each op reads its own.
  bool transpose_a = false;
  bool transpose_b = false;
  double alpha = 1;
  double beta = 0;
  Activation activation = Activation::identity;
  catalogue::LossFunction loss = {};
  const gdbench_optimizer* optimizer = nullptr;  // for updates; valid during bind
  // With a dtype that scales the loss: of the context, whose backend sets it.
  const float* loss_scale = nullptr;
  // Of updates in bf16. Stochastically, by the step's seed and the numbers of its entries: `numbered`, valid during
  // bind, are all but zeros.
  catalogue::ParameterRounding parameter_rounding = catalogue::ParameterRounding::none;
  const std::uint64_t* rounding_seed = nullptr;
  std::span<const NumberedEntries> numbered = {};
  std::int64_t first_entry = 0;  // of `numbered` that W begins with; backends ask it of themselves alone
  bool moves_as_matrix = false;
  bool epilogue_bias = false;
  Activation epilogue_activation = Activation::identity;
  // Each excludes the others and an activation.
  bool epilogue_update = false;
  bool epilogue_activation_gradient = false;
  bool epilogue_loss_gradient = false;
};

constexpr bool has_epilogue(const Request& request) {
  return request.epilogue_bias || request.epilogue_activation != Activation::identity || request.epilogue_update ||
         request.epilogue_activation_gradient || request.epilogue_loss_gradient;
}

struct BufferTag;
using Buffer = BufferTag*;  // opaque; a host address on CPU backends

struct Stream;  // an order of execution on a device; null on CPU backends

// What bind returns: the first member makes running it one indirect call. A backend derives its own struct.
struct Call {
  void (*run)(const Call* call, const Buffer* buffers, Stream* stream) = nullptr;
};

}  // namespace gdbench::backends
