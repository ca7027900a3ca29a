// A problem that was run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/report/resolved_scenario.h"

namespace gdbench::report {

// What a scenario has of its own among those that were launched together with it.
struct SideBySide {
  std::string first;                          // key of the first of these scenarios
  std::map<std::string, std::string> values;  // of the keys that have several

  bool operator==(const SideBySide&) const = default;
};

struct ScenarioRecord {
  std::string key;    // identity hash of the resolved scenario
  std::string name;   // "mlp-10-50-1"
  std::string label;  // name plus what was overridden: "mlp-10-50-1 batch=32 dtype=f64"
  ResolvedScenario resolved;
  std::int64_t rows = 0;  // of the training data
  std::int64_t features = 0;
  std::int64_t outputs = 0;     // or classes
  std::int64_t parameters = 0;  // with biases
  std::int64_t batch_rows = 0;
  double operations_per_step = 0;  // floating-point, that the algorithm needs on a full batch
  std::string data_digest;         // of what every implementation received
  // Since 1.17: where --set gives several values of a key, and all launches of these scenarios were made together.
  std::optional<SideBySide> side_by_side{};
};

}  // namespace gdbench::report
