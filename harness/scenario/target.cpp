#include "harness/scenario/target.h"

#include <algorithm>

#include "harness/base/json.h"

namespace gdbench::scenario {

namespace {

// A training to a target may be this many times as long as the scenario says, unless it says otherwise.
constexpr std::int64_t kLongerThanScenario = 100;
// Evaluations within the scenario's own number of steps, unless it says otherwise.
constexpr std::int64_t kEvaluations = 10;

}  // namespace

std::optional<Target> read_target(JsonReader& root, std::int64_t steps) {
  if (!root.has("target")) return std::nullopt;
  JsonReader reader = root.object("target");
  Target target;
  const bool absolute = reader.has("loss");
  target.relative = reader.has("relative");
  if (absolute == target.relative) {
    root.fail("target", absolute ? "both of loss and relative" : "neither loss nor relative",
              "exactly one: \"loss\", or \"relative\", a part of the initial loss");
  } else if (absolute) {
    target.loss = reader.number("loss", {0, true}, std::nullopt);
  } else {
    target.loss = reader.number("relative", {0, true}, std::nullopt);
    if (target.loss >= 1) reader.fail("relative", "a number below 1");
  }
  const std::int64_t longest = kMaxSteps / kLongerThanScenario < steps ? kMaxSteps : kLongerThanScenario * steps;
  target.max_steps = reader.integer("most_steps", {1, kMaxSteps}, longest);
  const std::int64_t every = std::clamp<std::int64_t>(steps / kEvaluations, 1, target.max_steps);
  target.evaluate_every = reader.integer("evaluate_every", {1, target.max_steps}, every);
  reader.finish();
  return target;
}

Json to_json(const Target& target) {
  return {{target.relative ? "relative" : "loss", target.loss},
          {"most_steps", target.max_steps},
          {"evaluate_every", target.evaluate_every}};
}

}  // namespace gdbench::scenario
