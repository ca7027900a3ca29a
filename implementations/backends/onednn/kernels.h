// The ops for which the onednn backend uses the library; plain loops do the rest (backend.cpp says why).
#pragma once

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::onednn {

// Product, with all epilogues.
cpu::Binding bind_product(const Request& request);

// Product of bfloat16, where the processor multiplies them; an empty Binding elsewhere, and for vectors and small ones.
cpu::Binding bind_bfloat16_product(const Request& request);
// Null where the processor does not.
const char* bfloat16_products();

// tanh and sigmoid; an empty Binding for the others.
cpu::Binding bind_activation(const Request& request);

// Of softmax cross-entropy; an empty Binding for squared errors.
cpu::Binding bind_loss_gradient(const Request& request);

// An empty Binding for small matrices and single columns.
cpu::Binding bind_column_sum(const Request& request);

// Loops for single columns, where a loop over rows of one entry would not use vector instructions.
void run_add_scalar_bias(const Call* call, const Buffer* buffers, Stream* stream);
void run_scalar_column_sum(const Call* call, const Buffer* buffers, Stream* stream);

}  // namespace gdbench::backends::onednn
