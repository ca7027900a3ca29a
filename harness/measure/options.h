// How much and how to measure.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/machine/device_state.h"
#include "harness/measure/known_times.h"
#include "harness/measure/plan.h"
#include "harness/protocol/client.h"

namespace gdbench::measure {

// What a person sees while a run lasts.
struct ProgressState {
  std::string phase;         // "verify mlp-10-50-1/hand/eigen"
  double fraction = 0;       // of the whole run, 0 to 1
  double seconds_left = -1;  // -1: not known yet
};

// How long a timed block lasts, and untimed steps before it, while caches and predictors forget the cell that was there
// before.
struct BlockTimes {
  double seconds = 0;
  double warm_up_seconds = 0;
};

// A question that some cells decide together, once each has so many launches.
struct Goal {
  std::string name;
  std::vector<std::size_t> cells;  // indices of the report's
  bool is_beside = false;          // worth less than all that are not
  int launches = 0;                // 0: RunOptions::decisive_launches
};

struct RunOptions {
  double budget_seconds = 60;  // for everything since `started`, verification included
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  double reserved_seconds = 0;  // of the budget, for what comes after the last launch
  double precision = 0;         // stop a scenario once every cell's interval is within +-precision; 0: use the budget
  int launches = 0;             // exactly so many; 0: as many as the budget gives
  int minimum_launches = 3;     // even if the budget is spent
  int max_launches = 0;         // even if there is budget left; 0: no limit
  // Which of the cells (indices of the report's) need more launches, as what is asked of them is open. Asked after each
  // launch of their scenario; its others rest.
  std::function<std::vector<std::size_t>(report::Report&, const std::vector<std::size_t>& cells)> open_cells =
      [](auto&, auto& cells) { return cells; };
  // Fewer say nothing: where there is no time for so many of every scenario, those whose launches cost least have them,
  // the others the minimum. 0: all have as many.
  int decisive_launches = 0;
  bool cold_steps = false;    // whether some are timed with the caches full of other data, likewise
  bool single_steps = false;  // whether some are timed one by one, after each launch's samples
  bool profiles = true;       // a glance at each cell's phases, in a process of its own
  // Where the budget is too short for all of these, some of them are decided and cells of the others stay pending, with
  // the reason (goals.h). Empty: all cells are measured.
  std::vector<Goal> goals;
  // Rounds per launch whose blocks count; one more comes first and is marked cold. Six blocks of 2 ms: more blocks in a
  // launch do not average out what differs between launches, so a launch is kept short.
  int rounds = 6;
  BlockTimes block = {0.002, 0.0001};
  // Of adapters, of frameworks, of devices, and of several compute threads. A framework's step runs through much more
  // code and data: after others had the processor, its first steps take up to three times as long; its launch costs
  // seconds, so longer blocks cost nothing beside it. Threads sleep between blocks, and to wake one takes 0.1 ms on a
  // virtual machine. A device that was idle computes at other clocks for its first milliseconds.
  BlockTimes long_block = {0.01, 0.01};
  const BlockTimes& block_of(const PlannedCell& cell) const {
    const bool quick =
        cell.entry->hosted() && !cell.entry->on_request && cell.compute_threads() == 1 && !cell.on_device();
    return quick ? block : long_block;
  }
  std::uint64_t seed = 1;
  // Of what a worker must not foresee: where blocks start, and after which of them it is checked. Not of the run's
  // seed, which a worker may know.
  std::uint64_t check_seed = std::random_device{}();
  std::filesystem::path reference_cache;  // where reference trajectories are kept for other runs; empty: nowhere
  KnownTimes* known_times = nullptr;      // what earlier runs took, and this one takes; null: not known, not kept
  // Workers of a scenario run side by side while the machine has so much memory left; those beyond it run after them,
  // in the same launch.
  std::uint64_t keep_free_bytes = std::uint64_t{1} << 30;
  std::size_t data_cap_bytes = kDataCapBytes;  // of data held at once
  protocol::Limits limits;
  // Adds to the report what the processor can do at this moment; where it is not known, no cell is judged by it.
  std::function<void(report::Report&)> measure_ceilings = [](report::Report&) {};
  // What the device says of itself at this moment, where there is one that says anything.
  std::function<std::optional<report::DeviceState>()> device_state = machine::device_state;
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const ProgressState&)> progress = [](const ProgressState&) {};
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // one line that a person should see now

  // Seconds of the run so far.
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); }
};

}  // namespace gdbench::measure
