// The figures of a report that several scenarios share.
#pragma once

#include <string>
#include <vector>

#include "reports/answers/rows.h"
#include "reports/document/document.h"

namespace gdbench::answers {

using Figures = std::vector<document::Figure>;

// Each implementation's time over that of the fastest of a scenario, as their comparison has it: of one scenario with
// its interval, of several a dot for each in which it is ranked, and their geometric mean. Empty where fewer than two
// are ranked.
Figures relative_times(const std::vector<ScenarioTable>& tables, document::Hues& hues);

// The roofline model of Williams, Waterman and Patterson (2009): operations per second over operations per byte, each
// ranked cell under the roofs that its processors reached, a figure for each type and number of threads.
Figures rooflines(const report::Report& report, const std::vector<ScenarioTable>& tables, document::Hues& hues);

// Scenarios that differ in one quantity: "rows", "batch", "width" ... as the report's labels say it, or "operations",
// which is what all scenarios differ in.
struct SizeAxis {
  std::string quantity;
  std::string rest;  // what they share: "mlp-10-50-1[dtype=f64]"; empty: nothing
  struct Point {
    double value;
    const ScenarioTable* table;
  };
  std::vector<Point> points;  // by increasing value
};
// Every quantity that scenarios of the same name were set to at least two values of; and operations of at least three
// scenarios that have no such quantity.
std::vector<SizeAxis> axes_of(const std::vector<ScenarioTable>& tables);

// Times of all implementations over each axis, with the sizes from which on another one is the fastest: where verdicts
// on either side say so.
Figures times_over_sizes(const report::Report& report, const std::vector<ScenarioTable>& tables, document::Hues& hues);

// The losses over the steps of trainings to a target, of scenarios of one name that were set to different things: of
// each the one by its fastest implementation whose losses are known, those of one setting in one hue.
Figures losses_over_steps(const std::vector<ScenarioTable>& tables);

// Every implementation in every scenario, which wins where: implementations going down, scenarios across; of more
// scenarios than implementations the other way round. In each place a time and a word, with a shade for the ratio to
// the scenario's fastest.
document::Blocks whole_grid(const std::vector<ScenarioTable>& tables);

}  // namespace gdbench::answers
