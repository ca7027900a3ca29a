// From a claim to the pairs of cells that its relations compare, point by point, and the ways along their axes.
#pragma once

#include <cstdint>
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
                             const std::vector<scenario::KnownImplementation>& implementations);

// A point of a relation before it is judged.
struct Entry {
  report::Settings at;
  const PointPair* pair = nullptr;
  std::uint64_t steps = 0;  // of time_for_steps
};

// A pair of cells for each number of steps, in the matrix's order. `expanded` is pointed to.
std::vector<Entry> entries_of(const ExpandedRelation& expanded);

// Whether the relation's `at` names this point; a coordinate that all points share is not among theirs.
bool is_named(const report::ClaimRelation& relation, const report::Settings& at);

// Indices of the entries that agree in everything but `axis`, group by group, each in order.
std::vector<std::vector<std::size_t>> groups_along(const std::vector<Entry>& entries, const std::string& axis);

// The axis along which flips are looked for: the one that is named, else the only one in which points differ.
std::string flip_axis(const report::ClaimRelation& relation, const std::vector<Entry>& entries);

const std::string* value_of(const report::Settings& settings, const std::string& key);  // null where it is not there
report::Settings without(report::Settings settings, const std::string& key);

}  // namespace gdbench::claims
