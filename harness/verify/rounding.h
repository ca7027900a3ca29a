// Internal to verify: how far rounding may move a batch's gradients and loss, estimated from norms.
//
// A product C = A B of k terms per entry gets an error of about epsilon (|A| |B| + sqrt(k) |C|) in any order of
// summation, all norms Frobenius: the first term where the summands' signs are random, the second where they agree
// (the random walk of rounding errors: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2.8
// and 4.2). An error that comes in is passed on with the larger of the gain of the signal itself and the gain of a
// random direction, |B| / sqrt(k). These are estimates of a typical size, not bounds; the reference trajectory
// multiplies them by a constant.
//
// A mixed dtype rounds results once more, to numbers of fewer bits that lie far apart. Most errors vanish there; but a
// number that lies nearer to the middle between two of those than its error may become either. The reference knows
// which numbers do, and how far apart their neighbours are (narrow.h).
//
// Who rounds results may round a sum as often as it is added to: TensorFlow's kernel for the gradient of a bias keeps
// its sums in bfloat16, where many terms of one sign stop being added. How much that comes to depends on the numbers,
// so the model adds the rows up in this way, too, and takes how far it ends from the exact sum, up to a quarter of it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/narrow.h"
#include "harness/verify/network.h"
#include "harness/verify/rounding_error.h"

namespace gdbench::verify {

template <class T>
class RoundingModel {
 public:
  // `parameter_errors`, one per parameter: of those that the batch is computed with.
  RoundingModel(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers,
                const std::vector<RoundingError>& parameter_errors);

  // Between forward_product and activate of a layer: activations[index + 1] are pre-activations.
  void add_forward(std::size_t index, const Chunk<T>& chunk);
  // After backward.
  void add_backward(const Chunk<T>& chunk);

  // Error of the loss over all rows that were added, and of the gradients, one per parameter.
  RoundingError loss_error(double loss) const;
  std::vector<RoundingError> gradient_errors(const std::vector<std::vector<T>>& gradients) const;

 private:
  // Squared Frobenius norms over all chunks.
  struct Squares {
    double weights = 0;
    double bias = 0;
    double inputs = 0;
    double sums = 0;             // Z
    double pre_activations = 0;  // the same, or what Z is normalised to
    double upstream = 0;
    double deltas = 0;
    // Of a normalised layer, whose deltas above are those of Z: the scale; over all rows N and scale .* N; the factors,
    // Z by them; the deltas of scale .* N + shift, those times N, and those times the scale and the factors or their
    // squares.
    double scale = 0;
    double normalized = 0;
    double scaled = 0;
    double factors = 0;
    double magnified = 0;
    double outer_deltas = 0;
    double scale_terms = 0;
    double magnified_deltas = 0;
    double twice_magnified_deltas = 0;
  };
  // Of what is rounded to a mixed dtype's operands.
  struct Rounded {
    Middles weights;
    Middles activations;
    Middles deltas;
  };

  // Error of each layer's input as its product reads it; the last entry is that of the network's output.
  std::vector<RoundingError> activation_errors() const;
  RoundingError output_gradient_error(RoundingError output_error) const;
  // Of a layer's bias gradient where every sum on the way to it is rounded.
  RoundingError narrow_sum_error(std::size_t index, const std::vector<T>& gradient) const;
  // Of results of that 2-norm which are rounded where the reference does not round them, or the other way round.
  // `scale`: by which they are multiplied to be rounded.
  RoundingError result_error(double norm, double count, double scale = 1) const;
  // Of a layer's weights as its products read them; of its bias.
  RoundingError weights_error(std::size_t index) const;
  RoundingError bias_error(std::size_t index) const;
  // Of products with W and the bias, before anything else; and of N, of a normalised layer.
  RoundingError sums_error(std::size_t index, RoundingError inputs) const;
  RoundingError normalized_error(std::size_t index, RoundingError sums) const;
  // What a normalised layer makes of the error of its deltas: adds the errors of its gradients of scale and shift to
  // `result`, returns that of the deltas of Z.
  RoundingError normalization_gradient_error(std::size_t index, RoundingError deltas, RoundingError sums,
                                             const std::vector<std::vector<T>>& gradients,
                                             std::vector<RoundingError>& result) const;

  const scenario::Problem& problem_;
  const std::vector<LayerView<T>>& layers_;
  const std::vector<RoundingError>& parameter_errors_;
  double epsilon_;
  double loss_scale_;
  std::vector<Squares> squares_;
  std::vector<Rounded> rounded_;  // [layers]; empty where the dtype is uniform
  // [layers][outputs]: the bias's gradient, times the scale of the loss, each sum rounded; empty where results are not.
  std::vector<std::vector<T>> narrow_sums_;
  double rows_ = 0;
};

// The epsilon of what products round to: the problem's dtype, or TF32.
double product_epsilon(const scenario::Problem& problem);

// ReLU units whose pre-activation is zero as far as rounding can tell, and what they may change. The loss is continuous
// there, its gradient is not: two correct implementations may take different slopes.
template <class T>
class TieFinder {
 public:
  TieFinder(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers,
            const std::vector<RoundingError>& parameter_errors);

  // Between forward_product and activate of a layer, in the order of the layers: appends its ties to the chunk.
  void find(std::size_t index, Chunk<T>& chunk);

  // After backward: adds to `bounds`, one vector per parameter, how far the ties' slopes can move each entry of that
  // parameter's gradient. A vector that is empty stands for zeros; where there are no ties none is touched.
  void add_bounds(const Chunk<T>& chunk, std::vector<std::vector<double>>& bounds) const;

 private:
  // For each row, squared: the 2-norm of what is open about a layer's inputs.
  std::vector<double> input_uncertainties(std::size_t index, const Chunk<T>& chunk) const;
  // Of a normalised layer. From how far a row of Z may be off to that of what it becomes, in place.
  void normalize_thresholds(std::size_t index, std::int64_t row, const Chunk<T>& chunk, double factor,
                            std::vector<double>& thresholds) const;
  void add_normalization_bounds(std::size_t index, const std::map<std::int64_t, std::int64_t>& places,
                                const Chunk<T>& chunk, std::vector<double>& change,
                                std::vector<std::vector<double>>& bounds) const;

  const std::vector<LayerView<T>>& layers_;
  double epsilon_;
  std::vector<std::vector<double>> column_norms_;     // [layers][outputs], of the weights
  std::vector<std::vector<double>> undecided_norms_;  // the same of what may come of rounding them to operands
  std::vector<double> thresholds_;                    // [rows, outputs] of the layer before, with a mixed dtype
};

// Sum of squares, in double.
template <class T>
double sum_of_squares(const T* values, std::int64_t count);
template <class T>
double sum_of_squares(const std::vector<T>& values) {
  return sum_of_squares(values.data(), static_cast<std::int64_t>(values.size()));
}

}  // namespace gdbench::verify
