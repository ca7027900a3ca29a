// Renderers of claims: what there is to judge, and what was judged.
#pragma once

#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"

namespace gdbench::render {

struct ListedClaim {
  std::string id;
  std::string sentence;
  std::string source;
};

// Lines longer than `width` are wrapped; 0 wraps nothing.
std::string claim_list(const std::vector<ListedClaim>& claims, int width);

// A line per claim, and each claim of which anything was measured with its points, flips, and what was not run. The
// console has the lines last, where they are seen.
std::string claims_console(const std::vector<report::ClaimJudgement>& judgements, int width);
std::string claims_markdown(const std::vector<report::ClaimJudgement>& judgements);

}  // namespace gdbench::render
