// From a claim to the pairs of cells that its relations compare.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/questions/claims/claim.h"
#include "harness/scenario/expand.h"

namespace gdbench::claims {

// Two cells of a matrix that differ in what a relation chooses and agree in everything else.
struct PointPair {
  report::Settings at;  // what they agree in and not all pairs of the relation do
  scenario::Point a;
  scenario::Point b;
};

struct ExpandedRelation {
  const report::ClaimRelation* relation = nullptr;
  std::vector<PointPair> pairs;  // in the matrix's order
};

struct ExpandedClaim {
  const Claim* claim = nullptr;
  std::vector<scenario::Point> points;  // of all its matrices
  std::vector<ExpandedRelation> relations;
};

// `implementations` are those that are known. A name that a matrix has beside them makes points all the same: what
// cannot be run is said of the claim and is no error. `claim` is pointed to. Errors: a scenario that is not there, a
// relation that compares nothing, or one whose `at` names values that no pair has.
Result<ExpandedClaim> expand(const Claim& claim, const std::vector<scenario::KnownScenario>& scenarios,
                             const std::vector<std::string>& implementations);

}  // namespace gdbench::claims
