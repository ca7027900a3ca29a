#include <algorithm>
#include <cmath>

#include "reports/page/parts.h"
#include "reports/page/report_figures.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using Curve = LossCurves::Curve;

constexpr PlotArea kLosses = PlotArea{};
constexpr int kTicks = 7;

// Of the fastest that knows its losses.
const report::Cell* trained_cell(const render::ScenarioTable& table) {
  for (const render::Row& row : table.ranked) {
    const std::optional<report::TargetRun>& target = row.cell->target;
    if (target && target->curve && target->curve->size() > 1) return row.cell;
  }
  return nullptr;
}

std::string setting_of(const std::string& label) {
  std::string text;
  for (const auto& [key, value] : overrides_of_label(label)) {
    if (!key.ends_with("seed")) text += (text.empty() ? "" : ", ") + key + "=" + value;
  }
  return text.empty() ? "as it is" : text;
}

// What all curves are set to says nothing of their difference.
void drop_what_they_share(std::vector<Curve>& curves) {
  Overrides shared = overrides_of_label(curves.front().label);
  for (const Curve& curve : curves) {
    const Overrides own = overrides_of_label(curve.label);
    std::erase_if(shared, [&](const auto& entry) {
      return own.find(entry.first) == own.end() || own.at(entry.first) != entry.second;
    });
  }
  for (Curve& curve : curves) {
    Overrides own = overrides_of_label(curve.label);
    for (const auto& [key, value] : shared) own.erase(key);
    curve.setting = setting_of(label_of("", own));
  }
}

class LossesPicture {
 public:
  LossesPicture(Markup& markup, const LossCurves& losses) : markup_(markup), losses_(losses) {
    Extent steps;
    Extent values;
    steps.add(0);
    for (const Curve& curve : losses.curves) {
      for (const report::LossPoint& point : *curve.cell->target->curve) {
        steps.add(static_cast<double>(point.steps));
        values.add_positive(point.loss);
      }
    }
    across_ = Scale::linear(steps.low, steps.high, kLosses.left, kLosses.right);
    up_ = Scale::logarithmic(values.low, values.high, kLosses.bottom, kLosses.top);
  }

  void draw() {
    add_ticks_across(markup_, kLosses, across_, kTicks, &render::format_count);
    add_ticks_up(markup_, kLosses, up_, kTicks, &render::format_number);
    add_text(markup_, (kLosses.left + kLosses.right) / 2, kLosses.bottom + 34, "q m", "steps");
    add_text(markup_, 0, 12, "q", "loss, logarithmic");
    int hue = -1;
    double y = kLosses.top;
    std::string setting;
    for (const Curve& curve : losses_.curves) {
      if (hue < 0 || curve.setting != setting) {
        setting = curve.setting;
        hue = std::min(hue + 1, kHues - 1);
        add_mark(markup_, hue, kLosses.right + 8, y);
        add_text(markup_, kLosses.right + 18, y + 4, "", render::cut(setting, kRoomOfMargin));
        y += kLineHeight;
      }
      path(curve, hue);
    }
  }

 private:
  void path(const Curve& curve, int hue) {
    std::string line;
    for (const report::LossPoint& point : *curve.cell->target->curve) {
      if (point.loss > 0 && std::isfinite(point.loss)) {
        extend(line, across_.at(static_cast<double>(point.steps)), up_.at(point.loss));
      }
    }
    markup_.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", line}});
  }

  Markup& markup_;
  const LossCurves& losses_;
  Scale across_ = Scale::linear(0, 1, 0, 1);
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

render::TextTable table_of(const LossCurves& losses) {
  render::TextTable table = {{.title = "scenario", .texts = {}},
                             {.title = "trained by", .texts = {}},
                             {.title = "steps", .right_aligned = true, .texts = {}},
                             {.title = "loss", .right_aligned = true, .texts = {}},
                             {.title = "target", .right_aligned = true, .texts = {}}};
  for (const Curve& curve : losses.curves) {
    const report::TargetRun& target = *curve.cell->target;
    add_row(table, {curve.label, render::row_name(*curve.cell),
                    std::to_string(target.stopped_after) + render::skipped_words(target.skipped_steps),
                    render::format_number(target.loss), render::format_number(target.target_loss)});
  }
  return table;
}

}  // namespace

std::vector<LossCurves> loss_curves_of(const std::vector<render::ScenarioTable>& tables) {
  std::vector<LossCurves> all;
  for (const render::ScenarioTable& table : tables) {
    const report::Cell* const cell = trained_cell(table);
    if (cell == nullptr) continue;
    auto group = std::ranges::find(all, table.scenario->name, &LossCurves::name);
    if (group == all.end()) group = all.insert(group, {table.scenario->name, {}});
    group->curves.push_back({"", table.scenario->label, cell});
  }
  for (LossCurves& group : all) {
    drop_what_they_share(group.curves);
    std::ranges::stable_sort(group.curves, {}, &Curve::setting);
  }
  std::erase_if(all,
                [](const LossCurves& group) { return group.curves.front().setting == group.curves.back().setting; });
  return all;
}

void add_losses(Markup& markup, const LossCurves& losses, const std::string& id) {
  const Figure figure{.id = id,
                      .title = losses.name + ": loss over steps",
                      .sentence =
                          "Of each scenario the training by its fastest implementation; those of one hue differ "
                          "in their seeds alone.",
                      .height = kLosses.height(),
                      .data = table_of(losses)};
  add_figure(markup, figure, [&] { LossesPicture(markup, losses).draw(); });
}

}  // namespace gdbench::page
