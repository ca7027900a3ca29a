// Claims about made reports: what a cell takes is a formula of its point.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/questions/claims/expand.h"
#include "harness/questions/claims/judge.h"
#include "harness/questions/claims/needs.h"
#include "harness/report/report.h"

namespace gdbench::tests {

// Of a point: its value of a setting, "" where it has none.
std::string value_of(const scenario::Point& point, const std::string& key);
double number_of(const scenario::Point& point, const std::string& key);

// A cell as its launches were; one of them makes it.
struct MadeCell {
  double step_ns = 1000;  // in every launch, unless `spread` says otherwise
  double spread = 0;      // the launches' steps lie from step_ns to step_ns * (1 + spread)
  double disturbed = 1;   // times that all blocks of a launch but one take as long
  int launches = 6;
  double prepare_seconds = 0.001;
  double import_seconds = 0;
  double memory_bytes = 1e6;
  int target_steps = -1;  // below 0: it has no target
  report::CellStatus status = {report::CellState::ok, ""};
  bool in_report = true;
  double control = 0;  // it has a control that takes so many times as long; 0: it has none
};
using MakeCell = std::function<MadeCell(const scenario::Point&)>;

// A claim of one experiment on scenarios of the project, written to a file and read again. Throws where that fails.
claims::Claim claim_of(const nlohmann::json& matrix, const nlohmann::json& relations);

// The claim beside a report of all its cells. Throws where it cannot be judged.
report::ClaimJudgement judge(const claims::Claim& claim, const MakeCell& make);

// The cells of such a report, in the order of the claim's points, that it needs.
claims::NeededCells needed(const claims::Claim& claim, const MakeCell& make);

// Whether implementation a is `factor` times as slow as the others, everywhere: step_ns = 1000 or 1000 * factor.
MakeCell slower(const std::string& implementation, double factor);

}  // namespace gdbench::tests
