#include "reports/render/words.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "reports/render/format.h"
#include "reports/render/phrases.h"
#include "reports/render/ranking.h"
#include "reports/render/render.h"

namespace gdbench::render {

namespace {

// The value at a JSON pointer where it is a string, else nothing.
std::string text_at(const Json& document, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!document.contains(place)) return "";
  const Json& value = document[place];
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

std::string environment_words(const report::Report& report) {
  const Json environment = Json::parse(report.environment);
  std::string text = text_at(environment, "/cpu/model");
  const Json::json_pointer processors("/cpu/logical_processors");
  if (environment.contains(processors) && environment[processors].is_number_integer()) {
    join(text, counted(environment[processors].get<std::size_t>(), "logical processor"));
  }
  const std::string kernel = text_at(environment, "/kernel");
  join(text, kernel);
  join(text, text_at(environment, "/build/compiler"));
  std::string revision = text_at(environment, "/build/git_revision").substr(0, 12);
  const Json::json_pointer dirty("/build/git_dirty");
  if (!revision.empty() && environment.contains(dirty) && environment[dirty] == true) revision += " with changes";
  if (!revision.empty()) join(text, "git " + revision);
  return text;
}

std::string ceilings_words(const report::Report& report) {
  if (!report.ceilings || !report.ceilings->best) return "";
  const report::VectorCeilings& best = *report.ceilings->best;
  std::string text = "ceilings of processor " + std::to_string(report.ceilings->processor) + " (" + best.vectors +
                     ", best of " + counted(report.ceilings->measurements.size(), "measurement") + "): FMA " +
                     format_number(best.fma_f32_gflop_per_second) + " GFLOP/s f32, " +
                     format_number(best.fma_f64_gflop_per_second) + " f64, latency " +
                     format_duration_ns(best.fma_f32_latency_ns) + "; GB/s read/updated:";
  std::string levels;
  for (const report::LevelCeiling& level : best.levels) {
    join(levels,
         level.level + " " + format_number(level.read_gb_per_second) + "/" + format_number(level.update_gb_per_second));
  }
  return text + " " + levels;
}

std::string failed_ceilings_words(const report::Report& report) {
  std::string names;
  for (const report::Cell& cell : report.cells) {
    if (!cell.summary || !cell.summary->ceiling || !cell.summary->ceiling->failed) continue;
    join(names, cell.id + " (" + format_percent(cell.summary->ceiling->share) + " " +
                    bound_words(*cell.summary->ceiling) + ")");
  }
  return names.empty() ? "" : "above 100% of a ceiling, which therefore was measured too low: " + names;
}

std::string run_words(const report::Run& run) {
  std::string text = "run " + run.id + ": " + run.status;
  join(text, "started " + run.started_at);
  if (!run.matrix.empty()) join(text, "matrix " + run.matrix);
  join(text, "seed " + std::to_string(run.seed));
  if (run.quick) join(text, "quick");
  return text;
}

std::vector<std::string> condition_warnings(const report::Report& report) {
  std::vector<std::string> sentences;
  if (!report.conditions) return sentences;
  for (const report::Condition& condition : *report.conditions) {
    if (condition.severity != report::Severity::warning) continue;
    sentences.push_back(condition.name + ": " + condition.found + "; " + condition.effect + " (gdbench doctor)");
  }
  return sentences;
}

std::string timed_name(const report::Cell& cell) {
  return row_name(cell) + " (" + format_duration_ns(cell.summary->step_ns.value) + ")";
}

std::string counts_words(const report::Report& report) {
  using report::CellState;
  std::string text;
  const auto counts = [](const report::Cell& cell) { return cell.arm != report::kControlArm; };
  for (const CellState state : {CellState::ok, CellState::unsupported, CellState::wrong, CellState::crashed,
                                CellState::timed_out, CellState::untrusted, CellState::pending}) {
    const auto count = std::count_if(report.cells.begin(), report.cells.end(), [&](const report::Cell& cell) {
      return counts(cell) && cell.status.state == state;
    });
    if (count > 0) join(text, std::to_string(count) + " " + name_of(state));
  }
  const auto all = std::count_if(report.cells.begin(), report.cells.end(), counts);
  const std::string total = counted(static_cast<std::size_t>(all), "cell");
  return text.empty() ? total : total + ": " + text;
}

std::string control_words(const ScenarioTable& table) {
  if (table.controls.empty()) return "";
  const Row& row = table.controls.front();
  for (const report::Control& control : row.report->controls.value_or(std::vector<report::Control>())) {
    if (control.cell != row.cell->id) continue;
    const stats::Comparison& comparison = control.comparison;
    const stats::Estimate& ratio = comparison.ratio;
    std::string text = "control: " + row.cell->implementation + " beside itself: " + format_change(ratio);
    const bool dirty = comparison.verdict == stats::Verdict::faster || comparison.verdict == stats::Verdict::slower;
    return text + (dirty ? ": this machine was unfit, there are no verdicts." : ".");
  }
  return "";
}

std::string baseline_words(const ScenarioTable& table) {
  const auto row = std::find_if(table.ranked.begin(), table.ranked.end(), [](const Row& r) { return r.is_baseline(); });
  if (row == table.ranked.end() || row->cell->implementation == row->report->run.baseline) return "";
  const std::string& name = row->report->run.baseline;
  return "ratios are to " + row_name(*row->cell) + ", the fastest" +
         (name.empty() ? "" : ": there is no time of the baseline, " + name) + ".";
}

std::string winner_words(const ScenarioTable& table) {
  const std::string label = table.scenario->label + ": ";
  if (table.ranked.empty()) return label + "nothing was timed.";
  std::vector<const report::Cell*> cells;
  for (const Row& row : table.ranked) cells.push_back(row.cell);
  const Ranking ranking = Rankings(*table.ranked.front().report).of(std::move(cells));
  const std::string first = timed_name(*ranking.fastest);
  if (ranking.next == nullptr) return label + "only " + first + " was timed.";
  const std::string lead = timed_name(*ranking.next) + " takes " + format_ratio(ranking.lead.ratio) + " as long";
  if (!ranking.undecidable.empty()) {
    const bool paired = ranking.lead.ratio.launches > 0;
    return label + first + " was fastest" + (paired ? ", " + lead : "") + "; no verdict (" + ranking.undecidable + ").";
  }
  if (ranking.won()) return label + first + " wins: " + lead + ".";
  std::vector<std::string> names;
  for (const report::Cell* cell : ranking.tied) names.push_back(timed_name(*cell));
  if (names.size() == 1 && ranking.lead.verdict == stats::Verdict::equivalent) {
    return label + first + " and " + names.front() + " are equivalent.";
  }
  const std::string& remark = ranking.lead.remark;
  return label + "no winner: " + first + " is not told apart from " + joined(names) +
         (remark.empty() ? "" : " (" + remark + ")") + ".";
}

}  // namespace gdbench::render
