#include "reports/render/markdown.h"

#include "harness/base/text.h"
#include "reports/document/writers.h"
#include "reports/render/attribution.h"
#include "reports/render/builds.h"
#include "reports/render/grid.h"
#include "reports/render/overview_sentences.h"
#include "reports/render/scaling.h"
#include "reports/render/target.h"
#include "reports/render/values.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

// Nothing where there are no words.
void add_paragraph(const std::string& words, std::string& text) {
  if (!words.empty()) text += markdown_escaped(words) + "\n\n";
}

void add_items(const std::vector<std::string>& sentences, std::string& text) {
  for (const std::string& sentence : sentences) text += "- " + markdown_escaped(sentence) + "\n";
}

void add_list(const std::vector<std::string>& sentences, std::string& text) {
  add_items(sentences, text);
  if (!sentences.empty()) text += "\n";
}

void add_table(const TextTable& table, std::string& text) { text += document::markdown_table(table); }

// Nothing where there are no rows.
void add_titled(const std::string& title, const TextTable& table, std::string& text) {
  if (table.front().texts.empty()) return;
  text += markdown_escaped(title) + ":\n\n";
  add_table(table, text);
}

void add_target(const ScenarioTable& table, std::string& text) {
  const std::string title = target_title(table);
  if (title.empty()) return;
  text += markdown_escaped(title) + ":\n\n";
  if (const TextTable reached = target_table(table); !reached.front().texts.empty()) add_table(reached, text);
  add_list(target_sentences(table), text);
}

// What the console's first screen has, in full width.
void add_overview(const report::Report& report, std::string& text) {
  const Overview overview = overview_of(report);
  constexpr std::size_t kWidestLabel = 60;
  if (!overview.rows.empty() && !overview.columns.empty()) {
    add_table(overview.turned ? turned_table(overview, kWidestLabel)
                              : grid_table(overview, all_parts(overview), kWidestLabel),
              text);
    add_paragraph(hidden_words(overview, kMaxRows), text);
    add_paragraph(grid_words(overview, true, true), text);
  }
  for (const Sentence& sentence : sentences_of(overview)) text += "- " + markdown_escaped(sentence.text) + "\n";
  text += "\n";
}

void add_scenario(const ScenarioTable& table, const AttributionWords& attribution, const ScalingWords& scaling,
                  const ValueWords& values, std::string& text) {
  text += "## " + markdown_escaped(table.scenario->label) + "\n\n" + markdown_escaped(scenario_words(*table.scenario)) +
          "\n\n";
  if (!table.ranked.empty()) add_table(text_table(table.ranked), text);
  if (!table.unranked.empty()) {
    text += std::string("Not ranked ") + kNotRankedWords + ":\n\n";
    add_table(text_table(table.unranked), text);
  }
  add_paragraph(baseline_words(table), text);
  if (!table.untimed.empty()) {
    text += "| not timed | reason |\n| --- | --- |\n";
    for (const UntimedRows& group : untimed_groups(table.untimed)) {
      text += "| " + markdown_escaped(joined(group.names)) + " | " + markdown_escaped(reason_of(*group.cell)) + " |\n";
    }
    text += "\n";
  }
  const std::string& key = table.scenario->key;
  add_titled(attribution.tax_title(), attribution.taxes(key), text);
  add_list(attribution.break_evens(key, false), text);
  add_titled(kScalingTitle, scaling.of_scenario(key), text);
  for (const TitledTable& one : values.of_scenario(key)) add_titled(one.title, one.table, text);
  add_target(table, text);
  add_paragraph(reduced_rate_words(table), text);
  add_paragraph(control_words(table), text);
  if (any_within_one_process(table)) text += markdown_escaped(kOneProcessMark) + " " + kOneProcessWords + "\n\n";
}

}  // namespace

std::string markdown_table(const std::vector<PlainColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  return document::markdown_table(by_columns({.columns = columns, .rows = rows}));
}

std::string markdown(const report::Report& report) {
  std::string text = "# gdbench\n\n";
  for (const std::string& words : {run_words(report.run), environment_words(report), ceilings_words(report)}) {
    add_paragraph(words, text);
  }
  add_overview(report, text);
  const std::vector<ScenarioTable> tables = tables_of(report);
  const AttributionWords attribution(report);
  const ScalingWords scaling(report);
  const ValueWords values(report);
  for (const ScenarioTable& table : tables) add_scenario(table, attribution, scaling, values, text);
  if (const TextTable fits = attribution.fits(); !fits.front().texts.empty()) {
    text += "## Costs\n\n";
    add_titled(kFitTitle, fits, text);
  }
  if (const TextTable costs = scaling.costs(); !costs.front().texts.empty()) {
    text += "## Threads\n\n";
    add_titled(kThreadCostsTitle, costs, text);
  }
  text += "## Summary\n\n" + counts_words(report) + "\n\n";
  std::vector<std::string> summary;
  for (const ScenarioTable& table : tables) summary.push_back(winner_words(table));
  if (const std::string failed = failed_ceilings_words(report); !failed.empty()) summary.push_back(failed);
  for (const std::string& words : condition_warnings(report)) summary.push_back("warning: " + words);
  for (const std::string& note : notes_of(report)) summary.push_back("note: " + note);
  for (const std::string& build : build_words(report)) summary.push_back(build);
  add_items(summary, text);
  text += "\n";
  add_items(column_words(), text);
  return text;
}

}  // namespace gdbench::render
