#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/labels.h"
#include "reports/answers/report_charts.h"

namespace gdbench::answers {

namespace {

struct LossCurve {
  std::string setting;  // what is set but for seeds: "dtype=bf16"
  std::string label;    // of the scenario
  const report::Cell* cell;
};
using LossCurves = std::vector<LossCurve>;  // by setting, of which there are two at least

// Of the fastest that knows its losses.
const report::Cell* trained_cell(const ScenarioTable& table) {
  for (const Row& row : table.ranked) {
    const std::optional<report::TargetRun>& target = row.cell->target;
    if (target && target->curve && target->curve->size() > 1) return row.cell;
  }
  return nullptr;
}

// By what each is set to, but for seeds and what all are set to.
void name_settings(LossCurves& curves) {
  std::map<std::string, std::size_t> counts;
  for (const LossCurve& curve : curves) {
    for (const std::string& one : overrides_of(curve.label)) ++counts[one];
  }
  for (LossCurve& curve : curves) {
    std::vector<std::string> own = overrides_of(curve.label);
    std::erase_if(
        own, [&](const std::string& one) { return counts[one] == curves.size() || key_of(one).ends_with("seed"); });
    curve.setting = own.empty() ? "as it is" : joined(own);
  }
}

Columns losses_table(const LossCurves& losses) {
  Columns table = {left("scenario"), left("trained by"), right("steps"), right("loss"), right("target")};
  for (const LossCurve& curve : losses) {
    const report::TargetRun& target = *curve.cell->target;
    add_row(table, {curve.label, row_name(*curve.cell),
                    std::to_string(target.stopped_after) + skipped_words(target.skipped_steps),
                    format_number(target.loss), format_number(target.target_loss)});
  }
  return table;
}

// By the scenario's name.
std::vector<std::pair<std::string, LossCurves>> loss_curves_of(const std::vector<ScenarioTable>& tables) {
  std::vector<std::pair<std::string, LossCurves>> all;
  for (const ScenarioTable& table : tables) {
    const report::Cell* const cell = trained_cell(table);
    if (cell == nullptr) continue;
    entry_of(all, table.scenario->name).push_back({"", table.scenario->label, cell});
  }
  for (auto& [name, curves] : all) {
    name_settings(curves);
    std::ranges::stable_sort(curves, {}, &LossCurve::setting);
  }
  std::erase_if(all, [](const auto& group) { return group.second.front().setting == group.second.back().setting; });
  return all;
}

}  // namespace

Figures losses_over_steps(const std::vector<ScenarioTable>& tables) {
  Figures figures;
  for (const auto& [name, losses] : loss_curves_of(tables)) {
    document::Plane chart{.across = {.title = "steps", .text = &format_count},
                          .up = {.title = "loss", .text = &format_number, .logarithmic = true},
                          .keyed = true};
    document::Hues hues;
    for (const LossCurve& curve : losses) {
      document::Series series{.name = curve.setting, .look = document::look_of(hues.of(curve.setting))};
      for (const report::LossPoint& point : *curve.cell->target->curve) {
        if (point.loss > 0 && std::isfinite(point.loss)) {
          series.points.push_back({static_cast<double>(point.steps), point.loss});
        }
      }
      chart.series.push_back(std::move(series));
    }
    figures.push_back({.title = name + ": loss over steps",
                       .sentence =
                           "Of each scenario the training by its fastest implementation; those of one hue differ in "
                           "their seeds alone.",
                       .chart = std::move(chart),
                       .data = losses_table(losses)});
  }
  return figures;
}

}  // namespace gdbench::answers
