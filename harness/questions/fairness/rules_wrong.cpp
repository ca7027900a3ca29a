// Rules that one description breaks alone.
#include <algorithm>

#include "harness/questions/fairness/finder.h"

namespace gdbench::fairness {

namespace {

// How NumPy, PyTorch and TensorFlow subtract arrays of two shapes: aligned at the last dimension, a dimension of 1 or
// none is repeated.
struct Difference {
  bool fits = true;
  bool repeats = false;  // of either array
  Shape shape;
  double repeats_of_prediction = 1;  // 0: not known
};

// The rows of a step for "N" where they are known.
std::int64_t resolved(std::int64_t size, const std::optional<std::int64_t>& rows) {
  return size == kRowsDimension && rows ? *rows : size;
}

// Size of the dimension `from_last`, 1 where there is none.
std::int64_t size_at(const Shape& shape, std::size_t from_last, const std::optional<std::int64_t>& rows) {
  return from_last < shape.size() ? resolved(shape[shape.size() - 1 - from_last], rows) : 1;
}

Difference difference_of(const Shape& prediction, const Shape& target, const std::optional<std::int64_t>& rows) {
  Difference difference;
  const std::size_t rank = std::max(prediction.size(), target.size());
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t p = size_at(prediction, i, rows);
    const std::int64_t t = size_at(target, i, rows);
    if (p != t && p != 1 && t != 1) difference.fits = false;
    if (p != t) difference.repeats = true;
    if (p == 1) difference.repeats_of_prediction *= static_cast<double>(t);  // kRowsDimension makes it 0
    // As it was written: N stays N.
    const Shape& larger = p == 1 ? target : prediction;
    difference.shape.insert(difference.shape.begin(), size_at(larger, i, std::nullopt));
  }
  return difference;
}

// Class labels (N,) against logits (N, classes) are as they should be.
void find_broadcast(Finder& finder, Side side) {
  const Description& description = finder.of(side);
  if (!description.prediction_shape || !description.target_shape) return;
  if (!description.loss || *description.loss == Loss::softmax_cross_entropy) return;
  const Difference difference =
      difference_of(*description.prediction_shape, *description.target_shape, description.step_rows());
  const std::string shapes =
      "prediction " + text_of(*description.prediction_shape) + " less target " + text_of(*description.target_shape);
  if (!difference.fits) {
    finder.fault(Rule::shapes_do_not_fit, "prediction_shape", side, shapes);
  } else if (difference.repeats) {
    Finding& finding =
        finder.fault(Rule::broadcast, "prediction_shape", side, shapes + " is " + text_of(difference.shape));
    if (difference.repeats_of_prediction > 1) finding.ratio = difference.repeats_of_prediction;
  }
}

void find_mixed_dtypes(Finder& finder, Side side) {
  const Description& description = finder.of(side);
  if (!description.parameters_dtype || !description.data_dtype) return;
  if (is_integer(*description.data_dtype) || *description.parameters_dtype == *description.data_dtype) return;
  finder.fault(
      Rule::mixed_dtypes, "data_dtype", side,
      text_of(*description.parameters_dtype) + " parameters with " + text_of(*description.data_dtype) + " data");
}

}  // namespace

void find_wrong_sides(Finder& finder) {
  finder.both("prediction_shape", finder.a.prediction_shape, finder.b.prediction_shape);
  finder.both("target_shape", finder.a.target_shape, finder.b.target_shape);
  finder.both("synchronises", finder.a.synchronises, finder.b.synchronises);
  for (const Side side : kSides) {
    const Description& description = finder.of(side);
    find_broadcast(finder, side);
    find_mixed_dtypes(finder, side);
    if (description.update == Update::overwrites_input) {
      finder.fault(Rule::overwritten_input, "update", side, text_of(*description.update));
    }
    if (description.synchronises == false) finder.fault(Rule::no_wait, "synchronises", side, text_of(false));
    if (description.compiled == Compiled::compile_method) {
      finder.fault(Rule::compile_is_not_xla, "compiled", side, text_of(*description.compiled));
    }
  }
}

}  // namespace gdbench::fairness
