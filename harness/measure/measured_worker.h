// One worker of a launch, block after block, and whether its blocks are to be believed: measured_worker.cpp makes and
// judges them, block_checks.cpp asks for others.
#pragma once

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/expected.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/measure/trust.h"
#include "harness/report/report.h"

namespace gdbench::measure {

class MeasuredWorker {
 public:
  // What is known of where blocks end. `problem` is as it is timed, and all of it outlives the worker.
  struct Expectation {
    scenario::Problem problem;
    const data::Dataset* dataset = nullptr;
    std::optional<ExpectedDisplacement> block;  // from the scenario's start, where it is affordable
    std::optional<ExpectedDisplacement> step;   // of a single step, where that of a block is not
  };

  // Of a worker that has made its first step. `rounds`: how many blocks it will have beside the cold one. `is_first`:
  // its cell was not checked yet, and every check is made; later workers are checked at random.
  MeasuredWorker(CellWorker worker, const PlannedCell& planned, const report::Block& block, Expectation expectation,
                 int rounds, bool is_first, std::uint64_t seed);

  // What the coordinator's clock shows of a request that the worker has next to nothing to do for: no step of a plugin,
  // whose host answers it alone; a single step of others, so that a lead-in is known. Errors: the worker failed.
  Status measure_overhead();

  struct JudgedBlock {
    report::Sample sample;     // without its place in the launch
    std::string distrust;      // why the cell is not to be believed; empty where it is
    std::uint64_t traces = 0;  // functions that were traced or compiled within the block
  };

  // A block from a start state of its own. What the machine does to a worker outside the clock happens now and then:
  // the block is made again, so that no sample rests on work that was done beforehand. A worker that needs it each time
  // is distrusted. After one of its blocks, whichever, other checks may follow: of where it ended, and of its time.
  // Errors: the worker failed.
  Result<JudgedBlock> run_block(const RunOptions& options);

  // What steps take in a process that is as any script's, where the samples' process is not; known from the first block
  // on.
  const std::optional<report::ScriptStep>& script() const { return script_; }

  // What was not checked because there were fewer blocks than announced. The reason for distrust.
  Result<std::string> finish_checks();

  // After everything else that is timed. Nothing where the worker cannot, or steps take too long for a hundred of them.
  Result<std::optional<report::SingleSteps>> time_single_steps();

  // Likewise. Nothing where a step is too short to be timed alone.
  Result<std::optional<report::ColdSteps>> time_cold_steps(const std::function<Status()>& fill_caches);

  int repeated_blocks() const { return repeated_blocks_; }
  // The most of a device's memory, as the worker said behind its last block.
  std::optional<std::int64_t> device_bytes() const { return device_bytes_; }
  CellWorker& worker() { return worker_; }
  protocol::Client& client() { return worker_.client(); }

 private:
  bool is_verified() const { return planned_.proof == Proof::trajectory; }
  // By gdbench in one process.
  bool is_hosted() const { return planned_.entry->hosted() && !planned_.entry->implementation.has_capability("ranks"); }
  void vary_starts();
  double outside_limit_ns(const protocol::BlockAnswer& answer) const;
  // Why the block has to be made again; empty where it has not.
  std::string reason_to_repeat(const protocol::BlockAnswer& answer);
  int helper_threads();
  int threads();  // that compute and that help
  bool shows_work_by_cpu_time();
  double unclaimed_cpu_ns(const protocol::BlockAnswer& answer);
  std::string judge(const protocol::BlockAnswer& answer, const report::Sample& sample);
  // Is a timed block's time the time of its steps? Asked by blocks that are no samples: of lengths that the worker has
  // not been asked for before, and from states that it has met before or that it had a request to think about. Times
  // have some tries, as a machine may interrupt.
  Result<std::string> check_other_blocks();
  // Behind the cold block: blocks of a process as it is by itself, and from then on as the samples are to have it.
  Status settle();
  void keep_if_quickest(const report::Sample& sample);
  // The quickest of all blocks ended where its steps lead, by the reference.
  Result<std::string> untrusted_for_quickest();
  // The block that was made last, of so many steps, ended where they lead, by the reference or by untimed steps of the
  // same worker.
  Result<std::string> untrusted_for_end(std::uint64_t steps);
  bool is_forgivable(const scenario::State& start, std::uint64_t steps, const scenario::State& end,
                     const ExpectedEnd& expected) const;
  // The block that was made last, of so many steps, ended where the same steps in two parts end, which are not timed.
  Result<std::string> untrusted_for_replay(std::uint64_t steps);
  // Likewise in short parts, in which nothing can be left out, within `tolerance`.
  Result<std::string> untrusted_for_short_parts(std::uint64_t steps, double tolerance);
  // A single step moves the parameters as far as the reference says, where a block's steps are too many for it.
  Result<std::string> untrusted_for_step();
  // The warm-ups took what so many steps take.
  Result<std::string> untrusted_for_warm_up();
  // Of n steps, n random, and of 2n: a step must not take much longer than in the samples, 2n steps must take longer
  // than n by about as much again, and the state after 2n must be that of an untimed replay in two parts.
  Result<std::string> untrusted_for_lengths();
  // A block from a state where another one began, and one after an evaluation of the state that it begins with: neither
  // may be quicker than a block from a state that is new, or the worker remembers or foresees what it is timed for.
  Result<std::string> untrusted_for_foresight();

  CellWorker worker_;
  const PlannedCell& planned_;
  report::Block block_;
  Expectation expectation_;
  StateCopy copy_;
  // Of a request of next to no work: the least that was seen, and the most, up to twice that.
  double least_overhead_ns_ = std::numeric_limits<double>::infinity();
  double overhead_ns_ = 0;
  ProcessorTrust processor_;
  DeviceTrust device_;
  std::mt19937_64 generator_;
  std::optional<std::int64_t> device_bytes_;
  int blocks_ = 0;        // that were judged
  int replayed_in_ = -1;  // the block that is; -1: none
  int others_checked_in_ = -1;
  std::vector<double> step_times_ns_;  // of the samples that are not cold
  // The one that the launch's figure is, from its start to its end.
  struct Quickest {
    double ns = 0;  // of a step
    scenario::State start;
    scenario::State end;
  };
  bool checks_end_ = false;
  std::optional<Quickest> quickest_;
  double least_warm_up_ns_ = std::numeric_limits<double>::infinity();
  int repeated_blocks_ = 0;
  std::optional<report::ScriptStep> script_;
};

}  // namespace gdbench::measure
