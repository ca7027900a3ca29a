#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/history.h"
#include "reports/answers/labels.h"

namespace gdbench::answers {

namespace {

using document::Series;
using report::History;
using report::HistoryCell;

// Cells further apart than that are shown as multiples of their own first level: on one axis of times, changes of some
// per cent could not be seen.
constexpr double kMostSpread = 3;
// How much of a revision's place its reports take up, and what is left free above and below the outermost time.
constexpr double kShareOfSlot = 0.6;
constexpr double kRoomAround = 1.02;
constexpr std::size_t kDigits = 7;  // of a revision at the axis
constexpr std::size_t kMostColumns = 10;
constexpr std::size_t kMostRevisions = 8;  // that have words at the axis

// What distinguishes a cell from the others of its scenario: its id without the scenario's label.
std::string name_of_cell(const HistoryCell& cell) { return short_id(cell.label, cell.id); }

// Where each report stands: a place of width 1 for each revision, its reports side by side in it.
class Places {
 public:
  explicit Places(const History& history) {
    std::vector<std::size_t> counts;  // of reports of each revision
    for (std::size_t i = 0; i < history.reports.size(); ++i) {
      if (i == 0 || history.reports[i].revision != history.reports[i - 1].revision) {
        counts.push_back(0);
        first_reports_.push_back(i);
      }
      slots_.emplace_back(counts.size() - 1, counts.back()++);
    }
    for (const auto& [slot, place] : slots_) {
      const double aside = (static_cast<double>(place) + 0.5) / static_cast<double>(counts[slot]) - 0.5;
      at_.push_back(static_cast<double>(slot) + kShareOfSlot * aside);
    }
  }

  double at(int report) const { return at_[static_cast<std::size_t>(report)]; }
  double newest() const { return static_cast<double>(first_reports_.size()) - 1; }
  // Of each revision.
  const std::vector<std::size_t>& first_reports() const { return first_reports_; }
  // Between two reports: where the later one's revision begins, or in the middle where they are of one.
  double border(int before, int after) const {
    return slot_of(before) == slot_of(after) ? (at(before) + at(after)) / 2 : static_cast<double>(slot_of(after)) - 0.5;
  }

 private:
  std::size_t slot_of(int report) const { return slots_[static_cast<std::size_t>(report)].first; }

  std::vector<std::pair<std::size_t, std::size_t>> slots_;  // of reports: the revision, and which of its reports
  std::vector<std::size_t> first_reports_;
  std::vector<double> at_;
};

double first_level(const HistoryCell& cell) {
  return cell.segments.empty() ? cell.points.front().step_ns.value : cell.segments.front().level_ns.value;
}

bool are_far_apart(const HistoryCells& cells) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const HistoryCell* cell : cells) {
    low = std::min(low, first_level(*cell));
    high = std::max(high, first_level(*cell));
  }
  return high > kMostSpread * low;
}

class HistoryPicture {
 public:
  HistoryPicture(const History& history, const HistoryMarks& marks, const HistoryCells& cells)
      : history_(history),
        marks_(marks),
        cells_(cells),
        places_(history),
        as_ratios_(are_far_apart(cells)),
        low_(as_ratios_ ? 1 : first_level(*cells.front())),
        high_(low_) {}

  Figure figure() {
    // Cells that changed are named first, then others as long as there are hues.
    int named = 0;
    std::size_t grey = 0;
    for (const bool marked : {true, false}) {
      for (const HistoryCell* cell : cells_) {
        if (is_marked(marks_, *cell) != marked) continue;
        named < document::kHues ? add_named(*cell, named++) : add_grey(*cell, grey);
      }
    }
    plane_.across = {.title = "revision",
                     .text = &format_number,
                     .ends = stats::Interval{-0.5, places_.newest() + 0.5},
                     .ticks = ticks()};
    plane_.up = {.title = as_ratios_ ? "times the cell's first level" : "time per step",
                 .text = as_ratios_ ? &format_factor : &format_duration_ns,
                 .logarithmic = true,
                 .ends = stats::Interval{low_ / kRoomAround, high_ * kRoomAround}};
    plane_.bands = {{.range = {places_.newest() - 0.5, places_.newest() + 0.5}}};
    if (as_ratios_) plane_.rules.push_back({.at = 1, .upright = false});
    std::string sentence = add_flags();
    if (as_ratios_) sentence += " Each cell's times are multiples of its first level, as the cells lie far apart.";
    if (grey > 0) sentence += " Thin grey lines are " + counted(grey, "cell") + " more, without names.";
    return {.title = "Time per step over the revisions",
            .sentence = std::move(sentence),
            .chart = std::move(plane_),
            .data = table()};
  }

 private:
  double value_of(const HistoryCell& cell, double time) const { return as_ratios_ ? time / first_level(cell) : time; }

  // With their intervals where these are wanted.
  Series points_of(const HistoryCell& cell, bool with_intervals) {
    Series series{.name = name_of_cell(cell), .line = document::Line::none};
    for (const report::HistoryPoint& point : cell.points) {
      const double value = value_of(cell, point.step_ns.value);
      series.points.push_back({places_.at(point.report), value});
      if (with_intervals) {
        const stats::Interval& ends = point.step_ns.interval;
        series.points.back().interval = stats::Interval{value_of(cell, ends.low), value_of(cell, ends.high)};
      }
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
    return series;
  }

  void add_grey(const HistoryCell& cell, std::size_t& count) {
    Series series = points_of(cell, false);
    series.look.hue = document::kGrey;
    series.line = document::Line::thin;
    series.named = false;
    plane_.series.push_back(std::move(series));
    ++count;
  }

  void add_named(const HistoryCell& cell, int hue) {
    for (const report::HistorySegment& segment : cell.segments) {
      add_level(cell, hue, segment.first, segment.last, segment.level_ns.value);
    }
    if (cell.newest) {
      add_level(cell, hue, cell.newest->reports.front(), cell.newest->reports.back(), cell.newest->step_ns.value);
    }
    Series series = points_of(cell, true);
    series.look = document::look_of(hue);
    series.marked = true;
    plane_.series.push_back(std::move(series));
  }

  // A little further than its reports, so that one of a single report is seen.
  void add_level(const HistoryCell& cell, int hue, int first, int last, double time) {
    constexpr double kBeyond = (1 - kShareOfSlot) / 2;
    const double value = value_of(cell, time);
    plane_.series.push_back({.name = name_of_cell(cell) + ", level",
                             .look = document::look_of(hue),
                             .named = false,
                             .points = {{places_.at(first) - kBeyond, value}, {places_.at(last) + kBeyond, value}}});
  }

  // Every place that has room for its words, counted back from the newest.
  std::vector<std::pair<double, std::string>> ticks() const {
    const std::vector<std::size_t>& firsts = places_.first_reports();
    const std::size_t every = (firsts.size() + kMostRevisions - 1) / kMostRevisions;
    std::vector<std::pair<double, std::string>> ticks;
    for (std::size_t slot = (firsts.size() - 1) % every; slot < firsts.size(); slot += every) {
      const std::string revision = short_revision(history_.reports[firsts[slot]].revision, kDigits);
      ticks.emplace_back(static_cast<double>(slot), cut(revision.substr(0, revision.find(' ')), kMostColumns));
    }
    return ticks;
  }

  // Of the marks of these cells; returns what the picture shows.
  std::string add_flags() {
    std::map<double, std::string> flags;  // by place
    std::string changes;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const HistoryMark& mark = marks_[i];
      if (std::ranges::find(cells_, mark.cell) == cells_.end()) continue;
      const std::string verdict = stats::name_of(mark.comparison->verdict);
      join(flags[places_.border(mark.last_before, mark.first_after)], cat(i + 1, " ", verdict));
      join(changes, cat(name_of_cell(*mark.cell), " ", verdict, " at ", i + 1));
    }
    for (const auto& [place, text] : flags) plane_.rules.push_back({.at = place, .text = text});
    return (changes.empty() ? "" : "Numbered are changes of a level: " + changes + ". ") +
           "Marks are reports with their 95% intervals, as far as the picture reaches; lines are levels; revisions go "
           "from the oldest to the newest, which has a band.";
  }

  Columns table() const {
    Columns table = {left("revision"), left("date"), right("report")};
    std::map<std::pair<const HistoryCell*, int>, const stats::Estimate*> times;
    for (const HistoryCell* cell : cells_) {
      table.push_back(right(name_of_cell(*cell)));
      for (const report::HistoryPoint& point : cell->points) times[{cell, point.report}] = &point.step_ns;
    }
    for (std::size_t i = 0; i < history_.reports.size(); ++i) {
      const report::HistoryReport& report = history_.reports[i];
      std::vector<std::string> texts = {short_revision(report.revision), day_of(report), std::to_string(i + 1)};
      for (const HistoryCell* cell : cells_) {
        const auto time = times.find({cell, static_cast<int>(i)});
        texts.push_back(time == times.end() ? "-" : format_estimate_ns(*time->second));
      }
      add_row(table, texts);
    }
    return table;
  }

  const History& history_;
  const HistoryMarks& marks_;
  const HistoryCells& cells_;
  Places places_;
  bool as_ratios_;
  double low_;  // of the values; a ratio of 1 is among them
  double high_;
  document::Plane plane_;
};

}  // namespace

Figure history_figure(const History& history, const HistoryMarks& marks, const HistoryCells& cells) {
  return HistoryPicture(history, marks, cells).figure();
}

}  // namespace gdbench::answers
