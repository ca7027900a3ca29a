// Internal to verify: ReLU units whose pre-activation is zero as far as rounding can tell, and what they may change.
//
// The loss is continuous there, its gradient is not: two correct implementations may take different slopes.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/network.h"

namespace gdbench::verify {

template <class T>
class TieFinder {
 public:
  TieFinder(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers);

  // Between forward_product and activate of a layer: appends its ties to the chunk.
  void find(std::size_t index, Chunk<T>& chunk) const;

  // After backward: adds to `bounds`, one vector per parameter, how far the ties' slopes can move each entry of that
  // parameter's gradient. A vector that is empty stands for zeros; where there are no ties none is touched.
  void add_bounds(const Chunk<T>& chunk, std::vector<std::vector<double>>& bounds) const;

 private:
  const std::vector<LayerView<T>>& layers_;
  double epsilon_;
  std::vector<std::vector<double>> column_norms_;  // [layers][outputs], of the weights
};

}  // namespace gdbench::verify
