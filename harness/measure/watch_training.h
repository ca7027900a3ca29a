// One training in one process, for as long as somebody wants, with a look at the worker between its blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/result.h"
#include "harness/measure/cell_group.h"
#include "harness/report/watched.h"

namespace gdbench::measure {

struct WatchOptions {
  std::optional<std::int64_t> steps{};  // of the whole training; else as many as fit into
  double seconds = 30;                  // control, looks and all
};

// Trains the group's first cell, which is verified, from the start state, in about 200 blocks; before each one the
// second cell, where there is one, takes a block of its own from its start state: the control, which does the same all
// the time. Behind a block the worker's memory is read, and about 40 times, seldom where that takes long, the loss and
// the state. What the blocks say is not judged (watched.levels and on). Errors: a worker cannot be started, or ends
// before the first block; later `ended` says so.
Result<report::Watched> watch_training(const CellGroup& group, const WatchOptions& watch, const RunOptions& options);

}  // namespace gdbench::measure
