// What the reports of many machines say of claims, taken together.
#pragma once

#include <string>
#include <vector>

#include "reports/site/pages.h"

namespace gdbench::site {

using EntryPointers = std::vector<const Entry*>;

// In the collection's order.
std::vector<std::string> machines_of(const Collection& collection);
EntryPointers entries_of(const Collection& collection, const std::string& machine);

// What the report says of the claim; null: nothing.
const Judged* judged_by(const Entry& entry, const Claim& claim);

// What each machine says of a claim.
struct ClaimRow {
  const Claim* claim = nullptr;
  // Of each machine's reports the newest one that decides, or else the one of most launches; null: none says anything.
  std::vector<const Entry*> speakers;
  std::string verdict;  // of kVerdicts, over the machines that say something
};
inline constexpr const char* kVerdicts[] = {"true", "not true", "depends on the machine", "not decided",
                                            "not measured"};
std::vector<ClaimRow> rows_of(const Collection& collection);

// Adds to a column the verdict and its figure, "9.10x [7.80, 10.1]" of the point that decides, which lead to what they
// rest on; nothing where `entry` is null.
void add_verdict(const Claim& claim, const Entry* entry, document::Column& column);

// The answers of one report after another, below what they say together.
Page claim_page(const Collection& collection, const ClaimRow& row);

}  // namespace gdbench::site
