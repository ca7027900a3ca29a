#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Calibration;
using report::CalibrationLevel;
using Levels = std::vector<CalibrationLevel>;

std::string share_text(double share) { return formatted("%.3g%%", 100 * share); }

Columns levels_table(const Levels& levels) {
  Columns table = {right("added"), right("comparisons"), right("regressed"), right("improved"),
                   right("share"), left("limits"),       right("ratio"),     right("each took")};
  const bool until_decided = !levels.empty() && levels.front().median_launches;
  if (until_decided) table.insert(table.end(), {right("equivalent"), right("launches")});
  for (const CalibrationLevel& level : levels) {
    std::vector<std::string> row = {format_percent(level.slowdown),
                                    std::to_string(level.comparisons),
                                    std::to_string(level.regressed),
                                    std::to_string(level.improved),
                                    format_percent(level.share),
                                    format_percent(level.lower_limit) + " to " + format_percent(level.upper_limit),
                                    format_number(level.median_ratio) + "x",
                                    format_duration_ns(level.seconds * 1e9)};
    if (until_decided) {
      row.push_back(std::to_string(level.equivalent.value_or(0)));
      row.push_back(format_number(level.median_launches.value_or(0)));
    }
    add_row(table, row);
  }
  return table;
}

std::vector<document::Paragraph> answer_of(const Calibration& calibration, const Levels& levels) {
  std::vector<document::Paragraph> answer;
  for (const CalibrationLevel& level : levels) {
    if (level.slowdown > 0) continue;
    answer.push_back({cat("False alarms: ", level.regressed + level.improved, " of ", level.comparisons, ", at most ",
                          format_percent(level.upper_limit), " with 95% confidence.")});
  }
  const double smallest = report::smallest_detectable_slowdown(levels);
  answer.push_back({smallest > 0 ? cat("Four in five slowdowns of ", format_percent(smallest), " are found.")
                                 : "No slowdown that was tried is found four times in five."});
  if (calibration.outcomes.size() < static_cast<std::size_t>(calibration.planned)) {
    answer.push_back({cat("Not finished: ", calibration.outcomes.size(), " of ", calibration.planned,
                          " comparisons; the same command goes on."),
                      Style::unsure});
  }
  return answer;
}

// The share of comparisons that are called regressed, over what was added to a step.
Figure detections(const Levels& levels) {
  document::Plane plane{
      .across = {.title = "added to each step", .text = &share_text},
      .up = {.title = "share that is called regressed", .text = &share_text, .ends = stats::Interval{0, 1}}};
  document::Series found{.name = "slowdowns found", .line = document::Line::thin, .marked = true, .named = false};
  document::Series alarms{
      .name = "false alarms", .look = document::look_of(1), .line = document::Line::none, .marked = true};
  for (const CalibrationLevel& level : levels) {
    (level.slowdown > 0 ? found : alarms)
        .points.push_back({level.slowdown, level.share, stats::Interval{level.lower_limit, level.upper_limit}});
  }
  plane.series = {std::move(found), std::move(alarms)};
  plane.rules = {{.at = report::kWantedDetections,
                  .text = "wanted: " + format_percent(report::kWantedDetections),
                  .upright = false}};
  return {.title = "Share of comparisons that find a slowdown",
          .sentence =
              "Circles are slowdowns that were added, the square is what is called regressed or improved without one: "
              "false alarms. Lines are exact limits at 95% to either side.",
          .chart = std::move(plane)};
}

// What was compared how often.
Columns workloads_table(const Calibration& calibration) {
  Columns table = {left("workload"), right("comparisons"), right("false alarms"), right("slowdowns found")};
  std::vector<std::string> names;
  for (const report::CalibrationOutcome& outcome : calibration.outcomes) {
    if (std::ranges::find(names, outcome.workload) == names.end()) names.push_back(outcome.workload);
  }
  for (const std::string& name : names) {
    Calibration part = calibration;
    std::erase_if(part.outcomes, [&](const auto& outcome) { return outcome.workload != name; });
    int plain = 0;
    int alarms = 0;
    int slowed = 0;
    int found = 0;
    for (const CalibrationLevel& level : report::levels_of(part)) {
      (level.slowdown > 0 ? slowed : plain) += level.comparisons;
      (level.slowdown > 0 ? found : alarms) += level.regressed + (level.slowdown > 0 ? 0 : level.improved);
    }
    add_row(table, {name, std::to_string(plain + slowed), cat(alarms, " of ", plain), cat(found, " of ", slowed)});
  }
  return table;
}

}  // namespace

Document document_of(const Calibration& calibration) {
  const Levels levels = report::levels_of(calibration);
  Blocks found;
  found.table("", levels_table(levels));
  if (!levels.empty()) found.figure(detections(levels));
  found.paragraph(
      cat("Each comparison: ", calibration.until_decided.value_or(false) ? "until it is decided, at most " : "",
          calibration.launches, " launches of either side",
          calibration.until_decided.value_or(false) ? "" : ", as many again where it seems slower", "; margin ",
          format_percent(calibration.margin), ", ", format_percent(calibration.confidence),
          " confidence. share: called regressed (without a slowdown: or improved), with exact limits at "
          "95% to either side."));
  Document document{.title = cat("gdbench calibrate: ", calibration.outcomes.size(), " of ", calibration.planned,
                                 " comparisons of implementations with themselves, with a slowdown and without"),
                    .answer = answer_of(calibration, levels)};
  document.section("What comparisons find here", std::move(found));
  document.section("Workloads", Blocks().table("", workloads_table(calibration)));
  return document;
}

}  // namespace gdbench::answers
