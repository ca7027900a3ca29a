#include "reports/page/history_figure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/page/parts.h"
#include "reports/render/explanation.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using render::HistoryMark;
using report::HistoryCell;
using report::HistoryPoint;

// Cells further apart than that are shown as multiples of their own first level: on one axis of times, changes of some
// per cent could not be seen.
constexpr double kMostSpread = 3;
// How much of a revision's place its reports take up, and what is left free above and below the outermost time.
constexpr double kShareOfSlot = 0.6;
constexpr double kRoomAround = 1.02;
constexpr std::size_t kDigits = 7;  // of a revision at the axis
constexpr double kGap = 10;         // between words at the axis
constexpr std::size_t kMostColumns = 10;

// Where each report stands: a place as wide as the others for each revision, its reports side by side in it.
class Places {
 public:
  Places(const report::History& history, double left, double right) : left_(left) {
    std::vector<std::size_t> counts;  // of reports of each revision
    for (std::size_t i = 0; i < history.reports.size(); ++i) {
      if (i == 0 || history.reports[i].revision != history.reports[i - 1].revision) {
        counts.push_back(0);
        first_reports_.push_back(i);
      }
      slots_.emplace_back(counts.size() - 1, counts.back()++);
    }
    width_ = (right - left) / static_cast<double>(counts.size());
    for (const auto& [slot, place] : slots_) {
      const double beside = (static_cast<double>(place) + 0.5) / static_cast<double>(counts[slot]) - 0.5;
      at_.push_back(middle_of(slot) + width_ * kShareOfSlot * beside);
    }
  }

  double at(int report) const { return at_[static_cast<std::size_t>(report)]; }
  double width() const { return width_; }
  double middle_of(std::size_t slot) const { return left_ + width_ * (static_cast<double>(slot) + 0.5); }
  // Of each revision.
  const std::vector<std::size_t>& first_reports() const { return first_reports_; }
  // Between two reports: where the later one's revision begins, or in the middle where they are of one.
  double border(int before, int after) const {
    return slot_of(before) == slot_of(after) ? (at(before) + at(after)) / 2 : middle_of(slot_of(after)) - width_ / 2;
  }

 private:
  std::size_t slot_of(int report) const { return slots_[static_cast<std::size_t>(report)].first; }

  std::vector<std::pair<std::size_t, std::size_t>> slots_;  // of reports: the revision, and which of its reports
  std::vector<std::size_t> first_reports_;
  std::vector<double> at_;
  double left_;
  double width_ = 0;
};

std::vector<Flag> flags_of(const HistoryView& view, const Places& places) {
  std::map<double, std::string> texts;  // by place
  for (std::size_t i = 0; i < view.marks.size(); ++i) {
    const HistoryMark& mark = view.marks[i];
    if (std::ranges::find(view.cells, mark.cell) == view.cells.end()) continue;
    render::join(texts[places.border(mark.last_before, mark.first_after)],
                 cat(i + 1, " ", stats::name_of(mark.comparison->verdict)));
  }
  std::vector<Flag> flags;
  flags.reserve(texts.size());
  for (const auto& [x, text] : texts) flags.push_back({x, text});
  return flags;
}

double first_level(const HistoryCell& cell) {
  return cell.segments.empty() ? cell.points.front().step_ns.value : cell.segments.front().level_ns.value;
}

bool are_far_apart(const std::vector<const HistoryCell*>& cells) {
  Extent levels;
  for (const HistoryCell* cell : cells) levels.add_positive(first_level(*cell));
  return levels.high > kMostSpread * levels.low;
}

class HistoryPicture {
 public:
  HistoryPicture(Markup& markup, const HistoryView& view)
      : markup_(markup),
        view_(view),
        places_(view.history, PlotArea().left, PlotArea().right),
        flags_(flags_of(view, places_)),
        area_(area_below(flags_)),
        as_ratios_(are_far_apart(view.cells)) {
    // Cells that changed are named first, then others as long as there are hues.
    for (const bool marked : {true, false}) {
      for (const HistoryCell* cell : view.cells) {
        if (is_marked(view.marks, *cell) != marked) continue;
        (named_.size() < kHues ? named_ : grey_).push_back(cell);
      }
    }
    Extent values;
    for (const HistoryCell* cell : view.cells) {
      for (const HistoryPoint& point : cell->points) values.add_positive(value_of(*cell, point.step_ns.value));
    }
    if (as_ratios_) values.add(1);
    up_ = Scale::logarithmic(values.low / kRoomAround, values.high * kRoomAround, area_.bottom, area_.top);
  }

  double height() const { return area_.height(); }
  std::size_t unnamed() const { return grey_.size(); }
  bool as_ratios() const { return as_ratios_; }

  void draw() {
    axes();
    add_flags(markup_, area_, flags_);
    for (const HistoryCell* cell : grey_) draw_grey(*cell);
    std::vector<EndLabel> labels;
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const HistoryCell& cell = *named_[i];
      draw_named(cell, static_cast<int>(i));
      labels.push_back({y_of(cell, cell.points.back().step_ns.value), render::cut(name_of_cell(cell), kRoomOfMargin)});
    }
    add_end_labels(markup_, area_, std::move(labels));
  }

 private:
  double value_of(const HistoryCell& cell, double time) const { return as_ratios_ ? time / first_level(cell) : time; }
  double y_of(const HistoryCell& cell, double time) const { return up_.at(value_of(cell, time)); }

  void axes() {
    newest();
    add_ticks_up(markup_, area_, up_, 8, as_ratios_ ? &render::format_factor : &render::format_duration_ns);
    if (as_ratios_) add_line(markup_, area_.left, up_.at(1), area_.right, up_.at(1), "o");
    add_text(markup_, 0, 12, "q",
             as_ratios_ ? "times the cell's first level, logarithmic" : "time per step, logarithmic");
    // Words under every place that has room for them, counted back from the newest.
    const double widest = width_of("2026-01-01") + kGap;
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(widest / places_.width())));
    const std::vector<std::size_t>& firsts = places_.first_reports();
    for (std::size_t slot = 0; slot < firsts.size(); ++slot) {
      if ((firsts.size() - 1 - slot) % every != 0) continue;
      const report::HistoryReport& report = view_.history.reports[firsts[slot]];
      const double x = places_.middle_of(slot);
      const std::string revision = render::short_revision(report.revision, kDigits);
      add_text(markup_, x, area_.bottom + 16, "q m", render::cut(revision.substr(0, revision.find(' ')), kMostColumns));
      add_text(markup_, x, area_.bottom + 32, "q m", render::cut(render::day_of(report), kMostColumns));
    }
  }

  // A band behind the newest revision.
  void newest() {
    const double left = places_.middle_of(places_.first_reports().size() - 1) - places_.width() / 2;
    markup_.empty("path",
                  {{"class", "b"}, {"d", bar_path(left, area_.top, places_.width(), area_.bottom - area_.top)}});
  }

  void draw_grey(const HistoryCell& cell) {
    std::string line;
    for (const HistoryPoint& point : cell.points) {
      extend(line, places_.at(point.report), y_of(cell, point.step_ns.value));
    }
    markup_.empty("path", {{"class", "t"}, {"d", line}});
  }

  void draw_named(const HistoryCell& cell, int hue) {
    std::string whiskers;
    std::string marks;
    for (const HistoryPoint& point : cell.points) {
      const double x = places_.at(point.report);
      whiskers += upright_path(x, y_of(cell, point.step_ns.interval.low), y_of(cell, point.step_ns.interval.high));
      marks += mark_path(hue, x, y_of(cell, point.step_ns.value));
    }
    std::string levels;
    for (const report::HistorySegment& segment : cell.segments) {
      levels += level_path(cell, segment.first, segment.last, segment.level_ns.value);
    }
    if (cell.newest) {
      levels += level_path(cell, cell.newest->reports.front(), cell.newest->reports.back(), cell.newest->step_ns.value);
    }
    const std::string number = std::to_string(hue);
    markup_.empty("path", {{"class", "h s" + number}, {"d", whiskers}});
    markup_.empty("path", {{"class", "c s" + number}, {"d", levels}});
    markup_.empty("path", {{"class", "k" + number}, {"d", marks}});
  }

  // A little further than its reports, so that one of a single report is seen.
  std::string level_path(const HistoryCell& cell, int first, int last, double time) const {
    const double beyond = places_.width() * (1 - kShareOfSlot) / 2;
    return "M" + coordinate(places_.at(first) - beyond) + " " + coordinate(y_of(cell, time)) + "H" +
           coordinate(places_.at(last) + beyond);
  }

  Markup& markup_;
  const HistoryView& view_;
  Places places_;
  std::vector<Flag> flags_;
  PlotArea area_;
  bool as_ratios_;
  std::vector<const HistoryCell*> named_;
  std::vector<const HistoryCell*> grey_;
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

std::string sentence_of(const HistoryView& view, const HistoryPicture& picture) {
  std::string changes;
  for (std::size_t i = 0; i < view.marks.size(); ++i) {
    const HistoryMark& mark = view.marks[i];
    if (std::ranges::find(view.cells, mark.cell) == view.cells.end()) continue;
    render::join(changes, cat(name_of_cell(*mark.cell), " ", stats::name_of(mark.comparison->verdict), " at ", i + 1,
                              ": ", render::format_change(mark.comparison->ratio)));
  }
  std::string text = changes.empty()
                         ? "No level changed beyond the margin of " + render::format_percent(view.history.margin) + "."
                         : "Numbered are changes of a level: " + changes + ".";
  text +=
      " Marks are reports with their 95% intervals, as far as the picture reaches; lines are levels; revisions go from "
      "the oldest to the newest, which has a band.";
  if (picture.as_ratios()) text += " Each cell's times are multiples of its first level, as the cells lie far apart.";
  if (picture.unnamed() > 0) {
    text += " Thin grey lines are " + render::counted(picture.unnamed(), "cell") + " more, without names.";
  }
  return text;
}

render::TextTable table_of(const HistoryView& view) {
  render::TextTable table = {{.title = "revision", .texts = {}},
                             {.title = "date", .texts = {}},
                             {.title = "report", .right_aligned = true, .texts = {}}};
  std::map<std::pair<const HistoryCell*, int>, const stats::Estimate*> times;
  for (const HistoryCell* cell : view.cells) {
    table.push_back({.title = name_of_cell(*cell), .right_aligned = true, .texts = {}});
    for (const HistoryPoint& point : cell->points) times[{cell, point.report}] = &point.step_ns;
  }
  for (std::size_t i = 0; i < view.history.reports.size(); ++i) {
    const report::HistoryReport& report = view.history.reports[i];
    std::vector<std::string> texts = {render::short_revision(report.revision), render::day_of(report),
                                      std::to_string(i + 1)};
    for (const HistoryCell* cell : view.cells) {
      const auto time = times.find({cell, static_cast<int>(i)});
      texts.push_back(time == times.end() ? "-" : render::format_estimate_ns(*time->second));
    }
    add_row(table, texts);
  }
  return table;
}

}  // namespace

bool is_marked(const std::vector<HistoryMark>& marks, const HistoryCell& cell) {
  return std::ranges::any_of(marks, [&](const HistoryMark& mark) { return mark.cell == &cell; });
}

std::string name_of_cell(const HistoryCell& cell) { return render::short_id(cell.label, cell.id); }

void add_history(Markup& markup, const HistoryView& view) {
  HistoryPicture picture(markup, view);
  const Figure figure{.id = view.id + "-history",
                      .title = "Time per step over the revisions",
                      .sentence = sentence_of(view, picture),
                      .height = picture.height(),
                      .data = table_of(view)};
  add_figure(markup, figure, [&] { picture.draw(); });
}

}  // namespace gdbench::page
