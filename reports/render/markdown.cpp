#include "reports/render/render.h"
#include "reports/render/table.h"
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

void add_timed_rows(const std::vector<Row>& rows, std::string& text) {
  std::string header = "|";
  std::string rule = "|";
  for (const Column& column : columns()) {
    if (column.title == nullptr) continue;
    header.append(" ").append(column.title).append(" |");
    rule += column.right_aligned ? " ---: |" : " --- |";
  }
  text += header + "\n" + rule + "\n";
  for (const Row& row : rows) {
    text += "|";
    for (const Column& column : columns()) {
      if (column.title != nullptr) text.append(" ").append(escaped(column.text(row))).append(" |");
    }
    text += "\n";
  }
  text += "\n";
}

void add_scenario(const ScenarioTable& table, std::string& text) {
  text += "## " + escaped(table.scenario->label) + "\n\n" + escaped(scenario_words(*table.scenario)) + "\n\n";
  if (!table.ranked.empty()) add_timed_rows(table.ranked, text);
  if (!table.unranked.empty()) {
    text += "Not ranked (policies, or no arithmetic):\n\n";
    add_timed_rows(table.unranked, text);
  }
  if (!table.untimed.empty()) {
    text += "| not timed | reason |\n| --- | --- |\n";
    for (const Row& row : table.untimed) {
      text += "| " + escaped(row_name(*row.cell)) + " | " + escaped(reason_of(*row.cell)) + " |\n";
    }
    text += "\n";
  }
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
  for (const ScenarioTable& table : tables) add_scenario(table, text);
  text += "## Summary\n\n" + counts_words(report) + "\n\n";
  for (const ScenarioTable& table : tables) text += "- " + escaped(winner_words(table)) + "\n";
  const std::string failed = failed_ceilings_words(report);
  if (!failed.empty()) text += "- " + escaped(failed) + "\n";
  for (const std::string& note : report.notes) text += "- note: " + escaped(note) + "\n";
  text += "\n";
  for (const std::string& line : legend(report)) text += escaped(line) + "\n";
  return text;
}

}  // namespace gdbench::render
