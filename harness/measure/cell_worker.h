// One worker process that runs one cell: started, loaded and prepared, its state memory beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/measure/plan.h"
#include "harness/protocol/client.h"
#include "harness/protocol/state_image.h"
#include "harness/report/report.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// How far a block's start is from the scenario's, as a share of how far the block moves the parameters: by so little
// that it moves them about as far.
constexpr double kShareOfDisplacement = 1e-4;

struct VariedEntry {
  std::size_t tensor = 0;  // of the parameters
  std::size_t entry = 0;   // of the tensor, row-major
  double value = 0;
};

// Start states that no worker has seen: the scenario's own with a few entries changed a little, so that no answer can
// be foreseen or remembered. The entries to change, and their new values. `distance` is the 2-norm of the change, or
// nearly; entries that it would not reach in the dtype change by some of their last bits.
std::vector<VariedEntry> vary(const scenario::State& start, scenario::Dtype dtype, double distance,
                              std::mt19937_64& generator);

// State images in the memory shared with a worker.
constexpr std::size_t kStartImage = 0;
constexpr std::size_t kEndImage = 1;
constexpr std::size_t kReplayImage = 2;

class CellWorker {
 public:
  // Starts, loads and prepares; the phases' durations go to `launch`. `problem` is the scenario's with the learning
  // rate that is wanted here. With `count_allocations` the worker counts them where it can, which costs time. Errors:
  // as the worker failed.
  static Result<CellWorker> start(const PlannedScenario& planned, const PlannedCell& cell,
                                  const scenario::Problem& problem, const protocol::Limits& limits,
                                  report::Launch& launch, bool count_allocations = false);

  protocol::Client& client() { return *client_; }
  scenario::State state(std::size_t image, std::int64_t step) const;
  // Tensors of a state, slots included.
  std::size_t tensor_count() const { return layout_.parameters.size() + layout_.slots.size(); }

  // A block of `steps` steps from the start state, after `warm_up` untimed ones.
  Result<protocol::BlockAnswer> run_block(std::uint64_t steps, std::uint64_t warm_up, std::int64_t start = 0,
                                          std::uint64_t added_iterations = 0);

  // What blocks start from, their step number aside, in place of the scenario's.
  void set_start(const scenario::State& start);
  // Gives the next block a start state of its own, so far from the scenario's; slots stay. See vary.
  void vary_start(double distance, std::mt19937_64& generator);
  // 2-norm over all parameters of what the last block changed.
  double displacement() const;
  // What copying one state into new memory takes here, in nanoseconds.
  double copy_ns() const;

  // The state after `first` and then `second` untimed steps from the start state.
  Result<scenario::State> run_in_two_parts(std::uint64_t first, std::uint64_t second, std::int64_t start = 0);

 private:
  std::unique_ptr<protocol::Client> client_;
  SharedMemory state_memory_;
  protocol::StateLayout layout_;
  scenario::Dtype dtype_ = scenario::Dtype::f32;
  const scenario::State* start_ = nullptr;  // the scenario's
  std::vector<VariedEntry> changed_;        // of the start image, beside it
};

// The row's status for a worker's failure.
report::CellStatus status_of(const Error& error);

// "2026-01-31T12:00:00Z"
std::string utc_now();

}  // namespace gdbench::measure
