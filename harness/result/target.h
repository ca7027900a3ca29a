// Time to a target loss: what a training to it took in steps, and what that is in time. Part of a report's cell.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/stats/estimate.h"

namespace gdbench::result {

// cut: out of the time that trainings to a target may take.
enum class TargetState { reached, unreached, diverged, cut };
const char* name_of(TargetState state);  // "reached", "unreached", "diverged", "cut"

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
  stats::Estimate time_ns;  // steps x time of a step
  // What a training takes that stops at the first evaluation at or below the target: stopped_after x time of a step,
  // and the evaluations. Absent where they have no time.
  std::optional<stats::Estimate> with_evaluations_ns;
};

// `step_ns` is the cell's time of a step; its interval is what the result's rests on. Nothing unless `run` reached.
std::optional<TimeToTarget> time_to_target(const TargetRun& run, const stats::Estimate& step_ns);

}  // namespace gdbench::result
