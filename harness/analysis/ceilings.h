// How much of what the processor can do a cell uses.
//
// floor of a step = the longest of
//   operations  multiply-adds of the matrix products, two operations each, over the FMA rate of the cell's dtype.
//               Element-wise work is left out: it may be folded into the products.
//   bytes       what a step must move at least over what each level delivers: the batch's rows and targets and every
//               parameter and optimizer slot are read once, parameters and slots are written once. Of a working set W,
//               the part that the closer caches (C bytes) cannot hold comes from level i or beyond:
//                 max over i of (1 - C_i / W) x max(read bytes / read_i, all bytes / max(read_i, update_i)).
//               W counts the rows that a block visits, not only one batch's.
//   chain       dependent operations from this step's parameters to the next one's, times their latency. A sum of n
//               terms takes one FMA and at least ceil(log2 n) - 1 additions or FMAs after it:
//                 each layer forward over its inputs and bias, each layer but the first backward over its outputs,
//                 the update over the batch's rows and the old parameter.
//               Activations, losses and optimizer formulas add nothing: a lower bound, not an estimate.
// The task gradients needs the backward operations of a layer once per output, but for the last layer, where a column's
// gradient has one column: those sweeps are together as long as one. In the chain its backward sum has one term, and a
// parameter below the last layer sums the batch's rows of every sweep.
// share = floor over the step's time. T threads divide operations and bytes by T, never the chain. A share above 1 says
// that a ceiling is wrong, by no more than its measurement's error, and is marked as failed; a cell that is beyond that
// is untrusted (harness/measure/session).
#pragma once

#include <optional>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// What the algorithm of one step needs at least.
struct LeastWork {
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  double operations = 0;
  double read_bytes = 0;
  double written_bytes = 0;
  double working_set_bytes = 0;
  int chain_fmas = 0;
  int chain_additions = 0;
};

// The best of every figure over measurements and widths; nothing without a measurement.
std::optional<report::VectorCeilings> best_of(const std::vector<report::CeilingsMeasurement>& measurements);

// Of a scenario whose block makes `block_steps` steps. Nothing for a task other than train, gradients and update, for
// features of which a part is 0, which an implementation may skip, and for a resolved scenario that does not say its
// dtype, loss, layers and optimizer.
std::optional<LeastWork> least_work(const report::ScenarioRecord& scenario, double block_steps);

// Nothing where a ceiling that the floor needs was not measured. `step_ns` must be positive.
std::optional<report::CeilingShare> ceiling_share(const LeastWork& work, int threads, double step_ns,
                                                  const report::VectorCeilings& ceilings);

// The same of a cell whose step takes `step_ns`, by the report's best ceilings. Nothing for a cell that is not ranked:
// it may skip arithmetic on purpose.
std::optional<report::CeilingShare> ceiling_share(const report::Report& report, const report::Cell& cell,
                                                  double step_ns);

// Fills ceilings.best and, for every ranked cell with a summary, its share.
void add_ceiling_shares(report::Report& report);

}  // namespace gdbench::analysis
