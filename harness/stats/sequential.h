// Intervals that hold however often one looks, so that measuring may end as soon as one of them decides.
//
// Of values y that scatter symmetrically about a centre c, each by a spread of its own: for a bet b below 1 and a scale
// l, 1 + b tanh(l (y - c)) is 1 on average, whatever came before it. The mean over some bets and scales of the products
// of these factors, so far, then is evidence that starts at 1 and is 1 on average; that it ever reaches 1 / a has
// probability a at most (J. Ville, 1939). An interval leaves out the centres against which the evidence, of y or of -y,
// has reached 2 / (1 - confidence). A factor is between 0 and 2, however far from the others a value is.
// A. Ramdas, P. Gruenwald, V. Vovk, G. Shafer, Game-theoretic statistics and safe anytime-valid inference (2023).
#pragma once

#include <optional>
#include <span>

#include "harness/stats/estimate.h"

namespace gdbench::stats {

// The evidence that the centre of `values` is above `centre`: logarithms of ratios, as scales are those of launches. At
// most 1.95 times as much with each value.
double evidence_above(std::span<const double> values, double centre);

// Of the centre of `values`, logarithms of ratios; nothing where so few cannot bring enough evidence. It holds at all
// numbers of values at once with that confidence.
std::optional<Interval> interval_at_every_look(std::span<const double> values, double confidence);

}  // namespace gdbench::stats
