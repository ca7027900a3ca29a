// The file that a calibration writes as it goes, one JSON object a line, and goes on from when it was interrupted.
//   {"event":"calibration","launches":40,"margin":0.01,"confidence":0.99,"planned":540,"design":"..."}
//   {"event":"outcome","number":0,"workload":"mlp-10-50-1/hand/eigen","slowdown":0.02,"change":"regressed",...}
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/report/comparison.h"

namespace gdbench::calibrate {

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
