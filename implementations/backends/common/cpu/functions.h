// The kernel functions of a CPU backend that need no more than shape, dtype and attributes, and how a request finds its
// function. The operands of each are those of its op in ops.h.
#pragma once

#include "implementations/backends/common/cpu/call.h"
#include "implementations/backends/common/ops.h"

namespace gdbench::backends::cpu {

using catalogue::kCount;

// The entry of a table for a value of the catalogue.
template <class Table, catalogue::Catalogued Enum>
auto& entry_of(Table& table, Enum value) {
  return table[static_cast<std::size_t>(value)];
}

// Each of these runs on a ShapedCall, unless said otherwise. Null: the backend does not offer it.
struct ElementwiseFunctions {
  Run add_bias = nullptr;
  Run add_scalar_bias = nullptr;  // add_bias to a single column; null: add_bias does
  Run column_sum = nullptr;
  Run scalar_column_sum = nullptr;  // column_sum of a single column; null: column_sum does
  Run activation[kCount<Activation>] = {};
  Run activation_gradient[kCount<Activation>] = {};
  Run update[kCount<OptimizerKind>][kDecayCount] = {};  // on an UpdateCall, by kind and Decay
  Run combine = nullptr;                                // on a CombineCall with beta != 0
  Run scale = nullptr;                                  // combine with beta = 0
  Run multiply = nullptr;
  Run scale_columns = nullptr;
  Run normalize = nullptr;
  Run normalize_gradient = nullptr;
};

// These run on a LossCall, whose scale tells apart what has the same formula.
struct LossFunctions {
  Run value[kCount<Loss>] = {};
  Run gradient[kCount<Loss>] = {};
};

// Fills in what make(kind, decay) returns for each optimizer's and decay's std::integral_constant.
template <class Make>
void set_updates(ElementwiseFunctions& functions, Make make) {
  catalogue::for_each<OptimizerKind>([&](auto kind) {
    Run(&update)[kDecayCount] = entry_of(functions.update, kind.value);
    update[static_cast<std::size_t>(Decay::none)] = make(kind, DecayConstant<Decay::none>());
    update[static_cast<std::size_t>(Decay::coupled)] = make(kind, DecayConstant<Decay::coupled>());
    update[static_cast<std::size_t>(Decay::decoupled)] = make(kind, DecayConstant<Decay::decoupled>());
  });
}

// For one dtype.
struct Functions {
  ElementwiseFunctions elementwise;
  LossFunctions loss;
};

// The function for a request whose shapes are consistent, with the call that it runs on. May throw std::bad_alloc.
Binding bind_function(const Request& request, const Functions& functions);

}  // namespace gdbench::backends::cpu
