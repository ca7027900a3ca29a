// What `gdbench compare` and `gdbench run --against` find: of each cell whether one build is slower than another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

enum class Change {
  regressed,     // confidently slower, by more than the margin
  improved,      // confidently faster
  equivalent,    // confidently within the margin
  inconclusive,  // none of these
  failing,       // has a time in the base, and is wrong, crashed, timed out or untrusted in the new one
  fixed,         // the other way round
  removed,       // has a time in the base only
  added,         // in the new one only
};
inline constexpr Named<Change> kChanges[] = {{Change::regressed, "regressed"},   {Change::improved, "improved"},
                                             {Change::equivalent, "equivalent"}, {Change::inconclusive, "inconclusive"},
                                             {Change::failing, "failing"},       {Change::fixed, "fixed"},
                                             {Change::removed, "removed"},       {Change::added, "added"}};
constexpr const auto& rows_of(Change /*any*/) { return kChanges; }

struct ComparedCell {
  std::string id;  // without its arm
  Change change = Change::inconclusive;
  std::optional<stats::Estimate> base_ns;  // time per step
  std::optional<stats::Estimate> new_ns;
  std::optional<stats::Estimate> ratio;  // of the new one to the base
  std::optional<double> layout;          // how far a padded build is from the same one without padding: a share
  std::string remark;                    // why it is inconclusive, what failed; empty otherwise
};

struct ReportComparison {
  std::string base;  // what is compared: a file, or a build
  std::string next;
  bool paired = false;         // measured side by side; else in two runs, between which the machine may have changed
  double margin = 0;           // as asked for
  double confidence = 0;       // that no cell is wrongly called regressed or improved
  double noise_floor = 0;      // the largest margin that a run's own noise made necessary
  std::string not_comparable;  // why there are no verdicts at all; empty: there are
  std::vector<std::string> remarks;
  std::vector<ComparedCell> cells;
};

OrderedJson to_json(const ReportComparison& comparison);

}  // namespace gdbench::report
