// What the tests of verification train otherwise, and have judged.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "harness/verify/check.h"
#include "harness/verify/reference_trajectory.h"
#include "tests/support/verify/cases.h"
#include "tests/support/verify/other_implementation.h"

namespace gdbench::verify::testing {

// A trajectory of so many steps.
inline ReferenceOptions steps_of(std::int64_t steps) { return {.steps = steps, .max_steps = steps}; }

inline Result<ReferenceTrajectory> reference_of(const Case& problem_case, const ReferenceOptions& options = {}) {
  return make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, options);
}

// Of a fault the parameters alone are judged.
inline Check judged(const ReferenceTrajectory& reference, const Case& problem_case,
                    Summation summation = Summation::blocked, Fault fault = Fault::none) {
  const Outcome outcome = train_otherwise(problem_case, reference.steps, summation, fault);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return check(reference, outcome.state, fault == Fault::none ? outcome.loss : unknown);
}
inline bool finds(const ReferenceTrajectory& reference, const Case& problem_case, Fault fault) {
  return !judged(reference, problem_case, Summation::blocked, fault).ok;
}

// What is made of right results in any order of summation: the largest share of its tolerance that a tensor of them
// takes, and why one was refused, if any was.
struct RightResults {
  double largest_share = 0;
  std::string refused;
};
inline RightResults right_results(const ReferenceTrajectory& reference, const Case& problem_case) {
  RightResults found;
  for (const Summation summation : kSummations) {
    const Check result = judged(reference, problem_case, summation);
    if (!result.ok) {
      found.refused = describe(problem_case.problem) + ", summation " + std::to_string(static_cast<int>(summation)) +
                      ": " + result.reason;
    }
    for (const TensorCheck& tensor : result.tensors) {
      found.largest_share = std::max(found.largest_share, tensor.error / tensor.tolerance);
    }
  }
  return found;
}
inline double share_of_right_results(const ReferenceTrajectory& reference, const Case& problem_case) {
  const RightResults found = right_results(reference, problem_case);
  EXPECT_EQ(found.refused, "");
  return found.largest_share;
}

// In how many of 300 random cases something was judged, the largest share of its tolerance that a tensor of a right
// result takes up, and in how many cases each fault was found.
struct Tally {
  int judged = 0;
  double largest_share = 0;
  std::vector<std::string> refused;  // right results, each of another case; they have no share
  double skipped = 0;                // steps of all cases
  std::map<Fault, int> found;
};

using MakeCase = Case (*)(std::uint64_t seed, scenario::Dtype dtype);

// Of cases that `change` changes; `steps` 1: the single step that verification of a mixed dtype begins with.
inline Tally tally(MakeCase make, scenario::Dtype dtype, std::int64_t steps, const std::vector<Fault>& faults,
                   const std::function<void(std::uint64_t seed, Case&)>& change) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Case problem_case = make(seed * 1000, dtype);
    change(seed, problem_case);
    auto reference = reference_of(problem_case, steps_of(steps));
    if (reference.ok() && steps == 1) {
      reference = make_single_step(*reference, problem_case.problem, problem_case.dataset);
    }
    if (!reference.ok()) continue;  // unfit to be judged
    ++tally.judged;
    if (!reference->loss_scaling.empty()) tally.skipped += reference->loss_scaling[2];
    problem_case.start = reference->start;
    const RightResults right = right_results(*reference, problem_case);
    if (!right.refused.empty()) {
      tally.refused.push_back("seed " + std::to_string(seed) + ": " + right.refused);
    } else {
      tally.largest_share = std::max(tally.largest_share, right.largest_share);
    }
    for (const Fault fault : faults) tally.found[fault] += finds(*reference, problem_case, fault) ? 1 : 0;
  }
  return tally;
}

// `lasting`: those that several steps tell, too.
inline void expect_large_networks_judged(scenario::Dtype dtype, catalogue::ParameterRounding rounding,
                                         const std::vector<Fault>& faults, const std::vector<Fault>& lasting) {
  using scenario::Activation;
  using scenario::Loss;
  const auto sized = [&](const std::vector<std::int64_t>& widths, Activation hidden, Loss loss, std::int64_t rows) {
    scenario::Problem problem = make_problem(widths, hidden, true, loss, rows, rows, dtype, 0.1);
    problem.parameter_rounding = rounding;
    problem.loss_scaling.initial = 1024;  // by which none of them overflows
    return problem;
  };
  for (const scenario::Problem& problem :
       {sized({784, 128, 10}, Activation::relu, Loss::softmax_cross_entropy, 64),
        sized({64, 64, 64, 64, 64, 8}, Activation::tanh, Loss::mse, 128),
        sized({10, 50, 1}, Activation::relu, Loss::mse, 1000), sized({32, 1}, Activation::identity, Loss::mse, 300)}) {
    const Case problem_case = make_case(problem, 5);
    for (const std::int64_t steps : {1, 5}) {
      const auto reference = reference_of(problem_case, steps_of(steps));
      ASSERT_TRUE(reference.ok()) << describe(problem) << ": " << reference.error().message;
      for (const Summation summation : {Summation::forward, Summation::pairwise}) {
        const Check result = judged(*reference, problem_case, summation);
        EXPECT_TRUE(result.ok) << describe(problem) << ": " << result.reason;
      }
      for (const Fault fault : steps == 1 ? faults : lasting) {
        EXPECT_TRUE(finds(*reference, problem_case, fault)) << describe(problem) << ": " << static_cast<int>(fault);
      }
    }
  }
}

}  // namespace gdbench::verify::testing
