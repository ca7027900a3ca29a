#include "reports/page/calibration_page.h"

#include <algorithm>
#include <vector>

#include "harness/base/text.h"
#include "reports/page/document.h"
#include "reports/page/parts.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/calibration.h"

namespace gdbench::page {

namespace {

using report::Calibration;
using report::CalibrationLevel;

constexpr PlotArea kDetections{.bottom = 280};
constexpr int kFoundHue = 0;  // of slowdowns, and of alarms without one
constexpr int kAlarmHue = 1;
constexpr int kTicksOfShares = 6;
constexpr double kAlarmsLeft = 330;

std::string share_text(double share) { return formatted("%.3g%%", 100 * share); }

class DetectionPicture {
 public:
  DetectionPicture(Markup& markup, const std::vector<CalibrationLevel>& levels)
      : markup_(markup),
        levels_(levels),
        slowdowns_(Scale::linear(0, std::max(levels.back().slowdown, 0.01), kDetections.left + 12, kDetections.right)) {
  }

  void draw() {
    add_ticks_across(markup_, kDetections, slowdowns_, kTicksOfShares, &share_text);
    add_ticks_up(markup_, kDetections, shares_, kTicksOfShares, &share_text);
    add_text(markup_, 0, 12, "q", "share that is called regressed");
    add_text(markup_, (kDetections.left + kDetections.right) / 2, kDetections.bottom + 34, "q m", "added to each step");
    const double wanted = shares_.at(report::kWantedDetections);
    add_line(markup_, kDetections.left, wanted, kDetections.right, wanted, "o");
    add_text(markup_, kDetections.right + 6, wanted + 4, "", "wanted: " + share_text(report::kWantedDetections));
    std::string curve;
    for (const CalibrationLevel& level : levels_) {
      if (level.slowdown <= 0) continue;
      extend(curve, slowdowns_.at(level.slowdown), shares_.at(level.share));
    }
    if (!curve.empty()) markup_.empty("path", {{"class", "h s" + std::to_string(kFoundHue)}, {"d", curve}});
    for (const CalibrationLevel& level : levels_) point(level);
  }

 private:
  void point(const CalibrationLevel& level) {
    const int hue = level.slowdown > 0 ? kFoundHue : kAlarmHue;
    const double x = slowdowns_.at(level.slowdown);
    add_line(markup_, x, shares_.at(level.lower_limit), x, shares_.at(level.upper_limit), "c s" + std::to_string(hue));
    add_mark(markup_, hue, x, shares_.at(level.share));
    if (hue != kAlarmHue) return;
    // Above the picture: beside the point there are the lines of its neighbours.
    add_mark(markup_, hue, kAlarmsLeft, 8);
    add_text(markup_, kAlarmsLeft + 10, 12, "", "false alarms: " + share_text(level.share));
  }

  Markup& markup_;
  const std::vector<CalibrationLevel>& levels_;
  Scale slowdowns_;
  Scale shares_ = Scale::linear(0, 1, kDetections.bottom, kDetections.top);
};

void detections(Markup& markup, const Calibration& calibration) {
  add_list(markup, render::calibration_sentences(calibration));
  const std::vector<CalibrationLevel> levels = report::levels_of(calibration);
  if (!levels.empty()) {
    const Figure figure{.id = "detection-rate",
                        .title = "Share of comparisons that find a slowdown",
                        .sentence =
                            "Circles are slowdowns that were added, the square is what is called regressed or "
                            "improved without one: false alarms. Lines are exact limits at 95% to either side.",
                        .height = kDetections.height(),
                        .data = render::by_columns(render::levels_table(calibration))};
    add_figure(markup, figure, [&] { DetectionPicture(markup, levels).draw(); });
  }
  add_paragraph(markup, render::calibration_legend(calibration));
}

// What was compared how often.
void workloads(Markup& markup, const Calibration& calibration) {
  render::TextTable table = {{.title = "workload", .texts = {}},
                             {.title = "comparisons", .right_aligned = true, .texts = {}},
                             {.title = "false alarms", .right_aligned = true, .texts = {}},
                             {.title = "slowdowns found", .right_aligned = true, .texts = {}}};
  std::vector<std::string> names;
  for (const report::CalibrationOutcome& outcome : calibration.outcomes) {
    if (std::ranges::find(names, outcome.workload) == names.end()) names.push_back(outcome.workload);
  }
  for (const std::string& name : names) {
    Calibration part = calibration;
    std::erase_if(part.outcomes, [&](const auto& outcome) { return outcome.workload != name; });
    std::size_t slowed = 0;
    int alarms = 0;
    int found = 0;
    for (const CalibrationLevel& level : report::levels_of(part)) {
      const bool plain = level.slowdown <= 0;
      if (plain) alarms += level.regressed + level.improved;
      if (!plain) found += level.regressed;
      if (!plain) slowed += static_cast<std::size_t>(level.comparisons);
    }
    add_row(table, {name, std::to_string(part.outcomes.size()), cat(alarms, " of ", part.outcomes.size() - slowed),
                    cat(found, " of ", slowed)});
  }
  add_titled(markup, "By workload", table);
}

}  // namespace

std::string calibration_page(const Calibration& calibration) {
  return document(
      "gdbench calibrate",
      {{"detections", "What comparisons find here", [&](Markup& markup) { detections(markup, calibration); }},
       {"workloads", "Workloads", [&](Markup& markup) { workloads(markup, calibration); }}},
      [&](Markup& markup) {
        add_paragraph(markup,
                      cat(calibration.outcomes.size(), " of ", calibration.planned,
                          " comparisons of implementations with themselves, with a slowdown and without."),
                      "muted");
      });
}

}  // namespace gdbench::page
