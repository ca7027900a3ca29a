#include "reports/render/calibration.h"

#include <vector>

#include "reports/render/format.h"

namespace gdbench::render {

namespace {

using report::CalibrationLevel;

std::vector<std::string> row_of(const CalibrationLevel& level) {
  return {format_percent(level.slowdown),
          std::to_string(level.comparisons),
          std::to_string(level.regressed),
          std::to_string(level.improved),
          format_percent(level.share),
          format_percent(level.lower_limit) + " to " + format_percent(level.upper_limit),
          format_number(level.median_ratio) + "x",
          format_duration_ns(level.seconds * 1e9)};
}

}  // namespace

std::string calibration_table(const report::Calibration& calibration) {
  const std::vector<CalibrationLevel> levels = report::levels_of(calibration);
  std::vector<std::vector<std::string>> rows;
  for (const CalibrationLevel& level : levels) rows.push_back(row_of(level));
  std::string text = text_table({{"added", true},
                                 {"comparisons", true},
                                 {"regressed", true},
                                 {"improved", true},
                                 {"share", true},
                                 {"limits", false},
                                 {"ratio", true},
                                 {"each took", true}},
                                rows);
  text += "\n";
  for (const CalibrationLevel& level : levels) {
    if (level.slowdown > 0) continue;
    text += "False alarms: " + std::to_string(level.regressed + level.improved) + " of " +
            std::to_string(level.comparisons) + ", at most " + format_percent(level.upper_limit) +
            " with 95% confidence.\n";
  }
  const double smallest = report::smallest_detectable_slowdown(levels);
  text += smallest > 0 ? "Four in five slowdowns of " + format_percent(smallest) + " are found.\n"
                       : "No slowdown that was tried is found four times in five.\n";
  if (calibration.outcomes.size() < static_cast<std::size_t>(calibration.planned)) {
    text += "Not finished: " + std::to_string(calibration.outcomes.size()) + " of " +
            std::to_string(calibration.planned) + " comparisons; the same command goes on.\n";
  }
  return text + "Each comparison: " + std::to_string(calibration.launches) +
         " launches of either side, as many again where it seems slower; margin " + format_percent(calibration.margin) +
         ", " + format_percent(calibration.confidence) +
         " confidence. share: called regressed (without a slowdown: or improved), with exact limits at 95% to either "
         "side.\n";
}

}  // namespace gdbench::render
