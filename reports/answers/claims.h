// Sentences about speed: which there are to judge, and what was judged of each.
#pragma once

#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"
#include "reports/document/document.h"

namespace gdbench::answers {

struct ListedClaim {
  std::string id;
  std::string sentence;
  std::string source;
};

document::Document document_of(const std::vector<ListedClaim>& claims);

// `notes` are the report's. A verdict per claim, and of each claim of which anything was measured its points, its flips
// and what was not run.
document::Document document_of(const std::vector<report::ClaimJudgement>& judgements,
                               const std::vector<std::string>& notes);

}  // namespace gdbench::answers
