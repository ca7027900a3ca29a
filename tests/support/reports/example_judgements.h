// Judged claims of every verdict and kind, made by hand.
#pragma once

#include <vector>

#include "harness/report/claim_judgement.h"

namespace gdbench::tests {

// Confirmed with flips and an undeciding point, refuted by counts, inconclusive with what it would take, not run.
std::vector<report::ClaimJudgement> example_judgements();

}  // namespace gdbench::tests
