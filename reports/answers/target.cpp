#include "reports/answers/target.h"

#include <algorithm>
#include <limits>

#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::TargetState;

const report::TimeToTarget* time_of(const Row& row) {
  if (!row.timed() || !row.cell->summary->to_target) return nullptr;
  return &*row.cell->summary->to_target;
}

// Rows with a training to the target: by time, then those without.
std::vector<Row> rows_of(const ScenarioTable& table) {
  std::vector<Row> rows = all_rows(table);
  std::erase_if(rows, [](const Row& row) { return !row.cell->target; });
  const auto time_ns = [](const Row& row) {
    const report::TimeToTarget* time = time_of(row);
    return time != nullptr ? time->time_ns.value : std::numeric_limits<double>::infinity();
  };
  std::ranges::stable_sort(rows, {}, time_ns);
  return rows;
}

// "unreached: loss 0.31 after 10000 steps".
std::string outcome_words(const report::TargetRun& run) {
  const std::string skipped = skipped_words(run.skipped_steps);
  const std::string end = std::to_string(run.stopped_after) + " steps" + skipped;
  const std::string loss = ": loss " + format_number(run.loss) + " after " + end;
  switch (run.state) {
    case TargetState::reached:
      return "reached";
    case TargetState::unreached:
      return "unreached" + loss;
    case TargetState::diverged:
      return "diverged within " + end;
    case TargetState::cut:
      return "cut for lack of time" + loss;
  }
  return "";
}

}  // namespace

std::string target_first_words(const ScenarioTable& table) {
  const std::vector<Row> rows = rows_of(table);
  const auto first = std::ranges::find_if(rows, [](const Row& row) { return report::is_ranked(*row.cell); });
  if (first == rows.end() || time_of(*first) == nullptr || table.ranked.empty()) return "";
  const Row& fastest = table.ranked.front();
  if (fastest.cell == first->cell || !fastest.cell->target) return "";
  const analysis::Comparer comparer(*first->report);
  if (comparer.compare(*fastest.cell, *first->cell).verdict != stats::Verdict::slower) return "";
  const std::string start = row_name(*first->cell) + " reaches the target";
  const std::string end = ", though a step of that one takes less time.";
  if (time_of(fastest) == nullptr) return start + ", " + row_name(*fastest.cell) + " does not" + end;
  const stats::Comparison whole =
      analysis::compared(report::Quantity::time_to_target, 0, *fastest.cell, *first->cell, true)
          .compare(comparer.options(table.scenario->key));
  if (whole.verdict != stats::Verdict::faster) return "";
  return start + " before " + row_name(*fastest.cell) + ", in " + format_ratio(whole.ratio) + " of the time" + end;
}

Columns target_table(const ScenarioTable& table) {
  Columns text = {left("implementation"), right("steps", 1),        right("time/step", 2),
                  right("ready", 1),      right("time to target"),  right("with evaluations", 3),
                  right("import", 4),     right("skipped steps", 5)};
  for (const Row& row : rows_of(table)) {
    const report::TimeToTarget* time = time_of(row);
    if (time == nullptr) continue;
    const std::optional<std::int64_t>& skipped_steps = row.cell->target->skipped_steps;
    const std::optional<double>& import_seconds = row.cell->summary->import_seconds;
    add_row(text, {row_name(*row.cell), std::to_string(row.cell->target->steps),
                   format_duration_ns(row.cell->summary->step_ns.value),
                   time->ready_ns ? format_duration_ns(*time->ready_ns) : "-",
                   format_estimate_ns(time->time_ns) + process_mark(time->time_ns),
                   time->with_evaluations_ns ? format_duration_ns(time->with_evaluations_ns->value) : "-",
                   import_seconds ? format_duration_ns(*import_seconds * 1e9) : "-",
                   skipped_steps ? std::to_string(*skipped_steps) : "-"});
  }
  std::erase_if(text, [](const auto& column) {
    const bool may_lack = column.title == "import" || column.title == "skipped steps";
    return may_lack && std::ranges::all_of(column.texts, [](const std::string& t) { return t == "-"; });
  });
  return text;
}

std::string target_title(const ScenarioTable& table) {
  const std::vector<Row> rows = rows_of(table);
  if (rows.empty()) return "";
  const report::TargetRun& run = *rows.front().cell->target;
  std::string text =
      "time to target: loss " + format_number(run.target_loss) + " from " + format_number(run.initial_loss);
  const report::ResolvedScenario& resolved = table.scenario->resolved;
  if (resolved.evaluate_every) text += ", evaluated every " + std::to_string(*resolved.evaluate_every) + " steps";
  if (resolved.max_steps) text += ", at most " + std::to_string(*resolved.max_steps) + " steps";
  return text;
}

std::vector<std::string> target_sentences(const ScenarioTable& table) {
  std::vector<std::string> sentences;
  const std::vector<Row> rows = rows_of(table);
  for (const Row& row : rows) {
    const report::TargetRun& run = *row.cell->target;
    if (time_of(row) == nullptr) sentences.push_back(row_name(*row.cell) + " " + outcome_words(run) + ".");
  }
  if (const std::string words = target_first_words(table); !words.empty()) sentences.push_back(words);
  return sentences;
}

}  // namespace gdbench::answers
