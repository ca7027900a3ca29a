// The distributions that intervals and tests rest on; Boost.Math stays behind this file.
#pragma once

namespace gdbench::stats {

// The largest r for which the r-th least and the r-th greatest of `count` independent values enclose their median with
// at least that confidence, for any distribution: 1 - 2 P(B < r) >= confidence, B binomial(count, 1/2). 0 where
// not even the least and the greatest do.
// H. A. David, H. N. Nagaraja, Order Statistics (2003), 7.1.
int median_rank(int count, double confidence);

// The value that Student's t with so many degrees of freedom (at least 1) exceeds with probability 1 - probability.
double student_quantile(double probability, int degrees_of_freedom);

// One-sided exact limits of a proportion: Clopper and Pearson, The use of confidence or fiducial limits (1934).
double proportion_upper_limit(int successes, int trials, double confidence);
double proportion_lower_limit(int successes, int trials, double confidence);

}  // namespace gdbench::stats
