#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"
#include "reports/render/table.h"

namespace gdbench::page {

namespace {

constexpr double kTimesEnd = 452;
constexpr double kFiguresEnd = 520;  // where times end as texts
constexpr double kRatiosLeft = 540;
constexpr double kRatiosRight = 742;
constexpr int kTicksOfRows = 6;

class TimesPicture {
 public:
  TimesPicture(Markup& markup, const ScenarioView& view)
      : markup_(markup),
        view_(view),
        rows_(timed_rows(view.table)),
        bottom_(kRowsTop + kRowHeight * static_cast<double>(rows_.size())) {
    Extent times;
    Extent ratios;
    for (const render::Row& row : rows_) {
      const report::Summary& summary = *row.cell->summary;
      add_estimate(summary.step_ns, times);
      for (const auto& [launch, figure] : figures_of_launches(*row.cell)) times.add_positive(figure);
      if (summary.ratio) add_estimate(summary.ratio->comparison.ratio, ratios);
    }
    ratios.add(1);
    has_ratios_ = ratios.high > ratios.low;
    times_ = Scale::logarithmic(times.low, times.high, kRowsLeft, kTimesEnd);
    ratios_ = Scale::logarithmic(ratios.low, ratios.high, kRatiosLeft, kRatiosRight);
  }

  double height() const { return bottom_ + 8; }

  void draw() {
    axes();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      row(*rows_[i].cell, kRowsTop + kRowHeight * (static_cast<double>(i) + 0.5));
    draw_paths();
  }

 private:
  void ticks(const Scale& scale, TickText text_of) {
    for (const double tick : scale.ticks(kTicksOfRows))
      add_line(markup_, scale.at(tick), kRowsTop - 4, scale.at(tick), bottom_);
    add_tick_labels(markup_, scale, kRowsTop - 8, kTicksOfRows, text_of);
  }

  void axes() {
    ticks(times_, &render::format_duration_ns);
    add_text(markup_, kRowsLeft, 12, "q", "time per step, logarithmic");
    if (!has_ratios_) return;
    ticks(ratios_, &render::format_factor);
    add_line(markup_, ratios_.at(1), kRowsTop - 4, ratios_.at(1), bottom_, "o");
    add_text(markup_, kRatiosLeft, 12, "q", "times the baseline's, logarithmic");
  }

  // What rows of one hue share, drawn at once: a page has many rows.
  struct Paths {
    std::string dots;
    std::string whiskers;
    std::string marks;
  };

  void row(const report::Cell& cell, double y) {
    const report::Summary& summary = *cell.summary;
    const int hue = hue_of(view_.hues, cell);
    add_text(markup_, 0, y + 4, report::is_ranked(cell) ? "" : "q", short_name(cell));
    std::set<std::string> places;  // launches of the same pixel are one dot
    for (const auto& [launch, figure] : figures_of_launches(cell))
      places.insert(coordinate(std::round(times_.at(figure))));
    for (const std::string& x : places) paths_[hue].dots += "M" + x + " " + coordinate(y) + "h0";
    estimate(times_, summary.step_ns, hue, y);
    add_text(markup_, kFiguresEnd, y + 4, "e", render::format_duration_ns(summary.step_ns.value));
    if (has_ratios_ && summary.ratio) estimate(ratios_, summary.ratio->comparison.ratio, hue, y);
  }

  void estimate(const Scale& scale, const stats::Estimate& estimate, int hue, double y) {
    Paths& paths = paths_[hue];
    paths.whiskers += "M" + coordinate(scale.at(estimate.interval.low)) + " " + coordinate(y) + "H" +
                      coordinate(scale.at(estimate.interval.high));
    paths.marks += mark_path(hue, scale.at(estimate.value), y);
  }

  void draw_paths() {
    for (const auto& [hue, paths] : paths_) {
      const std::string number = std::to_string(hue);
      if (!paths.dots.empty()) markup_.empty("path", {{"class", "d s" + number}, {"d", paths.dots}});
      markup_.empty("path", {{"class", "c s" + number}, {"d", paths.whiskers}});
      markup_.empty("path", {{"class", "k" + number}, {"d", paths.marks}});
    }
  }

  Markup& markup_;
  const ScenarioView& view_;
  std::vector<render::Row> rows_;
  double bottom_;
  bool has_ratios_ = false;
  std::map<int, Paths> paths_;  // by hue
  Scale times_ = Scale::linear(0, 1, 0, 1);
  Scale ratios_ = Scale::linear(0, 1, 0, 1);
};

}  // namespace

void add_times(Markup& markup, const ScenarioView& view) {
  const std::vector<render::Row> rows = timed_rows(view.table);
  if (rows.empty()) return;
  TimesPicture picture(markup, view);
  const Figure figure{.id = view.id + "-times",
                      .title = "Time per step",
                      .sentence = view.winner +
                                  " Lines are 95% intervals, small dots are launches; names in grey are "
                                  "not ranked.",
                      .height = picture.height(),
                      .data = render::text_table(rows)};
  add_figure(markup, figure, [&] { picture.draw(); });
}

}  // namespace gdbench::page
