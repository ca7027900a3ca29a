// Which cell of a report a point of a claim is, and whether it has what a relation compares.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "harness/base/result.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"
#include "harness/scenario/expand.h"

namespace gdbench::claims {

// Which cell of a report a point of a matrix is.
class CellFinder {
 public:
  // `report` is pointed to.
  explicit CellFinder(const report::Report& report);

  struct Found {
    const report::Cell* cell = nullptr;  // null: there is none
    std::string reason;                  // why it cannot be judged: absent, not right, not timed; empty where it can
  };
  // Errors: the scenario cannot be read.
  Result<Found> find(const scenario::Point& point);

 private:
  Result<std::string> scenario_key(const scenario::Point& point);

  const report::Report& report_;
  std::unordered_map<std::string, std::string> keys_;                // spelled scenario -> its identity
  std::unordered_multimap<std::string, const report::Cell*> cells_;  // scenario and implementation -> cells
};

// Why the cell, which is ok and timed, has no such quantity; empty where it has.
std::string reason_without(report::Quantity quantity, const report::Cell& cell);

// A time, which a machine that is unfit spoils.
bool is_time(report::Quantity quantity);

}  // namespace gdbench::claims
