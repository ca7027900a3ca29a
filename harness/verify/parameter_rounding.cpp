#include "harness/verify/parameter_rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/base/random.h"
#include "harness/verify/narrow.h"

namespace gdbench::verify {

namespace {

using catalogue::ParameterRounding;
using scenario::Problem;

// What is added to the magnitudes of a step's parameters, in spacings, before they are cut off: one number after the
// other in the parameters' flat order. The numbers are those of SplitMix64 whose seed is number `step` of the
// SplitMix64 that the problem seeds; 16 bits are as many as a float has beyond a bfloat16.
class Offsets {
 public:
  Offsets(const Problem& problem, std::int64_t step)
      : stochastic_(problem.parameter_rounding == ParameterRounding::stochastic) {
    constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15U;  // of SplitMix64's state
    std::uint64_t seeds = problem.rounding_seed + kIncrement * static_cast<std::uint64_t>(step);
    state_ = split_mix_64(seeds);
  }
  double next() { return stochastic_ ? static_cast<double>(split_mix_64(state_) >> 48) * 0x1p-16 : 0.5; }

 private:
  bool stochastic_;
  std::uint64_t state_ = 0;
};

}  // namespace

template <class T>
void round_parameters(const Problem& problem, ReferenceState<T>& state) {
  if (!problem.rounds_parameters()) return;
  const NumberFormat& format = catalogue::row_of(problem.dtype).operands;
  Offsets offsets(problem, state.step - 1);
  state.unrounded = state.parameters;
  for (std::vector<T>& parameter : state.parameters) {
    for (T& value : parameter) {
      const T offset = static_cast<T>(offsets.next());
      value = problem.parameter_rounding == ParameterRounding::nearest ? narrowed(value, format)
                                                                       : cut_off(value, format, offset);
    }
  }
}

template <class T>
std::vector<double> undecided_parameters(const Problem& problem, const ReferenceState<T>& state,
                                         const std::function<double(std::size_t, std::size_t)>& error) {
  const NumberFormat& format = catalogue::row_of(problem.dtype).operands;
  Offsets offsets(problem, state.step - 1);
  std::vector<double> norms;
  for (std::size_t p = 0; p < state.unrounded.size(); ++p) {
    double sum = 0;
    for (std::size_t i = 0; i < state.unrounded[p].size(); ++i) {
      const auto offset = static_cast<T>(offsets.next());
      const double off = error(p, i);
      const double square = square_undecided(state.unrounded[p][i], off, format, offset);
      if (square > 0) sum += std::max(square, off * off);
    }
    norms.push_back(std::sqrt(sum));
  }
  return norms;
}

#define GDBENCH_INSTANTIATE(T)                                                                \
  template void round_parameters(const Problem&, ReferenceState<T>&);                         \
  template std::vector<double> undecided_parameters(const Problem&, const ReferenceState<T>&, \
                                                    const std::function<double(std::size_t, std::size_t)>&);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
