#include "reports/render/history.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "harness/base/text.h"
#include "reports/render/format.h"

namespace gdbench::render {

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

std::string change_words(const HistoryChange& change) {
  const std::string remark = remark_words(change);
  return cat(border_words(change.before, change.after), ": ", format_change(change.comparison.ratio), " ",
             stats::name_of(change.comparison.verdict), remark.empty() ? "" : " (" + remark + ")");
}

std::string changes_words(const HistoryCell& cell) {
  std::vector<std::string> words;
  for (const HistoryChange& change : cell.changes) {
    if (is_listed(change)) words.push_back(change_words(change));
  }
  return joined(words, "; ");
}

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
          verdict_words(cell),
          changes_words(cell)};
}

std::string machines_words(const History& history) {
  std::string text;
  for (const report::SeparatedMachine& other : history.separated) {
    text += cat("Note: left out, of another machine than the base above: ", one_line(joined(other.files)), ": ",
                other.difference, ".\n");
  }
  return text;
}

std::vector<const HistoryCell*> newest_with(const History& history, Verdict verdict) {
  std::vector<const HistoryCell*> cells;
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
void add_newest(const History& history, const HistoryCell& cell, std::vector<HistoryMark>& marks) {
  if (!cell.newest || !cell.newest->comparison || cell.segments.empty()) return;
  const stats::Comparison& comparison = *cell.newest->comparison;
  if (comparison.verdict != Verdict::slower && comparison.verdict != Verdict::faster) return;
  const int before = cell.segments.back().last;
  marks.push_back({&cell, before, cell.newest->reports.front(), &comparison,
                   border_words(report_at(history, before).revision, history.revision), "the newest"});
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

TextTable history_cells(const std::vector<const HistoryCell*>& cells) {
  TextTable table = {{.title = "cell", .texts = {}},
                     {.title = "reports", .right_aligned = true, .texts = {}},
                     {.title = "first", .right_aligned = true, .texts = {}},
                     {.title = "level", .right_aligned = true, .texts = {}},
                     {.title = "newest", .right_aligned = true, .texts = {}},
                     {.title = "change", .texts = {}},
                     {.title = "verdict", .texts = {}},
                     {.title = "earlier changes of the level", .texts = {}}};
  for (const HistoryCell* cell : cells) add_row(table, row_of(*cell));
  return table;
}

std::string history_reports_words(const History& history) {
  std::set<std::string> revisions;
  for (const report::HistoryReport& report : history.reports) revisions.insert(report.revision);
  const auto [first, last] = std::ranges::minmax(history.reports, {}, &report::HistoryReport::started_at);
  return cat(counted(history.reports.size(), "report"), " of ", counted(revisions.size(), "revision"), " on ",
             history.machine.empty() ? "a machine that is not known" : history.machine, ", from ", first.started_at,
             " to ", last.started_at, ".");
}

std::string history_method_words(const History& history) {
  return cat(
      "level: median of the reports since its last change, before the newest revision; change: of the newest to "
      "it, with what reports scatter by; slower and faster: all of it beyond the margin of ",
      format_percent(history.margin), ", at ", format_percent(history.confidence), " for all cells together (Holm).");
}

std::string history_hidden_words(const History& history) {
  std::ptrdiff_t hidden = 0;
  for (const HistoryCell& cell : history.cells) hidden += std::ranges::count_if(cell.changes, std::not_fn(is_listed));
  return hidden == 0 ? "" : "Levels also changed " + counted(hidden, "time") + " within the margin.";
}

std::string history_answer(const History& history) {
  constexpr std::array kOthers = {Verdict::faster, Verdict::equivalent, Verdict::inconclusive};
  const std::string revision = "The newest revision " + short_revision(history.revision);
  const std::vector<const HistoryCell*> slower = newest_with(history, Verdict::slower);
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

std::vector<HistoryMark> history_marks(const History& history) {
  std::vector<HistoryMark> marks;
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

TextTable history_changes(const History& history, const std::vector<HistoryMark>& marks) {
  TextTable table = {{.title = "cell", .texts = {}},    {.title = "mark", .right_aligned = true, .texts = {}},
                     {.title = "change", .texts = {}},  {.title = "verdict", .texts = {}},
                     {.title = "between", .texts = {}}, {.title = "date", .texts = {}},
                     {.title = "remark", .texts = {}}};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const HistoryMark& mark = marks[i];
    const std::string before = day_of(report_at(history, mark.last_before));
    const std::string after = day_of(report_at(history, mark.first_after));
    add_row(table, {mark.cell->id, std::to_string(i + 1), format_change(mark.comparison->ratio),
                    stats::name_of(mark.comparison->verdict), mark.place,
                    before == after ? before : cat(before, " -> ", after), mark.remark});
  }
  return table;
}

std::string history_table(const History& history) {
  std::vector<const HistoryCell*> cells;
  for (const HistoryCell& cell : history.cells) cells.push_back(&cell);
  std::string text = plain_table(history_cells(cells)) + "\n" + history_reports_words(history) + "\n" +
                     history_method_words(history) + "\n";
  if (const std::string hidden = history_hidden_words(history); !hidden.empty()) text += hidden + "\n";
  text += machines_words(history);
  for (const std::string& note : history.notes) text += "Note: " + note + ".\n";
  return text + history_answer(history) + "\n";
}

}  // namespace gdbench::render
