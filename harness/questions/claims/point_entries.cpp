#include "harness/questions/claims/point_entries.h"

#include <algorithm>
#include <map>

#include "harness/scenario/matrix.h"

namespace gdbench::claims {

using report::ClaimRelation;
using report::Settings;

const std::string* value_of(const Settings& settings, const std::string& key) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const auto& entry) { return entry.first == key; });
  return found == settings.end() ? nullptr : &found->second;
}

Settings without(Settings settings, const std::string& key) {
  std::erase_if(settings, [&](const auto& entry) { return entry.first == key; });
  return settings;
}

bool is_named(const ClaimRelation& relation, const Settings& at) {
  return std::all_of(relation.at.begin(), relation.at.end(), [&](const auto& entry) {
    const std::string* value = value_of(at, entry.first);
    return value == nullptr || std::find(entry.second.begin(), entry.second.end(), *value) != entry.second.end();
  });
}

std::vector<Entry> entries_of(const ExpandedRelation& expanded) {
  std::vector<Entry> entries;
  for (const PointPair& pair : expanded.pairs) {
    if (expanded.relation->steps.empty()) entries.push_back({pair.at, &pair, 0});
    for (const std::uint64_t steps : expanded.relation->steps) {
      entries.push_back({pair.at, &pair, steps});
      if (expanded.relation->steps.size() > 1) entries.back().at.emplace_back(kStepsAxis, std::to_string(steps));
    }
  }
  return entries;
}

std::vector<std::vector<std::size_t>> groups_along(const std::vector<Entry>& entries, const std::string& axis) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<Settings, std::size_t> positions;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [position, fresh] = positions.emplace(without(entries[i].at, axis), groups.size());
    if (fresh) groups.emplace_back();
    groups[position->second].push_back(i);
  }
  return groups;
}

std::string flip_axis(const ClaimRelation& relation, const std::vector<Entry>& entries) {
  if (!relation.along.empty()) return relation.along;
  const Settings& first = entries.front().at;
  const bool ordered = first.size() == 1 && first.front().first != scenario::kScenarioAxis &&
                       first.front().first != scenario::kImplementationAxis;
  return ordered ? first.front().first : "";
}

}  // namespace gdbench::claims
