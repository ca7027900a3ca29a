#include "implementations/backends/common/cpu/functions.h"

namespace gdbench::backends::cpu {
namespace {

template <class Derived>
Binding bind_or_refuse(const Derived& call, Run run, const char* reason = "this op is not supported") {
  return run == nullptr ? unsupported(reason) : make_binding(call, run);
}

Binding bind_by_columns(const Operand& matrix, Run general, Run single_column) {
  const Run run = matrix.columns == 1 && single_column != nullptr ? single_column : general;
  return bind_or_refuse(ShapedCall(matrix), run);
}

Binding bind_activation(const Request& request, const Run (&functions)[kCount<Activation>]) {
  return bind_or_refuse(ShapedCall(request.operands[0]), entry_of(functions, request.activation),
                        "this activation is not supported");
}

Binding bind_loss(const Request& request, const Run (&functions)[kCount<Loss>]) {
  return bind_or_refuse(LossCall(request), entry_of(functions, request.loss.kind), "this loss is not supported");
}

Binding bind_update(const Request& request, const Run (&functions)[kCount<OptimizerKind>][kDecayCount]) {
  const gdbench_optimizer& optimizer = *request.optimizer;
  const Run run = entry_of(functions, catalogue::kind_of(optimizer))[static_cast<std::size_t>(decay_of(optimizer))];
  return catalogue::with_element(request.dtype, [&](auto zero) {
    return bind_or_refuse(UpdateCall<decltype(zero)>(request), run, "this optimizer is not supported");
  });
}

}  // namespace

Binding bind_function(const Request& request, const Functions& functions) {
  const ElementwiseFunctions& elementwise = functions.elementwise;
  const LossFunctions& loss = functions.loss;
  switch (request.op) {
    case Op::add_bias:
      return bind_by_columns(request.operands[1], elementwise.add_bias, elementwise.add_scalar_bias);
    case Op::column_sum:
      return bind_by_columns(request.operands[0], elementwise.column_sum, elementwise.scalar_column_sum);
    case Op::activation:
      return bind_activation(request, elementwise.activation);
    case Op::activation_gradient:
      return bind_activation(request, elementwise.activation_gradient);
    case Op::loss:
      return bind_loss(request, loss.value);
    case Op::loss_gradient:
      return bind_loss(request, loss.gradient);
    case Op::update:
      return bind_update(request, elementwise.update);
    case Op::combine: {
      const CombineCall call(request);
      return bind_or_refuse(call, call.beta == 0 ? elementwise.scale : elementwise.combine);
    }
    case Op::multiply:
      return bind_or_refuse(ShapedCall(request.operands[2]), elementwise.multiply);
    case Op::scale_columns:
      return bind_or_refuse(ShapedCall(request.operands[2]), elementwise.scale_columns);
    case Op::normalize:
      return bind_or_refuse(ShapedCall(request.operands[0]), elementwise.normalize);
    case Op::normalize_gradient:
      return bind_or_refuse(ShapedCall(request.operands[0]), elementwise.normalize_gradient);
    case Op::product:
    case Op::gather:
      break;
  }
  return unsupported("this op is not supported");
}

}  // namespace gdbench::backends::cpu
