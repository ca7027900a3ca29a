#include "reports/render/words.h"

#include <algorithm>
#include <cmath>

#include "reports/render/format.h"
#include "reports/render/phrases.h"
#include "reports/render/render.h"

namespace gdbench::render {

namespace {

using nlohmann::json;

// The stored comparison where one of two timed rows is the other's baseline, else one of their samples.
stats::Comparison compare(const Row& first, const Row& second) {
  const auto stored = [](const Row& candidate, const Row& base) -> const stats::Comparison* {
    const auto& ratio = candidate.cell->summary->ratio;
    return ratio && ratio->baseline == base.cell->id ? &ratio->comparison : nullptr;
  };
  for (const stats::Comparison* comparison : {stored(first, second), stored(second, first)}) {
    if (comparison != nullptr) return *comparison;
  }
  return result::compare_cells(*first.report, *first.cell, *second.cell);
}

}  // namespace

std::string environment_words(const json& environment) {
  std::string text = text_at(environment, "/cpu/model");
  const json::json_pointer processors("/cpu/logical_processors");
  if (environment.is_object() && environment.contains(processors) && environment[processors].is_number_integer()) {
    join(text, counted(environment[processors].get<std::size_t>(), "logical processor"));
  }
  const std::string kernel = text_at(environment, "/kernel");
  join(text, kernel);
  join(text, text_at(environment, "/build/compiler"));
  std::string revision = text_at(environment, "/build/git_revision").substr(0, 12);
  const json::json_pointer dirty("/build/git_dirty");
  if (!revision.empty() && environment.contains(dirty) && environment[dirty] == true) revision += " with changes";
  if (!revision.empty()) join(text, "git " + revision);
  return text;
}

std::string ceilings_words(const result::Report& report) {
  if (!report.ceilings || !report.ceilings->best) return "";
  const result::VectorCeilings& best = *report.ceilings->best;
  std::string text = "ceilings of processor " + std::to_string(report.ceilings->processor) + " (" + best.vectors +
                     ", best of " + counted(report.ceilings->measurements.size(), "measurement") + "): FMA " +
                     format_number(best.fma_f32_gflop_per_second) + " GFLOP/s f32, " +
                     format_number(best.fma_f64_gflop_per_second) + " f64, latency " +
                     format_duration_ns(best.fma_f32_latency_ns) + "; GB/s read/updated:";
  std::string levels;
  for (const result::LevelCeiling& level : best.levels) {
    join(levels,
         level.level + " " + format_number(level.read_gb_per_second) + "/" + format_number(level.update_gb_per_second));
  }
  return text + " " + levels;
}

std::string failed_ceilings_words(const result::Report& report) {
  std::string names;
  for (const result::Cell& cell : report.cells) {
    if (!cell.summary || !cell.summary->ceiling || !cell.summary->ceiling->failed) continue;
    join(names, cell.id + " (" + format_percent(cell.summary->ceiling->share) + " " +
                    bound_words(*cell.summary->ceiling) + ")");
  }
  return names.empty() ? "" : "above 100% of a ceiling, which therefore was measured too low: " + names;
}

std::string run_words(const result::Run& run) {
  std::string text = "run " + run.id + ": " + run.status;
  join(text, "started " + run.started_at);
  if (!run.matrix.empty()) join(text, "matrix " + run.matrix);
  join(text, "seed " + std::to_string(run.seed));
  if (run.quick) join(text, "quick");
  return text;
}

std::vector<std::string> legend(const result::Report& report) {
  std::vector<std::string> lines = {
      "time/step: median over launches of the least block of each, without its first one.",
      "95%: the farther end of its confidence interval over launches (Student's t below six).",
      "ratio to baseline: time over that of " + report.run.baseline +
          " in the same rounds, with its 95% interval; below 1 is faster.",
      "verdict: faster or slower only where the whole interval is beyond the margin, equivalent where all of it is "
      "within.",
      "GFLOP/s: operations that the algorithm needs, over the time. launches: processes x timed blocks in each.",
  };
  const bool counted = std::any_of(report.cells.begin(), report.cells.end(), [](const result::Cell& cell) {
    return cell.profile && cell.profile->allocations_per_step;
  });
  if (counted) {
    lines.emplace_back(
        "peak memory: resident, of a worker; own memory: anonymous, the largest reading. allocations: of the whole "
        "process in a step, counted apart.");
  }
  if (std::any_of(report.cells.begin(), report.cells.end(), tells_of_data)) {
    lines.emplace_back(
        "data: part of a profiled step that makes its batch, or waits for it where it is made ahead; -: below 0.5% or "
        "100 ns.");
  }
  const bool loads = std::any_of(report.cells.begin(), report.cells.end(),
                                 [](const result::Cell& cell) { return cell.summary && cell.summary->import_seconds; });
  if (loads) {
    lines.emplace_back(
        "CPU/wall: processor time of all threads of a framework's process over wall time. import: loading the "
        "framework, once per process. after import: resident memory by then, a part of the peak.");
  }
  if (report.ceilings) {
    lines.emplace_back(
        "of ceiling: the step's floor over its time. The floor is the longest of: multiply-adds of the products / FMA "
        "rate (fma); least bytes / bandwidth of the level that they come from (L1 to memory); dependent operations of "
        "a "
        "step x their latency (chain). Above 100% (!) a ceiling is wrong.");
  }
  return lines;
}

std::vector<std::string> condition_warnings(const result::Report& report) {
  std::vector<std::string> sentences;
  if (!report.conditions) return sentences;
  for (const result::Condition& condition : *report.conditions) {
    if (condition.severity != result::Severity::warning) continue;
    sentences.push_back(condition.name + ": " + condition.found + "; " + condition.effect + " (gdbench doctor)");
  }
  return sentences;
}

std::string counts_words(const result::Report& report) {
  using result::CellState;
  std::string text;
  const auto counts = [](const result::Cell& cell) { return cell.arm != result::kControlArm; };
  for (const CellState state : {CellState::ok, CellState::unsupported, CellState::wrong, CellState::crashed,
                                CellState::timed_out, CellState::untrusted, CellState::pending}) {
    const auto count = std::count_if(report.cells.begin(), report.cells.end(), [&](const result::Cell& cell) {
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
  for (const result::Control& control : row.report->controls.value_or(std::vector<result::Control>())) {
    if (control.cell != row.cell->id) continue;
    const stats::Comparison& comparison = control.comparison;
    const stats::Estimate& ratio = comparison.ratio;
    std::string text = "control: " + row.cell->implementation + " beside itself: " + format_change(ratio);
    const bool dirty = comparison.verdict == stats::Verdict::faster || comparison.verdict == stats::Verdict::slower;
    return text + (dirty ? ": this machine was unfit, there are no verdicts." : ".");
  }
  return "";
}

std::string winner_words(const ScenarioTable& table) {
  const std::string label = table.scenario->label + ": ";
  if (table.ranked.empty()) return label + "nothing was timed.";
  const Row& first = table.ranked.front();
  const double first_ns = first.cell->summary->step_ns.value;
  const std::string first_words = row_name(*first.cell) + " (" + format_duration_ns(first_ns) + ")";
  if (table.ranked.size() == 1) return label + "only " + first_words + " was timed.";

  const Row& second = table.ranked[1];
  const double second_ns = second.cell->summary->step_ns.value;
  const std::string second_words = row_name(*second.cell) + " (" + format_duration_ns(second_ns) + ")";
  if (first.cell->summary->step_ns.within_one_process || second.cell->summary->step_ns.within_one_process) {
    return label + first_words + " was fastest, " + second_words + " took " + format_number(second_ns / first_ns) +
           " times as long; a single launch gives no verdict.";
  }
  const stats::Comparison comparison = compare(first, second);
  if (comparison.verdict == stats::Verdict::equivalent) {
    return label + first_words + " and " + second_words + " are equivalent.";
  }
  if (comparison.verdict == stats::Verdict::inconclusive) {
    return label + "no winner: " + first_words + " and " + second_words + " are not told apart" +
           (comparison.remark.empty() ? "" : " (" + comparison.remark + ")") + ".";
  }
  return label + first_words + " wins, " + format_number(second_ns / first_ns) + " times as fast as " + second_words +
         ".";
}

}  // namespace gdbench::render
