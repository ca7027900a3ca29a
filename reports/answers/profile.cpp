#include "reports/answers/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Phase;
using report::Profile;
using report::ProfileRecord;

// Where an op stands among those of its phase: layers together and in the order of a step, which goes back from the
// last layer; first what belongs to none.
std::int64_t place_of(const ProfileRecord& record) {
  if (!record.layers || record.layers->empty()) return std::numeric_limits<std::int64_t>::min();
  return record.phase == Phase::backward ? -record.layers->back() : record.layers->front();
}

// Ops of one place keep the profile's order, the largest first.
PhaseTime time_of(Phase which, const Profile& profile) {
  PhaseTime phase{which, 0, {}};
  for (const ProfileRecord& record : profile.records) {
    if (record.phase != which) continue;
    phase.records.push_back(&record);
    phase.time_ns += record.time_ns;
  }
  std::ranges::stable_sort(phase.records, {}, [](const ProfileRecord* record) { return place_of(*record); });
  return phase;
}

Json event(const std::string& name, const std::string& category, double start_ns, double duration_ns, Json arguments) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", 1},
          {"tid", 1},
          {"ts", start_ns * 1e-3},
          {"dur", duration_ns * 1e-3},
          {"args", std::move(arguments)}};
}

Json arguments_of(const ProfileRecord& record) {
  Json arguments = {{"op", record.op}, {"calls", record.calls}, {"flops", record.flops}, {"bytes", record.bytes}};
  if (record.layers) arguments["layers"] = *record.layers;
  if (record.parameters) arguments["parameters"] = *record.parameters;
  if (record.use) arguments["use"] = report::name_of(*record.use);
  return arguments;
}

}  // namespace

int hue_of(Phase phase) {
  const auto* const known = std::ranges::find(kPhases, phase, [](const auto& one) { return one.first; });
  return known == std::end(kPhases) ? document::kGrey : known->second;
}

std::vector<PhaseTime> phases_of(const Profile& profile) {
  std::vector<PhaseTime> phases;
  for (const auto& [which, hue] : kPhases) {
    PhaseTime phase = time_of(which, profile);
    if (!phase.records.empty()) phases.push_back(std::move(phase));
  }
  return phases;
}

PhaseTime once_of(const Profile& profile) { return time_of(Phase::compile, profile); }

std::string layer_numbers(const MaybeLayers& layers) {
  if (!layers || layers->empty()) return "";
  const std::string first = std::to_string(layers->front());
  if (layers->size() > 1 && layers->back() - layers->front() + 1 == static_cast<std::int64_t>(layers->size())) {
    return first + "-" + std::to_string(layers->back());
  }
  std::string text = first;
  for (std::size_t i = 1; i < layers->size(); ++i) text += "," + std::to_string((*layers)[i]);
  return text;
}

std::string parameter_words(const ProfileRecord& record) {
  if (!record.parameters || record.parameters->empty()) return "";
  const std::vector<std::string>& names = *record.parameters;
  const report::ParameterUse use = record.use.value_or(report::ParameterUse::reads);
  std::string text = report::name_of(use) + std::string(use == report::ParameterUse::gradient ? " of " : " ");
  text += names.front();
  if (names.size() > 1) text += (names.size() == 2 ? " " : "..") + names.back();
  return text;
}

std::string layer_words(const MaybeLayers& layers) {
  if (!layers || layers->empty()) return "";
  return (layers->size() == 1 ? ", layer " : ", layers ") + layer_numbers(layers);
}

std::string op_label(const ProfileRecord& record) {
  const std::string parameters = parameter_words(record);
  return record.op + layer_words(record.layers) + (parameters.empty() ? "" : ", " + parameters);
}

std::string chrome_trace(const Profile& profile) {
  Json events = Json::array();
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", profile.cell}}}});
  double start = 0;
  for (const PhaseTime& phase : phases_of(profile)) {
    events.push_back(event(phase.name(), "phase", start, phase.time_ns, Json::object()));
    for (const ProfileRecord* record : phase.records) {
      events.push_back(event(op_label(*record), phase.name(), start, record->time_ns, arguments_of(*record)));
      start += record->time_ns;
    }
  }
  const double rest = std::max(0.0, report::unattributed_ns(profile));
  events.push_back(event("unattributed", "phase", start, rest, Json::object()));
  const Json trace = {{"traceEvents", std::move(events)},
                      {"displayTimeUnit", "ns"},
                      {"otherData", {{"what", "one mean step"}, {"cell", profile.cell}, {"steps", profile.steps}}}};
  return trace.dump(1) + "\n";
}

std::string collapsed_stacks(const Profile& profile) {
  std::string text;
  const auto add = [&](const std::string& stack, double time_ns) {
    // Whole numbers are what the format has; a thousandth of a nanosecond keeps tiny ops apart.
    text +=
        profile.implementation + ";" + stack + " " + std::to_string(std::llround(std::max(0.0, time_ns) * 1000)) + "\n";
  };
  for (const PhaseTime& phase : phases_of(profile)) {
    for (const ProfileRecord* record : phase.records) add(phase.name() + ";" + op_label(*record), record->time_ns);
  }
  add("unattributed", report::unattributed_ns(profile));
  return text;
}

}  // namespace gdbench::answers
