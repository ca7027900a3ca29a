// What of a cell is compared, judged or claimed.
#pragma once

#include "harness/report/named.h"

namespace gdbench::report {

// What of a cell is compared. A launch has one value of each, except for step.
enum class Quantity {
  step,             // time of a steady step
  ratio,            // that over the baseline's
  first_step,       // time of a process's first step
  prepare,          // time of preparing (tracing, compiling), without imports
  import,           // time of loading a framework
  time_for_steps,   // load, prepare without imports, first step and N - 1 steady ones; not the process's start
  peak_memory,      // largest resident memory of the process
  own_memory,       // of that, what it does not share (no data files, no libraries)
  device_memory,    // largest memory on a device
  time_to_target,   // load, prepare without imports, and the steps to the scenario's target loss
  steps_to_target,  // counted, so without an interval
  allocations,      // of a steady step, likewise
  step_p95,         // percentiles of steps that were timed one by one, where that is telling
  step_p99,
};
inline constexpr Named<Quantity> kQuantities[] = {{Quantity::step, "step"},
                                                  {Quantity::ratio, "ratio"},
                                                  {Quantity::first_step, "first_step"},
                                                  {Quantity::prepare, "prepare"},
                                                  {Quantity::import, "import"},
                                                  {Quantity::time_for_steps, "time_for_steps"},
                                                  {Quantity::peak_memory, "peak_memory"},
                                                  {Quantity::own_memory, "own_memory"},
                                                  {Quantity::device_memory, "device_memory"},
                                                  {Quantity::time_to_target, "time_to_target"},
                                                  {Quantity::steps_to_target, "steps_to_target"},
                                                  {Quantity::allocations, "allocations"},
                                                  {Quantity::step_p95, "step_p95"},
                                                  {Quantity::step_p99, "step_p99"}};
constexpr const auto& rows_of(Quantity /*any*/) { return kQuantities; }

// One value of a cell, the same in each launch.
constexpr bool is_counted(Quantity quantity) {
  return quantity == Quantity::steps_to_target || quantity == Quantity::allocations;
}
constexpr bool is_percentile(Quantity quantity) {
  return quantity == Quantity::step_p95 || quantity == Quantity::step_p99;
}
constexpr bool is_memory(Quantity quantity) {
  return quantity == Quantity::peak_memory || quantity == Quantity::own_memory || quantity == Quantity::device_memory;
}

}  // namespace gdbench::report
