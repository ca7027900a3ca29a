// Training by the reference's functions, whose formulas the golden trajectories check, but with gradients that are
// added up entry by entry in an order of choice, and with deliberate faults.
#pragma once

#include <cstdint>

#include "tests/support/verify/cases.h"

namespace gdbench::verify::testing {

// tf32: products of floats first cut what TF32 has no bits for off their operands, the coarsest way to round to it.
enum class Summation { forward, reversed, pairwise, blocked, fused, tf32 };

// All but tf32, which is no order.
inline constexpr Summation kSummations[] = {Summation::forward, Summation::reversed, Summation::pairwise,
                                            Summation::blocked, Summation::fused};

enum class Fault {
  none,
  doubled_loss_gradient,
  frozen_bias,       // of the last layer
  dropped_last_row,  // of every batch, its mean still over all rows
  extra_step,        // the step number reported is the right one
  missing_step,
  summed_loss,        // sum instead of mean over the rows
  transposed_weight,  // of the first layer, used as it lies in memory
  wrong_entry,        // of the first weights, by 1e-3 of its value, after training
  unshuffled,         // ignores the order
  // Of normalised layers alone.
  unbiased_variance,  // divided by one less
  epsilon_of_root,    // added to the root instead of the variance
  frozen_scale,
  straight_gradient,  // as if a row's mean and variance were constants
  // Of a mixed dtype alone.
  wide_operands,      // nothing is rounded
  cut_operands,       // to the next number towards zero instead of the nearest
  narrow_sums,        // every addition within a product is rounded as operands are
  narrow_parameters,  // so are the parameters after every update
  narrow_bias_sums,   // every addition for the gradient of a bias is rounded as operands are
  // Of f16 alone.
  unscaled_loss,        // rounded as if the scale were 1
  updates_on_overflow,  // by 0 in place of what is not finite
  constant_scale,       // never grows
  // Where parameters are rounded after every update.
  unrounded_parameters,
  nearest_parameters,
  stochastic_parameters,
  other_stream,  // of random numbers
};

struct Outcome {
  scenario::State state;
  double loss = 0;  // over all rows, after the last step
};

// In double for f64, else in float.
Outcome train_otherwise(const Case& problem_case, std::int64_t steps, Summation summation = Summation::blocked,
                        Fault fault = Fault::none);

}  // namespace gdbench::verify::testing
