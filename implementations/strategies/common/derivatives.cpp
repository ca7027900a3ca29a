#include "implementations/strategies/common/derivatives.h"

#include <string>

#include "implementations/common/failure.h"

namespace gdbench::strategies::ops {
namespace {

Hint gradient_of(int operand, std::uint32_t dies = 0) { return {operand, dies}; }

Value emit(Emitter& emitter, Op op, const Attributes& attributes, Value a, Value b, const Hint& hint = {}) {
  const Value operands[] = {a, b};
  return emitter.emit(op, attributes, operands, hint);
}

// factor_a A + factor_b B
Value combine(Emitter& emitter, double factor_a, Value a, double factor_b, Value b, const Hint& hint = {}) {
  Attributes attributes;
  attributes.alpha = factor_a;
  attributes.beta = factor_b;
  return emit(emitter, Op::combine, attributes, a, b, hint);
}

// factor A; A itself where that is the same.
Value scaled(Emitter& emitter, double factor, Value a, const Hint& hint) {
  return factor == 1 ? a : combine(emitter, factor, a, 0, a, hint);
}

Value product(Emitter& emitter, double alpha, Value a, bool transpose_a, Value b, bool transpose_b, const Hint& hint) {
  Attributes attributes;
  attributes.alpha = alpha;
  attributes.transpose_a = transpose_a;
  attributes.transpose_b = transpose_b;
  return emit(emitter, Op::product, attributes, a, b, hint);
}

}  // namespace

void derivative_of_product(Emitter& emitter, const Application& application, Value* gradients) {
  const Attributes& attributes = application.attributes;
  const Value a = application.operands[0];
  const Value b = application.operands[1];
  const Value g = application.gradient;
  const bool ta = attributes.transpose_a;
  const bool tb = attributes.transpose_b;
  if (application.wants(1)) {
    gradients[1] = tb ? product(emitter, attributes.alpha, g, true, a, ta, gradient_of(1))
                      : product(emitter, attributes.alpha, a, !ta, g, false, gradient_of(1));
  }
  if (application.wants(0)) {
    gradients[0] = ta ? product(emitter, attributes.alpha, b, tb, g, true, gradient_of(0))
                      : product(emitter, attributes.alpha, g, false, b, !tb, gradient_of(0));
  }
}

void derivative_of_add_bias(Emitter& emitter, const Application& application, Value* gradients) {
  const Value g = application.gradient;
  if (application.wants(0)) gradients[0] = emitter.emit(Op::column_sum, {}, {&g, 1}, gradient_of(0));
  if (application.wants(1)) gradients[1] = g;
}

void derivative_of_activation(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  const Value g = application.gradient;
  if (application.attributes.activation == catalogue::Activation::identity) {
    gradients[0] = g;
    return;
  }
  Attributes attributes;
  attributes.activation = application.attributes.activation;
  const Value told = catalogue::reads_input(attributes.activation) ? application.operands[0] : application.result;
  gradients[0] = emit(emitter, Op::activation_gradient, attributes, told, g, gradient_of(0, 1u << 1));
}

void derivative_of_activation_gradient(Emitter& emitter, const Application& application, Value* gradients) {
  const Value a = application.operands[0];
  const Value d = application.operands[1];
  const Value g = application.gradient;
  if (application.wants(0)) {
    const Value product = emit(emitter, Op::multiply, {}, d, g);
    switch (application.attributes.activation) {
      case catalogue::Activation::tanh: {
        const Value weighted = emit(emitter, Op::multiply, {}, a, product);
        gradients[0] = combine(emitter, -2, weighted, 0, weighted, gradient_of(0));
        break;
      }
      case catalogue::Activation::sigmoid: {
        const Value weighted = emit(emitter, Op::multiply, {}, a, product);
        gradients[0] = combine(emitter, 1, product, -2, weighted, gradient_of(0));
        break;
      }
      case catalogue::Activation::identity:
      case catalogue::Activation::relu:
      case catalogue::Activation::leaky_relu:  // f' is constant wherever it is continuous
        gradients[0] = combine(emitter, 0, product, 0, product, gradient_of(0));
        break;
      case catalogue::Activation::silu:
      case catalogue::Activation::gelu:
      case catalogue::Activation::gelu_tanh:
        throw implementations::Failure(GDBENCH_UNSUPPORTED, std::string("there is no second derivative of ") +
                                                                name_of(application.attributes.activation));
    }
  }
  if (application.wants(1)) {
    Attributes attributes;
    attributes.activation = application.attributes.activation;
    gradients[1] = emit(emitter, Op::activation_gradient, attributes, a, g, gradient_of(1, 1u << 1));
  }
}

void derivative_of_loss(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  Attributes attributes;
  attributes.loss = application.attributes.loss;
  attributes.alpha = application.attributes.alpha;
  gradients[0] =
      emit(emitter, Op::loss_gradient, attributes, application.operands[0], application.operands[1], gradient_of(0));
}

void derivative_of_column_sum(Emitter& emitter, const Application& application, Value* gradients) {
  if (!application.wants(0)) return;
  const Value d = application.operands[0];
  const Value zeros = combine(emitter, 0, d, 0, d);
  gradients[0] = emit(emitter, Op::add_bias, {}, application.gradient, zeros, gradient_of(0, 1u << 1));
}

void derivative_of_combine(Emitter& emitter, const Application& application, Value* gradients) {
  const Attributes& attributes = application.attributes;
  if (application.wants(0)) gradients[0] = scaled(emitter, attributes.alpha, application.gradient, gradient_of(0));
  if (application.wants(1)) gradients[1] = scaled(emitter, attributes.beta, application.gradient, gradient_of(1));
}

void derivative_of_multiply(Emitter& emitter, const Application& application, Value* gradients) {
  const Value g = application.gradient;
  if (application.wants(0)) gradients[0] = emit(emitter, Op::multiply, {}, g, application.operands[1], gradient_of(0));
  if (application.wants(1)) gradients[1] = emit(emitter, Op::multiply, {}, g, application.operands[0], gradient_of(1));
}

}  // namespace gdbench::strategies::ops
