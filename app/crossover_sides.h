// What --a and --b of gdbench crossover say: "dtype=bf16/graph/jit@2".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/plan.h"
#include "harness/base/result.h"
#include "harness/scenario/scenario.h"

namespace gdbench::app {

struct Side : CellChoice {
  std::string option;  // "--a"

  // As it is spelled on the command line; of two that are not the same cell they differ.
  std::string name() const;
};

using Sides = std::array<Side, 2>;  // A, B

// Errors: overrides without a key, threads that are no number of them.
Result<Side> parse_side(const std::string& option, const std::string& text);

// Gives each side what only the other one sets, as the scenario has it, so that both names say it; its source is the
// other one's. Errors: the settings of a side are wrong for the scenario.
Status name_differences(const CellPlanner& planner, Sides& sides);

// Whether they are the same implementation under the same settings, in whatever order.
bool are_one_but_for_threads(const Sides& sides);

// The cells of both, each with the setting where there is one.
std::vector<CellChoice> choices_of(const Sides& sides, const std::optional<scenario::Setting>& setting = std::nullopt);

}  // namespace gdbench::app
