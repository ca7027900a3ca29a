// The interface between the trainer (trainer.h) and a library for automatic differentiation. The library writes the
// loss of a batch by its own types and gives its gradient; batches, updates and evaluations are the trainer's.
//
// A library has two files: rows.h, which lists what it offers and needs no header of the library, and a source with
// `make_gradient`, which becomes a kernel library. That is opened when a problem is prepared.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench::autodiff {

using catalogue::Activation;
using catalogue::Dtype;
using catalogue::Loss;

// An implementation that a library offers.
struct Row {
  const char* library = nullptr;  // of the kernel library's name
  const char* mode = nullptr;     // the id is library/mode
  const char* description = nullptr;
  // Masks as in gdbench_implementation.
  std::uint32_t dtypes = bit_of(Dtype::f64);
  std::uint32_t activations = catalogue::kAll<Activation>;
  std::uint32_t losses = catalogue::kAll<Loss>;
  // What Gradient::forward is in a profile: record where it writes a tape, backward where one call does both.
  catalogue::Phase forward = catalogue::Phase::record;
  // Of a tape of scalars: the bytes that it takes for a multiply-add. 0 where it grows with the operations on matrices.
  double bytes_per_multiply_add = 0;
};

// All activations but the exact GELU: of a library without the error function.
inline constexpr std::uint32_t kNoErrorFunction = catalogue::kAll<Activation> & ~bit_of(Activation::gelu);

// W [inputs, outputs] and b [outputs] begin at these entries of the parameters.
struct Layer {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  Activation activation = Activation::identity;
  std::int64_t weights = 0;
  std::int64_t bias = -1;  // -1: none
};

struct Network {
  std::vector<Layer> layers;
  catalogue::LossFunction loss;
  std::int64_t size = 0;  // entries of the parameters; those between them are zero, and so are their gradients
};

// Of the dtype that was asked for.
struct Batch {
  const void* x = nullptr;        // [rows, features]
  const void* targets = nullptr;  // Y [rows, outputs], or int32 labels [rows]
  std::int64_t rows = 0;
};

// Null where the targets are no labels.
inline const std::int32_t* labels_of(const Network& network, const Batch& batch) {
  return catalogue::takes_labels(network.loss) ? static_cast<const std::int32_t*>(batch.targets) : nullptr;
}

// Labels as numbers, [rows, outputs] behind what `to` holds: 1 in the label's column and 0 elsewhere.
inline void append_chosen(const Network& network, const std::int32_t* labels, std::int64_t rows,
                          std::vector<double>& to) {
  const std::int64_t classes = network.layers.back().outputs;
  const auto first = static_cast<std::int64_t>(to.size());
  to.resize(to.size() + static_cast<std::size_t>(rows * classes), 0);
  for (std::int64_t row = 0; row < rows; ++row) to[static_cast<std::size_t>(first + row * classes + labels[row])] = 1;
}

class Gradient {
 public:
  virtual ~Gradient() = default;
  // Computes the mean loss of a batch, whose rows are one of Request::rows. The arrays stay as they are until backward
  // returns. Both may throw.
  virtual void forward(const void* parameters, const Batch& batch) = 0;
  // Writes the gradient of that loss by the parameters, [Network::size].
  virtual void backward(void* gradient) = 0;
};

struct Request {
  Network network;
  Dtype dtype;
  std::string_view mode;           // of the row
  std::vector<std::int64_t> rows;  // of the batches that there will be
};

// Defined by each library. Does all that need not be done in a step. Throws Failure (implementations/common/failure.h)
// for what the library cannot do.
std::unique_ptr<Gradient> make_gradient(const Request& request);

// The one symbol that its kernel library exports (../entry/entry.cpp).
struct Library {
  std::unique_ptr<Gradient> (*make)(const Request& request);
};
#define GDBENCH_AUTODIFF_ENTRY_NAME "gdbench_autodiff"
using LibraryEntry = const Library* (*)();

}  // namespace gdbench::autodiff
