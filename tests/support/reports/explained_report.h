// Reports with exact differences and made profiles, for the tests of explanations.
#pragma once

#include <string>
#include <vector>

#include "harness/report/explanation.h"
#include "harness/report/report.h"

namespace gdbench::tests {

constexpr const char* kExplainedScenario = "scenario-3x2";

// A cell whose step takes `step_ns` in the first launch; all such cells become slower alike by the launch and round, so
// that the paired difference of two is that of their step_ns. Load 1 ms, prepare 2 ms, first step five steps.
report::Cell exact_cell(const std::string& implementation, double step_ns, int launches = 6);

report::Report report_of(std::vector<report::Cell> cells);

// What the profile of a cell with a summary claims, and how far the profiled and the unprofiled step of its process are
// beyond the measured one.
void add_profile(report::Cell& cell, std::vector<report::ProfileRecord> records, double profiled_beyond_ns = 0,
                 double unprofiled_beyond_ns = 0);

// slow/loops against fast/loops, fast/matrix and slow/matrix, summarised, with profiles of the first two: 4000 ns more
// in the backward product, of which there are twice as many calls, 300 ns less in the update.
report::Report explained_report();

report::Explanation explain_first_two(const report::Report& report);

// Of an explanation with profiles. Throws std::out_of_range where there is none.
const report::PhasePart& phase_of(const report::Explanation& explanation, const std::string& name);
const report::OpPart& op_of(const report::Explanation& explanation, const std::string& phase, const std::string& name);

}  // namespace gdbench::tests
