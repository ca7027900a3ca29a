// The cells of a request, planned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/request.h"
#include "harness/base/result.h"
#include "harness/measure/cell_group.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"
#include "harness/scenario/matrix.h"

namespace gdbench::app {

// What every plan begins with: the request's builds, what their plugins answer, the processors. `implementations`: what
// will be asked for, ids or globs. Errors: a folder is no build, a plugin could not be asked.
Result<measure::PlanRequest> ask_plugins(const Request& request, const protocol::Globs& implementations = std::nullopt);

// Of all arms; what only one of them has is measured there.
std::vector<scenario::KnownImplementation> known_implementations(const measure::PlanRequest& request);

// The cells of the request's matrix; fills report.run (matrix, baseline, shard), scenarios and cells. Errors are the
// input's.
Result<measure::Plan> plan(const Request& request, report::Report& report);

// A cell of the request's scenario.
struct CellChoice {
  std::string implementation;               // an id
  std::vector<scenario::Setting> settings;  // beside the common ones, which they beat
  std::optional<int> threads{};             // instead of the common number
};

// Plans cells of one scenario, as often as somebody asks.
class CellPlanner {
 public:
  // `implementations`: the ids that plan will be asked for. Asks the plugins once. Errors: the input's.
  static Result<CellPlanner> make(const Request& request, const std::vector<std::string>& implementations);

  // What is known of an implementation, in the environment that its id names or in the only one. Errors name `option`,
  // which gave the id, and what there is.
  Result<protocol::CatalogueEntry> find(const std::string& option, const std::string& id) const;

  // "mlp-10-50-1", with the common settings in brackets behind it.
  std::string label() const;

  // The scenario under the common settings, and others that beat them.
  Result<scenario::Scenario> read(const std::vector<scenario::Setting>& others = {}) const;
  const std::vector<scenario::Setting>& settings() const { return settings_; }
  int threads() const { return threads_; }
  // That cells may use.
  std::int64_t processor_count() const { return static_cast<std::int64_t>(asked_.processors.size()); }

  // A cell per choice and arm, in their order. All arms are of this build: two are one beside itself. Errors: a setting
  // is wrong, an implementation cannot do this, two choices are one cell.
  Result<measure::CellGroup> plan(const std::vector<CellChoice>& choices,
                                  const std::vector<std::string>& arms = {report::kNewArm}) const;

 private:
  // The common settings that those do not beat, and those.
  std::vector<scenario::Setting> merged(const std::vector<scenario::Setting>& others) const;

  scenario::KnownScenario scenario_;
  std::vector<scenario::Setting> settings_;
  int threads_ = 1;
  measure::PlanRequest asked_;
};

// One cell: what train and profile work on. `implementation` is an id.
Result<measure::CellGroup> plan_cell(const Request& request, const std::string& implementation);

}  // namespace gdbench::app
