// One training that was followed over its length: `gdbench watch`. A document of its own next to the reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// Shares, from 0 to 1, of numbers that are subnormal ("denormal") in the dtype of data and states: below its least
// normal number and not 0. Of a single batch as the reference computes it from the implementation's state.
struct Subnormals {
  double state = 0;  // of parameters and the optimizer's slots, as the implementation has them
  double activations = 0;
  double gradients = 0;  // of parameters and of what layers pass back
};

// Steps that follow each other without anything between them. Untimed ones may lie between two blocks.
struct WatchedBlock {
  std::int64_t first = 0;  // steps before it
  std::int64_t steps = 0;
  double step_ns = 0;                          // without waits for a processor
  std::optional<double> control_ns{};          // of a step of the control from its start state, right before the block
  double waiting_ns = 0;                       // of the block: ready, and without a processor
  std::int64_t own_bytes = 0;                  // of the worker's own memory, behind the block
  std::optional<std::int64_t> device_bytes{};  // the most of a device's memory so far, by the worker's account
  std::optional<double> allocations{};
  std::optional<std::int64_t> traces{};  // compilations in it, where the implementation counts them
  std::optional<double> loss{};          // over all rows, behind the block; not behind every one
  std::optional<Subnormals> subnormals{};

  std::int64_t end() const { return first + steps; }
  double undisturbed_step_ns() const { return step_ns - waiting_ns / static_cast<double>(steps); }
  // That it waited for more than a twentieth of it.
  bool is_disturbed() const { return undisturbed_step_ns() < 0.95 * step_ns; }
};

// Blocks in a row in which a step takes about as long.
struct WatchedLevel {
  std::int64_t first = 0;  // steps before it
  std::int64_t end = 0;
  int blocks = 0;
  double step_ns = 0;  // the median over its blocks, each at the pace that the control has as a rule
  stats::Interval interval{};
  double ratio = 1;  // to the first level
  stats::Interval ratio_interval{1, 1};
  std::optional<Subnormals> subnormals{};  // at the last look in it
};

struct MemoryCourse {
  std::int64_t first_bytes = 0;  // behind the first block that counts
  std::int64_t last_bytes = 0;
  // Median slope (H. Theil, P. K. Sen) over the last three quarters of the steps; absent where memory does not grow in
  // each third of them.
  std::optional<double> bytes_per_step{};
};

// Single blocks that took three times what those around them took, and more.
struct Pauses {
  int blocks = 0;
  double share = 0;        // of the time of all blocks that they took beyond the others
  std::int64_t worst = 0;  // steps before the longest one
  double worst_ns = 0;     // what it took beyond the others
};

struct Watched {
  std::string scenario;  // its label
  std::string implementation;
  std::optional<std::string> control{};
  double margin = 0;      // that a level must differ by
  double confidence = 0;  // of each interval
  double first_step_ns = 0;
  std::int64_t warm_up_steps = 0;  // before the first block, the first step among them
  bool flushes_to_zero = false;    // subnormal results or operands, at the end of a block
  std::string ended{};             // why before its time; empty: it did not
  std::vector<WatchedBlock> blocks{};

  // What follows from the blocks.
  stats::Verdict change = stats::Verdict::inconclusive;  // of the last level to the first
  std::vector<WatchedLevel> levels{};
  MemoryCourse memory{};
  std::optional<MemoryCourse> device_memory{};
  Pauses pauses{};
  std::int64_t traces = 0;
  std::optional<std::int64_t> last_trace{};        // steps before the last block with one
  std::optional<std::int64_t> first_not_finite{};  // steps behind which the loss is no finite number

  std::int64_t steps() const { return blocks.empty() ? warm_up_steps : blocks.back().end(); }
  bool keeps_growing() const { return memory.bytes_per_step || (device_memory && device_memory->bytes_per_step); }
};

OrderedJson to_json(const Watched& watched);

}  // namespace gdbench::report
