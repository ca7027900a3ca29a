#include "reports/render/attribution.h"
#include "reports/render/render.h"
#include "reports/render/target.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

// Text that is safe in a table's cell and in running text.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (c == '|' || c == '*' || c == '<' || c == '_' || c == '`' || c == '\\' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

void add_table(const TextTable& table, std::string& text) {
  std::string header = "|";
  std::string rule = "|";
  for (const TextColumn& column : table) {
    header.append(" ").append(column.title).append(" |");
    rule += column.right_aligned ? " ---: |" : " --- |";
  }
  text += header + "\n" + rule + "\n";
  for (std::size_t row = 0; row < table.front().texts.size(); ++row) {
    text += "|";
    for (const TextColumn& column : table) text.append(" ").append(escaped(column.texts[row])).append(" |");
    text += "\n";
  }
  text += "\n";
}

// Nothing where there are no rows.
void add_titled(const std::string& title, const TextTable& table, std::string& text) {
  if (table.front().texts.empty()) return;
  text += escaped(title) + ":\n\n";
  add_table(table, text);
}

void add_target(const ScenarioTable& table, std::string& text) {
  const std::string title = target_title(table);
  if (title.empty()) return;
  text += escaped(title) + ":\n\n";
  if (const TextTable reached = target_table(table); !reached.front().texts.empty()) add_table(reached, text);
  const std::vector<std::string> sentences = target_sentences(table);
  for (const std::string& sentence : sentences) text += "- " + escaped(sentence) + "\n";
  if (!sentences.empty()) text += "\n";
}

void add_scenario(const ScenarioTable& table, const AttributionWords& attribution, std::string& text) {
  text += "## " + escaped(table.scenario->label) + "\n\n" + escaped(scenario_words(*table.scenario)) + "\n\n";
  if (!table.ranked.empty()) add_table(text_table(table.ranked), text);
  if (!table.unranked.empty()) {
    text += "Not ranked (policies, or no arithmetic):\n\n";
    add_table(text_table(table.unranked), text);
  }
  if (!table.untimed.empty()) {
    text += "| not timed | reason |\n| --- | --- |\n";
    for (const Row& row : table.untimed) {
      text += "| " + escaped(row_name(*row.cell)) + " | " + escaped(reason_of(*row.cell)) + " |\n";
    }
    text += "\n";
  }
  const std::string& key = table.scenario->key;
  add_titled(attribution.tax_title(), attribution.taxes(key), text);
  const std::vector<std::string> sentences = attribution.break_evens(key, false);
  for (const std::string& sentence : sentences) text += "- " + escaped(sentence) + "\n";
  if (!sentences.empty()) text += "\n";
  add_target(table, text);
  if (any_within_one_process(table)) text += escaped(kOneProcessMark) + " " + kOneProcessWords + "\n\n";
}

}  // namespace

std::string markdown(const result::Report& report) {
  std::string text = "# gdbench\n\n" + escaped(run_words(report.run)) + "\n\n";
  const std::string environment = environment_words(report.environment);
  if (!environment.empty()) text += escaped(environment) + "\n\n";
  const std::string ceilings = ceilings_words(report);
  if (!ceilings.empty()) text += escaped(ceilings) + "\n\n";
  const std::vector<ScenarioTable> tables = tables_of(report);
  const AttributionWords attribution(report);
  for (const ScenarioTable& table : tables) add_scenario(table, attribution, text);
  if (const TextTable fits = attribution.fits(); !fits.front().texts.empty()) {
    text += "## Costs\n\n";
    add_titled(kFitTitle, fits, text);
  }
  text += "## Summary\n\n" + counts_words(report) + "\n\n";
  for (const ScenarioTable& table : tables) text += "- " + escaped(winner_words(table)) + "\n";
  const std::string failed = failed_ceilings_words(report);
  if (!failed.empty()) text += "- " + escaped(failed) + "\n";
  for (const std::string& note : report.notes) text += "- note: " + escaped(note) + "\n";
  text += "\n";
  for (const std::string& line : legend(report)) text += escaped(line) + "\n";
  for (const std::string& line : attribution.legend()) text += escaped(line) + "\n";
  for (const std::string& line : target_legend(report)) text += escaped(line) + "\n";
  return text;
}

}  // namespace gdbench::render
