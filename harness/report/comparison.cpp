#include "harness/report/comparison.h"

#include <map>

#include "harness/report/fields.h"
#include "harness/stats/distributions.h"

namespace gdbench::report {

void fields(auto& archive, Of<Gate> auto& gate) {
  FIELDS(archive, gate, quantity, margin);
  archive.unless_empty("cells", gate.cells);  // since 1.5
}

void fields(auto& archive, Of<ComparedCell> auto& cell) {
  FIELDS(archive, cell, id, quantity, change, remark);  // quantity since 1.3
  archive.only_if(cell.of_step() && cell.base, "base_ns", cell.base);
  archive.only_if(cell.of_step() && cell.next, "new_ns", cell.next);
  archive.only_if(!cell.of_step() && cell.base, "base", cell.base);
  archive.only_if(!cell.of_step() && cell.next, "new", cell.next);
  FIELDS(archive, cell, ratio, layout);
  archive.unless_empty("layouts", cell.layouts);
}

void fields(auto& archive, Of<ReportComparison> auto& comparison) {
  archive.field("base", comparison.base);
  archive.field("new", comparison.next);
  archive.unless_empty("base_build", comparison.base_build);
  archive.unless_empty("new_build", comparison.next_build);
  FIELDS(archive, comparison, paired, margin);
  archive.unless_empty("gates", comparison.gates);
  FIELDS(archive, comparison, confidence, until_decided, noise_floor, not_comparable, remarks, cells);
}

OrderedJson to_json(const ReportComparison& comparison) {
  return RecordWriter::document("gdbench-comparison", 1, 5, comparison);
}

namespace {

constexpr double kConfidenceOfLimits = 0.95;

CalibrationLevel level_of(double slowdown, const std::vector<const CalibrationOutcome*>& outcomes, bool until_decided) {
  CalibrationLevel level;
  level.slowdown = slowdown;
  level.comparisons = static_cast<int>(outcomes.size());
  std::vector<double> ratios;
  std::vector<double> seconds;
  std::vector<double> launches;
  int equivalent = 0;
  for (const CalibrationOutcome* outcome : outcomes) {
    level.regressed += outcome->change == Change::regressed ? 1 : 0;
    level.improved += outcome->change == Change::improved ? 1 : 0;
    if (outcome->ratio > 0) ratios.push_back(outcome->ratio);
    seconds.push_back(outcome->seconds);
    equivalent += outcome->change == Change::equivalent ? 1 : 0;
    launches.push_back(outcome->launches.value_or(0));
  }
  if (until_decided) {
    level.equivalent = equivalent;
    level.median_launches = stats::median(std::move(launches));
  }
  const int counted = level.regressed + (slowdown == 0 ? level.improved : 0);
  level.share = static_cast<double>(counted) / level.comparisons;
  level.lower_limit = stats::proportion_lower_limit(counted, level.comparisons, kConfidenceOfLimits);
  level.upper_limit = stats::proportion_upper_limit(counted, level.comparisons, kConfidenceOfLimits);
  level.median_ratio = stats::median(std::move(ratios));
  level.seconds = stats::median(std::move(seconds));
  return level;
}

}  // namespace

std::vector<CalibrationLevel> levels_of(const Calibration& calibration) {
  std::map<double, std::vector<const CalibrationOutcome*>> by_slowdown;
  for (const CalibrationOutcome& outcome : calibration.outcomes) by_slowdown[outcome.slowdown].push_back(&outcome);
  std::vector<CalibrationLevel> levels;
  for (const auto& [slowdown, outcomes] : by_slowdown)
    levels.push_back(level_of(slowdown, outcomes, calibration.until_decided.value_or(false)));
  return levels;
}

double smallest_detectable_slowdown(const std::vector<CalibrationLevel>& levels) {
  const CalibrationLevel* before = nullptr;
  for (const CalibrationLevel& level : levels) {
    if (level.slowdown == 0) continue;
    if (level.share >= kWantedDetections) {
      if (before == nullptr) return level.slowdown;
      const double part = (kWantedDetections - before->share) / (level.share - before->share);
      return before->slowdown + part * (level.slowdown - before->slowdown);
    }
    before = &level;
  }
  return 0;
}

FIELDS_OF(CalibrationLevel, slowdown, comparisons, regressed, improved, share, lower_limit, upper_limit, median_ratio,
          seconds, equivalent, median_launches)
FIELDS_OF(CalibrationOutcome, number, workload, slowdown, change, ratio, interval, seconds, launches)

void fields(auto& archive, Of<Calibration> auto& calibration) {
  FIELDS(archive, calibration, launches, margin, confidence, planned, until_decided);
  const std::vector<CalibrationLevel> levels = levels_of(calibration);
  archive.field("smallest_detectable_slowdown", smallest_detectable_slowdown(levels));
  archive.field("levels", levels);
  FIELDS(archive, calibration, outcomes);
}

OrderedJson to_json(const Calibration& calibration) {
  return RecordWriter::document("gdbench-calibration", 1, 2, calibration);
}

// Everything but the cell as it is has a name of its own.
void fields(auto& archive, Of<AblationVariant> auto& variant) {
  const char* kind = variant.everything_off ? "all off" : "without";
  archive.field("variant", std::string(variant.as_it_is() ? "as it is" : kind));
  FIELDS(archive, variant, value, status);
  archive.unless_empty("without", variant.without);
  archive.unless_empty("description", variant.description);
  FIELDS(archive, variant, step_ns, comparison, difference_ns, fired);
}

FIELDS_OF(Ablation, scenario, implementation, option, confidence, variants)

OrderedJson to_json(const Ablation& ablation) { return RecordWriter::document("gdbench-ablation", 1, 1, ablation); }

}  // namespace gdbench::report
