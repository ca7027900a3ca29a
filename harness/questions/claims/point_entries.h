// The points of a relation before they are judged, and the ways along their axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/questions/claims/expand.h"
#include "harness/report/claim_judgement.h"

namespace gdbench::claims {

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
