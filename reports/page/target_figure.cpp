#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"
#include "reports/render/target.h"

namespace gdbench::page {

namespace {

constexpr PlotArea kTarget = PlotArea{.bottom = 262};

struct Training {
  const report::Cell* cell;
  double ready_ns;
  double end_ns;
  std::vector<std::pair<double, double>> points;  // of evaluations above the target: time, loss
};

// At the pace of a steady step.
std::vector<std::pair<double, double>> points_of(const report::Cell& cell, double ready_ns) {
  std::vector<std::pair<double, double>> points;
  for (const report::LossPoint& point : cell.target->curve.value_or(std::vector<report::LossPoint>())) {
    if (point.steps == 0 || point.steps >= cell.target->steps || !(point.loss > 0)) continue;
    points.emplace_back(ready_ns + static_cast<double>(point.steps) * cell.summary->step_ns.value, point.loss);
  }
  return points;
}

std::vector<Training> trainings_of(const ScenarioView& view) {
  std::vector<Training> trainings;
  for (const render::Row& row : view.table.ranked) {
    const report::Cell& cell = *row.cell;
    if (!cell.target || !cell.summary->to_target) continue;
    const double end = cell.summary->to_target->time_ns.value;
    const double ready = cell.summary->to_target->ready_ns.value_or(0);
    const bool shown =
        end > 0 && cell.target->initial_loss > 0 && cell.target->loss > 0 && std::isfinite(cell.target->loss);
    if (shown) trainings.push_back({&cell, ready, end, points_of(cell, ready)});
  }
  return trainings;
}

}  // namespace

void add_target(Markup& markup, const ScenarioView& view) {
  const std::vector<Training> trainings = trainings_of(view);
  if (trainings.empty()) return;
  std::string sentence = "The loss at evaluations; straight to the target where nothing is known in between.";
  for (const std::string& words : render::target_sentences(view.table)) sentence += " " + words;
  const Figure figure{.id = view.id + "-target",
                      .title = render::target_title(view.table),
                      .sentence = sentence,
                      .height = kTarget.height(),
                      .data = render::target_table(view.table)};
  Extent times;
  Extent losses;
  for (const Training& training : trainings) {
    times.add_positive(training.ready_ns);
    times.add_positive(training.end_ns);
    losses.add(training.cell->target->initial_loss);
    losses.add(training.cell->target->target_loss);
    for (const auto& [time_ns, loss] : training.points) losses.add(loss);
  }
  add_figure(markup, figure, [&] {
    const Scale across = Scale::logarithmic(times.low, times.high, kTarget.left, kTarget.right);
    const Scale up =
        Scale::logarithmic(std::max(losses.low, losses.high * 1e-12), losses.high, kTarget.bottom, kTarget.top);
    add_ticks_across(markup, kTarget, across, 8, &render::format_duration_ns);
    add_ticks_up(markup, kTarget, up, 6, &render::format_number);
    add_text(markup, (kTarget.left + kTarget.right) / 2, kTarget.bottom + 34, "q m", "time since the start of loading");
    add_text(markup, 0, 12, "q", "loss");
    for (const Training& training : trainings) {
      const int hue = hue_of(view.hues, *training.cell);
      const double y = up.at(training.cell->target->target_loss);
      std::string path;
      extend(path, across.at(std::max(training.ready_ns, times.low)), up.at(training.cell->target->initial_loss));
      for (const auto& [time_ns, loss] : training.points) extend(path, across.at(time_ns), up.at(loss));
      extend(path, across.at(training.end_ns), y);
      markup.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", path}});
      add_mark(markup, hue, across.at(training.end_ns), y);
    }
    double y = kTarget.top;
    for (const Training& training : trainings) {
      const int hue = hue_of(view.hues, *training.cell);
      add_mark(markup, hue, kTarget.right + 8, y);
      add_text(markup, kTarget.right + 18, y + 4, "", short_name(*training.cell, kRoomOfMargin));
      y += kLineHeight;
      if (y > kTarget.bottom) break;
    }
  });
}

}  // namespace gdbench::page
