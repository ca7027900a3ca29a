// What commands find that compare cells of the same scenario: compare and run --against, calibrate, ablate. Documents
// of their own next to the report, which holds the samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"
#include "harness/report/quantity.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// What `gdbench compare` and `gdbench run --against` find: of each cell whether one build is slower than another.

enum class Change {
  regressed,     // confidently slower, by more than the margin
  improved,      // confidently faster
  equivalent,    // confidently within the margin
  inconclusive,  // none of these
  failing,       // has a time in the base, and is wrong, crashed, timed out or untrusted in the new one
  fixed,         // the other way round
  removed,       // has a time in the base only
  added,         // in the new one only
};
inline constexpr Named<Change> kChanges[] = {{Change::regressed, "regressed"},   {Change::improved, "improved"},
                                             {Change::equivalent, "equivalent"}, {Change::inconclusive, "inconclusive"},
                                             {Change::failing, "failing"},       {Change::fixed, "fixed"},
                                             {Change::removed, "removed"},       {Change::added, "added"}};
constexpr const auto& rows_of(Change /*any*/) { return kChanges; }

// What is judged of cells, and the share by which it may grow. Of several gates of a cell's quantity the last one
// counts.
struct Gate {
  Quantity quantity = Quantity::step;
  double margin = 0;
  std::string cells = {};  // a glob over their ids; empty: all
};

// One quantity of a cell.
struct ComparedCell {
  std::string id;  // without its arm
  Quantity quantity = Quantity::step;
  Change change = Change::inconclusive;
  std::optional<stats::Estimate> base;  // nanoseconds, bytes or a count
  std::optional<stats::Estimate> next;
  std::optional<stats::Estimate> ratio;  // of the new one to the base
  std::optional<double> layout;          // how far a padded build is from the same one without padding: a share
  std::vector<double> layouts;           // ratios, where there are padded builds: of each pair of layouts
  std::string remark;                    // why it is inconclusive, what failed; empty otherwise

  // What of the id is the scenario's label and what is behind it. A label ends at the first slash, except for one that
  // holds a file's path.
  std::string scenario() const { return id.substr(0, id.find('/')); }
  std::string name() const { return scenario().size() < id.size() ? id.substr(scenario().size() + 1) : ""; }
  bool of_step() const { return quantity == Quantity::step; }
};

struct ReportComparison {
  std::string base;  // what is compared: a file, or a build
  std::string next;
  std::string base_build;   // version and revision, as a worker of it says; empty where none does
  std::string next_build;   // likewise
  bool paired = false;      // measured side by side; else in two runs, between which the machine may have changed
  double margin = 0;        // of steps, as asked for
  std::vector<Gate> gates;  // what is judged next to them
  double confidence = 0;    // that no cell is wrongly called regressed or improved
  std::optional<bool> until_decided;  // at every look: launches ended where it was decided; absent: no
  double noise_floor = 0;             // the largest margin of steps that a run's own noise made necessary
  std::string not_comparable;         // why there are no verdicts at all; empty: there are
  std::vector<std::string> remarks;
  std::vector<ComparedCell> cells;
};

OrderedJson to_json(const ReportComparison& comparison);

// What comparisons on this machine are worth: how often they alarm without a cause, and which slowdown they find.

// One comparison of an implementation with itself, slowed down by a known share.
struct CalibrationOutcome {
  int number = 0;        // in the order of the plan
  std::string workload;  // "mlp-10-50-1/hand/eigen"
  double slowdown = 0;   // that was added, as a share of the step
  Change change = Change::inconclusive;
  double ratio = 0;  // slowed over plain, with its interval; 0: nothing was measured
  stats::Interval interval;
  double seconds = 0;
  // Since 1.2, of either side.
  std::optional<int> launches{};
};

// All comparisons at one slowdown. Limits are exact (Clopper and Pearson), one-sided, at 95%.
struct CalibrationLevel {
  double slowdown = 0;
  int comparisons = 0;
  int regressed = 0;  // without a slowdown: false alarms
  int improved = 0;   // always wrong
  double share = 0;   // of the regressed, and, without a slowdown, of the improved too
  double lower_limit = 0;
  double upper_limit = 0;
  double median_ratio = 0;
  double seconds = 0;  // median of a comparison
  // Since 1.2, of comparisons that end where they are decided: equivalent ones, and the median of their launches.
  std::optional<int> equivalent{};
  std::optional<double> median_launches{};
};

struct Calibration {
  int launches = 0;  // of either side in a comparison, before a confirmation
  double margin = 0;
  double confidence = 0;
  int planned = 0;  // comparisons, fixed beforehand
  // Since 1.2: a comparison ends as soon as it is decided, by intervals that hold at every look, at `launches` at the
  // latest. Absent: no.
  std::optional<bool> until_decided{};
  std::vector<CalibrationOutcome> outcomes;
};

// By slowdown, in ascending order.
std::vector<CalibrationLevel> levels_of(const Calibration& calibration);

constexpr double kWantedDetections = 0.8;  // the power that experiments are customarily planned for

// The slowdown that four in five comparisons find, on the straight line between the levels around it; 0 if none does.
double smallest_detectable_slowdown(const std::vector<CalibrationLevel>& levels);

OrderedJson to_json(const Calibration& calibration);

// What each part of an implementation that can be switched off is worth: the same cell without it, measured alongside.

struct AblationVariant {
  std::string without;      // the part that is off; empty for the cell as it is
  std::string description;  // what the part does, where the implementation says so
  bool everything_off = false;
  std::string value;  // of the option
  CellStatus status;
  std::optional<stats::Estimate> step_ns;        // of a cell that is ok
  std::optional<stats::Comparison> comparison;   // time of the variant over time of the cell as it is
  std::optional<stats::Estimate> difference_ns;  // the same, less: what a step costs more without the part
  std::optional<double> fired;  // how often the part had an effect in the cell as it is, where it says so

  // Without a part that did nothing the cell is what it was: it is not measured.
  bool had_no_effect() const { return fired == 0.0; }
  bool as_it_is() const { return without.empty() && !everything_off; }
};

struct Ablation {
  std::string scenario;
  std::string implementation;
  std::string option;                     // the key, without impl.
  double confidence = 0;                  // of each interval, so that all verdicts together have 95%
  std::vector<AblationVariant> variants;  // the cell as it is, without each part, without all
};

OrderedJson to_json(const Ablation& ablation);

}  // namespace gdbench::report
