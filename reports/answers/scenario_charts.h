// The figures of one scenario of a report. Each is absent where the report has nothing of its kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/answers/rows.h"
#include "reports/answers/scaling.h"
#include "reports/document/document.h"

namespace gdbench::answers {

using MaybeFigure = std::optional<document::Figure>;

// Steps' times with their intervals and a dot per launch, and ratios to the baseline around 1. Its numbers are the
// table of the ranked rows.
MaybeFigure times_figure(const ScenarioTable& table, document::Hues& hues);
// Where a step's time goes, by phases.
MaybeFigure phases_figure(const ScenarioTable& table);
// What n steps take from the start of loading on: which is first, from which number of steps on.
MaybeFigure curves_figure(const ScenarioTable& table, document::Hues& hues);
// The loss over time, where trainings ran to a target. Its numbers are those of the trainings that reached it.
MaybeFigure target_figure(const ScenarioTable& table, document::Hues& hues);
// Every block in the order of measuring, over its cell's median: what moves together is the machine.
MaybeFigure samples_figure(const ScenarioTable& table, document::Hues& hues);
// Memory of processes at its peak.
MaybeFigure memory_figure(const ScenarioTable& table);
// Speed-ups of more threads, with the ideal and the ceiling.
MaybeFigure threads_figure(const report::Report& report, const report::ScenarioRecord& scenario,
                           const ScalingWords& scaling, document::Hues& hues);

// For these, and for figures about several scenarios.

// Of what cells share: "graph" of "graph/jit".
document::Look look_of(document::Hues& hues, const report::Cell& cell);

}  // namespace gdbench::answers
