#include "reports/answers/attribution.h"

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/report/report.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

const report::Attribution kNoAttribution;

bool is_at_bound(const report::CostFit& fit, const std::string& coefficient) {
  return fit.at_bound && std::ranges::find(*fit.at_bound, coefficient) != fit.at_bound->end();
}

// `name`: the coefficient's key in the report.
std::string coefficient_text(const report::CostFit& fit, const std::string& name, stats::Estimate estimate,
                             double factor) {
  if (estimate.launches == 0) return "-";
  const std::string mark = process_mark(estimate);
  estimate.value *= factor;
  estimate.interval = {estimate.interval.low * factor, estimate.interval.high * factor};
  if (!is_at_bound(fit, name)) return format_estimate_ns(estimate) + mark;
  return (estimate.interval.high > 0 ? "at most " + format_duration_ns(estimate.interval.high) : "0 (bound)") + mark;
}

std::string fit_name(const report::CostFit& fit) {
  std::string name = fit.implementation + " " + fit.dtype;
  if (fit.threads != 1) name += " @" + std::to_string(fit.threads);
  if (fit.arm != report::kNewArm) name += " #" + fit.arm;
  return name;
}

}  // namespace

std::string format_steps(double steps) { return std::isfinite(steps) ? format_number(std::ceil(steps)) : "never"; }

std::string overtaking_words(const stats::BreakEven& result) {
  switch (result.overtaking) {
    case stats::Overtaking::from_the_start:
      return "from the start";
    case stats::Overtaking::after:
      return cat("after ", format_steps(result.steps), " steps [", format_steps(result.interval.low), ", ",
                 format_steps(result.interval.high), "]");
    case stats::Overtaking::never:
      return "never";
    case stats::Overtaking::at_latest:
      return "after at most " + format_steps(result.interval.high) + " steps";
    case stats::Overtaking::at_earliest:
      return "after at least " + format_steps(result.interval.low) + " steps";
    case stats::Overtaking::undecided:
      return "at an undecided step";
  }
  return "";
}

std::string break_even_words(const stats::BreakEven& result, const std::string& cell, const std::string& other) {
  const std::string start = cell + " overtakes " + other + " " + overtaking_words(result);
  switch (result.overtaking) {
    case stats::Overtaking::from_the_start:
      return cell + " is ahead of " + other + " from the start: it is ready sooner and its step is shorter";
    case stats::Overtaking::after:
      return start + ": it is ready later and its step is shorter";
    case stats::Overtaking::never:
      return cell + " never overtakes " + other + ": it is ready later and its step is no shorter";
    case stats::Overtaking::at_latest:
      return start + "; which of them is ready sooner is undecided";
    case stats::Overtaking::at_earliest:
      return start + "; which step is shorter is undecided";
    case stats::Overtaking::undecided:
      break;
  }
  return start;
}

AttributionWords::AttributionWords(const report::Report& report)
    : attribution_(report.attribution ? *report.attribution : kNoAttribution) {
  for (const report::Cell& cell : report.cells) cells_.emplace(cell.id, &cell);
  for (const report::FrameworkTax& tax : attribution_.taxes) {
    const auto cell = cells_.find(tax.cell);
    if (cell != cells_.end()) scenarios_[cell->second->scenario].taxes.push_back(&tax);
  }
  for (const report::BreakEvenRecord& record : attribution_.break_evens) {
    const auto cell = cells_.find(record.cell);
    if (cell == cells_.end() || !cells_.contains(record.other)) continue;
    scenarios_[cell->second->scenario].break_evens.push_back(&record);
  }
}

Columns AttributionWords::taxes(const std::string& scenario_key) const {
  Columns table = {left("implementation"), right("difference per step"), right("change", 2), right("per call", 3),
                   left("verdict", 1)};
  const auto scenario = scenarios_.find(scenario_key);
  if (scenario == scenarios_.end()) return table;
  for (const report::FrameworkTax* tax : scenario->second.taxes) {
    add_row(table, {row_name(*cells_.at(tax->cell)),
                    format_difference_ns(tax->difference_ns) + process_mark(tax->difference_ns),
                    format_change(tax->ratio.ratio),
                    tax->calls_per_step > 0 ? format_duration_ns(tax->difference_per_call_ns) : "-",
                    stats::name_of(tax->ratio.verdict)});
    table[4].styles.push_back(style_of_verdict(tax->ratio.verdict));
  }
  return table;
}

std::vector<std::string> AttributionWords::break_evens(const std::string& scenario_key) const {
  std::vector<std::string> sentences;
  const auto scenario = scenarios_.find(scenario_key);
  if (scenario == scenarios_.end()) return sentences;
  const std::string* candidate = nullptr;  // of the sentence at hand: records of one candidate follow each other
  for (const report::BreakEvenRecord* record : scenario->second.break_evens) {
    const report::Cell& cell = *cells_.at(record->cell);
    const report::Cell& other = *cells_.at(record->other);
    const std::string part = row_name(other) + " " + overtaking_words(record->result);
    if (candidate != nullptr && *candidate == record->cell) {
      sentences.back() += ", " + part;
    } else {
      sentences.push_back(row_name(cell) + " overtakes " + part);
      candidate = &record->cell;
    }
  }
  for (std::string& sentence : sentences) sentence += ".";
  return sentences;
}

Columns AttributionWords::fits() const {
  Columns table = {left("implementation"),   right("a: per step"),  right("b: per kernel call", 1),
                   right("c: per Mflop", 2), right("scenarios", 4), right("worst miss", 3)};
  for (const report::CostFit& fit : attribution_.fits) {
    add_row(table, {fit_name(fit), coefficient_text(fit, "step_ns", fit.step_ns, 1),
                    coefficient_text(fit, "call_ns", fit.call_ns, 1),
                    coefficient_text(fit, "operation_ns", fit.operation_ns, 1e6), std::to_string(fit.scenarios),
                    format_percent(fit.largest_relative_residual)});
  }
  return table;
}

std::string AttributionWords::tax_title() const {
  const auto base = attribution_.taxes.empty() ? cells_.end() : cells_.find(attribution_.taxes.front().base);
  const std::string reference =
      base == cells_.end() ? "" : report::parse_implementation(base->second->implementation).strategy;
  return "what the strategy costs, over " + reference + " on the same backend";
}

}  // namespace gdbench::answers
