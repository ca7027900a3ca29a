// From a claim to the pairs of cells that its relations compare, point by point, and the ways along their axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/questions/claims/claim.h"
#include "harness/scenario/expand.h"

namespace gdbench::claims {

// A point of a relation before it is judged: two cells of a matrix that differ in what the relation chooses and agree
// in everything else.
struct Entry {
  report::Settings at;  // what they agree in and not all points of the relation do
  scenario::Point a;
  scenario::Point b;
  std::uint64_t steps = 0;  // of time_for_steps
  // Whether the relation rests on it: where its `at` names it and, of a trend and a crossover, at the ends of `along`.
  bool decides = true;
};

struct ExpandedRelation {
  const report::ClaimRelation* relation = nullptr;
  std::vector<Entry> entries;  // in the matrix's order, of each pair of cells one for each number of steps

  // Indices of the entries that agree in everything but `axis`, group by group, each in order.
  std::vector<std::vector<std::size_t>> groups_along(const std::string& axis) const;
  // The axis along which flips are looked for: the one that is named, else the only one in which points differ.
  std::string flip_axis() const;
};

struct ExpandedClaim {
  const Claim* claim = nullptr;
  std::vector<scenario::Point> points;  // of all its matrices
  std::vector<ExpandedRelation> relations;
};

// `implementations` are those that are known. A name that a matrix has in addition makes points all the same: what
// cannot be run is said of the claim and is no error. `claim` is pointed to. Errors: a scenario that is not there, a
// relation that compares nothing, or one whose `at` names values that no pair has.
Result<ExpandedClaim> expand(const Claim& claim, const std::vector<scenario::KnownScenario>& scenarios,
                             const std::vector<scenario::KnownImplementation>& implementations);

const std::string* value_of(const report::Settings& settings, const std::string& key);  // null where it is not there
report::Settings without(report::Settings settings, const std::string& key);

}  // namespace gdbench::claims
