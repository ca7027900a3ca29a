#include "reports/answers/history.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::History;
using report::HistoryCell;
using report::HistoryChange;
using stats::Verdict;

std::string border_words(const std::string& before, const std::string& after) {
  return before == after ? "within " + short_revision(before) + " (not the code)"
                         : short_revision(before) + " -> " + short_revision(after);
}

std::string remark_words(const HistoryChange& change) {
  return change.remark.empty() ? "" : "not built alike: " + change.remark;
}

bool is_listed(const HistoryChange& change) { return change.comparison.verdict != Verdict::equivalent; }

std::string verdict_words(const HistoryCell& cell) {
  if (!cell.newest) return cell.remark;
  return cell.newest->comparison ? stats::name_of(cell.newest->comparison->verdict) : "new";
}

std::vector<std::string> row_of(const HistoryCell& cell) {
  const bool is_judged = cell.newest && cell.newest->comparison;
  return {cell.id,
          std::to_string(cell.points.size()),
          format_duration_ns(cell.points.front().step_ns.value),
          cell.segments.empty() ? "-" : format_duration_ns(cell.segments.back().level_ns.value),
          cell.newest ? format_duration_ns(cell.newest->step_ns.value) : "-",
          is_judged ? format_change(cell.newest->comparison->ratio) : "-",
          verdict_words(cell)};
}

HistoryCells newest_with(const History& history, Verdict verdict) {
  HistoryCells cells;
  for (const HistoryCell& cell : history.cells) {
    if (cell.newest && cell.newest->comparison && cell.newest->comparison->verdict == verdict) cells.push_back(&cell);
  }
  return cells;
}

// What the newest revision lacks.
std::string missing_words(const History& history) {
  const auto missing = std::ranges::count_if(history.cells, [](const HistoryCell& cell) { return !cell.newest; });
  return missing == 0 ? "" : ", " + counted(missing, "cell") + " without a time";
}

const report::HistoryReport& report_at(const History& history, int number) {
  return history.reports[static_cast<std::size_t>(number)];
}

// Of the newest revision, where it is slower or faster.
void add_newest(const History& history, const HistoryCell& cell, HistoryMarks& marks) {
  if (!cell.newest || !cell.newest->comparison || cell.segments.empty()) return;
  const stats::Comparison& comparison = *cell.newest->comparison;
  if (comparison.verdict != Verdict::slower && comparison.verdict != Verdict::faster) return;
  const int before = cell.segments.back().last;
  marks.push_back({&cell, before, cell.newest->reports.front(), &comparison,
                   border_words(report_at(history, before).revision, history.revision), "the newest"});
}

std::string reports_words(const History& history) {
  std::set<std::string> revisions;
  for (const report::HistoryReport& report : history.reports) revisions.insert(report.revision);
  const auto [first, last] = std::ranges::minmax(history.reports, {}, &report::HistoryReport::started_at);
  return cat(counted(history.reports.size(), "report"), " of ", counted(revisions.size(), "revision"), " on ",
             history.machine.empty() ? "a machine that is not known" : history.machine, ", from ", first.started_at,
             " to ", last.started_at, ".");
}

std::string method_words(const History& history) {
  return cat(
      "level: median of the reports since its last change, before the newest revision; change: of the newest to "
      "it, with what reports scatter by; slower and faster: all of it beyond the margin of ",
      format_percent(history.margin), ", at ", format_percent(history.confidence), " for all cells together (Holm).");
}

std::string hidden_words(const History& history) {
  std::ptrdiff_t hidden = 0;
  for (const HistoryCell& cell : history.cells) hidden += std::ranges::count_if(cell.changes, std::not_fn(is_listed));
  return hidden == 0 ? "" : "Levels also changed " + counted(hidden, "time") + " within the margin.";
}

std::string answer_words(const History& history) {
  constexpr std::array kOthers = {Verdict::faster, Verdict::equivalent, Verdict::inconclusive};
  const std::string revision = "The newest revision " + short_revision(history.revision);
  const HistoryCells slower = newest_with(history, Verdict::slower);
  if (slower.empty()) {
    return counts_by_kind(revision + " is not known to be slower", kOthers,
                          [&](Verdict verdict) { return newest_with(history, verdict).size(); }) +
           missing_words(history) + ".";
  }
  std::vector<std::string> names;
  for (const HistoryCell* cell : slower) {
    names.push_back(cell->id + " (" + format_change(cell->newest->comparison->ratio) + ")");
  }
  return cat(revision, " is slower in ", slower.size(), " of ", counted(history.cells.size(), "cell"), ": ",
             joined(names), missing_words(history), ".");
}

HistoryMarks marks_of(const History& history) {
  HistoryMarks marks;
  for (const HistoryCell& cell : history.cells) {
    for (const HistoryChange& change : cell.changes) {
      if (!is_listed(change)) continue;
      marks.push_back({&cell, change.last_before, change.first_after, &change.comparison,
                       border_words(change.before, change.after), remark_words(change)});
    }
    add_newest(history, cell, marks);
  }
  std::ranges::stable_sort(marks, {}, &HistoryMark::first_after);
  return marks;
}

Columns changes_table(const History& history, const HistoryMarks& marks) {
  Columns table = {left("cell"),    right("mark"),   left("change"), left("verdict"),
                   left("between"), left("date", 1), left("remark")};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const HistoryMark& mark = marks[i];
    const std::string before = day_of(report_at(history, mark.last_before));
    const std::string after = day_of(report_at(history, mark.first_after));
    add_row(table, {mark.cell->id, std::to_string(i + 1), format_change(mark.comparison->ratio),
                    stats::name_of(mark.comparison->verdict), mark.place,
                    before == after ? before : cat(before, " -> ", after), mark.remark});
  }
  if (std::ranges::all_of(table.back().texts, &std::string::empty)) table.pop_back();
  return table;
}

Columns cells_table(const HistoryCells& cells) {
  Columns table = {left("cell"),    right("reports", 2), right("first", 1), right("level"),
                   right("newest"), left("change"),      left("verdict")};
  for (const HistoryCell* cell : cells) add_row(table, row_of(*cell));
  return table;
}

Columns reports_table(const History& history) {
  Columns table = {left("revision"), right("report"), left("committed"), left("measured"), left("file")};
  for (std::size_t i = 0; i < history.reports.size(); ++i) {
    const report::HistoryReport& report = history.reports[i];
    add_row(table, {report.revision, std::to_string(i + 1), report.committed_at.empty() ? "-" : report.committed_at,
                    report.started_at, report.file});
  }
  return table;
}

// Cells of each scenario, by its key: one that changed has another key under the same label.
std::vector<std::pair<std::string, HistoryCells>> by_scenario(const History& history) {
  std::vector<std::pair<std::string, HistoryCells>> scenarios;
  for (const HistoryCell& cell : history.cells) entry_of(scenarios, cell.scenario).push_back(&cell);
  return scenarios;
}

Blocks scenario_blocks(const History& history, const HistoryMarks& marks, const HistoryCells& cells) {
  constexpr std::size_t kMostUnchanged = 8;  // more cells without a change than these are folded
  HistoryCells changed;
  HistoryCells others;
  for (const HistoryCell* cell : cells) (is_marked(marks, *cell) ? changed : others).push_back(cell);
  Blocks blocks;
  blocks.figure(history_figure(history, marks, cells));
  if (others.size() <= kMostUnchanged) {
    return blocks.table("The cells and their levels", cells_table(cells));
  }
  blocks.table("Cells that changed", cells_table(changed));
  return blocks.fold(counted(others.size(), "cell") + " without a change", Blocks().table("", cells_table(others)),
                     true);
}

Blocks evidence_blocks(const History& history) {
  return Blocks()
      .paragraph(method_words(history))
      .list(history.notes)
      .fold("All reports, by time", Blocks().table("", reports_table(history)));
}

}  // namespace

std::string short_revision(const std::string& revision, std::size_t digits) {
  const std::size_t end = std::min(revision.find(' '), revision.size());
  const bool is_hash = revision.find_first_not_of("0123456789abcdef") >= end;
  return is_hash && end > digits ? revision.substr(0, digits) + revision.substr(end) : revision;
}

std::string day_of(const report::HistoryReport& report) {
  const std::string& moment = report.committed_at.empty() ? report.started_at : report.committed_at;
  return moment.substr(0, moment.find('T'));
}

bool is_marked(const HistoryMarks& marks, const HistoryCell& cell) {
  return std::ranges::any_of(marks, [&](const HistoryMark& mark) { return mark.cell == &cell; });
}

Document document_of(const History& history) {
  Document document{.title = "gdbench history: times of cells over revisions",
                    .answer = {{answer_words(history), history.is_slower() ? Style::bad : Style::plain}}};
  const HistoryMarks marks = marks_of(history);
  if (marks.empty()) {
    document.answer.push_back({"No level changed beyond the margin of " + format_percent(history.margin) + "."});
  }
  document.section("", Blocks().paragraph(reports_words(history)));
  document.section("Where cells became slower or faster",
                   Blocks().table("", changes_table(history, marks)).paragraph(hidden_words(history)));
  for (const auto& [key, cells] : by_scenario(history)) {
    document.section(cells.front()->label, scenario_blocks(history, marks, cells));
  }
  for (const report::SeparatedMachine& other : history.separated) {
    Blocks machine;
    machine.paragraph("Times of another machine cannot be compared with those above: " + other.difference + ".");
    machine.paragraph("Given alone, its reports are a history of their own: " + joined(other.files) + ".");
    document.section("Left out, another machine: " + (other.machine.empty() ? "not known" : other.machine),
                     std::move(machine));
  }
  document.section("Evidence", evidence_blocks(history));
  return document;
}

}  // namespace gdbench::answers
