#include "harness/questions/claims/expand.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "harness/scenario/expand.h"
#include "harness/scenario/settings.h"

namespace gdbench::claims {

namespace {

using report::ClaimRelation;
using report::Settings;
using scenario::Point;

// Coordinates of all points, for each relation and number of steps: a claim of a few kilobytes must not take gigabytes.
constexpr std::size_t kMaxSize = 1'000'000;

// Every key of a point with its value, in the order in which people read them.
Settings coordinates_of(const Point& point) {
  Settings coordinates = {{scenario::kScenarioAxis, point.scenario_file.stem().string()}};
  for (const scenario::Setting& setting : point.scenario_settings) {
    coordinates.emplace_back(scenario::full_key(setting.key), setting.value);
  }
  coordinates.emplace_back(scenario::kImplementationAxis, point.implementation);
  for (const auto& [key, value] : point.options) coordinates.emplace_back(scenario::kOptionPrefix + key, value);
  coordinates.emplace_back(scenario::kThreadsAxis, std::to_string(point.threads));
  return coordinates;
}

bool matches(const Settings& coordinates, const Settings& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const std::string* value = value_of(coordinates, entry.first);
    return value != nullptr && *value == entry.second;
  });
}

// Without what the relation chooses on either side.
Settings rest_of(Settings coordinates, const ClaimRelation& relation) {
  std::erase_if(coordinates, [&](const auto& entry) {
    return value_of(relation.a, entry.first) != nullptr || value_of(relation.b, entry.first) != nullptr;
  });
  return coordinates;
}

// The keys of which the relations' sides have different values.
std::set<std::string> compared_keys(const std::vector<ClaimRelation>& relations) {
  std::set<std::string> keys;
  for (const ClaimRelation& relation : relations) {
    for (const auto& [key, value] : relation.a) {
      const std::string* other = value_of(relation.b, key);
      if (other != nullptr && *other != value) keys.insert(key);
    }
  }
  return keys;
}

// Scenarios that differ in compared settings alone become each other's alternatives.
void set_alternatives(const std::vector<ClaimRelation>& relations, std::vector<Point>& points) {
  const std::set<std::string> compared = compared_keys(relations);
  for (Point& point : points) {
    for (const scenario::Setting& setting : point.scenario_settings) {
      if (compared.contains(scenario::full_key(setting.key))) point.alternatives.emplace(setting.key, setting.value);
    }
  }
}

// Points of which alternatives follow each other: so their scenarios are launched together, and their cells are
// compared in pairs.
std::vector<Point> put_together(std::vector<Point> points) {
  std::map<std::string, std::size_t> first;  // point of a base
  std::vector<std::pair<std::size_t, Point>> placed;
  for (Point& point : points) {
    const std::size_t place = first.emplace(base_of(point), placed.size()).first->second;
    placed.emplace_back(place, std::move(point));
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, Point>::first);
  std::ranges::transform(placed, points.begin(), [](auto& entry) { return std::move(entry.second); });
  return points;
}

Settings sorted(Settings settings) {
  std::sort(settings.begin(), settings.end());
  return settings;
}

// Coordinates that all entries share say nothing of any of them.
void drop_common(std::vector<Entry>& entries) {
  std::map<std::string, std::map<std::string, std::size_t>> counts;
  for (const Entry& entry : entries) {
    for (const auto& [key, value] : entry.at) ++counts[key][value];
  }
  for (Entry& entry : entries) {
    std::erase_if(entry.at,
                  [&](const auto& setting) { return counts[setting.first][setting.second] == entries.size(); });
  }
}

std::vector<Entry> entries_of(const std::vector<Point>& points, const ClaimRelation& relation) {
  std::map<Settings, const Point*> base;
  for (const Point& point : points) {
    const Settings coordinates = coordinates_of(point);
    if (matches(coordinates, relation.b)) base.emplace(sorted(rest_of(coordinates, relation)), &point);
  }
  std::vector<Entry> entries;
  for (const Point& point : points) {
    const Settings coordinates = coordinates_of(point);
    if (!matches(coordinates, relation.a)) continue;
    Settings rest = rest_of(coordinates, relation);
    const auto found = base.find(sorted(rest));
    if (found == base.end()) continue;
    const std::size_t first = entries.size();
    for (const std::uint64_t steps : relation.steps) {
      entries.push_back({rest, point, *found->second, steps});
      entries.back().at.emplace_back(kStepsAxis, std::to_string(steps));
    }
    if (entries.size() == first) entries.push_back({std::move(rest), point, *found->second});
  }
  return entries;
}

// Whether `at` names this point; a coordinate that all points share is not among theirs.
bool is_named(const ClaimRelation& relation, const Settings& at) {
  return std::all_of(relation.at.begin(), relation.at.end(), [&](const auto& entry) {
    const std::string* value = value_of(at, entry.first);
    return value == nullptr || std::find(entry.second.begin(), entry.second.end(), *value) != entry.second.end();
  });
}

void find_deciding(ExpandedRelation& expanded) {
  const ClaimRelation& relation = *expanded.relation;
  for (Entry& entry : expanded.entries) entry.decides = is_named(relation, entry.at);
  if (!report::goes_along(relation.kind)) return;
  for (const std::vector<std::size_t>& group : expanded.groups_along(relation.along)) {
    for (const std::size_t i : group) {
      if (i != group.front() && i != group.back()) expanded.entries[i].decides = false;
    }
  }
}

// What `at` names and no pair has, as "key=value"; empty where each value is found.
std::string unknown_place(const ExpandedRelation& expanded) {
  std::set<std::pair<std::string, std::string>> known;
  for (const Entry& entry : expanded.entries) {
    for (auto& coordinate : coordinates_of(entry.a)) known.insert(std::move(coordinate));
  }
  for (const auto& [key, values] : expanded.relation->at) {
    if (key == kStepsAxis) continue;
    for (const std::string& value : values) {
      if (!known.contains({key, value})) return key + "=" + value;
    }
  }
  return "";
}

// The known implementations and those that the matrix names in addition.
std::vector<scenario::KnownImplementation> named_implementations(const scenario::Matrix& matrix,
                                                                 std::vector<scenario::KnownImplementation> known) {
  std::vector<std::string> named = values_of(matrix, scenario::kImplementationAxis);
  for (std::string& name : named) {
    const bool matched =
        std::ranges::any_of(known, [&](const scenario::KnownImplementation& one) { return glob_match(name, one.id); });
    if (!matched) known.push_back({std::move(name)});
  }
  return known;
}

// Whether there is a way to go along the axis that a trend or a crossover names.
bool has_axis(const ExpandedRelation& expanded) {
  const ClaimRelation& relation = *expanded.relation;
  return !report::goes_along(relation.kind) || value_of(expanded.entries.front().at, relation.along) != nullptr;
}

Error fault(const Claim& claim, std::size_t experiment, std::size_t relation, const std::string& found,
            const std::string& expected) {
  return usage_error(one_line(claim.file.string() + ": /experiments/" + std::to_string(experiment) + "/relations/" +
                              std::to_string(relation) + ": found " + found + ", expected " + expected));
}

}  // namespace

Result<ExpandedClaim> expand(const Claim& claim, const std::vector<scenario::KnownScenario>& scenarios,
                             const std::vector<scenario::KnownImplementation>& implementations) {
  ExpandedClaim result;
  result.claim = &claim;
  std::size_t size = 0;
  for (std::size_t i = 0; i < claim.experiments.size(); ++i) {
    const Experiment& experiment = claim.experiments[i];
    std::vector<Point> points = TRY(
        scenario::expand(experiment.matrix, {}, scenarios, named_implementations(experiment.matrix, implementations)));
    set_alternatives(experiment.relations, points);
    std::size_t coordinates = 0;
    for (const Point& point : points) coordinates += coordinates_of(point).size();
    for (std::size_t k = 0; k < experiment.relations.size(); ++k) {
      size += coordinates * std::max<std::size_t>(1, experiment.relations[k].steps.size());
      if (size > kMaxSize) {
        return fault(claim, i, k,
                     "more than a million settings of all cells, once for each relation and number of steps", "fewer");
      }
      ExpandedRelation expanded{&experiment.relations[k], entries_of(points, experiment.relations[k])};
      if (expanded.entries.empty()) {
        return fault(claim, i, k, "no two cells of the matrix that a and b choose and that else agree",
                     "at least one pair");
      }
      if (const std::string place = unknown_place(expanded); !place.empty()) {
        return fault(claim, i, k, "at " + place + ", which no pair of cells has", "a value of the matrix");
      }
      drop_common(expanded.entries);
      if (!has_axis(expanded)) {
        return fault(claim, i, k, "one value of " + expanded.relation->along + ", which it goes along", "several");
      }
      find_deciding(expanded);
      result.relations.push_back(std::move(expanded));
    }
    std::ranges::move(put_together(std::move(points)), std::back_inserter(result.points));
  }
  return result;
}

const std::string* value_of(const Settings& settings, const std::string& key) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const auto& entry) { return entry.first == key; });
  return found == settings.end() ? nullptr : &found->second;
}

Settings without(Settings settings, const std::string& key) {
  std::erase_if(settings, [&](const auto& entry) { return entry.first == key; });
  return settings;
}

std::vector<std::vector<std::size_t>> ExpandedRelation::groups_along(const std::string& axis) const {
  std::vector<std::vector<std::size_t>> groups;
  std::map<Settings, std::size_t> positions;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [position, fresh] = positions.emplace(without(entries[i].at, axis), groups.size());
    if (fresh) groups.emplace_back();
    groups[position->second].push_back(i);
  }
  return groups;
}

std::string ExpandedRelation::flip_axis() const {
  if (!relation->along.empty()) return relation->along;
  const Settings& first = entries.front().at;
  const bool ordered = first.size() == 1 && first.front().first != scenario::kScenarioAxis &&
                       first.front().first != scenario::kImplementationAxis;
  return ordered ? first.front().first : "";
}

}  // namespace gdbench::claims
