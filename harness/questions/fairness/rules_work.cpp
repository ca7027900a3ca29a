// Rules on what a step computes, and where.
#include "harness/questions/fairness/finder.h"

namespace gdbench::fairness {

namespace {

// "3200 updates of 32 rows", as far as it is known.
std::string updates_text(const Description& description) {
  const std::optional<std::int64_t> count = description.update_count();
  const std::optional<std::int64_t> rows = description.step_rows();
  return (count ? text_of(*count) + " updates" : std::string("updates")) +
         (rows ? " of " + text_of(*rows) + " rows" : std::string());
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
  for (const Side side : kSides) {
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

}  // namespace

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

}  // namespace gdbench::fairness
