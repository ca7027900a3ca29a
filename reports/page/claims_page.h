// Judged claims as a page: what was measured beside what each sentence demands.
#pragma once

#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string claims_page(const std::vector<report::ClaimJudgement>& judgements);

}  // namespace gdbench::page
