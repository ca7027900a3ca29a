// Compares an implementation with itself, slowed down by known shares, as `gdbench run --against` would compare two
// builds: the slow side makes real work inside its timed blocks (harness/worker/block_timer.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/cell_group.h"
#include "harness/measure/options.h"
#include "harness/report/comparison.h"

namespace gdbench::calibrate {

// One cell in two arms, the base first.
struct Workload {
  std::string name;
  measure::CellGroup group;
  double step_ns = 0;       // of a typical launch
  double iteration_ns = 0;  // likewise, of the added work
};

// Shares of the step, each with the number of its comparisons.
struct Level {
  double slowdown = 0;
  int comparisons = 0;
};

struct PlannedComparison {
  int number = 0;
  std::size_t workload = 0;
  double slowdown = 0;
};

// Every comparison of the calibration, in a seeded order that mixes levels and workloads, so that no level has the
// machine's quiet hour to itself.
std::vector<PlannedComparison> plan_comparisons(const std::vector<Level>& levels, std::size_t workloads,
                                                std::uint64_t seed);

// Verifies the cells and measures what the added work is weighed by. Errors: a cell is not ok.
Status prepare(Workload& workload, const measure::RunOptions& options);

// One comparison: as many launches of both sides as `calibration` says and, where the slow one seems to have regressed,
// as many again to confirm it; or until it is decided, at most so many. Errors: a worker failed.
Result<report::CalibrationOutcome> compare_once(Workload& workload, const PlannedComparison& planned,
                                                const report::Calibration& calibration,
                                                const measure::RunOptions& options);

// The file that a calibration writes as it goes, one JSON object a line, and goes on from when it was interrupted.
//   {"event":"calibration","launches":40,"margin":0.01,"confidence":0.99,"planned":540,"design":"..."}
//   {"event":"outcome","number":0,"workload":"mlp-10-50-1/hand/eigen","slowdown":0.02,"change":"regressed",...}
class OutcomeFile {
 public:
  // Opens `path`. Where it has outcomes already they are added to `calibration`, and its first line must be that of the
  // same calibration: `design` spells out what else makes two of them the same. A last line without its line feed is
  // dropped. Errors: the file cannot be read or written, holds something else, or another calibration.
  static Result<OutcomeFile> open(const std::string& path, const std::string& design, report::Calibration& calibration);

  // Errors: the line cannot be written.
  Status append(const report::CalibrationOutcome& outcome);

 private:
  std::string path_;
};

}  // namespace gdbench::calibrate
