// The figures of a report that several scenarios share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/page/parts.h"
#include "reports/render/ranking.h"
#include "reports/render/rows.h"

namespace gdbench::page {

bool has_rooflines(const report::Report& report, const std::vector<render::ScenarioTable>& tables);
// The roofline model of Williams, Waterman and Patterson (2009): operations per second over operations per byte, each
// ranked cell under the roofs that its processors reached, a figure for each type and number of threads.
void add_rooflines(Markup& markup, const report::Report& report, const std::vector<render::ScenarioTable>& tables,
                   Hues& hues);

// What a scenario was set to, of its label, and the label that says so: "mlp-10-50-1[dtype=f64]".
using Overrides = std::map<std::string, std::string>;
Overrides overrides_of_label(const std::string& label);
std::string label_of(const std::string& name, const Overrides& overrides);

// Scenarios that differ in one quantity: "rows", "batch", "width" ... as the report's labels say it, or "operations",
// which is what all scenarios differ in.
struct Axis {
  std::string quantity;
  std::string rest;  // what they share: "mlp-10-50-1[dtype=f64]"; empty: nothing
  struct Point {
    double value;
    const render::ScenarioTable* table;
  };
  std::vector<Point> points;  // by increasing value
};
// Every quantity that scenarios of the same name were set to at least two values of; and operations of at least three
// scenarios that have no such quantity.
std::vector<Axis> axes_of(const std::vector<render::ScenarioTable>& tables);

// Times of all implementations over the axis, with the sizes from which on another one is the fastest: where verdicts
// on either side say so.
void add_axis(Markup& markup, const Axis& axis, const render::Rankings& rankings, const std::string& id, Hues& hues);

// Trainings to a target of scenarios of one name that were set to different things, of each the one by its fastest
// implementation whose losses are known.
struct LossCurves {
  std::string name;  // of the scenario
  struct Curve {
    std::string setting;  // what is set but for seeds: "dtype=bf16"
    std::string label;    // of the scenario
    const report::Cell* cell;
  };
  std::vector<Curve> curves;  // by setting, of which there are two at least
};
std::vector<LossCurves> loss_curves_of(const std::vector<render::ScenarioTable>& tables);

// The losses over the steps, those of one setting in one hue.
void add_losses(Markup& markup, const LossCurves& losses, const std::string& id);

}  // namespace gdbench::page
