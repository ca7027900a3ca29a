// The figures of a report that several scenarios share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/page/figure.h"
#include "reports/render/rows.h"

namespace gdbench::page {

bool has_rooflines(const report::Report& report, const std::vector<render::ScenarioTable>& tables);
// The roofline model of Williams, Waterman and Patterson (2009): operations per second over operations per byte, each
// ranked cell under the roofs that its processors reached, a figure for each type and number of threads.
void add_rooflines(Markup& markup, const report::Report& report, const std::vector<render::ScenarioTable>& tables,
                   Hues& hues);

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

// Times of all implementations over the axis, with the sizes from which on another one is the fastest.
void add_axis(Markup& markup, const Axis& axis, const std::string& id, Hues& hues);

}  // namespace gdbench::page
