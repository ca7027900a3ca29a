// The ops that a training step is made of: one row each, from which the tape and the graph take shapes, in-place rules,
// and derivatives.
//
// An op is seen as a function of values: operands in, one result out, and the operands stay as they are. How that maps
// to a kernel, which may overwrite one of its operands, is what a row says: the kernel's operands are the op's,
// followed by the result unless the kernel leaves the result in an operand's buffer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "implementations/backends/common/ops.h"

namespace gdbench::strategies::ops {

using backends::Op;

// A value in its container: an index into the tape's or the graph's values.
using Value = std::uint32_t;
constexpr Value kNoValue = UINT32_MAX;

struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool operator==(const Shape&) const = default;
};

// What an op takes in addition to operands; each reads its own.
struct Attributes {
  bool transpose_a = false;  // product
  bool transpose_b = false;
  double alpha = 1;  // product, combine, loss, loss_gradient
  double beta = 0;   // combine
  catalogue::Activation activation = catalogue::Activation::identity;
  catalogue::LossFunction loss = {};
  const gdbench_optimizer* optimizer = nullptr;  // update; not owned
  bool moves_as_matrix = false;                  // update

  // Numbers are the same if their bits are.
  bool operator==(const Attributes& other) const {
    const auto same = [](double a, double b) {
      return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    };
    return transpose_a == other.transpose_a && transpose_b == other.transpose_b && same(alpha, other.alpha) &&
           same(beta, other.beta) && activation == other.activation && loss.kind == other.loss.kind &&
           same(loss.huber_delta, other.loss.huber_delta) && optimizer == other.optimizer &&
           moves_as_matrix == other.moves_as_matrix;
  }
};

// What a derivative rule knows of an op that it emits. A holder of values may ignore all of it.
struct Hint {
  int gradient_of = -1;    // the result is the gradient with respect to this operand of the differentiated op
  std::uint32_t dies = 0;  // bit i: the rule has no further use for the emitted op's operand i
};

// Where derivative rules put the ops they need. The tape runs what is emitted at once, the graph makes a node of it.
class Emitter {
 public:
  virtual ~Emitter() = default;
  // The result of op(operands). Leaves the operands as they are unless the hint lets go of them.
  virtual Value emit(Op op, const Attributes& attributes, std::span<const Value> operands, const Hint& hint) = 0;
};

// An op that was applied, and the gradient of the loss with respect to its result.
struct Application {
  const Attributes& attributes;
  std::span<const Value> operands;
  Value result;
  Value gradient;        // of the result's shape; not read for a loss, whose derivative by itself is 1
  std::uint32_t wanted;  // bit i: the gradient with respect to operand i is asked for
  bool wants(unsigned operand) const { return (wanted >> operand & 1) != 0; }
};

// Writes gradients[i] for each wanted operand i, of that operand's shape; the other entries stay as they are. An entry
// may be application.gradient itself.
using Derivative = void (*)(Emitter& emitter, const Application& application, Value* gradients);

struct OpRow {
  Op op;
  std::uint32_t may_alias = 0;       // bit i: the result may be put in operand i's buffer
  std::uint32_t differentiable = 0;  // bit i: there is a gradient with respect to operand i
  std::uint32_t reads_operands = 0;  // bit i: the derivative reads operand i's entries; see derivative_reads
  bool reads_result = false;         // the derivative reads the result's entries; likewise
  Derivative derivative = nullptr;   // null: none
};

// Never fails for an op of the table: product, add_bias, activation, activation_gradient, loss, loss_gradient,
// column_sum, update, combine, multiply, scale_columns, normalize, normalize_gradient. Throws Failure for others.
const OpRow& row_of(Op op);
std::span<const OpRow> all_rows();

// What the derivative of an application reads: as the row says, except activations, where it may be the input.
struct DerivativeReads {
  std::uint32_t operands = 0;
  bool result = false;
};
DerivativeReads derivative_reads(const OpRow& row, const Attributes& attributes);

// The operand in whose buffer the kernel leaves the result, if any.
std::optional<std::size_t> overwritten_by(Op op);

// Throws Failure (GDBENCH_INVALID, one line) where the operands do not fit together.
Shape result_shape(Op op, const Attributes& attributes, std::span<const Shape> operands);

// Whether operand 1 is labels [rows, 1] (int32) instead of targets.
inline bool takes_labels(Op op, const Attributes& attributes) {
  return (op == Op::loss || op == Op::loss_gradient) && takes_labels(attributes.loss);
}

// What is bound to run the op: attributes and the kernel's operands. Throws as result_shape does.
backends::Request request_of(Op op, catalogue::Dtype dtype, const Attributes& attributes,
                             std::span<const Shape> operands);

}  // namespace gdbench::strategies::ops
