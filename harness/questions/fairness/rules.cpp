#include "harness/questions/fairness/rules.h"

#include <algorithm>

namespace gdbench::fairness {

namespace {

// Of one description alone.

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

// Of what a step computes, and where.

// "3200 updates of 32 rows", "1 update of 1 row", as far as it is known.
std::string updates_text(const Description& description) {
  const std::optional<std::int64_t> count = description.update_count();
  const std::optional<std::int64_t> rows = description.step_rows();
  return (count ? text_of(*count) + (*count == 1 ? " update" : " updates") : std::string("updates")) +
         (rows ? " of " + text_of(*rows) + (*rows == 1 ? " row" : " rows") : std::string());
}

void add_ratio(Finding& finding, const Finder& finder) {
  const std::optional<std::int64_t> a = finder.a.update_count();
  const std::optional<std::int64_t> b = finder.b.update_count();
  if (a && b) finding.ratio = static_cast<double>(*a) / static_cast<double>(*b);
}

// True if rows of a step are known to be unequal; says so.
bool find_rows_of_a_step(Finder& finder) {
  if (!finder.both("batch", finder.a.batch, finder.b.batch)) return false;
  const std::optional<std::int64_t> rows_a = finder.a.step_rows();
  const std::optional<std::int64_t> rows_b = finder.b.step_rows();
  if (!rows_a || !rows_b) {
    if (finder.a.batch != finder.b.batch) finder.unknown("batch", UnknownReason::not_proven);
    return false;
  }
  if (*rows_a == *rows_b) return false;
  add_ratio(finder.unequal(Rule::rows_of_a_step, "batch", updates_text(finder.a), updates_text(finder.b)), finder);
  return true;
}

// Other updates of other batches are one finding.
void find_updates(Finder& finder) {
  const bool other_batches = find_rows_of_a_step(finder);
  const std::optional<std::int64_t> a = finder.a.update_count();
  const std::optional<std::int64_t> b = finder.b.update_count();
  if (!finder.both("updates", a, b) || other_batches || *a == *b) return;
  add_ratio(finder.unequal(Rule::updates, "updates", updates_text(finder.a), updates_text(finder.b)), finder);
}

void find_dtypes(Finder& finder) {
  finder.expect_equal(Rule::dtype, "parameters_dtype", finder.a.parameters_dtype, finder.b.parameters_dtype);
  if (!finder.both("data_dtype", finder.a.data_dtype, finder.b.data_dtype)) return;
  // Where the parameters' are known, theirs and a mixture of the two say it all.
  if (finder.a.parameters_dtype && finder.b.parameters_dtype) return;
  const Dtype a = *finder.a.data_dtype;
  const Dtype b = *finder.b.data_dtype;
  if (a != b && !is_integer(a) && !is_integer(b)) finder.unequal(Rule::dtype, "data_dtype", text_of(a), text_of(b));
}

void find_casts(Finder& finder) {
  const std::optional<std::int64_t>& a = finder.a.casts_per_step;
  const std::optional<std::int64_t>& b = finder.b.casts_per_step;
  bool missing = false;
  for (const Side side : kBothSides) {
    const Description& description = finder.of(side);
    if (description.casts_per_step || !description.data_dtype || !is_integer(*description.data_dtype)) continue;
    finder.unknown("casts_per_step", UnknownReason::not_given, side);  // integers are cast somewhere
    missing = true;
  }
  if (missing || !finder.both("casts_per_step", a, b) || *a == *b) return;
  const Side more = *a > *b ? Side::a : Side::b;
  const Description& description = finder.of(more);
  finder.fault(Rule::casts, "casts_per_step", more,
               text_of(*description.casts_per_step) +
                   (description.data_dtype ? " of " + text_of(*description.data_dtype) + " data" : std::string()));
}

void find_shapes(Finder& finder) {
  const std::optional<std::int64_t> outputs_a = finder.a.outputs();
  const std::optional<std::int64_t> outputs_b = finder.b.outputs();
  if (outputs_a && outputs_b && *outputs_a != *outputs_b) {
    finder.unequal(Rule::outputs, "prediction_shape", text_of(*outputs_a), text_of(*outputs_b));
  }
  const std::optional<Shape>& a = finder.a.weights_shape;
  const std::optional<Shape>& b = finder.b.weights_shape;
  if (!finder.both("weights_shape", a, b) || *a == *b) return;
  const auto as_column = [](Shape shape) {
    if (shape.size() == 1) shape.push_back(1);
    return shape;
  };
  if (as_column(*a) != as_column(*b)) {
    finder.unequal(Rule::weights_shape, "weights_shape", text_of(*a), text_of(*b));
  } else {
    const Side side = a->size() == 1 ? Side::a : Side::b;
    finder.fault(Rule::rank_one_product, "weights_shape", side, text_of(*finder.of(side).weights_shape));
  }
}

void find_updates_by_copy(Finder& finder) {
  const std::optional<Update>& a = finder.a.update;
  const std::optional<Update>& b = finder.b.update;
  if (!finder.both("update", a, b)) return;
  if ((*a == Update::copies) != (*b == Update::copies)) {
    finder.fault(Rule::update_copies, "update", *a == Update::copies ? Side::a : Side::b, text_of(Update::copies));
  }
}

// Of what the clock measures beside the steps.

bool times(const Description& description, ClockItem item) {
  return description.timed && description.timed->contains(item);
}

// What was never run before is traced or compiled by its first step.
bool compiles_in_a_step(const Description& description) {
  return description.compiled && *description.compiled != Compiled::none && description.warm_up_steps == 0;
}

void find_tracing(Finder& finder, Side side) {
  const Description& description = finder.of(side);
  if (compiles_in_a_step(description)) {
    finder.fault(Rule::tracing, "warm_up_steps", side, text_of(*description.compiled) + " without a warm-up step");
  } else if (times(description, ClockItem::tracing)) {
    finder.fault(Rule::tracing, "timed", side, text_of(ClockItem::tracing));
  }
}

void find_clock_items(Finder& finder) {
  if (!finder.both("timed", finder.a.timed, finder.b.timed)) return;
  for (const ClockItem item : {ClockItem::import, ClockItem::data, ClockItem::transfer, ClockItem::evaluation}) {
    const bool by_a = times(finder.a, item);
    if (by_a != times(finder.b, item)) {
      finder.fault(Rule::clock_includes, "timed", by_a ? Side::a : Side::b, text_of(item));
    }
  }
}

void find_warm_up(Finder& finder) {
  const std::optional<std::int64_t>& a = finder.a.warm_up_steps;
  const std::optional<std::int64_t>& b = finder.b.warm_up_steps;
  if (!finder.both("warm_up_steps", a, b) || (*a == 0) == (*b == 0)) return;
  const Side cold = *a == 0 ? Side::a : Side::b;
  if (!compiles_in_a_step(finder.of(cold))) finder.fault(Rule::no_warm_up, "warm_up_steps", cold, "0");
}

}  // namespace

void find_wrong_sides(Finder& finder) {
  finder.both("prediction_shape", finder.a.prediction_shape, finder.b.prediction_shape);
  finder.both("target_shape", finder.a.target_shape, finder.b.target_shape);
  finder.both("synchronises", finder.a.synchronises, finder.b.synchronises);
  for (const Side side : kBothSides) {
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

void find_unequal_work(Finder& finder) {
  const Description& a = finder.a;
  const Description& b = finder.b;
  find_updates(finder);
  finder.expect_equal(Rule::device, "device", a.device, b.device);
  finder.expect_equal(Rule::threads, "threads", a.threads, b.threads);
  finder.expect_equal(Rule::optimizer, "optimizer/kind", a.optimizer.kind, b.optimizer.kind);
  if (finder.both("loss", a.loss, b.loss) &&
      (*a.loss == Loss::softmax_cross_entropy) != (*b.loss == Loss::softmax_cross_entropy)) {
    finder.unequal(Rule::loss, "loss", text_of(*a.loss), text_of(*b.loss));
  }
  find_shapes(finder);
  find_dtypes(finder);
  find_casts(finder);
  if (finder.both("accumulation", a.accumulation, b.accumulation) && a.accumulation->steps != b.accumulation->steps) {
    finder.unequal(Rule::accumulated_parts, "accumulation/steps", text_of(a.accumulation->steps),
                   text_of(b.accumulation->steps));
  }
  find_updates_by_copy(finder);
  // Order does not matter to a full batch.
  if (finder.both("shuffle", a.shuffle, b.shuffle) && *a.shuffle != *b.shuffle &&
      !(a.batch == kFullBatch && b.batch == kFullBatch)) {
    const Side side = *a.shuffle ? Side::a : Side::b;
    finder.fault(Rule::shuffle, "shuffle", side, text_of(true));
  }
}

void find_unequal_clocks(Finder& finder) {
  // What is compiled may be the question itself: another mode is no inequality.
  finder.both("compiled", finder.a.compiled, finder.b.compiled);
  for (const Side side : kBothSides) find_tracing(finder, side);
  find_clock_items(finder);
  find_warm_up(finder);
}

}  // namespace gdbench::fairness
