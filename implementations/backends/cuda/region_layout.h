// How the programs of whole trainings are made for a region, and where things lie in the shared memory of their blocks.
#pragma once

#include <cstdint>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/common/rules/updates.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/region_shape.h"

namespace gdbench::backends::cuda {

// Places in an arena, in entries, which may be more than fit.
template <class T>
class Arena {
 public:
  // A number of entries that starts at a pack.
  std::int64_t take(std::int64_t entries) {
    const std::int64_t start = next_;
    next_ += (entries + kPackWidth<T> - 1) / kPackWidth<T> * kPackWidth<T>;
    return start;
  }
  void place(int& start, std::int64_t entries) { start = static_cast<int>(take(entries)); }
  // Of an even and of an odd step.
  void place_scalars(int& start) { place(start, static_cast<std::int64_t>(2 * sizeof(UpdateScalars) / sizeof(T))); }
  std::int64_t size() const { return next_; }

 private:
  std::int64_t next_ = 0;
};

// All that a shape says of the region itself.
template <template <class> class Shape, class T>
void describe_region(const TrainingRegion& region, Shape<T>& shape) {
  std::int64_t parameter = 0;
  for (std::int64_t l = 0; l < region.layer_count; ++l) {
    const gdbench_layer& layer = region.layers[l];
    auto& own = shape.layers[l];
    own.inputs = static_cast<int>(layer.inputs);
    own.outputs = static_cast<int>(layer.outputs);
    own.by_outputs = Divisor(own.outputs);
    own.activation = catalogue::activation_of(layer);
    own.has_bias = layer.has_bias != 0;
    own.weights_from = static_cast<int>(region.offsets[parameter++]);
    if (own.has_bias) own.bias_from = static_cast<int>(region.offsets[parameter++]);
    own.stride = own.outputs | 1;
  }
  shape.layer_count = static_cast<int>(region.layer_count);
  shape.loss = region.loss;
  shape.huber_delta = static_cast<T>(region.loss.huber_delta);
  shape.labels = takes_labels(region.loss);
  shape.loss_scale =
      static_cast<T>(loss_gradient_scale(region.loss, region.rows, region.layers[region.layer_count - 1].outputs));
  shape.rows = static_cast<int>(region.rows);
  shape.scalars_vary = region.scalars_vary;
  shape.slots = static_cast<int>(catalogue::slot_count(catalogue::kind_of(*region.optimizer)));
}

// A program that knows the region, and not yet how it is laid out.
template <template <class> class Program, class T>
Program<T> program_of(const TrainingRegion& region) {
  Program<T> program{{},
                     {},
                     UpdateConstants<T>(*region.optimizer),
                     catalogue::kind_of(*region.optimizer),
                     decay_of(*region.optimizer)};
  describe_region(region, program.shape);
  return program;
}

}  // namespace gdbench::backends::cuda
