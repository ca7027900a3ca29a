// Internal to verify: how muon moves a matrix, and what that makes of errors. GDBENCH_MUON in plugin.h has the formula,
// and says where it comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

// One for each parameter, those that the optimizer moves entry by entry being empty; none where it so moves all.
std::vector<MovedMatrix> moved_matrices(const scenario::Problem& problem);

// One update of the weights W [inputs, outputs], row by row, at a learning rate.
template <class T>
void move_matrix(const scenario::Optimizer& optimizer, double rate, const std::vector<T>& gradient, std::vector<T>& w,
                 std::vector<T>& momentum, MovedMatrix& moved);

// How far, in 2-norm, W may be off at the end, where the gradient of the update that led to `moved` was off by so much,
// and `steps_left` further ones followed.
//
// The polynomial of Newton and Schulz takes a singular value s of U / |U|, which is between 0 and 1, to f(s), at most
// 1.2024. A small change of a matrix is changed by f in the singular vectors' base entry by entry, by the quotients
// (f(s) - f(t)) / (s - t) and (f(s) + f(t)) / (s + t) (Noferini, "A formula for the Frechet derivative of a generalized
// matrix function", 2017). None of them is larger than f'(0) = A^5 = 485, as f is odd and nowhere as steep as at 0. So
// that is the most that may become of an error, relative to |U|; and two results are apart by the sum of both at most.
double moved_error(const scenario::Optimizer& optimizer, double rate, const MovedMatrix& moved, double gradient_error,
                   std::int64_t steps_left);

// The same of what rounding in the update itself adds to W, in the dtype's epsilons.
double own_rounding(double rate, const MovedMatrix& moved);

}  // namespace gdbench::verify
