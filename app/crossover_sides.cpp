#include "app/crossover_sides.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/overrides.h"
#include "app/python_environments.h"
#include "harness/base/text.h"
#include "harness/scenario/matrix.h"
#include "harness/scenario/settings.h"

namespace gdbench::app {

std::string Side::name() const {
  return cat(overrides_text(settings), settings.empty() ? "" : "/", implementation,
             threads ? "@" + std::to_string(*threads) : "");
}

Result<Side> parse_side(const std::string& option, const std::string& text) {
  std::size_t at = text.rfind('@');
  if (at != std::string::npos && is_environment(text.substr(at + 1))) at = std::string::npos;
  Side side;
  side.option = option;
  if (at != std::string::npos) {
    side.threads = number_of<int>(text.substr(at + 1));
    if (!side.threads || *side.threads < 1 || *side.threads > scenario::kMaxThreads) {
      return usage_error(cat(option, ": found ", in_quotes(text), ", expected an integer from 1 to ",
                             scenario::kMaxThreads, " behind the @"));
    }
  }
  Overridden overridden = split_overrides(text.substr(0, at));
  side.settings = TRY(parse_overrides(option, overridden.overrides));
  side.implementation = std::move(overridden.cell);
  return side;
}

Status name_differences(const CellPlanner& planner, Sides& sides) {
  const Json resolved[] = {scenario::to_json(TRY(planner.read(sides[0].settings))),
                           scenario::to_json(TRY(planner.read(sides[1].settings)))};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    std::vector<scenario::Setting>& own = sides[i].settings;
    for (const scenario::Setting& other : sides[1 - i].settings) {
      if (scenario::find_setting(own, other.key) != nullptr) continue;
      // Options of implementations are none of a scenario's, and "width" is several of its keys: they stay unsaid.
      const std::optional<std::string> value = scenario::value_at(resolved[i], other.key);
      if (value) own.push_back({other.key, *value, other.source});
    }
  }
  return {};
}

bool are_one_but_for_threads(const Sides& sides) {
  const auto has = [](const Side& side, const scenario::Setting& wanted) {
    const scenario::Setting* found = scenario::find_setting(side.settings, wanted.key);
    return found != nullptr && found->value == wanted.value;
  };
  return sides[0].implementation == sides[1].implementation && sides[0].settings.size() == sides[1].settings.size() &&
         std::ranges::all_of(sides[0].settings, [&](const auto& setting) { return has(sides[1], setting); });
}

std::vector<CellChoice> choices_of(const Sides& sides, const std::optional<scenario::Setting>& setting) {
  std::vector<CellChoice> choices(sides.begin(), sides.end());
  for (CellChoice& choice : choices) {
    if (setting) choice.settings.push_back(*setting);
  }
  return choices;
}

}  // namespace gdbench::app
