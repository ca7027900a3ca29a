// The figures of one scenario of a report.
#pragma once

#include <map>
#include <string>

#include "reports/page/parts.h"
#include "reports/render/rows.h"
#include "reports/render/scaling.h"

namespace gdbench::page {

struct ScenarioView {
  const render::ScenarioTable& table;
  std::string id;      // of the scenario's section on the page: what its figures' ids begin with
  std::string winner;  // in a sentence
  Hues& hues;          // of kinds of implementations
};

// Each adds nothing where the report has nothing of its kind.

// Steps' times with their intervals and a dot per launch, and ratios to the baseline around 1.
void add_times(Markup& markup, const ScenarioView& view);
// Where a step's time goes, by phases.
void add_phases(Markup& markup, const ScenarioView& view);
// What n steps take from the start of loading on: who is first, from which number of steps on.
void add_curves(Markup& markup, const ScenarioView& view);
// The loss over time, where trainings ran to a target.
void add_target(Markup& markup, const ScenarioView& view);
// Every block in the order of measuring, beside its cell's median: what moves together is the machine.
void add_samples(Markup& markup, const ScenarioView& view);
// Speed-ups of more threads beside the ideal and the ceiling.
void add_threads(Markup& markup, const ScenarioView& view, const report::Report& report,
                 const render::ScalingWords& scaling);
// Memory of processes at its peak.
void add_memory(Markup& markup, const ScenarioView& view);

// For these, and for figures about several scenarios.

// Timed rows, ranked ones first, each fastest first.
std::vector<render::Row> timed_rows(const render::ScenarioTable& table);
// "graph" of "graph/jit": what shares a hue.
int hue_of(Hues& hues, const report::Cell& cell);
// A row's name, cut to so many columns.
std::string short_name(const report::Cell& cell, std::size_t room = kRoomOfRows);
// Of a phase, and of what no op claims.
int hue_of_phase(report::Phase phase);
constexpr int kHueOfUnclaimed = kHues - 1;
// The figure of each launch: the least of its warm samples, as harness/stats/estimate.h has it.
std::map<int, double> figures_of_launches(const report::Cell& cell);

}  // namespace gdbench::page
