#include "reports/answers/table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <type_traits>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

std::string time_text(const Row& row) {
  const stats::Estimate& estimate = row.cell->summary->step_ns;
  return format_duration_ns(estimate.value) + process_mark(estimate);
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

namespace {

using report::Cell;
using report::ScenarioRecord;

// One list that the console, Markdown and CSV share. A new column is one row of kColumns.
struct Column {
  const char* field;                              // name in CSV with its unit
  std::string (*value)(const Row& row);           // in CSV
  const char* title = nullptr;                    // in tables for people; nullptr: only in CSV
  std::string (*text)(const Row& row) = nullptr;  // empty: nothing to say
  bool right_aligned = false;
  int rank = 0;  // as in document::Column
};

std::string ratio_text(const Row& row) {
  if (row.is_baseline()) return "1";
  if (!row.cell->summary->ratio) return "-";
  return format_ratio(row.cell->summary->ratio->comparison.ratio);
}

// Floating-point operations over nanoseconds: 1e9 a second. A row that skips arithmetic would show a false rate.
double rate_of(const Row& row) { return row.scenario->operations_per_step / row.cell->summary->step_ns.value; }

std::string rate_text(const Row& row) { return report::is_ranked(*row.cell) ? format_number(rate_of(row)) : "-"; }

std::string ceiling_text(const Row& row) { return ceiling_words(*row.cell); }

std::string launches_text(const Row& row) {
  const report::Summary& summary = *row.cell->summary;
  const int launches = summary.step_ns.launches;
  return cat(launches, " x ", format_number(static_cast<double>(summary.samples) / std::max(1, launches)));
}

// These are shown of rows that load a framework: others start in milliseconds and are held to their threads.
std::string import_text(const Row& row) {
  const std::optional<double>& seconds = row.cell->summary->import_seconds;
  return seconds ? format_duration_ns(*seconds * 1e9) : "";
}
std::string cpu_text(const Row& row) {
  const report::Summary& summary = *row.cell->summary;
  return summary.import_seconds && summary.cpu_per_wall ? format_percent(*summary.cpu_per_wall) : "";
}

std::string exchange_text(const Row& row) {
  const std::optional<double>& share = row.cell->summary->exchange_share;
  return share ? format_percent(*share) : "";
}

std::string faults_text(const Row& row) {
  constexpr double kFew = 0.05;
  const std::optional<double>& faults = row.cell->summary->page_faults_per_step;
  return faults && *faults >= kFew ? format_number(*faults) : "";
}

template <auto Time>
std::string single_step_text(const Row& row) {
  const std::optional<report::SingleSteps>& steps = row.cell->summary->single_steps;
  return steps && are_telling(*steps) ? format_duration_ns((*steps).*Time) : "";
}

std::string cold_text(const Row& row) {
  const std::optional<report::ColdTime>& cold = row.cell->summary->cold;
  return cold ? format_ratio(cold->ratio) + process_mark(cold->ratio) : "";
}

template <auto Bytes>
std::string memory_text(const Row& row) {
  const std::optional<std::int64_t> bytes = (*row.cell->summary).*Bytes;
  return bytes ? format_bytes(static_cast<double>(*bytes)) : "";
}

std::string allocations_text(const Row& row) {
  const std::optional<report::Profile>& profile = row.cell->profile;
  return profile && profile->allocations_per_step ? format_number(*profile->allocations_per_step) : "-";
}

std::string data_text(const Row& row) {
  return tells_of_data(*row.cell) ? format_percent(report::data_share(*row.cell->profile)) : "";
}

// As CSV has it; empty for what is not known.
template <class Value>
std::string csv_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<Value>) {
    return exact(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return name_of(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? csv_text(*value) : "";
  } else {
    return value;
  }
}

// What values are of; null where a row has none.
namespace part {
const ScenarioRecord* scenario(const Row& row) { return row.scenario; }
const Cell* cell(const Row& row) { return row.cell; }
const report::Profile* profile(const Row& row) { return row.cell->profile ? &*row.cell->profile : nullptr; }
const report::TargetRun* target(const Row& row) { return row.cell->target ? &*row.cell->target : nullptr; }
const report::Summary* summary(const Row& row) { return row.timed() ? &*row.cell->summary : nullptr; }
template <auto Part>
auto of_summary(const Row& row) {
  const report::Summary* all = summary(row);
  return all != nullptr && all->*Part ? &*(all->*Part) : nullptr;
}
constexpr auto ratio = of_summary<&report::Summary::ratio>;
constexpr auto ceiling = of_summary<&report::Summary::ceiling>;
const report::Span* span(const Row& row) {
  const report::CeilingShare* share = ceiling(row);
  return share != nullptr && share->span ? &*share->span : nullptr;
}
const stats::Interval* share_interval(const Row& row) {
  const report::CeilingShare* share = ceiling(row);
  return share != nullptr && share->interval ? &*share->interval : nullptr;
}
constexpr auto single_steps = of_summary<&report::Summary::single_steps>;
constexpr auto cold = of_summary<&report::Summary::cold>;
const stats::Estimate* cold_ratio(const Row& row) {
  const report::ColdTime* time = cold(row);
  return time != nullptr ? &time->ratio : nullptr;
}
const stats::Interval* cold_interval(const Row& row) {
  const report::ColdTime* time = cold(row);
  return time != nullptr ? &time->ratio.interval : nullptr;
}
constexpr auto to_target = of_summary<&report::Summary::to_target>;
}  // namespace part

template <auto Part, auto Get>
std::string of(const Row& row) {
  const auto* part = Part(row);
  return part == nullptr ? "" : csv_text(std::invoke(Get, *part));
}

using C = report::CeilingShare;
using P = report::Profile;
using R = report::RatioToBaseline;
using S = report::Summary;
using SS = report::SingleSteps;
using T = report::TargetRun;
using TT = report::TimeToTarget;

constexpr std::array kColumns = {
    // field, value, title, text, right aligned, rank
    Column{"scenario", of<part::scenario, &ScenarioRecord::name>},
    Column{"label", of<part::scenario, &ScenarioRecord::label>},
    Column{"scenario_key", of<part::scenario, &ScenarioRecord::key>},
    Column{"rows", of<part::scenario, &ScenarioRecord::rows>},
    Column{"features", of<part::scenario, &ScenarioRecord::features>},
    Column{"outputs", of<part::scenario, &ScenarioRecord::outputs>},
    Column{"parameters", of<part::scenario, &ScenarioRecord::parameters>},
    Column{"batch_rows", of<part::scenario, &ScenarioRecord::batch_rows>},
    Column{"dtype", [](const Row& row) -> std::string { return row.scenario->resolved.dtype_name(); }},
    Column{"operations_per_step", of<part::scenario, &ScenarioRecord::operations_per_step>},
    Column{"cell", of<part::cell, &Cell::id>},
    Column{"implementation", of<part::cell, &Cell::implementation>, "implementation", of<part::cell, &row_name>},
    Column{"options", of<part::cell, &options_of>},
    Column{"threads", of<part::cell, &Cell::threads>},
    Column{"arm", of<part::cell, &Cell::arm>},
    Column{"ranked", of<part::cell, &report::is_ranked>},
    Column{"state", of<part::cell, [](const Cell& c) { return c.status.state; }>},
    Column{"reason", of<part::cell, [](const Cell& c) { return c.status.reason; }>},
    Column{"step_ns", of<part::summary, [](const S& s) { return s.step_ns.value; }>, "time/step", time_text, true},
    Column{"step_low_ns", of<part::summary, [](const S& s) { return s.step_ns.interval.low; }>, "95%",
           [](const Row& row) { return format_interval_ns(row.cell->summary->step_ns); }, true, 3},
    Column{"step_high_ns", of<part::summary, [](const S& s) { return s.step_ns.interval.high; }>},
    Column{"median_absolute_deviation_ns", of<part::summary, &S::median_absolute_deviation_ns>},
    Column{"ratio", of<part::ratio, [](const R& r) { return r.comparison.ratio.value; }>, "ratio to baseline",
           ratio_text, false, 2},
    Column{"ratio_low", of<part::ratio, [](const R& r) { return r.comparison.ratio.interval.low; }>},
    Column{"ratio_high", of<part::ratio, [](const R& r) { return r.comparison.ratio.interval.high; }>},
    Column{"baseline_cell", of<part::ratio, &R::baseline>},
    Column{"verdict", [](const Row& row) { return row.timed() ? verdict_text(row) : std::string(); }, "verdict",
           verdict_text, false, 1},
    Column{"remark", of<part::ratio, [](const R& r) { return r.comparison.remark; }>},
    Column{"gflop_per_second",
           [](const Row&
                  row) { return row.timed() && report::is_ranked(*row.cell) ? exact(rate_of(row)) : std::string(); },
           "GFLOP/s", rate_text, true, 5},
    Column{"ceiling_share", of<part::ceiling, &C::share>, "of ceiling", ceiling_text, false, 4},
    Column{"ceiling_share_low", of<part::share_interval, &stats::Interval::low>},
    Column{"ceiling_share_high", of<part::share_interval, &stats::Interval::high>},
    Column{"bound_by", of<part::ceiling, &C::bound_by>},
    Column{"bandwidth_level", of<part::ceiling, &C::level>},
    Column{"bandwidth_span_bytes", of<part::span, &report::Span::bytes>},
    Column{"floor_ns", of<part::ceiling, &C::floor_ns>},
    Column{"ceiling_failed", of<part::ceiling, &C::failed>},
    Column{"data_share", of<part::profile, &report::data_share>, "data", data_text, true, 5},
    Column{"cpu_per_wall", of<part::summary, &S::cpu_per_wall>, "CPU/wall", cpu_text, true, 5},
    Column{"exchange_share", of<part::summary, &S::exchange_share>, "exchange", exchange_text, true, 5},
    Column{"page_faults_per_step", of<part::summary, &S::page_faults_per_step>, "page faults", faults_text, true, 5},
    Column{"single_steps", of<part::single_steps, &SS::steps>},
    Column{"single_step_cost", of<part::single_steps, &SS::cost>},
    Column{"step_p50_ns", of<part::single_steps, &SS::p50_ns>, "p50", single_step_text<&SS::p50_ns>, true, 5},
    Column{"step_p95_ns", of<part::single_steps, &SS::p95_ns>, "p95", single_step_text<&SS::p95_ns>, true, 5},
    Column{"step_p99_ns", of<part::single_steps, &SS::p99_ns>, "p99", single_step_text<&SS::p99_ns>, true, 5},
    Column{"step_max_ns", of<part::single_steps, &SS::max_ns>, "max", single_step_text<&SS::max_ns>, true, 5},
    Column{"cold_step_ns", of<part::cold, &report::ColdTime::cold_ns>},
    Column{"cold_ratio", of<part::cold_ratio, &stats::Estimate::value>, "cold", cold_text, true, 5},
    Column{"cold_ratio_low", of<part::cold_interval, &stats::Interval::low>},
    Column{"cold_ratio_high", of<part::cold_interval, &stats::Interval::high>},
    Column{"import_seconds", of<part::summary, &S::import_seconds>, "import", import_text, true, 6},
    Column{"first_step_ns", of<part::summary, &S::first_step_ns>, "first step",
           [](const Row& row) { return format_duration_ns(row.cell->summary->first_step_ns); }, true, 6},
    Column{"launches", of<part::summary, [](const S& s) { return s.step_ns.launches; }>, "launches", launches_text,
           true, 7},
    Column{"samples", of<part::summary, &S::samples>},
    Column{"within_one_process", of<part::summary, [](const S& s) { return s.step_ns.within_one_process; }>},
    Column{"start_seconds", of<part::summary, &S::start_seconds>},
    Column{"load_seconds", of<part::summary, &S::load_seconds>},
    Column{"prepare_seconds", of<part::summary, &S::prepare_seconds>},
    Column{"launch_seconds", of<part::summary, &S::launch_seconds>},
    Column{"peak_resident_bytes", of<part::summary, &S::peak_resident_bytes>, "peak memory",
           memory_text<&S::peak_resident_bytes>, true, 8},
    Column{"imported_resident_bytes", of<part::summary, &S::imported_resident_bytes>, "after import",
           memory_text<&S::imported_resident_bytes>, true, 9},
    Column{"peak_anonymous_bytes", of<part::summary, &S::peak_anonymous_bytes>, "own memory",
           memory_text<&S::peak_anonymous_bytes>, true, 10},
    Column{"peak_device_bytes", of<part::summary, &S::peak_device_bytes>, "device memory",
           memory_text<&S::peak_device_bytes>, true, 10},
    Column{"allocations_per_step", of<part::profile, &P::allocations_per_step>, "allocations", allocations_text, true,
           9},
    Column{"allocated_bytes_per_step", of<part::profile, &P::allocated_bytes_per_step>},
    Column{"prepared_bytes", of<part::profile, &P::prepared_bytes>},
    Column{"kernel_calls_per_step",
           of<part::cell, [](const Cell& c) { return c.profile ? exact(report::calls_per_step(c)) : std::string(); }>},
    Column{"target_state", of<part::target, &T::state>},
    Column{"target_loss", of<part::target, &T::target_loss>},
    Column{"target_steps", of<part::target, &T::steps>},
    Column{"final_loss", of<part::target, &T::loss>},
    Column{"time_to_target_ns", of<part::to_target, [](const TT& t) { return t.time_ns.value; }>},
    Column{"time_to_target_low_ns", of<part::to_target, [](const TT& t) { return t.time_ns.interval.low; }>},
    Column{"time_to_target_high_ns", of<part::to_target, [](const TT& t) { return t.time_ns.interval.high; }>},
    Column{"time_to_target_with_evaluations_ns",
           of<part::to_target,
              [](const TT& t) { return t.with_evaluations_ns ? exact(t.with_evaluations_ns->value) : std::string(); }>},
    Column{"repeat", of<part::cell, &Cell::repeat>},
    Column{"build", of<part::cell, &build_text>},
};

// RFC 4180, section 2: fields with a quote, a comma or a line break are quoted, quotes doubled.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

template <class Text>
std::string line_of(const Text& text_of) {
  std::vector<std::string> fields;
  for (const Column& column : kColumns) fields.push_back(text_of(column));
  return csv_line(fields);
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (&field == fields.data() ? "" : ",") + quoted(one_line(field));
  return line + "\r\n";
}

std::string csv(const report::Report& report) {
  std::string text = line_of([](const Column& column) { return std::string(column.field); });
  for (const ScenarioTable& table : tables_of(report)) {
    for (const Row& row : all_rows(table)) text += line_of([&row](const Column& column) { return column.value(row); });
  }
  return text;
}

Columns text_table(const std::vector<Row>& rows) {
  Columns table;
  for (const Column& column : kColumns) {
    if (column.title == nullptr) continue;
    table.push_back({column.title, column.right_aligned, column.rank, {}});
    std::vector<std::string>& texts = table.back().texts;
    for (const Row& row : rows) {
      texts.push_back(column.text(row));
      if (column.text == verdict_text) table.back().styles.push_back(verdict_style(row));
    }
    const bool silent = std::ranges::all_of(texts, [](const std::string& text) { return text.empty(); });
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

}  // namespace gdbench::answers
