// Internal to verify: how far an error of the gradient moves an optimizer's update.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

// How far the value of an entry may be off after `steps_left` further steps because its gradient, of the step that led
// to `state`, was off.
//
// sgd passes an error e on as rate e, momentum as rate e (1 + mu + mu^2 ...). lion moves every entry by the rate, one
// way or the other: where what it takes the sign of is as small as its error, an entry may be two rates off. The others
// divide by a root r of squared gradients: an entry moves by rate 2 e / (r + epsilon), half of it through the numerator
// and half through r, and by no more than the rule allows a single step altogether, to both sides. An entry whose
// gradients were all exactly 0 has no error: nothing flowed there. Of a matrix that muon moves the error is spread
// evenly over its entries (muon.h).
template <class T>
class UpdateError {
 public:
  UpdateError(const scenario::Optimizer& optimizer, const ReferenceState<T>& state, std::int64_t steps_left);

  // Of entry `entry` of parameter `parameter`, whose gradient was off by so much.
  double of(std::size_t parameter, std::size_t entry, double gradient_error) const;

 private:
  const scenario::Optimizer& optimizer_;
  const ReferenceState<T>& state_;
  std::int64_t steps_left_;
  double rate_ = 0;
  double gain_ = 1;        // of rules that pass an error on
  bool divides_ = false;   // by a root
  bool turns_ = false;     // takes a sign
  double correction_ = 1;  // what a mean square is divided by before
  double largest_ = 0;
};

// The first update, counted from 1, that does what all later ones do, if that is one of the first `most`; else 1.
std::int64_t first_usual_update(const scenario::Optimizer& optimizer, std::int64_t most);

// How far off what the last of `updates` updates moves by may be, relative to it, because its scalars are computed in
// double from the documented formulas; 0 where no digits cancel there.
double scalars_error(const scenario::Optimizer& optimizer, std::int64_t updates);

// What rounding in the last update adds to a parameter beyond an epsilon of its way, in 2-norm and epsilons: of a
// matrix that muon moved.
template <class T>
double rounding_of_matrix(const scenario::Optimizer& optimizer, const ReferenceState<T>& state, std::size_t parameter);

// For each parameter: how far, in 2-norm, its value may be off, where gradient_errors[p], in 2-norm, are spread evenly
// over its entries.
template <class T>
std::vector<double> update_errors(const scenario::Optimizer& optimizer, const ReferenceState<T>& state,
                                  const std::vector<double>& gradient_errors, std::int64_t steps_left);

}  // namespace gdbench::verify
