// One worker process that runs one cell: started, loaded and prepared, its state memory beside it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/measure/block_starts.h"
#include "harness/measure/plan.h"
#include "harness/protocol/client.h"
#include "harness/protocol/state_image.h"
#include "harness/report/report.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// What the states in the memory shared with a worker are for.
constexpr std::size_t kStartImage = 0;
constexpr std::size_t kEndImage = 1;
constexpr std::size_t kReplayImage = 2;
constexpr std::size_t kWarmUpImage = 3;
constexpr std::size_t kImages = 4;

// A copy of a state that takes longer is not much quicker where caches help.
constexpr double kLongCopyNs = 2e6;

struct StateCopy {
  double ns = 0;
  bool is_long = false;  // longer than kLongCopyNs, into memory that is there
};

class CellWorker {
 public:
  struct Start {
    bool count_allocations = false;  // where the worker can, which costs time
    bool settles = true;             // at once; else it is the caller's to ask for
  };
  // Starts, loads and prepares; the phases' durations go to `launch`. `problem` is the scenario's with the learning
  // rate that is wanted here. Errors: as the worker failed.
  static Result<CellWorker> start(const PlannedScenario& planned, const PlannedCell& cell,
                                  const scenario::Problem& problem, const protocol::Limits& limits,
                                  report::Launch& launch, const Start& how);
  static Result<CellWorker> start(const PlannedScenario& planned, const PlannedCell& cell,
                                  const scenario::Problem& problem, const protocol::Limits& limits,
                                  report::Launch& launch) {
    return start(planned, cell, problem, limits, launch, Start{});
  }

  protocol::Client& client() { return *client_; }
  // From here on another image may serve each purpose, so that its address does not say what a state is for. All of
  // them keep their contents: write the starts after this.
  void shuffle_images(std::mt19937_64& generator) { std::ranges::shuffle(places_, generator); }
  // The start state, outside of any block.
  Status set_start_state(std::int64_t step = 0) { return client_->set_state(places_[kStartImage], step); }
  scenario::State state(std::size_t purpose, std::int64_t step) const;
  const scenario::State& scenario_start() const { return *start_; }
  scenario::Dtype dtype() const { return dtype_; }
  // Tensors of a state, slots included.
  std::size_t tensor_count() const { return layout_.parameters.size() + layout_.slots.size(); }

  // A block of `steps` steps from the start state, after `warm_up` untimed ones from the warm-up's.
  Result<protocol::BlockAnswer> run_block(std::uint64_t steps, std::uint64_t warm_up, std::int64_t start = 0,
                                          std::uint64_t added_iterations = 0);
  // The same; its answer has the time of each step where the worker can tell.
  Result<protocol::BlockAnswer> run_block_by_step(std::uint64_t steps, std::uint64_t warm_up);
  // The same; `before_steps` is called while the worker waits with its start for the timed ones.
  Result<protocol::BlockAnswer> run_block_after(const std::function<Status()>& before_steps, std::uint64_t steps,
                                                std::uint64_t warm_up);

  // What blocks start from, their step number aside, in place of the scenario's.
  void set_start(const scenario::State& start);
  // Gives the next block's steps or its warm-up (`purpose`) a start of its own, whose slots are the scenario's. `way`:
  // see block_starts.h.
  void vary_start(std::size_t purpose, const Parameters& way, const StartVariation& variation);
  // 2-norm over all parameters of what the last block changed.
  double displacement() const { return distance(kStartImage, kEndImage); }
  // The same of two images.
  double distance(std::size_t from, std::size_t to) const;
  // Of one state, here: into new memory, whose pages a copy has to get, as adapters do; of a large state and a plugin,
  // which keeps its memory (`hosted`), into memory that is there.
  StateCopy copy(bool hosted) const;

  // The state after so many untimed steps and then so many more, and so on, from the start state.
  Result<scenario::State> run_in_parts(const std::vector<std::uint64_t>& parts, std::int64_t start = 0);

 private:
  protocol::BlockRequest block_request(std::uint64_t steps, std::uint64_t warm_up, std::int64_t start) const;
  std::byte* image(std::size_t purpose) const { return state_memory_.data() + places_[purpose] * layout_.image_bytes; }

  std::unique_ptr<protocol::Client> client_;
  SharedMemory state_memory_;
  std::array<std::size_t, kImages> places_ = {0, 1, 2, 3};  // of the images, by purpose
  protocol::StateLayout layout_;
  scenario::Dtype dtype_ = scenario::Dtype::f32;
  const scenario::State* start_ = nullptr;  // the scenario's
};

// The row's status for a worker's failure.
report::CellStatus status_of(const Error& error);

}  // namespace gdbench::measure
