// The derivative rules of the op table. G is the gradient with respect to the result, f' a derivative; each function is
// a Derivative (op_table.h).
#pragma once

#include "implementations/strategies/common/op_table.h"

namespace gdbench::strategies::ops {

// C = alpha op(A) op(B): dA = alpha G op(B)' and dB = alpha op(A)' G, transposed where the operand is.
void derivative_of_product(Emitter& emitter, const Application& application, Value* gradients);
// R = Z + b in each row: db = column sums of G, dZ = G.
void derivative_of_add_bias(Emitter& emitter, const Application& application, Value* gradients);
// A = f(Z): dZ = G f', from A.
void derivative_of_activation(Emitter& emitter, const Application& application, Value* gradients);
// R = D f'(A): dD = G f'(A), dA = D G df'/dA; f' in terms of A is 1 - A^2 for tanh and A (1 - A) for sigmoid.
void derivative_of_activation_gradient(Emitter& emitter, const Application& application, Value* gradients);
// Where a backward pass starts: dP = loss_gradient(P, Y), with the loss's alpha.
void derivative_of_loss(Emitter& emitter, const Application& application, Value* gradients);
// s = column sums of D: every row of dD is G.
void derivative_of_column_sum(Emitter& emitter, const Application& application, Value* gradients);
// C = alpha A + beta B: dA = alpha G, dB = beta G.
void derivative_of_combine(Emitter& emitter, const Application& application, Value* gradients);
// C = A .* B: dA = G .* B, dB = G .* A.
void derivative_of_multiply(Emitter& emitter, const Application& application, Value* gradients);

}  // namespace gdbench::strategies::ops
