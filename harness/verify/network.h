// Internal to verify: a chunk of rows going through the network, forward and backward. Batches are processed in chunks,
// so that memory stays small for any batch; sums over rows run on from chunk to chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

// A layer with its parameters. weights is [inputs, outputs], bias is [outputs] or null, as are scale and shift of a
// layer that is not normalised. The indices are those of the parameter list w0 b0 w1 b1 ...
template <class T>
struct LayerView {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  scenario::Activation activation = scenario::Activation::identity;
  const T* weights = nullptr;
  const T* bias = nullptr;
  const T* scale = nullptr;
  const T* shift = nullptr;
  std::size_t weights_index = 0;
  std::size_t bias_index = 0;
  std::size_t scale_index = 0;
  std::size_t shift_index = 0;
  bool tf32_products = false;             // in float alone; wider arithmetic is exact
  catalogue::NumberFormat operands = {};  // of a mixed dtype; else without bits
  T loss_scale = 1;                       // of a dtype that has one: what deltas are multiplied by to be rounded
  bool rounds_results = false;            // Problem::rounds_results
  bool hidden = false;                    // other layers follow
};

template <class T>
std::vector<LayerView<T>> layers_of(const scenario::Problem& problem, const ReferenceState<T>& state);

// A ReLU unit whose pre-activation is zero as far as rounding can tell.
struct Tie {
  std::size_t layer = 0;
  std::int64_t row = 0;
  std::int64_t unit = 0;
  double uncertainty = 0;  // of the pre-activation, which is smaller than that
};

// Of a layer that is normalised: Z, N = (Z - mean) .* factors, and the gradient of the loss with respect to
// scale .* N + shift, each [rows, width].
template <class T>
struct Normalized {
  std::vector<T> sums;
  std::vector<T> values;
  std::vector<T> factors;  // [rows], 1 / sqrt(var + epsilon)
  std::vector<T> deltas;
};

template <class T>
struct Chunk {
  std::int64_t rows = 0;
  std::vector<std::vector<T>> activations;  // [layers + 1], each [rows, width]; the first is X
  // [layers], each [rows, width]: what f' is computed from, of layers where that is not the activations; else empty.
  std::vector<std::vector<T>> pre_activations;
  std::vector<Normalized<T>> normalized;  // [layers]
  std::vector<T> targets;                 // [rows, outputs]; empty where labels are given
  std::vector<std::int32_t> labels;       // [rows]
  std::vector<std::vector<T>> upstream;   // [layers], dL/dA, each [rows, width]
  std::vector<std::vector<T>> deltas;     // [layers], dL/dZ, each [rows, width]
  // What hidden layers' activations and all deltas were before the rounding to a mixed dtype's operands; else empty.
  std::vector<std::vector<T>> wide_activations;
  std::vector<std::vector<T>> wide_deltas;
  // How near a number that was rounded with the scale of the loss came to overflow_of: 0 there, 1 at 0.
  double distance_to_overflow = 1;
  std::vector<Tie> ties;
};

// Fills activations[0] and the targets from rows[0 .. count) of the dataset; of a stream they follow each other.
template <class T>
void load_rows(const data::Dataset& dataset, const std::int64_t* rows, std::int64_t count, Chunk<T>& chunk);

// One layer without its activation: activations[layer + 1] = activations[layer] W + b, normalised where the layer is.
template <class T>
void forward_product(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk);

// Turns a layer's pre-activations into activations[index + 1], in place; keeps those that backward reads. With a mixed
// dtype what other products or backward read is rounded.
template <class T>
void activate(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk);

// Returns the sum over the chunk's rows of what the loss takes the mean of, divided by the mean's divisor for a batch
// of `batch_rows` rows. Sets `gradient`, where given, to dL/dP [rows, outputs].
template <class T>
T loss_of(const catalogue::LossFunction& loss, const Chunk<T>& chunk, std::int64_t outputs, std::int64_t batch_rows,
          std::vector<T>* gradient);

// Nothing but where results are rounded. Of gradients: with the scale of the loss.
template <class T>
void narrow_result(const LayerView<T>& layer, std::vector<T>& values);
template <class T>
void narrow_gradient_result(const LayerView<T>& layer, std::vector<T>& values, Chunk<T>& chunk);

// Of a normalised layer, within forward_product: from Z to scale .* N + shift, in place.
template <class T>
void normalize(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk);
// Within backward, from the deltas of that to those of Z, in place; adds the gradients of scale and shift. Nothing
// where a layer is not normalised.
template <class T>
void normalization_gradient(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk, std::vector<T>& deltas,
                            std::vector<std::vector<T>>& gradients);

// From upstream[last], set by loss_of, to every layer's upstream and deltas; adds the chunk's share to `gradients`.
template <class T>
void backward(const std::vector<LayerView<T>>& layers, Ties ties, Chunk<T>& chunk,
              std::vector<std::vector<T>>& gradients);

// The derivative of an activation at its value or, where catalogue::reads_input says so, at its input.
template <class T>
T derivative_of(scenario::Activation activation, T argument);
// Those of a layer, [rows, outputs], rounded as the layer's operands are.
template <class T>
std::vector<T> derivative_arguments(const LayerView<T>& layer, std::size_t index, const Chunk<T>& chunk);

}  // namespace gdbench::verify
