#include "reports/render/calibration.h"

#include "harness/base/text.h"
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

PlainTable levels_table(const report::Calibration& calibration) {
  PlainTable table{.columns = {{"added", true},
                               {"comparisons", true},
                               {"regressed", true},
                               {"improved", true},
                               {"share", true},
                               {"limits"},
                               {"ratio", true},
                               {"each took", true}},
                   .rows = {}};
  for (const CalibrationLevel& level : report::levels_of(calibration)) table.rows.push_back(row_of(level));
  return table;
}

std::vector<std::string> calibration_sentences(const report::Calibration& calibration) {
  const std::vector<CalibrationLevel> levels = report::levels_of(calibration);
  std::vector<std::string> sentences;
  for (const CalibrationLevel& level : levels) {
    if (level.slowdown > 0) continue;
    sentences.push_back(cat("False alarms: ", level.regressed + level.improved, " of ", level.comparisons, ", at most ",
                            format_percent(level.upper_limit), " with 95% confidence."));
  }
  const double smallest = report::smallest_detectable_slowdown(levels);
  sentences.push_back(smallest > 0 ? cat("Four in five slowdowns of ", format_percent(smallest), " are found.")
                                   : "No slowdown that was tried is found four times in five.");
  if (calibration.outcomes.size() < static_cast<std::size_t>(calibration.planned)) {
    sentences.push_back(cat("Not finished: ", calibration.outcomes.size(), " of ", calibration.planned,
                            " comparisons; the same command goes on."));
  }
  return sentences;
}

std::string calibration_legend(const report::Calibration& calibration) {
  return cat(
      "Each comparison: ", calibration.launches,
      " launches of either side, as many again where it seems slower; margin ", format_percent(calibration.margin),
      ", ", format_percent(calibration.confidence),
      " confidence. share: called regressed (without a slowdown: or improved), with exact limits at 95% to either "
      "side.");
}

std::string calibration_table(const report::Calibration& calibration) {
  std::string text = text_table(levels_table(calibration)) + "\n";
  for (const std::string& sentence : calibration_sentences(calibration)) text += sentence + "\n";
  return text + calibration_legend(calibration) + "\n";
}

}  // namespace gdbench::render
