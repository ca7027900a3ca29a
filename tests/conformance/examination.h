// What conformance asks of one implementation on one problem, through the real worker process.
#pragma once

#include <string>

#include "harness/measure/plan.h"
#include "harness/protocol/client.h"
#include "harness/report/report.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::conformance {

enum class Verdict { conforms, unsupported, breaks };

struct Finding {
  Verdict verdict = Verdict::conforms;
  std::string reason;  // empty only where it conforms
};

// Verifies the cell as `gdbench verify` does (trajectory, the same in two parts, the implementation's own loss), then
// trains in two fresh processes: every parameter is finite, and both end with the same bits. Of ranks, which are slow
// to start and are compared with each other, no more than the verification.
Finding examine(const measure::PlannedScenario& planned, const measure::PlannedCell& cell,
                measure::ReferenceTrajectories& references, const protocol::Limits& limits);

}  // namespace gdbench::conformance
