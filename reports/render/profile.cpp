#include "reports/render/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "reports/render/format.h"

namespace gdbench::render {

namespace {

using report::Phase;
using report::Profile;
using report::ProfileRecord;

// The order of a step. Compiling happens before it and stands apart.
constexpr Phase kPhases[] = {Phase::data,     Phase::record, Phase::forward, Phase::backward,
                             Phase::exchange, Phase::update, Phase::other};

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

// What was done once, before the first step.
std::string compile_lines(const Profile& profile) {
  const PhaseTime phase = once_of(profile);
  if (phase.records.empty()) return "";
  std::string text = "\n  once, before the first step     calls       time\n";
  for (const ProfileRecord* record : phase.records) {
    text += formatted("  %-28s %7s %10s\n", record->op.c_str(), format_number(record->calls).c_str(),
                      format_duration_ns(record->time_ns).c_str());
  }
  return text;
}

// "0", "0-4", "0,2".
std::string layer_numbers(const std::vector<std::int64_t>& layers) {
  if (layers.empty()) return "";
  if (layers.size() > 1 && layers.back() - layers.front() + 1 == static_cast<std::int64_t>(layers.size())) {
    return std::to_string(layers.front()) + "-" + std::to_string(layers.back());
  }
  std::string text;
  for (const std::int64_t layer : layers) text += (text.empty() ? "" : ",") + std::to_string(layer);
  return text;
}

// "reads w0", "reads w0 b0", "gradient of w1"; the first and the last of more than two: "updates w0..b4". Nothing where
// the record names none.
std::string parameter_words(const ProfileRecord& record) {
  if (!record.parameters || record.parameters->empty()) return "";
  const std::vector<std::string>& names = *record.parameters;
  const report::ParameterUse use = record.use.value_or(report::ParameterUse::reads);
  std::string text = report::name_of(use) + std::string(use == report::ParameterUse::gradient ? " of " : " ");
  text += names.front();
  if (names.size() > 1) text += (names.size() == 2 ? " " : "..") + names.back();
  return text;
}

// A table's rows as texts; what the op is called, its layer and its parameters are on the left.
constexpr std::size_t kTexts = 8;
constexpr std::size_t kLeft = 3;
constexpr std::size_t kTime = 4;
using Line = std::array<std::string, kTexts>;

Line time_line(const std::string& name, double time_ns, const Profile& profile) {
  const double share = profile.profiled_step_ns > 0 ? 100 * time_ns / profile.profiled_step_ns : 0;
  return {name, "", "", "", format_duration_ns(time_ns), formatted("%.1f%%", share), "", ""};
}

Line op_line(const ProfileRecord& record, const Profile& profile) {
  Line line = time_line("  " + record.op, record.time_ns, profile);
  const auto rate = [&](double amount) {
    return amount > 0 && record.time_ns > 0 ? format_number(amount / record.time_ns) : "";
  };
  line[1] = layer_numbers(record.layers.value_or(std::vector<std::int64_t>()));
  line[2] = parameter_words(record);
  line[3] = record.calls > 0 ? format_number(record.calls) : "";
  line[6] = rate(record.flops);
  line[7] = rate(record.bytes);
  return line;
}

// As wide as their texts; layers and parameters only where an op has them.
std::string text_of(const std::vector<Line>& lines) {
  std::array<std::size_t, kTexts> widths{};
  for (std::size_t column = 0; column < kTexts; ++column) {
    for (const Line& line : lines) widths[column] = std::max(widths[column], display_width(line[column]));
    const bool silent = std::all_of(lines.begin() + 1, lines.end(), [&](const Line& l) { return l[column].empty(); });
    if (silent) widths[column] = 0;
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row = " ";
    for (std::size_t column = 0; column < kTexts; ++column) {
      if (widths[column] == 0) continue;
      const bool right = column >= kLeft;
      row += (right ? " " : column == 0 ? " " : "  ") + padded(line[column], widths[column], right);
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// The step by phase and op.
std::vector<Line> step_lines(const std::string& title, const Profile& profile) {
  std::vector<Line> lines = {{title, "layer", "parameter", "calls", "time", "share", "GFLOP/s", "GB/s"}};
  for (const PhaseTime& phase : phases_of(profile)) {
    lines.push_back(time_line(phase.name(), phase.time_ns, profile));
    for (const ProfileRecord* record : phase.records) lines.push_back(op_line(*record, profile));
  }
  lines.push_back(time_line("unattributed", report::unattributed_ns(profile), profile));
  return lines;
}

std::string ops_lines(const Profile& profile) {
  std::string text;
  if (profile.ops) {
    std::vector<Line> lines = step_lines("by " + profile.ops->profiler, profile_of_ops(profile));
    for (Line& line : lines) line[kTime].clear();
    text = "\n" + text_of(lines);
  }
  const std::string words = profile_ops_words(profile);
  return words.empty() ? text : text + "\n" + words + "\n";
}

// The least that the implementation's framework does, and how often a step calls it.
std::string call_lines(const Profile& profile) {
  std::string text;
  if (const std::string calls = profile_call_words(profile); !calls.empty()) text += "\n  " + calls + "\n";
  if (!profile.floor) return text;
  text += "\n  the least calls                            time\n";
  for (const report::FloorPart& part : *profile.floor) {
    text += formatted("  %-36s %10s\n", part.op.c_str(), format_duration_ns(part.time_ns).c_str());
  }
  return text;
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

std::string layer_words(const std::vector<std::int64_t>& layers) {
  if (layers.empty()) return "";
  return (layers.size() == 1 ? ", layer " : ", layers ") + layer_numbers(layers);
}

std::vector<PhaseTime> phases_of(const Profile& profile) {
  std::vector<PhaseTime> phases;
  for (const Phase which : kPhases) {
    PhaseTime phase = time_of(which, profile);
    if (!phase.records.empty()) phases.push_back(std::move(phase));
  }
  return phases;
}

PhaseTime once_of(const Profile& profile) { return time_of(Phase::compile, profile); }

std::string op_label(const ProfileRecord& record) {
  const std::string parameters = parameter_words(record);
  return record.op + layer_words(record.layers.value_or(std::vector<std::int64_t>())) +
         (parameters.empty() ? "" : ", " + parameters);
}

TextTable profile_rows(const Profile& profile) {
  TextTable all = {{.title = "phase", .texts = {}},
                   {.title = "op", .texts = {}},
                   {.title = "layer", .texts = {}},
                   {.title = "parameter", .texts = {}},
                   {.title = "calls", .right_aligned = true, .texts = {}},
                   {.title = "time", .right_aligned = true, .texts = {}},
                   {.title = "share", .right_aligned = true, .texts = {}},
                   {.title = "GFLOP/s", .right_aligned = true, .texts = {}},
                   {.title = "GB/s", .right_aligned = true, .texts = {}}};
  const auto add = [&](const std::string& phase, const std::string& op, const Line& line) {
    std::vector<std::string> texts = {phase, op};
    texts.insert(texts.end(), line.begin() + 1, line.end());
    add_row(all, texts);
  };
  for (const PhaseTime& phase : phases_of(profile)) {
    add(phase.name(), "all", time_line("", phase.time_ns, profile));
    for (const ProfileRecord* record : phase.records) add(phase.name(), record->op, op_line(*record, profile));
  }
  add("unattributed", "", time_line("", report::unattributed_ns(profile), profile));
  // Layers and parameters only where an op has them.
  std::erase_if(all, [](const TextColumn& column) {
    return std::ranges::all_of(column.texts, [](const std::string& text) { return text.empty(); });
  });
  return all;
}

Profile profile_of_ops(const Profile& profile) {
  Profile view;
  if (!profile.ops) return view;
  view.profiled_step_ns = profile.ops->step_ns;
  view.records = profile.ops->records;
  return view;
}

TextTable profile_op_rows(const Profile& profile) {
  TextTable rows = profile_rows(profile_of_ops(profile));
  std::erase_if(rows, [](const TextColumn& column) { return column.title == "time"; });
  return rows;
}

std::string profile_ops_words(const Profile& profile) {
  if (profile.no_ops) return "Ops of its framework: " + *profile.no_ops + ".";
  if (!profile.ops) return "";
  const report::FrameworkOps& ops = *profile.ops;
  return "Shares are of a step under " + ops.profiler + ", which takes " + format_duration_ns(ops.step_ns) + ", " +
         format_number(ops.step_ns / profile.step_ns) + " times the unprofiled one (" + std::to_string(ops.steps) +
         " steps). They add up what all threads do; unattributed is what no op claims, Python's part included.";
}

TextTable profile_floor(const Profile& profile) {
  TextTable table = {{.title = "the least calls", .texts = {}}, {.title = "time", .right_aligned = true, .texts = {}}};
  if (!profile.floor) return table;
  for (const report::FloorPart& part : *profile.floor) add_row(table, {part.op, format_duration_ns(part.time_ns)});
  return table;
}

std::string profile_start_words(const Profile& profile) {
  return "load " + format_duration_ns(profile.load_seconds * 1e9) + ", prepare " +
         format_duration_ns(profile.prepare_seconds * 1e9) + ", first step " +
         format_duration_ns(profile.first_step_ns) + ", steady step " + format_duration_ns(profile.step_ns);
}

std::string profile_allocation_words(const Profile& profile) {
  if (!profile.allocations_per_step) return "allocations: not counted";
  return format_number(*profile.allocations_per_step) + " allocations (" +
         format_bytes(profile.allocated_bytes_per_step.value_or(0)) + ") per step, " +
         format_bytes(static_cast<double>(profile.prepared_bytes.value_or(0))) + " before the first";
}

std::string profile_call_words(const Profile& profile) {
  if (!profile.dispatches_per_step) return "";
  return "calls into the framework per step: " + format_number(*profile.dispatches_per_step);
}

std::string profile_overhead_words(const Profile& profile) {
  const bool on_device =
      std::ranges::any_of(profile.records, [](const ProfileRecord& r) { return r.clock == report::Clock::device; });
  const double overhead = profile.profiled_step_ns - profile.step_ns;
  return "The profiled step takes " + format_duration_ns(profile.profiled_step_ns) + ", " +
         format_duration_ns(std::abs(overhead)) + (overhead < 0 ? " less" : " more") + " than the unprofiled one (" +
         format_number(100 * overhead / profile.step_ns) +
         (on_device ? "%): ops are timed by the device's own clock after all of them were launched, so what launching "
                      "takes is added and not hidden behind them."
                    : "%): a clock reading around every call, within the shares above.");
}

std::string profile_table(const Profile& profile) {
  return profile.cell + "\n  " + profile_start_words(profile) + "\n  " + profile_allocation_words(profile) + "\n\n" +
         text_of(step_lines("per step", profile)) + compile_lines(profile) + call_lines(profile) + "\n" +
         profile_overhead_words(profile) + "\n" + ops_lines(profile);
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

}  // namespace gdbench::render
