#include <algorithm>

#include "harness/questions/fairness/comparison.h"

namespace gdbench::fairness {

const std::vector<Rule>& rules() {
  using enum Harm;
  static const std::vector<Rule> table = {
      {"broadcast", wrong, "fault prediction_shape.broadcast ratio prediction_shape.repeats",
       "{side}: {value}. Each prediction meets the targets of other rows, so loss and gradients are wrong[, and there "
       "are {ratio} times as many differences]. To mend it, give prediction and target of {side} one shape."},
      {"shapes_do_not_fit", wrong, "fault prediction_shape.misfit",
       "{side}: {value}. Arrays of these shapes cannot be subtracted: what was timed has others. To mend it, look up "
       "which shapes {side} really has."},
      {"overwritten_input", wrong, "fault update=overwrites_input",
       "{side}: the update overwrites an array that is read again. BLAS's axpy takes a and overwrites y by a x + y: "
       "adding its result to y counts the parameters twice, and a second run starts from trained ones. To mend it, "
       "let the update of {side} write the parameters and nothing else read them meanwhile."},
      {"no_wait", wrong, "fault synchronises=false",
       "{side}: nothing waits for the results. Work may be unfinished when the clock stops, which then has timed its "
       "submission. To mend it, wait for the last parameters of {side} before the clock stops."},
      {"mixed_dtypes", wrong, "fault data_dtype.mixed",
       "{side}: {value}. A library refuses to multiply them, or converts one in each step and computes in the wider "
       "type. To mend it, convert the data of {side} to the parameters' type before the clock starts."},
      {"compile_is_not_xla", wrong, "fault compiled=compile_method",
       "{side}: compile() is not XLA. Keras's compile() names loss and optimizer; whether XLA compiles the step is up "
       "to jit_compile, whose default changes with the version: the time says nothing about XLA. To mend it, set "
       "jit_compile in {side}, and describe it as xla or as function."},
      {"updates", work, "differ updates shown batch.text ratio updates unless_other batch.rows",
       "{A} makes {a}, {B} {b}. The times are of unequal work[: {times} times as many updates]. To mend it, make as "
       "many updates in both, or divide each time by its own number."},
      {"rows_of_a_step", work, "differ batch.rows shown batch.text ratio updates",
       "{A} makes {a}, {B} {b}. A step is another amount of work, so neither the whole nor a step can be compared[: "
       "{times} times as many updates]. To mend it, give both the same batch and the same number of updates."},
      {"device", work, "differ device",
       "{A} runs on {a}, {B} on {b}. The difference may be the devices' alone. To mend it, run both on one device."},
      {"threads", work, "differ threads",
       "{A} has threads: {a}, {B}: {b}. The difference may be the threads' alone. To mend it, give both as many "
       "threads."},
      {"loss", work, "differ loss.function shown loss",
       "{A} has {a}, {B} {b}. The passes compute different functions. To mend it, give both one loss."},
      {"outputs", work, "differ prediction_shape.outputs",
       "columns of the predictions: {a} in {A}, {b} in {B}. Products and loss have other sizes. To mend it, give both "
       "one model and the same targets."},
      {"weights_shape", work, "differ weights_shape.column shown weights_shape",
       "{A} has weights {a}, {B} {b}. The products have other sizes. To mend it, give both one model."},
      {"optimizer", work, "differ optimizer/kind",
       "{A} updates by {a}, {B} by {b}. An update reads and writes another number of arrays, and the parameters take "
       "another path. To mend it, give both one optimizer."},
      // Where the parameters' types are known, theirs and a mixture of the two say it all.
      {"dtype", work, "differ parameters_dtype data_dtype.floating unless_said parameters_dtype",
       "{key}: {a} in {A}, {b} in {B}. Other numbers of bytes to move and of entries per instruction: f64 takes about "
       "twice the time of f32 where arithmetic or memory is the limit. To mend it, give both the same {key}."},
      {"casts", work, "more casts_per_step shown casts_per_step.text",
       "{side}: casts in each step: {value}. A step copies data into another type before it begins. To mend it, cast "
       "the data of {side} once, before the clock starts."},
      {"rank_one_product", work, "more weights_shape.vector unless_other weights_shape.column",
       "{side}: the weights in the matrix product are a vector of rank 1, {value}. It is a matrix-vector product "
       "instead of a matrix product, where a library takes it (TensorFlow's matmul does not), and its prediction (N,) "
       "less targets (N, 1) is N x N. To mend it, give the weights of {side} a second dimension of 1."},
      {"accumulated_parts", work, "differ accumulation/steps",
       "{A} accumulates over parts: {a}, {B}: {b}. The same update takes more and smaller products, and less memory. "
       "To mend it, accumulate over as many parts in both."},
      {"update_copies", work, "more update=copies",
       "{side} makes new arrays at each update, {other} writes in place. An update allocates memory and moves more of "
       "it. To mend it, update in place in both."},
      {"shuffle", work, "more shuffle=true unless_said batch.full",
       "{side} shuffles, {other} does not. Rows are gathered one by one where the other takes them as they lie, and "
       "the parameters take another path. To mend it, give both the same order of rows."},
      {"tracing", clock, "fault warm_up_steps.tracing timed.tracing",
       "{side}: the clock includes tracing or compiling ({value}). What happens once is charged to the steps: the "
       "fewer they are, the more. To mend it, run {side} once before the clock starts, and report that time apart."},
      {"clock_includes", clock, "more timed.import timed.data timed.transfer timed.evaluation",
       "{side}: the clock includes {value}, that of {other} does not. The difference holds {value}, not the steps "
       "alone. To mend it, take {value} out of the clock of {side}."},
      {"no_warm_up", clock, "more warm_up_steps.none",
       "{side} runs no step before the clock starts, {other} does. First steps allocate memory, start threads and "
       "meet cold caches. To mend it, warm {side} up like {other}."},
      {"gradient_factor", training, "differ loss.factor ratio loss.ratio",
       "{A} has {a}, {B} {b}. With one learning rate the parameters take another path[: the gradients of {A} are "
       "{ratio} times those of {B}]. To mend it, give both one loss[, or {B} the learning rate {rate}]."},
      {"undivided_accumulation", training, "fault accumulation/divides.parts ratio accumulation/divides.parts",
       "{side} adds the gradients of {value} parts and does not divide. Its gradients are {value} times those of the "
       "whole batch. To mend it, divide the sum of {side} by {value}[, or give {B} the learning rate {rate}]."},
      {"learning_rate", training, "differ optimizer/learning_rate.judged ratio optimizer/learning_rate",
       "learning rate: {a} in {A}, {b} in {B}. The parameters take another path: losses after as many steps say "
       "nothing of speed. To mend it, give both one learning rate."},
      {"initial", training, "differ initial.seed initial.distribution shown initial unless_other initial.seed",
       "initial parameters: {a} in {A}, {b} in {B}. Steps to a target depend on where they begin. To mend it, copy "
       "the initial parameters of one to the other."},
      {"rows", training, "differ rows unless_said batch.full",
       "rows: {a} in {A}, {b} in {B}. An epoch is another number of steps, and the loss another. To mend it, give "
       "both the same rows."},
      {"normalisation", training, "differ normalisation",
       "normalisation: {a} in {A}, {b} in {B}. The problems differ in their conditioning, so steps to a target cannot "
       "be compared; per sample also takes away each row's size. To mend it, normalise both per feature, by the same "
       "means and deviations, or neither."},
      {"optimizer_constant", training,
       "differ optimizer/momentum optimizer/beta1 optimizer/beta2 optimizer/rho optimizer/epsilon "
       "optimizer/momentum_decay optimizer/adamw_rate_factor optimizer/epsilon_place optimizer/weight_decay "
       "unless_other "
       "optimizer/kind",
       "{key}: {a} in {A}, {b} in {B}. The parameters take another path. To mend it, give both one {key}."},
  };
  return table;
}

const Rule& rule_named(const std::string& name) {
  return *std::find_if(rules().begin(), rules().end(), [&](const Rule& rule) { return rule.name == name; });
}

}  // namespace gdbench::fairness
