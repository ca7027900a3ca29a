#include "harness/stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace gdbench::stats {

namespace {

using Binomial = boost::math::binomial_distribution<double>;

}  // namespace

int median_rank(int count, double confidence) {
  const double tail = (1 - confidence) / 2;
  const Binomial below(count, 0.5);
  int rank = 0;
  while (rank < count / 2 && boost::math::cdf(below, rank) <= tail) ++rank;
  return rank;
}

double student_quantile(double probability, int degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees_of_freedom), probability);
}

double proportion_upper_limit(int successes, int trials, double confidence) {
  return Binomial::find_upper_bound_on_p(trials, successes, 1 - confidence);
}

double proportion_lower_limit(int successes, int trials, double confidence) {
  return Binomial::find_lower_bound_on_p(trials, successes, 1 - confidence);
}

}  // namespace gdbench::stats
