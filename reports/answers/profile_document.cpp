#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"
#include "reports/answers/profile.h"

namespace gdbench::answers {

namespace {

using document::Piece;
using report::Profile;
using report::ProfileRecord;

constexpr std::size_t kMostOps = 30;  // that have a bar

std::string share_of_step(double time_ns, const Profile& profile) {
  const double step_ns = profile.profiled_step_ns;
  return formatted("%.1f%%", step_ns > 0 ? 100 * time_ns / step_ns : 0);
}

std::vector<document::Paragraph> profile_answer(const Profile& profile) {
  std::string text = "A step takes " + format_duration_ns(profile.step_ns) + ". Shares of the profiled step: ";
  for (const PhaseTime& phase : phases_of(profile)) {
    text += phase.name() + " " + share_of_step(phase.time_ns, profile) + ", ";
  }
  text += "unattributed " + share_of_step(report::unattributed_ns(profile), profile) + ".";
  const auto largest = std::ranges::find_if_not(profile.records, &ProfileRecord::once);
  if (largest != profile.records.end()) {
    text += cat(" The largest op is ", op_label(*largest), " (", name_of(largest->phase),
                "): ", share_of_step(largest->time_ns, profile), ".");
  }
  return {{text}};
}

std::string allocation_words(const Profile& profile) {
  if (!profile.allocations_per_step) return "Allocations were not counted.";
  const double count = *profile.allocations_per_step;
  return cat(format_number(count), count == 1 ? " allocation (" : " allocations (",
             format_bytes(profile.allocated_bytes_per_step.value_or(0)), ") per step, ",
             format_bytes(static_cast<double>(profile.prepared_bytes.value_or(0))), " before the first.");
}

std::string overhead_words(const Profile& profile) {
  const bool on_device =
      std::ranges::any_of(profile.records, [](const ProfileRecord& r) { return r.clock == report::Clock::device; });
  const double overhead = profile.profiled_step_ns - profile.step_ns;
  return cat("The profiled step takes ", format_duration_ns(profile.profiled_step_ns), ", ",
             format_duration_ns(std::abs(overhead)), overhead < 0 ? " less" : " more", " than the unprofiled one (",
             format_number(100 * overhead / profile.step_ns),
             on_device
                 ? "%): ops are timed by the device's own clock after all of them were launched, so what launching "
                   "takes is added and not hidden behind them."
                 : "%): a clock reading around every call, within the shares above.");
}

// Rows of bars, with their labels and figures as a table.
class Bars {
 public:
  explicit Bars(std::string axis) { rows_.axes = {{.title = std::move(axis), .text = &format_duration_ns}}; }
  void add(const std::string& label, double time_ns, int hue, const std::string& share = "") {
    const std::string figure = format_duration_ns(time_ns) + (share.empty() ? "" : ", " + share);
    rows_.rows.push_back({.label = label,
                          .look = document::look_of(hue),
                          .measures = {{.value = time_ns, .bar = true}},
                          .figure = figure});
    document::add_row(data_, {label, figure});
  }
  bool empty() const { return rows_.rows.empty(); }
  Figure figure(std::string title, std::string sentence) && {
    return {std::move(title), std::move(sentence), std::move(rows_), std::move(data_)};
  }

 private:
  document::Rows rows_;
  Columns data_ = {left("part"), right("time")};
};

constexpr const char* kStepAxis = "time per profiled step, from 0";

Figure phases_figure(const Profile& profile) {
  Bars bars(kStepAxis);
  for (const PhaseTime& phase : phases_of(profile)) {
    bars.add(phase.name(), phase.time_ns, hue_of(phase.phase), share_of_step(phase.time_ns, profile));
  }
  const double rest_ns = report::unattributed_ns(profile);
  bars.add("unattributed", rest_ns, document::kGrey, share_of_step(rest_ns, profile));
  return std::move(bars).figure("By phase",
                                "In the order of a step, with shares of it; unattributed is what no op claims, as "
                                "loops, calls and clock readings.");
}

// From left to right in the order of the step; what no op claims comes last.
Figure flame_figure(const Profile& profile) {
  Columns data = {left("phase"), left("op"), right("begins"), right("time"), right("share")};
  const auto piece = [&](const std::string& phase, const std::string& op, double begin, double time_ns, int hue) {
    const std::string share = share_of_step(time_ns, profile);
    add_row(data, {phase, op, format_duration_ns(begin), format_duration_ns(time_ns), share});
    const std::string time = format_duration_ns(time_ns);
    return Piece{.from = begin,
                 .to = begin + time_ns,
                 .hue = hue,
                 .text = op.empty() || op == "all" ? phase + " " + time : op,
                 .hint = cat(phase, op.empty() ? "" : ": " + op, ", ", time, ", ", share, " of the step")};
  };
  const double rest_ns = std::max(0.0, report::unattributed_ns(profile));
  document::BarRow phases;
  document::BarRow ops;
  double begin = 0;
  for (const PhaseTime& phase : phases_of(profile)) {
    const int hue = hue_of(phase.phase);
    phases.pieces.push_back(piece(phase.name(), "all", begin, phase.time_ns, hue));
    for (const ProfileRecord* record : phase.records) {
      ops.pieces.push_back(piece(phase.name(), op_label(*record), begin, record->time_ns, hue));
      begin += record->time_ns;
    }
  }
  phases.pieces.push_back(piece("unattributed", "", begin, rest_ns, document::kGrey));
  const document::BarRow step{.label = "", .pieces = {piece("step", "", 0, begin + rest_ns, document::kGrey)}};
  return {.title = "One mean step",
          .sentence =
              "From left to right in the order of a step: the step, its phases, their ops, as wide as they are "
              "long. Names stand where there is room. A pointer on a box shows its name and time.",
          .chart = document::Rows{.axes = {{.title = "time in the profiled step, from its beginning",
                                            .text = &format_duration_ns}},
                                  .rows = {step, std::move(phases), std::move(ops)}},
          .data = std::move(data)};
}

void add_ops_figure(const Profile& profile, Blocks& blocks) {
  Bars bars(kStepAxis);
  std::size_t count = 0;
  for (const ProfileRecord& record : profile.records) {  // the largest first
    if (record.once() || ++count > kMostOps) continue;
    bars.add(name_of(record.phase) + std::string(": ") + op_label(record), record.time_ns, hue_of(record.phase),
             share_of_step(record.time_ns, profile));
  }
  if (bars.empty()) return;
  blocks.figure(std::move(bars).figure(
      "By op", count > kMostOps ? cat("The ", kMostOps, " largest of ", count, " ops; the table below has all.")
                                : "The largest first."));
}

// Nothing where no op says which layers it serves.
void add_layers_figure(const Profile& profile, Blocks& blocks) {
  std::map<std::vector<std::int64_t>, double> times;
  for (const ProfileRecord& record : profile.records) {
    if (!record.once()) times[record.layers.value_or(std::vector<std::int64_t>())] += record.time_ns;
  }
  if (times.empty() || times.rbegin()->first.empty()) return;
  Bars bars(kStepAxis);
  for (const auto& [layers, time_ns] : times) {
    const std::string label = layers.empty() ? "no layer" : layer_words(layers).substr(2);
    bars.add(label, time_ns, 0, share_of_step(time_ns, profile));
  }
  blocks.figure(std::move(bars).figure(
      "By layer", "All phases of each layer together, counted from 0; an op of several layers is theirs alone."));
}

// A row for each phase and op, and for what no op claims. Layers, parameters and rates only where an op has some.
Columns step_table(const Profile& profile) {
  Columns table = {left("phase"), left("op"),     left("layer"),       left("parameter", 1), right("calls", 4),
                   right("time"), right("share"), right("GFLOP/s", 2), right("GB/s", 3)};
  const auto add = [&](const std::string& phase, const std::string& op, double time_ns) {
    add_row(table, {phase, op, "", "", "", format_duration_ns(time_ns), share_of_step(time_ns, profile), "", ""});
  };
  for (const PhaseTime& phase : phases_of(profile)) {
    add(phase.name(), "all", phase.time_ns);
    for (const ProfileRecord* record : phase.records) {
      const auto rate = [&](double amount) {
        return amount > 0 && record->time_ns > 0 ? format_number(amount / record->time_ns) : "";
      };
      add_row(table, {phase.name(), record->op, layer_numbers(record->layers), parameter_words(*record),
                      record->calls > 0 ? format_number(record->calls) : "", format_duration_ns(record->time_ns),
                      share_of_step(record->time_ns, profile), rate(record->flops), rate(record->bytes)});
    }
  }
  add("unattributed", "", report::unattributed_ns(profile));
  std::erase_if(table,
                [](const document::Column& column) { return std::ranges::all_of(column.texts, &std::string::empty); });
  return table;
}

Blocks step_blocks(const Profile& profile) {
  Blocks blocks;
  blocks.figure(phases_figure(profile));
  if (profile.profiled_step_ns > 0) blocks.figure(flame_figure(profile));
  add_ops_figure(profile, blocks);
  add_layers_figure(profile, blocks);
  blocks.table("Every phase and op of a step", step_table(profile));
  return blocks.paragraph(overhead_words(profile), Style::dim);
}

Blocks once_blocks(const Profile& profile) {
  Bars bars("time, from 0");
  Columns table = {left("part"), right("calls"), right("time")};
  const auto add = [&](const std::string& part, const std::string& calls, double time_ns, int hue) {
    add_row(table, {part, calls, format_duration_ns(time_ns)});
    if (time_ns > 0) bars.add(part, time_ns, hue);
  };
  add("load", "", profile.load_seconds * 1e9, 0);
  add("prepare", "", profile.prepare_seconds * 1e9, 0);
  add("first step", "", profile.first_step_ns, 0);
  const PhaseTime compiling = once_of(profile);
  for (const ProfileRecord* record : compiling.records) {
    add(cat(compiling.name(), ": ", record->op), format_number(record->calls), record->time_ns, document::kGrey);
  }
  const std::string sentence =
      compiling.records.empty()
          ? "It is no part of the steps above."
          : "It is no part of the steps above; what compiling is made of lies within the first three, and in part "
            "within one another.";
  Blocks blocks;
  if (!bars.empty()) blocks.figure(std::move(bars).figure("What happens once", sentence));
  return blocks.table("", std::move(table));
}

// A step by the ops of its framework, in shares of the step that the profiler slows, or why there are none.
Blocks framework_blocks(const Profile& profile) {
  Blocks blocks;
  if (profile.no_ops) blocks.paragraph("There are none: " + *profile.no_ops + ".");
  if (!profile.ops) return blocks;
  const report::FrameworkOps& ops = *profile.ops;
  Profile view;
  view.profiled_step_ns = ops.step_ns;
  view.records = ops.records;
  Columns table = step_table(view);
  std::erase_if(table, [](const document::Column& column) { return column.title == "time"; });
  blocks.table("By " + ops.profiler, std::move(table));
  return blocks.paragraph(
      cat("Shares are of a step under ", ops.profiler, ", which takes ", format_duration_ns(ops.step_ns), ", ",
          format_number(ops.step_ns / profile.step_ns), " times the unprofiled one (", counted(ops.steps, "step"),
          "). They add up what all threads do; unattributed is what no op claims, Python's part included."));
}

// How often a step calls its framework, and the least that it does.
Blocks calls_blocks(const Profile& profile) {
  Blocks blocks;
  if (profile.dispatches_per_step) {
    blocks.paragraph("Calls into the framework per step: " + format_number(*profile.dispatches_per_step) + ".");
  }
  Columns table = {left("the least calls"), right("time")};
  for (const report::FloorPart& part : profile.floor.value_or(std::vector<report::FloorPart>())) {
    add_row(table, {part.op, format_duration_ns(part.time_ns)});
  }
  return blocks.table("The least that the framework does", std::move(table));
}

}  // namespace

Document document_of(const Profile& profile) {
  Document document{.title = "gdbench profile: " + profile.cell, .answer = profile_answer(profile)};
  document.section("Where a step's time goes", step_blocks(profile));
  Blocks once = once_blocks(profile);
  once.paragraph(allocation_words(profile), Style::dim);
  document.section("Once, before the first step", std::move(once));
  document.section("Ops of its framework", framework_blocks(profile));
  document.section("Calls into the framework", calls_blocks(profile));
  return document;
}

}  // namespace gdbench::answers
