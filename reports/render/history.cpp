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

constexpr std::size_t kRevisionLength = 12;

// "0123456789ab", "0123456789ab (changed)"; what is no revision stays whole.
std::string short_revision(const std::string& revision) {
  const std::size_t end = std::min(revision.find(' '), revision.size());
  const bool is_hash = revision.find_first_not_of("0123456789abcdef") >= end;
  return is_hash && end > kRevisionLength ? revision.substr(0, kRevisionLength) + revision.substr(end) : revision;
}

std::string change_words(const HistoryChange& change) {
  const std::string border = change.before == change.after
                                 ? "within " + short_revision(change.before) + " (not the code)"
                                 : short_revision(change.before) + " -> " + short_revision(change.after);
  const std::string built = change.remark.empty() ? "" : " (not built alike: " + change.remark + ")";
  return cat(border, ": ", format_change(change.comparison.ratio), " ", stats::name_of(change.comparison.verdict),
             built);
}

bool is_listed(const HistoryChange& change) { return change.comparison.verdict != Verdict::equivalent; }

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

std::string table_of(const History& history) {
  std::vector<std::vector<std::string>> rows;
  for (const HistoryCell& cell : history.cells) rows.push_back(row_of(cell));
  return text_table({{"cell"},
                     {"reports", true},
                     {"first", true},
                     {"level", true},
                     {"newest", true},
                     {"change", false},
                     {"verdict", false},
                     {"earlier changes of the level", false}},
                    rows);
}

std::string reports_words(const History& history) {
  std::set<std::string> revisions;
  for (const report::HistoryReport& report : history.reports) revisions.insert(report.revision);
  const auto [first, last] = std::ranges::minmax(history.reports, {}, &report::HistoryReport::started_at);
  return cat(counted(history.reports.size(), "report"), " of ", counted(revisions.size(), "revision"), " on ",
             history.machine.empty() ? "a machine that is not known" : history.machine, ", from ", first.started_at,
             " to ", last.started_at, ".\n");
}

std::string method_words(const History& history) {
  std::ptrdiff_t hidden = 0;
  for (const HistoryCell& cell : history.cells) hidden += std::ranges::count_if(cell.changes, std::not_fn(is_listed));
  return cat(
      "level: median of the reports since its last change, before the newest revision; change: of the newest to "
      "it, with what reports scatter by; slower and faster: all of it beyond the margin of ",
      format_percent(history.margin), ", at ", format_percent(history.confidence), " for all cells together (Holm).\n",
      hidden == 0 ? "" : "Levels also changed " + counted(hidden, "time") + " within the margin.\n");
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

std::string answer_words(const History& history) {
  constexpr std::array kOthers = {Verdict::faster, Verdict::equivalent, Verdict::inconclusive};
  const std::string revision = "The newest revision " + short_revision(history.revision);
  const std::vector<const HistoryCell*> slower = newest_with(history, Verdict::slower);
  if (slower.empty()) {
    return counts_by_kind(revision + " is not known to be slower", kOthers,
                          [&](Verdict verdict) { return newest_with(history, verdict).size(); }) +
           missing_words(history) + ".\n";
  }
  std::vector<std::string> names;
  for (const HistoryCell* cell : slower) {
    names.push_back(cell->id + " (" + format_change(cell->newest->comparison->ratio) + ")");
  }
  return cat(revision, " is slower in ", slower.size(), " of ", counted(history.cells.size(), "cell"), ": ",
             joined(names), missing_words(history), ".\n");
}

}  // namespace

std::string history_table(const History& history) {
  std::string text = table_of(history) + "\n" + reports_words(history) + method_words(history);
  text += machines_words(history);
  for (const std::string& note : history.notes) text += "Note: " + note + ".\n";
  return text + answer_words(history);
}

}  // namespace gdbench::render
