// Time to a target loss: what a training to it took in steps, and what that is in time. Part of a report's cell.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/report/named.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// cut: out of the time that trainings to a target may take.
enum class TargetState { reached, unreached, diverged, cut };
inline constexpr Named<TargetState> kTargetStates[] = {{TargetState::reached, "reached"},
                                                       {TargetState::unreached, "unreached"},
                                                       {TargetState::diverged, "diverged"},
                                                       {TargetState::cut, "cut"}};
constexpr const auto& rows_of(TargetState /*any*/) { return kTargetStates; }

// A training from the start state with the scenario's own learning rates, in a process of its own: `evaluate_every`
// steps, an evaluation of the loss over all training rows, and again.
struct TargetRun {
  TargetState state = TargetState::unreached;
  double target_loss = 0;  // absolute, whatever the scenario says
  double initial_loss = 0;
  // reached: a step after which the loss is at or below the target and before which it is above, found by bisection
  // between the last two evaluations; the first one where the loss falls between them. Otherwise stopped_after.
  std::uint64_t steps = 0;
  std::uint64_t stopped_after = 0;  // steps at the last evaluation
  double loss = 0;                  // there; not finite where diverged
  std::int64_t evaluations = 0;     // without those of the bisection
  double run_seconds = 0;           // of the steps
  // Of the evaluations; absent where the implementation offers none and the reference evaluated its parameters.
  std::optional<double> evaluation_seconds;
};

// Of a cell that reached its target and was timed.
struct TimeToTarget {
  // Load, prepare without imports, and the steps; since 1.7, before that the steps alone.
  stats::Estimate time_ns;
  // What a training takes that stops at the first evaluation at or below the target: with stopped_after steps, and the
  // evaluations. Absent where they have no time.
  std::optional<stats::Estimate> with_evaluations_ns;
  // Since 1.7. Of these what comes before steady steps: load, prepare, what the first step takes beyond a steady one.
  std::optional<double> ready_ns;
};

}  // namespace gdbench::report
