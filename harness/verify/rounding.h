// Internal to verify: how far rounding may move a batch's gradients and loss, estimated from norms, in units of
// epsilon.
//
// A product C = A B of k terms per entry gets an error of about epsilon (|A| |B| + sqrt(k) |C|) in any order of
// summation, all norms Frobenius: the first term where the summands' signs are random, the second where they agree
// (the random walk of rounding errors: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2.8
// and 4.2). An error that comes in is passed on with the larger of the gain of the signal itself and the gain of a
// random direction, |B| / sqrt(k). These are estimates of a typical size, not bounds; the reference trajectory
// multiplies them by a constant.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/network.h"

namespace gdbench::verify {

template <class T>
class RoundingModel {
 public:
  RoundingModel(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers);

  // Between forward_product and activate of a layer: activations[index + 1] are pre-activations.
  void add_forward(std::size_t index, const Chunk<T>& chunk);
  // After backward.
  void add_backward(const Chunk<T>& chunk);

  // Error of the loss over all rows that were added, and of the gradients, one per parameter.
  double loss_error(double loss) const;
  std::vector<double> gradient_errors(const std::vector<std::vector<T>>& gradients) const;

 private:
  // Squared Frobenius norms over all chunks.
  struct Squares {
    double weights = 0;
    double bias = 0;
    double inputs = 0;
    double pre_activations = 0;
    double upstream = 0;
    double deltas = 0;
  };

  // Error of each layer's input; the last entry is that of the network's output.
  std::vector<double> activation_errors() const;
  double output_gradient_error(double output_error) const;

  const scenario::Problem& problem_;
  const std::vector<LayerView<T>>& layers_;
  std::vector<Squares> squares_;
  double rows_ = 0;
};

// The epsilon of what products round to: the problem's dtype, or TF32.
double product_epsilon(const scenario::Problem& problem);

// ReLU units whose pre-activation is zero as far as rounding can tell, and what they may change. The loss is continuous
// there, its gradient is not: two correct implementations may take different slopes.
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

// Sum of squares, in double.
template <class T>
double sum_of_squares(const T* values, std::int64_t count);

}  // namespace gdbench::verify
