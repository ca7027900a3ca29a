// One worker of a launch, block after block, and whether its blocks are to be believed.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/measure/trust.h"
#include "harness/report/report.h"

namespace gdbench::measure {

class MeasuredWorker {
 public:
  // What is expected of a block that begins there; nothing where that is not known.
  using DisplacementFrom = std::function<std::optional<ExpectedDisplacement>(const scenario::State& start)>;

  // Of a worker that has made its first step. `expected`: how far a block moves the parameters from the scenario's
  // start, where that is known, and `expected_from`: from another one.
  MeasuredWorker(CellWorker worker, const PlannedCell& planned, const report::Block& block,
                 const std::optional<ExpectedDisplacement>& expected, DisplacementFrom expected_from,
                 std::uint64_t seed);

  struct JudgedBlock {
    report::Sample sample;     // without its place in the launch
    std::string distrust;      // why the cell is not to be believed; empty where it is
    std::uint64_t traces = 0;  // functions that were traced or compiled within the block
  };

  // A block from a start state of its own. What the machine does to a worker outside the clock happens now and then:
  // the block is made again, so that no sample rests on work that was done beforehand. Whoever needs it each time is
  // distrusted. Errors: the worker failed.
  Result<JudgedBlock> run_block(const RunOptions& options);

  // Is a timed block's time the time of its steps? Asked by blocks that are no samples: of lengths that the worker has
  // not been asked for before, and from states that it has met before or that it had a request to think about. The
  // reason why not; empty for implementations that are not verified. Times have some tries, as a machine may interrupt.
  // Errors: the worker failed.
  Result<std::string> check_other_blocks(const std::vector<report::Sample>& samples);

  int repeated_blocks() const { return repeated_blocks_; }
  CellWorker& worker() { return worker_; }
  protocol::Client& client() { return worker_.client(); }

 private:
  bool is_verified() const { return planned_.proof == Proof::trajectory; }
  void vary_start();
  std::string judge(const protocol::BlockAnswer& answer, const report::Sample& sample);
  // Of n steps, n random, and of 2n: a step must not take much longer than in the samples, 2n steps must take longer
  // than n by about as much again, and the state after n must be that of an untimed replay in two parts.
  Result<std::string> untrusted_for_lengths(const std::vector<report::Sample>& samples);
  // A block from a state where another one began, and one after an evaluation of the state that it begins with: neither
  // may be quicker than a block from a state that is new, or the worker remembers or foresees what it is timed for.
  Result<std::string> untrusted_for_foresight();

  CellWorker worker_;
  const PlannedCell& planned_;
  report::Block block_;
  std::optional<ExpectedDisplacement> expected_;
  DisplacementFrom expected_from_;
  double copy_ns_;
  ProcessorTrust processor_;
  DeviceTrust device_;
  std::mt19937_64 generator_;
  int repeated_blocks_ = 0;
};

}  // namespace gdbench::measure
