// Reports with exact differences and made profiles, for the tests of explanations.
#pragma once

#include <string>
#include <vector>

#include "harness/result/explanation.h"
#include "harness/result/report.h"

namespace gdbench::tests {

constexpr const char* kExplainedScenario = "scenario-3x2";

// A cell whose step takes `step_ns` in the first launch; all such cells become slower alike by the launch and round, so
// that the paired difference of two is that of their step_ns. Load 1 ms, prepare 2 ms, first step five steps.
result::Cell exact_cell(const std::string& implementation, double step_ns, int launches = 6);

result::Report report_of(std::vector<result::Cell> cells);

// What the profile of a cell with a summary claims, and how far the profiled and the unprofiled step of its process are
// beyond the measured one.
void add_profile(result::Cell& cell, std::vector<result::ProfileRecord> records, double profiled_beyond_ns = 0,
                 double unprofiled_beyond_ns = 0);

// slow/loops beside fast/loops, fast/matrix and slow/matrix, summarised, with profiles of the first two: 4000 ns more
// in the backward product, of which there are twice as many calls, 300 ns less in the update.
result::Report explained_report();

result::Explanation explain_first_two(const result::Report& report);

// Of an explanation with profiles. Throws std::out_of_range where there is none.
const result::PhasePart& phase_of(const result::Explanation& explanation, const std::string& name);
const result::OpPart& op_of(const result::Explanation& explanation, const std::string& phase, const std::string& name);

}  // namespace gdbench::tests
