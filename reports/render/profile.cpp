#include "reports/render/profile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/render/format.h"
#include "reports/render/render.h"

namespace gdbench::render {

namespace {

using result::Profile;
using result::ProfileRecord;

// The order of a step. Compiling happens before it and stands apart.
constexpr const char* kPhases[] = {"data", "record", "forward", "backward", "update", "other"};

struct Phase {
  std::string name;
  double time_ns = 0;
  std::vector<const ProfileRecord*> records;
};

Phase phase_named(const Profile& profile, const char* name) {
  Phase phase{name, 0, {}};
  for (const ProfileRecord& record : profile.records) {
    if (record.phase != name) continue;
    phase.records.push_back(&record);
    phase.time_ns += record.time_ns;
  }
  return phase;
}

std::vector<Phase> phases_of(const Profile& profile) {
  std::vector<Phase> phases;
  for (const char* name : kPhases) {
    Phase phase = phase_named(profile, name);
    if (!phase.records.empty()) phases.push_back(std::move(phase));
  }
  return phases;
}

// What was done once, before the first step.
std::string compile_lines(const Profile& profile) {
  const Phase phase = phase_named(profile, "compile");
  if (phase.records.empty()) return "";
  std::string text = "\n  once, before the first step     calls       time\n";
  for (const ProfileRecord* record : phase.records) {
    char row[160];
    std::snprintf(row, sizeof row, "  %-28s %7s %10s\n", record->op.c_str(), format_number(record->calls).c_str(),
                  format_duration_ns(record->time_ns).c_str());
    text += row;
  }
  return text;
}

std::string line(const std::string& name, double calls, double time_ns, const Profile& profile, double flops,
                 double bytes) {
  char text[160];
  const double share = profile.profiled_step_ns > 0 ? 100 * time_ns / profile.profiled_step_ns : 0;
  const std::string call_text = calls > 0 ? format_number(calls) : "";
  const std::string rate = flops > 0 && time_ns > 0 ? format_number(flops / time_ns) : "";
  const std::string bandwidth = bytes > 0 && time_ns > 0 ? format_number(bytes / time_ns) : "";
  std::snprintf(text, sizeof text, "  %-28s %7s %10s %6.1f%% %9s %8s\n", name.c_str(), call_text.c_str(),
                format_duration_ns(time_ns).c_str(), share, rate.c_str(), bandwidth.c_str());
  return text;
}

std::string allocation_line(const Profile& profile) {
  if (!profile.allocations_per_step) return "  allocations: not counted\n";
  return "  " + format_number(*profile.allocations_per_step) + " allocations (" +
         format_bytes(profile.allocated_bytes_per_step.value_or(0)) + ") per step, " +
         format_bytes(static_cast<double>(profile.prepared_bytes.value_or(0))) + " before the first\n";
}

// The least that the implementation's framework does, and how often a step calls it.
std::string call_lines(const Profile& profile) {
  std::string text;
  if (profile.dispatches_per_step) {
    text += "\n  calls into the framework per step: " + format_number(*profile.dispatches_per_step) + "\n";
  }
  if (!profile.floor) return text;
  text += "\n  the least calls                            time\n";
  for (const result::FloorPart& part : *profile.floor) {
    char row[160];
    std::snprintf(row, sizeof row, "  %-36s %10s\n", part.op.c_str(), format_duration_ns(part.time_ns).c_str());
    text += row;
  }
  return text;
}

nlohmann::json event(const std::string& name, const std::string& category, double start_ns, double duration_ns,
                     nlohmann::json arguments) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", 1},
          {"tid", 1},
          {"ts", start_ns * 1e-3},
          {"dur", duration_ns * 1e-3},
          {"args", std::move(arguments)}};
}

}  // namespace

std::string profile_table(const Profile& profile) {
  std::string text = profile.cell + "\n  load " + format_duration_ns(profile.load_seconds * 1e9) + ", prepare " +
                     format_duration_ns(profile.prepare_seconds * 1e9) + ", first step " +
                     format_duration_ns(profile.first_step_ns) + ", steady step " +
                     format_duration_ns(profile.step_ns) + "\n" + allocation_line(profile) + "\n";
  char header[160];
  std::snprintf(header, sizeof header, "  %-28s %7s %10s %7s %9s %8s\n", "per step", "calls", "time", "share",
                "GFLOP/s", "GB/s");
  text += header;
  for (const Phase& phase : phases_of(profile)) {
    text += line(phase.name, 0, phase.time_ns, profile, 0, 0);
    for (const ProfileRecord* record : phase.records) {
      text += line("  " + record->op, record->calls, record->time_ns, profile, record->flops, record->bytes);
    }
  }
  text += line("unattributed", 0, result::unattributed_ns(profile), profile, 0, 0);
  text += compile_lines(profile) + call_lines(profile);
  const double overhead = profile.profiled_step_ns - profile.step_ns;
  text += "\nThe profiled step takes " + format_duration_ns(profile.profiled_step_ns) + ", " +
          format_duration_ns(std::abs(overhead)) + (overhead < 0 ? " less" : " more") + " than the unprofiled one (" +
          format_number(100 * overhead / profile.step_ns) +
          "%): a clock reading around every call, within the shares above.\n";
  return text;
}

std::string chrome_trace(const Profile& profile) {
  nlohmann::json events = nlohmann::json::array();
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", profile.cell}}}});
  double start = 0;
  for (const Phase& phase : phases_of(profile)) {
    events.push_back(event(phase.name, "phase", start, phase.time_ns, nlohmann::json::object()));
    for (const ProfileRecord* record : phase.records) {
      events.push_back(event(record->op, phase.name, start, record->time_ns,
                             {{"calls", record->calls}, {"flops", record->flops}, {"bytes", record->bytes}}));
      start += record->time_ns;
    }
  }
  const double rest = std::max(0.0, result::unattributed_ns(profile));
  events.push_back(event("unattributed", "phase", start, rest, nlohmann::json::object()));
  const nlohmann::json trace = {
      {"traceEvents", std::move(events)},
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
  for (const Phase& phase : phases_of(profile)) {
    for (const ProfileRecord* record : phase.records) add(phase.name + ";" + record->op, record->time_ns);
  }
  add("unattributed", result::unattributed_ns(profile));
  return text;
}

}  // namespace gdbench::render
