// Descriptions of primitives, in which oneDNN 3 differs from oneDNN 2: no description of the operation precedes that of
// the primitive, and factors of a product are no attribute that is fixed when the primitive is made.
#pragma once

#include <dnnl.hpp>

#include "implementations/backends/onednn/primitive_call.h"

namespace gdbench::backends::onednn {

#if DNNL_VERSION_MAJOR >= 3

inline dnnl::eltwise_forward::primitive_desc describe_eltwise(const Eltwise& eltwise, const dnnl::memory::desc& shape) {
  return {engine(),        dnnl::prop_kind::forward_inference, eltwise.algorithm, shape, shape, eltwise.alpha, 0,
          own_scratchpad()};
}

// Of each row.
inline dnnl::softmax_forward::primitive_desc describe_softmax(const dnnl::memory::desc& shape) {
  return {engine(),        dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, shape, shape, 1,
          own_scratchpad()};
}

// `bias`: null where there is none.
inline dnnl::matmul::primitive_desc describe_matmul(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                                    const dnnl::memory::desc* bias, const dnnl::memory::desc& c,
                                                    const dnnl::primitive_attr& attributes) {
  if (bias == nullptr) return {engine(), a, b, c, attributes};
  return {engine(), a, b, *bias, c, attributes};
}

// The first operation after a product: the product, with its bias, by `factor`.
inline void append_factor(dnnl::primitive_attr& /*attributes*/, dnnl::post_ops& operations, float factor) {
  operations.append_eltwise(dnnl::algorithm::eltwise_linear, factor, 0);
}

inline void append_eltwise(dnnl::post_ops& operations, const Eltwise& eltwise) {
  operations.append_eltwise(eltwise.algorithm, eltwise.alpha, 0);
}

#else

inline dnnl::eltwise_forward::primitive_desc describe_eltwise(const Eltwise& eltwise, const dnnl::memory::desc& shape) {
  return {{dnnl::prop_kind::forward_inference, eltwise.algorithm, shape, eltwise.alpha}, own_scratchpad(), engine()};
}

// Of each row.
inline dnnl::softmax_forward::primitive_desc describe_softmax(const dnnl::memory::desc& shape) {
  return {{dnnl::prop_kind::forward_inference, shape, 1}, own_scratchpad(), engine()};
}

// `bias`: null where there is none.
inline dnnl::matmul::primitive_desc describe_matmul(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                                    const dnnl::memory::desc* bias, const dnnl::memory::desc& c,
                                                    const dnnl::primitive_attr& attributes) {
  if (bias == nullptr) return {{a, b, c}, attributes, engine()};
  return {{a, b, *bias, c}, attributes, engine()};
}

// The first operation after a product: the product, with its bias, by `factor`.
inline void append_factor(dnnl::primitive_attr& attributes, dnnl::post_ops& /*operations*/, float factor) {
  attributes.set_output_scales(0, {factor});
}

inline void append_eltwise(dnnl::post_ops& operations, const Eltwise& eltwise) {
  operations.append_eltwise(1, eltwise.algorithm, eltwise.alpha, 0);
}

#endif

}  // namespace gdbench::backends::onednn
