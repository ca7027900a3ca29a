// What a run will do: the matrix's points turned into cells, grouped by resolved scenario, everything that can be wrong
// with the input found before anything is measured.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/dataset.h"
#include "harness/protocol/discovery.h"
#include "harness/report/report.h"
#include "harness/scenario/expand.h"
#include "harness/scenario/scenario.h"

namespace gdbench::measure {

// What proves that a cell computes what its scenario says: its trajectory beside the reference's; its loss alone, where
// it shuffles in an order of its own; nothing, where it does nothing on purpose.
enum class Proof { trajectory, loss, none };

// One cell as it will be run; what is learned about it goes to report.cells[index].
struct PlannedCell {
  std::size_t index = 0;
  std::size_t unit = 0;  // cells of one point, one per arm: measured next to each other
  const protocol::CatalogueEntry* entry = nullptr;
  std::map<std::string, std::string> options;  // every declared option
  protocol::ThreadSettings threads;
  Proof proof = Proof::trajectory;
  int ranks = 1;             // processes that train together, each with so many threads
  std::size_t variants = 0;  // units of one point but for values of --set: they start next to each other

  // Threads that compute, in all processes.
  int compute_threads() const { return ranks * threads.compute; }

  // Whether it computes on a device: the implementation always does, or its option `device` says so.
  bool on_device() const;
};

// Cells that share data, start state and reference. The data is made when it is needed and can be let go.
struct PlannedScenario {
  scenario::Scenario scenario;
  data::ReadingOptions reading{};
  std::optional<data::Dataset> dataset;
  scenario::Problem problem;
  scenario::State start;
  std::size_t data_bytes = 0;
  bool shuffled = false;
  bool streamed = false;
  bool joins_previous = false;     // it is launched together with the scenario before it
  std::vector<PlannedCell> cells;  // those that the implementation says it can do

  Status acquire();
  void release() { dataset.reset(); }
};

struct Plan {
  std::vector<std::vector<protocol::CatalogueEntry>> catalogues;  // one per arm; planned cells point into it
  std::vector<std::unique_ptr<PlannedScenario>> scenarios;

  std::vector<PlannedScenario*> all() const;
};

constexpr std::size_t kDataCapBytes = std::size_t{1} << 30;
// Scenarios whose data are held at once, each by a descriptor, of which a process has 1024 as a rule.
constexpr std::size_t kMostDatasets = 200;
// Workers of several scenarios side by side, each with four descriptors.
constexpr std::size_t kMostWorkers = 150;

// The data of some scenarios, as far as they limit whose may be held, too.
struct HeldData {
  std::size_t scenarios = 0;
  std::size_t bytes = 0;

  bool has_room_for(const HeldData& more, std::size_t cap_bytes) const {
    return scenarios + more.scenarios <= kMostDatasets && bytes + more.bytes <= cap_bytes;
  }
  void add(const HeldData& more) {
    scenarios += more.scenarios;
    bytes += more.bytes;
  }
};

struct PlanRequest {
  std::vector<scenario::Point> points;
  std::vector<protocol::Arm> arms;
  std::vector<std::vector<protocol::CatalogueEntry>> catalogues;  // of each arm
  std::vector<int> processors;                                    // that this process may use
  data::ReadingOptions reading{};
  // Whether ranks may share processors where there are fewer than they need: where nothing is timed.
  bool shares_processors = false;
  // An implementation of the first arm that is measured a second time in every scenario, in the arm kControlArm: what
  // differs between the two is the machine's doing. Empty: none is.
  std::string control;
  std::size_t data_cap_bytes = kDataCapBytes;  // of data held at once; the rest is made again when its turn comes
};

// `compute` threads in all processes get the last allowed processors, so that the coordinator and everything else that
// starts on the first ones disturbs them least; helpers get the others.
protocol::ThreadSettings place_threads(int compute, const std::vector<int>& allowed);

// The same scenarios, those that are launched together in one list.
std::vector<std::vector<PlannedScenario*>> launch_groups(const std::vector<PlannedScenario*>& scenarios);

// Scenarios that differ in values of --set alone are of one group, as far as their data may be held at once and their
// workers be there at once.
// Fills report.scenarios and report.cells; cells that no worker needs to be asked about have their status already
// (unsupported, or a plugin's own problem). Errors are the input's: exit status 2.
Result<Plan> make_plan(PlanRequest request, report::Report& report);

}  // namespace gdbench::measure
