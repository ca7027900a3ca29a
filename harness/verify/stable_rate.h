// Internal to verify: the largest learning rate at which a training is stable, where linear algebra gives it.
#pragma once

#include <optional>

#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify {

struct StableRate {
  double rate = 0;
  double of_standardised = 0;  // about the same with features of mean 0 and standard deviation 1
  bool exact = false;          // else about so much, for batches or by too few iterations
};

// For a linear model with a squared error, trained by gradient descent at a constant rate, without weight decay: 2 / L
// with the largest eigenvalue L of the Hessian of the loss over all rows; with momentum m 2 (1 + m) / L, with
// Nesterov's 2 (1 + m) / (1 + 2 m) / L. Beyond it training on full batches diverges; batches have Hessians about this
// one. Nothing for other problems, for streams, where some hundred passes over the data are not affordable, and where L
// is infinite.
std::optional<StableRate> largest_stable_rate(const scenario::Problem& problem, const data::Dataset& dataset);

// Whether a column's root mean square is so far beyond 1 that training is slow or diverges, of the first rows for a
// stream.
bool has_large_features(const data::Dataset& dataset);

}  // namespace gdbench::verify
