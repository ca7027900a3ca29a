// Chosen cells of one scenario, or of one under several settings, planned like those of a run: what train, profile,
// crossover and ablate work on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "harness/base/result.h"
#include "harness/measure/cell_group.h"
#include "harness/report/report.h"
#include "harness/scenario/matrix.h"

namespace gdbench::app {

// One scenario with one implementation: what train and profile work on. `scenario` by name or file, `implementation` an
// id, `settings` as in --set. Errors: the input's, an implementation that is unknown, or one that cannot do this.
Result<measure::CellGroup> plan_single_cell(const std::string& scenario, const std::string& implementation,
                                            const std::vector<std::string>& settings);

struct CellChoice {
  std::string implementation;               // an id
  std::vector<scenario::Setting> settings;  // beside the common ones, which they beat
  std::optional<int> threads{};             // instead of the common number
};

class CellPlanner {
 public:
  // `scenario` by name or file, `settings` as in --set; `implementations`: the ids that plan will be asked for. Asks
  // the plugins once. Errors: the input's.
  static Result<CellPlanner> make(const std::string& scenario, const std::vector<std::string>& settings, int threads,
                                  const std::vector<std::string>& implementations);

  // What is known of an implementation, in the environment that its id names or in the only one. Errors name `option`,
  // which gave the id, and what there is.
  Result<protocol::CatalogueEntry> find(const std::string& option, const std::string& id) const;

  // "mlp-10-50-1", with the common settings in brackets behind it.
  std::string label() const;

  // The scenario under the common settings, and others that beat them.
  Result<scenario::Scenario> read(const std::vector<scenario::Setting>& others = {}) const;
  const std::vector<scenario::Setting>& settings() const { return settings_; }
  // That cells may use.
  std::int64_t processor_count() const { return static_cast<std::int64_t>(processors_.size()); }

  // A cell per choice and arm, in their order. All arms are of this build: two are one beside itself. Errors: a setting
  // is wrong, an implementation cannot do this, two choices are one cell.
  Result<measure::CellGroup> plan(const std::vector<CellChoice>& choices,
                                  const std::vector<std::string>& arms = {report::kNewArm}) const;

 private:
  CellPlanner() = default;

  // The common settings that those do not beat, and those.
  std::vector<scenario::Setting> merged(const std::vector<scenario::Setting>& others) const;

  scenario::KnownScenario scenario_;
  std::vector<scenario::Setting> settings_;
  int threads_ = 1;
  protocol::Arm arm_;
  std::vector<int> processors_;  // before this process leaves one to the workers
  std::vector<protocol::CatalogueEntry> catalogue_;
};

}  // namespace gdbench::app
