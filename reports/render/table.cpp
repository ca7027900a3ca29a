#include "reports/render/table.h"

#include <algorithm>
#include <array>

#include "reports/render/format.h"
#include "reports/render/render.h"

namespace gdbench::render {

namespace {

using report::Cell;

const char* boolean(bool value) { return value ? "true" : "false"; }

std::string dtype_of(const Row& row) { return row.scenario->resolved.dtype_name(); }

std::string time_text(const Row& row) {
  const stats::Estimate& estimate = row.cell->summary->step_ns;
  return format_duration_ns(estimate.value) + (estimate.within_one_process ? std::string(" ") + kOneProcessMark : "");
}

std::string ratio_text(const Row& row) {
  if (row.is_baseline()) return "1";
  if (!row.cell->summary->ratio) return "-";
  return format_ratio(row.cell->summary->ratio->comparison.ratio);
}

std::string verdict_text(const Row& row) {
  if (row.is_baseline()) return "baseline";
  if (!row.cell->summary->ratio) return "-";
  return stats::name_of(row.cell->summary->ratio->comparison.verdict);
}

Style verdict_style(const Row& row) {
  if (row.is_baseline() || !row.cell->summary->ratio) return Style::plain;
  return style_of_verdict(row.cell->summary->ratio->comparison.verdict);
}

// Floating-point operations over nanoseconds: 1e9 a second. A row that skips arithmetic would show a false rate.
double rate_of(const Row& row) { return row.scenario->operations_per_step / row.cell->summary->step_ns.value; }

std::string rate_text(const Row& row) { return report::is_ranked(*row.cell) ? format_number(rate_of(row)) : "-"; }

// "34% fma", "82% L3", "55% chain"; above 100% the ceiling is at fault, which the mark says.
std::string ceiling_text(const Row& row) {
  const std::optional<report::CeilingShare>& ceiling = row.cell->summary->ceiling;
  if (!ceiling) return "-";
  return format_percent(ceiling->share) + " " + bound_words(*ceiling) + (ceiling->failed ? " !" : "");
}

std::string first_step_text(const Row& row) { return format_duration_ns(row.cell->summary->first_step_ns); }

std::string launches_text(const Row& row) {
  const report::Summary& summary = *row.cell->summary;
  const int launches = std::max(1, summary.step_ns.launches);
  return std::to_string(summary.step_ns.launches) + " x " +
         format_number(static_cast<double>(summary.samples) / launches);
}

std::string peak_memory_text(const Row& row) {
  return format_bytes(static_cast<double>(row.cell->summary->peak_resident_bytes));
}

// These are told of whoever loads a framework: others start in milliseconds and are held to their threads.
std::string import_text(const Row& row) {
  const std::optional<double>& seconds = row.cell->summary->import_seconds;
  return seconds ? format_duration_ns(*seconds * 1e9) : "";
}
std::string imported_text(const Row& row) {
  const std::optional<std::int64_t>& bytes = row.cell->summary->imported_resident_bytes;
  return bytes ? format_bytes(static_cast<double>(*bytes)) : "";
}
std::string cpu_text(const Row& row) {
  const report::Summary& summary = *row.cell->summary;
  return summary.import_seconds && summary.cpu_per_wall ? format_percent(*summary.cpu_per_wall) : "";
}

std::string allocations_text(const Row& row) {
  const std::optional<report::Profile>& profile = row.cell->profile;
  return profile && profile->allocations_per_step ? format_number(*profile->allocations_per_step) : "-";
}

std::string own_memory_text(const Row& row) {
  const std::optional<std::int64_t>& bytes = row.cell->summary->peak_anonymous_bytes;
  return bytes ? format_bytes(static_cast<double>(*bytes)) : "";
}

std::string data_text(const Row& row) {
  return tells_of_data(*row.cell) ? format_percent(report::data_share(*row.cell->profile)) : "";
}

std::string exact_or_empty(const std::optional<double>& value) { return value ? exact(*value) : ""; }

// A CSV value of a summary, empty for a row without one.
template <auto Get>
std::string of_summary(const Row& row) {
  return row.timed() ? Get(*row.cell->summary) : "";
}

// The same of the ratio to the baseline.
template <auto Get>
std::string of_ratio(const Row& row) {
  return row.timed() && row.cell->summary->ratio ? Get(*row.cell->summary->ratio) : "";
}

// The same of the share of the ceiling.
template <auto Get>
std::string of_ceiling(const Row& row) {
  return row.timed() && row.cell->summary->ceiling ? Get(*row.cell->summary->ceiling) : "";
}

// The same of the profile.
template <auto Get>
std::string of_profile(const Row& row) {
  return row.cell->profile ? Get(*row.cell->profile) : "";
}

// The same of the training to the target, and of its time.
template <auto Get>
std::string of_target(const Row& row) {
  return row.cell->target ? Get(*row.cell->target) : "";
}
template <auto Get>
std::string of_time_to_target(const Row& row) {
  return row.timed() && row.cell->summary->to_target ? Get(*row.cell->summary->to_target) : "";
}

using S = const report::Summary&;
using C = const report::CeilingShare&;
using P = const report::Profile&;
using R = const report::RatioToBaseline&;
using T = const report::TargetRun&;
using TT = const report::TimeToTarget&;

constexpr std::array kColumns = {
    // title, text, right aligned, rank, field, value
    Column{nullptr, nullptr, false, 0, "scenario", [](const Row& row) { return row.scenario->name; }},
    Column{nullptr, nullptr, false, 0, "label", [](const Row& row) { return row.scenario->label; }},
    Column{nullptr, nullptr, false, 0, "scenario_key", [](const Row& row) { return row.scenario->key; }},
    Column{nullptr, nullptr, false, 0, "rows", [](const Row& row) { return std::to_string(row.scenario->rows); }},
    Column{nullptr, nullptr, false, 0, "features",
           [](const Row& row) { return std::to_string(row.scenario->features); }},
    Column{nullptr, nullptr, false, 0, "outputs", [](const Row& row) { return std::to_string(row.scenario->outputs); }},
    Column{nullptr, nullptr, false, 0, "parameters",
           [](const Row& row) { return std::to_string(row.scenario->parameters); }},
    Column{nullptr, nullptr, false, 0, "batch_rows",
           [](const Row& row) { return std::to_string(row.scenario->batch_rows); }},
    Column{nullptr, nullptr, false, 0, "dtype", dtype_of},
    Column{nullptr, nullptr, false, 0, "operations_per_step",
           [](const Row& row) { return exact(row.scenario->operations_per_step); }},
    Column{nullptr, nullptr, false, 0, "cell", [](const Row& row) { return row.cell->id; }},
    Column{"implementation", [](const Row& row) { return row_name(*row.cell); }, false, 0, "implementation",
           [](const Row& row) { return row.cell->implementation; }},
    Column{nullptr, nullptr, false, 0, "options", [](const Row& row) { return options_of(*row.cell); }},
    Column{nullptr, nullptr, false, 0, "threads", [](const Row& row) { return std::to_string(row.cell->threads); }},
    Column{nullptr, nullptr, false, 0, "arm", [](const Row& row) { return row.cell->arm; }},
    Column{nullptr, nullptr, false, 0, "ranked",
           [](const Row& row) { return std::string(boolean(report::is_ranked(*row.cell))); }},
    Column{nullptr, nullptr, false, 0, "state",
           [](const Row& row) { return std::string(name_of(row.cell->status.state)); }},
    Column{nullptr, nullptr, false, 0, "reason", [](const Row& row) { return row.cell->status.reason; }},
    Column{"time/step", time_text, true, 0, "step_ns", of_summary<[](S s) { return exact(s.step_ns.value); }>},
    Column{"95%", [](const Row& row) { return format_interval_ns(row.cell->summary->step_ns); }, true, 3, "step_low_ns",
           of_summary<[](S s) { return exact(s.step_ns.interval.low); }>},
    Column{nullptr, nullptr, false, 0, "step_high_ns", of_summary<[](S s) { return exact(s.step_ns.interval.high); }>},
    Column{nullptr, nullptr, false, 0, "median_absolute_deviation_ns",
           of_summary<[](S s) { return exact(s.median_absolute_deviation_ns); }>},
    Column{"ratio to baseline", ratio_text, false, 2, "ratio",
           of_ratio<[](R r) { return exact(r.comparison.ratio.value); }>},
    Column{nullptr, nullptr, false, 0, "ratio_low",
           of_ratio<[](R r) { return exact(r.comparison.ratio.interval.low); }>},
    Column{nullptr, nullptr, false, 0, "ratio_high",
           of_ratio<[](R r) { return exact(r.comparison.ratio.interval.high); }>},
    Column{nullptr, nullptr, false, 0, "baseline_cell", of_ratio<[](R r) { return r.baseline; }>},
    Column{"verdict", verdict_text, false, 1, "verdict",
           [](const Row& row) { return row.timed() ? verdict_text(row) : std::string(); }},
    Column{nullptr, nullptr, false, 0, "remark", of_ratio<[](R r) { return r.comparison.remark; }>},
    Column{"GFLOP/s", rate_text, true, 5, "gflop_per_second",
           [](const Row&
                  row) { return row.timed() && report::is_ranked(*row.cell) ? exact(rate_of(row)) : std::string(); }},
    Column{"of ceiling", ceiling_text, false, 4, "ceiling_share", of_ceiling<[](C c) { return exact(c.share); }>},
    Column{nullptr, nullptr, false, 0, "bound_by", of_ceiling<[](C c) { return std::string(name_of(c.bound_by)); }>},
    Column{nullptr, nullptr, false, 0, "bandwidth_level", of_ceiling<[](C c) { return c.level; }>},
    Column{nullptr, nullptr, false, 0, "floor_ns", of_ceiling<[](C c) { return exact(c.floor_ns); }>},
    Column{nullptr, nullptr, false, 0, "ceiling_failed",
           of_ceiling<[](C c) { return std::string(boolean(c.failed)); }>},
    Column{"data", data_text, true, 5, "data_share", of_profile<[](P p) { return exact(report::data_share(p)); }>},
    Column{"CPU/wall", cpu_text, true, 5, "cpu_per_wall",
           of_summary<[](S s) { return exact_or_empty(s.cpu_per_wall); }>},
    Column{"import", import_text, true, 6, "import_seconds",
           of_summary<[](S s) { return exact_or_empty(s.import_seconds); }>},
    Column{"first step", first_step_text, true, 6, "first_step_ns",
           of_summary<[](S s) { return exact(s.first_step_ns); }>},
    Column{"launches", launches_text, true, 7, "launches",
           of_summary<[](S s) { return std::to_string(s.step_ns.launches); }>},
    Column{nullptr, nullptr, false, 0, "samples", of_summary<[](S s) { return std::to_string(s.samples); }>},
    Column{nullptr, nullptr, false, 0, "within_one_process",
           of_summary<[](S s) { return std::string(boolean(s.step_ns.within_one_process)); }>},
    Column{nullptr, nullptr, false, 0, "start_seconds", of_summary<[](S s) { return exact(s.start_seconds); }>},
    Column{nullptr, nullptr, false, 0, "load_seconds", of_summary<[](S s) { return exact(s.load_seconds); }>},
    Column{nullptr, nullptr, false, 0, "prepare_seconds", of_summary<[](S s) { return exact(s.prepare_seconds); }>},
    Column{nullptr, nullptr, false, 0, "launch_seconds", of_summary<[](S s) { return exact(s.launch_seconds); }>},
    Column{"peak memory", peak_memory_text, true, 8, "peak_resident_bytes",
           of_summary<[](S s) { return std::to_string(s.peak_resident_bytes); }>},
    Column{"after import", imported_text, true, 9, "imported_resident_bytes",
           of_summary<[](S s) { return s.imported_resident_bytes ? std::to_string(*s.imported_resident_bytes) : ""; }>},
    Column{"own memory", own_memory_text, true, 10, "peak_anonymous_bytes",
           of_summary<[](S s) { return s.peak_anonymous_bytes ? std::to_string(*s.peak_anonymous_bytes) : ""; }>},
    Column{"allocations", allocations_text, true, 9, "allocations_per_step",
           of_profile<[](P p) { return exact_or_empty(p.allocations_per_step); }>},
    Column{nullptr, nullptr, false, 0, "allocated_bytes_per_step",
           of_profile<[](P p) { return exact_or_empty(p.allocated_bytes_per_step); }>},
    Column{nullptr, nullptr, false, 0, "prepared_bytes",
           of_profile<[](P p) { return p.prepared_bytes ? std::to_string(*p.prepared_bytes) : std::string(); }>},
    Column{nullptr, nullptr, false, 0, "kernel_calls_per_step",
           of_profile<[](P p) { return exact(report::calls_per_step(p)); }>},
    Column{nullptr, nullptr, false, 0, "target_state", of_target<[](T t) { return std::string(name_of(t.state)); }>},
    Column{nullptr, nullptr, false, 0, "target_loss", of_target<[](T t) { return exact(t.target_loss); }>},
    Column{nullptr, nullptr, false, 0, "target_steps", of_target<[](T t) { return std::to_string(t.steps); }>},
    Column{nullptr, nullptr, false, 0, "final_loss", of_target<[](T t) { return exact(t.loss); }>},
    Column{nullptr, nullptr, false, 0, "time_to_target_ns",
           of_time_to_target<[](TT t) { return exact(t.time_ns.value); }>},
    Column{nullptr, nullptr, false, 0, "time_to_target_low_ns",
           of_time_to_target<[](TT t) { return exact(t.time_ns.interval.low); }>},
    Column{nullptr, nullptr, false, 0, "time_to_target_high_ns",
           of_time_to_target<[](TT t) { return exact(t.time_ns.interval.high); }>},
    Column{nullptr, nullptr, false, 0, "time_to_target_with_evaluations_ns", of_time_to_target<[](TT t) {
             return t.with_evaluations_ns ? exact(t.with_evaluations_ns->value) : std::string();
           }>},
    Column{nullptr, nullptr, false, 0, "repeat", [](const Row& row) { return row.cell->repeat; }},
};

}  // namespace

std::span<const Column> columns() { return kColumns; }

TextTable text_table(const std::vector<Row>& rows) {
  TextTable table;
  for (const Column& column : columns()) {
    if (column.title == nullptr) continue;
    table.push_back({column.title, column.right_aligned, column.rank, {}});
    std::vector<std::string>& texts = table.back().texts;
    for (const Row& row : rows) {
      texts.push_back(column.text(row));
      if (column.text == verdict_text) table.back().styles.push_back(verdict_style(row));
    }
    const bool silent = std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); });
    if (silent && !rows.empty()) {
      table.pop_back();
      continue;
    }
    for (std::string& text : texts) {
      if (text.empty()) text = "-";
    }
  }
  return table;
}

}  // namespace gdbench::render
