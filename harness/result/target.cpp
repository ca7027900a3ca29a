#include "harness/result/target.h"

namespace gdbench::result {

namespace {

// steps x time of a step + constant_ns.
stats::Estimate time_of(double steps, const stats::Estimate& step_ns, double constant_ns) {
  stats::Estimate time = step_ns;
  for (double* value : {&time.value, &time.interval.low, &time.interval.high}) *value = *value * steps + constant_ns;
  return time;
}

}  // namespace

const char* name_of(TargetState state) {
  switch (state) {
    case TargetState::reached:
      return "reached";
    case TargetState::unreached:
      return "unreached";
    case TargetState::diverged:
      return "diverged";
    case TargetState::cut:
      return "cut";
  }
  return "unreached";
}

std::optional<TimeToTarget> time_to_target(const TargetRun& run, const stats::Estimate& step_ns) {
  if (run.state != TargetState::reached) return std::nullopt;
  TimeToTarget result;
  result.time_ns = time_of(static_cast<double>(run.steps), step_ns, 0);
  if (run.evaluation_seconds) {
    result.with_evaluations_ns =
        time_of(static_cast<double>(run.stopped_after), step_ns, *run.evaluation_seconds * 1e9);
  }
  return result;
}

}  // namespace gdbench::result
