// What each part of an implementation that can be switched off is worth: the same cell without it, measured side by
// side. A document of its own beside the report, which holds the samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

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
