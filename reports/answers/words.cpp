#include "reports/answers/words.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/report/environment.h"
#include "reports/answers/format.h"
#include "reports/answers/ranking.h"

namespace gdbench::answers {

namespace {

using report::text_at;

// "1.5 Mflop": three digits and an SI prefix.
std::string operations_words(double operations) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (operations >= 999.5 && prefix + 1 < kPrefixes.size()) {
    operations /= 1000;
    ++prefix;
  }
  return format_number(operations) + " " + kPrefixes[prefix] + "flop";
}

// "500 tensors 512x1", "tensors 784x128, 1x128".
std::string tensors_words(const std::vector<report::TensorsRecord>& groups) {
  std::string text;
  for (const report::TensorsRecord& group : groups) {
    const auto number = [](std::int64_t value) { return format_number(static_cast<double>(value)); };
    join(text,
         (group.count > 1 ? number(group.count) + " of " : "") + number(group.rows) + "x" + number(group.columns));
  }
  return "tensors " + text;
}

// "full batch"; "batch of 32 in 4 parts, 128 steps per epoch".
std::string batch_words(const report::ScenarioRecord& scenario) {
  const bool full = scenario.batch_rows == scenario.rows;
  std::string text = full ? "full batch" : "batch of " + std::to_string(scenario.batch_rows);
  const std::int64_t parts = scenario.resolved.micro_batches;
  if (parts > 1) text += " in " + format_number(static_cast<double>(parts)) + " parts";
  if (full || scenario.batch_rows < 1) return text;
  const std::int64_t whole = scenario.rows / scenario.batch_rows;
  const bool has_smaller = scenario.rows % scenario.batch_rows != 0;
  const bool drops = has_smaller && scenario.resolved.drop_last;
  return text + ", " + counted(whole + (has_smaller && !drops ? 1 : 0), "step") + " per epoch" +
         (drops ? ", smaller last batch left out" : "");
}

// "adam, weight decay 0.01 decoupled, cosine schedule over 1000 steps, warm-up 50".
std::string optimizer_words(const report::ResolvedScenario& resolved) {
  std::string text = resolved.optimizer ? name_of(*resolved.optimizer) : "";
  if (resolved.weight_decay != 0) {
    join(text, "weight decay " + format_number(resolved.weight_decay) +
                   (resolved.decoupled_weight_decay ? " decoupled" : " coupled"));
  }
  if (const std::optional<std::int64_t> steps = resolved.schedule_steps) {
    join(text, resolved.schedule + " schedule over " + counted(*steps, "step"));
  }
  if (resolved.warm_up > 0) join(text, "warm-up " + format_number(static_cast<double>(resolved.warm_up)));
  return text;
}

}  // namespace

std::string model_words(const report::ScenarioRecord& scenario) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  if (!resolved.model) return "";
  if (resolved.model == report::ModelKind::tensors) return tensors_words(resolved.tensors);
  if (resolved.model == report::ModelKind::linear_regression) return "linear regression";
  std::string widths = std::to_string(scenario.features);
  std::string activations;
  for (const report::LayerRecord& layer : resolved.layers) {
    widths += "-" + std::to_string(layer.width);
    if (layer.normalization != catalogue::Normalization::none) join(activations, "layer norm");
    if (layer.activation != report::Activation::identity) join(activations, name_of(layer.activation));
  }
  return "multi-layer perceptron " + widths + (activations.empty() ? "" : " (" + activations + ")");
}

std::string scenario_words(const report::ScenarioRecord& scenario) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  std::string text = model_words(scenario);
  if (resolved.task == report::Task::update) {
    join(text, "update by given gradients");
    join(text, resolved.dtype_name());
  } else {
    join(text, std::to_string(scenario.rows) + " rows x " + counted(scenario.features, "feature"));
    join(text, batch_words(scenario));
    join(text, resolved.dtype_name());
    std::string loss = resolved.loss ? name_of(*resolved.loss) : "";
    std::replace(loss.begin(), loss.end(), '_', ' ');
    join(text, loss);
  }
  join(text, resolved.task == report::Task::forward ? "the loss alone" : optimizer_words(resolved));
  if (resolved.task == report::Task::gradients) {
    join(text, counted(scenario.outputs, "gradient") + " per step");
  }
  join(text, counted(scenario.parameters, "parameter"));
  join(text, operations_words(scenario.operations_per_step) + " per step");
  return text;
}

std::string revision_words(const report::Report& report, std::size_t digits) {
  return report::revision_of(Json::parse(report.environment), digits);
}

std::string environment_words(const report::Report& report) {
  const Json environment = Json::parse(report.environment);
  std::string text = text_at(environment, "/cpu/model");
  const Json::json_pointer processors("/cpu/logical_processors");
  if (environment.contains(processors) && environment[processors].is_number_integer()) {
    join(text, counted(environment[processors].get<std::size_t>(), "logical processor"));
  }
  join(text, text_at(environment, "/kernel"));
  join(text, text_at(environment, "/build/compiler"));
  constexpr std::size_t kDigits = 12;
  if (const std::string revision = revision_words(report, kDigits); !revision.empty()) join(text, "git " + revision);
  return text;
}

namespace {

std::string rates_words(const report::VectorCeilings& best) {
  return "FMA " + format_number(best.fma_f32_gflop_per_second) + " GFLOP/s f32, " +
         format_number(best.fma_f64_gflop_per_second) + " f64" +
         (best.bf16_gflop_per_second.value_or(0) > 0
              ? ", products " + format_number(*best.bf16_gflop_per_second) + " bf16"
              : "");
}

std::string functions_words(const report::VectorCeilings& best) {
  if (!best.functions_f32) return "";
  const report::FunctionCeilings& functions = *best.functions_f32;
  const auto either = [](const char* name, double divided, double refined) {
    std::string words = std::string(", ") + name + " " + format_number(divided);
    return refined > 0 ? words + " or " + format_number(refined) + " refined" : words;
  };
  return "; f32 a ns: exp " + format_number(functions.exponentials_per_ns) +
         either("division", functions.divisions_per_ns, functions.refined_divisions_per_ns) +
         either("root", functions.roots_per_ns, functions.refined_roots_per_ns);
}

std::string spans_words(const report::VectorCeilings& best) {
  std::string spans;
  for (const report::SpanCeiling& found : best.spans.value_or(std::vector<report::SpanCeiling>())) {
    const report::Span& span = found.span;
    const std::string arrays = span.written == 0 ? " read "
                                                 : " with " + std::to_string(span.written) + " of " +
                                                       counted(span.read_only + span.written, "array") + " written ";
    join(spans, format_bytes(static_cast<double>(span.bytes)) + arrays + format_number(found.gb_per_second));
  }
  return spans.empty() ? "" : "; GB/s of spans: " + spans;
}

}  // namespace

std::string ceilings_words(const report::Report& report) {
  if (!report.ceilings || !report.ceilings->best) return "";
  const report::VectorCeilings& best = *report.ceilings->best;
  const auto of_one_thread = std::ranges::count_if(
      report.ceilings->measurements, [](const report::CeilingsMeasurement& measured) { return !measured.threads; });
  std::string text = "ceilings of processor " + std::to_string(report.ceilings->processor) + " (" + best.vectors +
                     ", best of " + counted(of_one_thread, "measurement") + "): " + rates_words(best) + ", latency " +
                     format_duration_ns(best.fma_f32_latency_ns) + functions_words(best) + "; GB/s read/updated:";
  std::string levels;
  for (const report::LevelCeiling& level : best.levels) {
    join(levels,
         level.level + " " + format_number(level.read_gb_per_second) + "/" + format_number(level.update_gb_per_second));
  }
  text += " " + levels + spans_words(best);
  for (const report::TeamCeilings& team : report.ceilings->teams.value_or(std::vector<report::TeamCeilings>())) {
    text += "; " + counted(static_cast<std::size_t>(team.threads), "thread") + ": " + rates_words(team.best) +
            spans_words(team.best);
  }
  return text;
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

std::string script_words(const report::ScriptTime& script, const std::string& name) {
  const bool returns_memory = script.page_faults.value_or(0) >= 1;
  const std::string text = "in a script " + name + " takes " + format_ratio(script.ratio) + " as long";
  if (!returns_memory) {
    return text + ", which lets the garbage collector run: gc.freeze() before the loop, gc.disable() within it";
  }
  return text + ", with " + format_number(*script.page_faults) +
         " page faults a step: it gives freed memory back; bytearray(30 << 20) at its start keeps it";
}

std::vector<std::string> notes_of(const report::Report& report) {
  std::vector<std::string> notes;
  for (const report::Cell& cell : report.cells) {
    if (cell.arm == report::kControlArm || !cell.summary || !cell.summary->script) continue;
    if (!report::is_named(*cell.summary->script)) continue;
    notes.push_back(script_words(*cell.summary->script, cell.id));
  }
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  return notes;
}

std::string timed_name(const report::Cell& cell) {
  return row_name(cell) + " (" + format_duration_ns(cell.summary->step_ns.value) + ")";
}

std::string counts_words(const report::Report& report) {
  using report::CellState;
  constexpr std::array kStates = {CellState::ok,        CellState::unsupported, CellState::wrong,  CellState::crashed,
                                  CellState::timed_out, CellState::untrusted,   CellState::pending};
  std::map<CellState, std::int64_t> counts;
  std::int64_t all = 0;
  for (const report::Cell& cell : report.cells) {
    if (cell.arm == report::kControlArm) continue;
    ++all;
    ++counts[cell.status.state];
  }
  return counts_by_kind(counted(all, "cell"), kStates, [&](CellState state) { return counts[state]; });
}

std::string control_words(const ScenarioTable& table) {
  if (table.controls.empty()) return "";
  const Row& row = table.controls.front();
  for (const report::Control& control : row.report->controls.value_or(std::vector<report::Control>())) {
    if (control.cell != row.cell->id) continue;
    const stats::Comparison& comparison = control.comparison;
    const stats::Estimate& ratio = comparison.ratio;
    std::string text = "control: " + row.cell->implementation + " against itself: " + format_change(ratio);
    const bool dirty = comparison.verdict == stats::Verdict::faster || comparison.verdict == stats::Verdict::slower;
    return text + (dirty ? ": this machine was unfit, there are no verdicts." : ".");
  }
  return "";
}

std::string reduced_rate_words(const ScenarioTable& table) {
  std::vector<std::string> rows;
  for (const Row& row : timed_rows(table)) {
    const std::optional<report::Block>& block = row.cell->block;
    if (block && block->reduced_learning_rate)
      rows.push_back(row_name(*row.cell) + " " + format_number(block->learning_rate));
  }
  if (rows.empty()) return "";
  return "timed in longer blocks than the scenario has steps, with a smaller learning rate than its " +
         format_number(table.scenario->resolved.learning_rate) + ": " + joined(rows) + ".";
}

std::string traces_words(const ScenarioTable& table) {
  std::vector<std::string> rows;
  for (const Row& row : timed_rows(table)) {
    std::int64_t traces = 0;
    for (const report::Launch& launch : row.cell->launches) traces = std::max(traces, launch.traces.value_or(0));
    if (traces == 0) continue;
    const report::Summary& summary = *row.cell->summary;
    const double prepare_ns = 1e9 * (summary.prepare_seconds - summary.import_seconds.value_or(0));
    rows.push_back(cat(row_name(*row.cell), " ", format_duration_ns(prepare_ns + summary.first_step_ns), " for ",
                       counted(static_cast<std::size_t>(traces), "function")));
  }
  if (rows.empty()) return "";
  return "traced or compiled in preparing and the first step (a batch of another shape is one more): " + joined(rows) +
         ".";
}

std::string single_steps_words(const ScenarioTable& table) {
  std::int64_t steps = 0;
  std::vector<std::string> too_costly;
  for (const Row& row : timed_rows(table)) {
    const std::optional<report::SingleSteps>& single = row.cell->summary->single_steps;
    if (!single) continue;
    steps += single->steps;
    if (!are_telling(*single)) too_costly.push_back(row_name(*row.cell) + " " + format_percent(single->cost));
  }
  if (steps == 0) return "";
  std::string text = cat("p50 to max: of ", counted(static_cast<std::size_t>(steps), "step"), " timed one by one");
  if (too_costly.empty()) return text + ".";
  return cat(text, "; not of rows where that changes a step by more than ", format_percent(report::kMostCostOfTiming),
             ": ", joined(too_costly), ".");
}

std::string baseline_words(const ScenarioTable& table) {
  const auto row = std::ranges::find_if(table.ranked, [](const Row& r) { return r.is_baseline(); });
  if (row == table.ranked.end() || row->cell->implementation == row->report->run.baseline) return "";
  const std::string& name = row->report->run.baseline;
  return "ratios are to " + row_name(*row->cell) + ", the fastest" +
         (name.empty() ? "" : ": there is no time of the baseline, " + name) + ".";
}

std::string winner_words(const ScenarioTable& table) {
  const std::string label = table.scenario->label + ": ";
  const Ranking& ranking = table.ranking;
  if (ranking.fastest == nullptr) return label + "nothing was timed.";
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
  return label + "no winner: " + first + " cannot be distinguished from " + joined(names) +
         (remark.empty() ? "" : " (" + remark + ")") + ".";
}

std::vector<std::string> column_words() {
  return {
      "time per step, time/step: median over launches of the least block of each, without its first one.",
      "95%, [low, high]: its confidence interval over launches (Student's t below six).",
      "* wins: every other column's fastest is slower by the verdict of the paired comparison; = is not distinguished "
      "from the fastest. Without a mark there is no verdict, or there is no rank (in brackets).",
      "ratio, ratio to baseline: time over the baseline's in the same rounds, with its 95% interval; below 1 is "
      "faster. Without a time of the baseline, over the fastest's. On the first screen that of the place, or where "
      "there is no room, of the fastest.",
      "lead: time of the runner-up, the fastest of another column, over that of the winner in the same rounds.",
      "verdict: faster or slower only where the whole interval is beyond the margin, equivalent where all of it is "
      "within.",
      "not ranked: policies (+NAME) and implementations without arithmetic, and rows that used more processors than "
      "they have threads.",
      "GFLOP/s: operations that the algorithm needs, over the time. launches: processes x timed blocks in each.",
      "of ceiling: the step's floor over its time. The floor is the longest of: operations / rate, named by the kind "
      "that takes most of it (fma, exp, or div for divisions and roots); least bytes / bandwidth of a "
      "span as long, named by what holds it (L1 to memory); dependent operations of a step x their latency (chain). "
      "Each launch measures them between its cells' blocks; the share is the median over launches. Above 100% (!) a "
      "ceiling was measured too low; a row that is further beyond is untrusted.",
      "peak memory: resident, of a worker; own memory: anonymous, the largest reading; device memory: the most of "
      "it, as the worker says. allocations: of the whole process in a step, counted apart.",
      "data: part of a profiled step that makes its batch, or waits for it where it is made ahead; -: below 0.5% or "
      "100 ns.",
      "exchange: part of a step that one of several processes is adding up gradients with the others, or waits for "
      "them; it keeps its processor busy.",
      "CPU/wall: processor time of all threads of a framework's process over wall time. import: loading the "
      "framework, once per process. after import: resident memory by then, a part of the peak.",
      "p50, p95, p99, max: of steps that --single-steps timed one by one; percentiles are medians over launches.",
      "cold: a step alone after the caches were filled with other data, over one after steps of its own, with its 95% "
      "interval; only where a step is long enough to be timed alone.",
      "page faults: of the whole process in a step, mostly fresh memory that the kernel has to clear, median over "
      "blocks; -: below 0.05, or unknown (ranks).",
      "difference per step, change: paired with the baseline's strategy on the same backend round by round, with 95% "
      "intervals; per call: the difference over the calls of a step, of kernels or of the framework.",
      "overtakes: proven to be faster per step, but ready later (load, prepare, first step, no imports); after so many "
      "steps it is "
      "ahead in all, with its 95% interval, wherever in the verdict's margin the difference of the steps lies.",
      "a, b, c: relative least squares, none negative; at most: 0 or not distinguished from it, with a one-sided 95% "
      "interval; "
      "0 (bound): in every resample, so that no limit is known; -: cannot be distinguished, or no arithmetic. worst "
      "miss: "
      "the largest error of the fit, over the measured time.",
      "time to target: ready and the steps to the target loss, with its 95% interval. ready: load, prepare (which "
      "compiles) and what the first step takes beyond a steady one; imports are counted apart. with evaluations: what "
      "a training takes that stops at the first evaluation at or below the target, the evaluations' own time included; "
      "-: the reference evaluated.",
      "speed-up: time of the same cell with one thread over its own in the same rounds, with its 95% interval; "
      "efficiency: over its threads. undivided: time less an equal share of that with one thread; where an "
      "implementation's step is shortest it bounds what so many threads cost each step.",
      "values of KEY: time with the first value of a key of --set; with each other one the ratio to it, paired round "
      "by round, with its 95% interval and verdict, and how many times the operations a step then has.",
      "control: a cell that is measured twice under two names; what it differs from itself by is the machine's doing.",
  };
}

std::string columns_help(int width) {
  std::string text;
  for (const std::string& words : column_words()) {
    text += paragraph(words, 0, static_cast<std::size_t>(width), Style::plain, false, 2);
  }
  return text;
}

std::vector<std::pair<std::string, std::size_t>> ordered(const NameCounts& counts) {
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  return order;
}

std::string counts_text(const NameCounts& counts, std::size_t most) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : ordered(counts)) {
    texts.push_back(name + (counts.size() > 1 ? " " + std::to_string(count) : ""));
  }
  return some_of(texts, most);
}

}  // namespace gdbench::answers
