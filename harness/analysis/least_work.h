// What the algorithm of one step needs at least.
//
// Operations are the multiply-adds of the matrix products, two each, and what no product can take in: per entry of an
// activation, a loss or a parameter the multiply-adds, exponentials, divisions and square roots that its cheapest known
// form has. Other element-wise work is left out: it may be folded into the products.
//
// Bytes are what a step moves at least over what it passes over again and again: the batch's rows (as operands of a
// mixed dtype, which they may have been rounded to before) and targets are read once, and parameters and slots are read
// and written once, which are a span of their own, for they may stay in a closer cache than rows. The rows' span is all
// that a block visits: the batch, or so many batches, rounded down to a power of two, so that blocks of similar lengths
// have the same span.
//
// The chain is the dependent operations from this step's parameters to the next one's. A sum of n terms takes one FMA
// and at least ceil(log2 n) - 1 additions or FMAs after it: each layer forward over its inputs and bias, each layer but
// the first backward over its outputs, the update over the batch's rows and the old parameter. Activations, losses and
// optimizer formulas add nothing.
//
// The task gradients needs the backward operations of a layer once per output, but for the last layer, where a column's
// gradient has one column: those sweeps are together as long as one. In the chain its backward sum has one term, and a
// parameter below the last layer sums the batch's rows of every sweep.
//
// The task forward needs the forward products and the batch's rows: parameters stay as they are, so that no step waits
// for the one before, and may stay where they are.
#pragma once

#include <optional>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// Bytes of a step, read and written, that come from such a span.
struct Transfer {
  report::Span span;
  double bytes = 0;
};

struct LeastWork {
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  double products = 0;    // operations of matrix products
  double operations = 0;  // other multiply-adds, two each
  double exponentials = 0;
  double divisions = 0;
  double roots = 0;
  int chain_fmas = 0;
  int chain_additions = 0;
  std::vector<Transfer> transfers{};
};

// Of a scenario whose block makes `block_steps` steps. Nothing for the task floor, for features of which a
// part is 0, which an implementation may skip, and for a resolved scenario that does not say its dtype, loss, layers
// and optimizer.
std::optional<LeastWork> least_work(const report::ScenarioRecord& scenario, double block_steps);

// Of the scenario of one of the report's cells, with the steps of its block, as far as they are known.
std::optional<LeastWork> least_work(const report::Report& report, const report::Cell& cell);

}  // namespace gdbench::analysis
