#include <algorithm>
#include <cmath>
#include <map>

#include "reports/page/report_figures.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

constexpr PlotArea kAxis = PlotArea{};
constexpr int kTicks = 8;

// An implementation's times, those of the axis' points that it has.
struct Series {
  const report::Cell* cell;                            // of any point
  std::map<std::size_t, const report::Cell*> cells{};  // by place on the axis
  bool leads = false;                                  // somewhere

  const stats::Estimate& time(std::size_t place) const { return cells.at(place)->summary->step_ns; }
};

// Who is the fastest at a point of the axis; null where nothing has a time.
struct Leader {
  Series* series = nullptr;
  bool won = false;
};

// Where another one becomes the fastest: between two points of the axis, at either of which a verdict tells the two
// apart.
struct AxisCrossing {
  const Series* before;
  const Series* after;
  double value;
  stats::Interval interval;  // cut at the two points
  double time_ns;
};

std::vector<Series> series_of(const Axis& axis) {
  std::map<std::string, Series> by_name;
  for (std::size_t i = 0; i < axis.points.size(); ++i) {
    for (const render::Row& row : axis.points[i].table->ranked) {
      Series& series = by_name[render::row_name(*row.cell)];
      series.cell = row.cell;
      series.cells[i] = row.cell;
    }
  }
  std::vector<Series> all;
  for (auto& [name, series] : by_name) all.push_back(std::move(series));
  return all;
}

std::vector<Leader> leaders_of(std::vector<Series>& all, const Axis& axis, const render::Rankings& rankings) {
  std::vector<Leader> leaders(axis.points.size());
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    std::vector<const report::Cell*> cells;
    for (const render::Row& row : axis.points[i].table->ranked) cells.push_back(row.cell);
    const render::Ranking ranking = rankings.of(cells);
    for (Series& series : all) {
      const auto own = series.cells.find(i);
      if (own == series.cells.end() || own->second != ranking.fastest) continue;
      series.leads = true;
      leaders[i] = {&series, ranking.won()};
    }
  }
  return leaders;
}

// Where a line between two logarithms of ratios is 0, as a share of the way; cut at its ends.
double zero_of(double first, double second) {
  return first == second ? 0 : std::clamp(first / (first - second), 0.0, 1.0);
}

double between(double first, double second, double share) {
  return std::exp(std::log(first) + share * (std::log(second) - std::log(first)));
}

// Straight lines on logarithmic axes between points i and i + 1, at both of which both have a time. The interval holds
// where those of the ratios at both points do.
AxisCrossing crossing_of(const Axis& axis, std::size_t i, const Series& before, const Series& after) {
  const double each = stats::confidence_of_each(stats::kConfidence);
  const auto ratio = [&](std::size_t at) {
    return render::Rankings::ratio(*before.cells.at(at), *after.cells.at(at), each);
  };
  const stats::Estimate first = ratio(i);
  const stats::Estimate second = ratio(i + 1);
  const auto zero = [](double at_first, double at_second) { return zero_of(std::log(at_first), std::log(at_second)); };
  const double low = axis.points[i].value;
  const double high = axis.points[i + 1].value;
  const double share = zero(first.value, second.value);
  const double early = first.interval.low <= 1 ? 0 : zero(first.interval.low, second.interval.low);
  const double late = second.interval.high >= 1 ? 1 : zero(first.interval.high, second.interval.high);
  return {&before,
          &after,
          between(low, high, share),
          {between(low, high, early), between(low, high, late)},
          between(before.time(i).value, before.time(i + 1).value, share)};
}

// Whether verdicts say that one of them is the faster at point i and the other at the next.
bool is_told(const render::Rankings& rankings, std::size_t i, const Series& before, const Series& after) {
  const auto verdict = [&](std::size_t at) {
    return rankings.compare(*before.cells.at(at), *after.cells.at(at)).verdict;
  };
  return verdict(i) == stats::Verdict::slower && verdict(i + 1) == stats::Verdict::faster;
}

std::vector<AxisCrossing> crossings_of(const Axis& axis, const std::vector<Leader>& leaders,
                                       const render::Rankings& rankings) {
  std::vector<AxisCrossing> crossings;
  for (std::size_t i = 0; i + 1 < leaders.size(); ++i) {
    const Series* before = leaders[i].series;
    const Series* after = leaders[i + 1].series;
    if (before == nullptr || after == nullptr || before == after) continue;
    if (axis.points[i].value == axis.points[i + 1].value) continue;
    if (!before->cells.contains(i + 1) || !after->cells.contains(i)) continue;
    if (is_told(rankings, i, *before, *after)) crossings.push_back(crossing_of(axis, i, *before, *after));
  }
  return crossings;
}

std::string words_of(const AxisCrossing& crossing) {
  return render::format_count(crossing.value) + " [" + render::format_count(crossing.interval.low) + ", " +
         render::format_count(crossing.interval.high) + "]";
}

class AxisPicture {
 public:
  AxisPicture(Markup& markup, const Axis& axis, const std::vector<Series>& all,
              const std::vector<AxisCrossing>& crossings, Hues& hues)
      : markup_(markup), axis_(axis), all_(all), crossings_(crossings), hues_(hues) {
    Extent times;
    for (const Series& series : all) {
      for (const auto& [place, cell] : series.cells) add_estimate(cell->summary->step_ns, times);
    }
    across_ = Scale::logarithmic(axis.points.front().value, axis.points.back().value, kAxis.left + 8, kAxis.right - 8);
    up_ = Scale::logarithmic(times.low, times.high, kAxis.bottom, kAxis.top);
  }

  void draw() {
    add_ticks_across(markup_, kAxis, across_, kTicks, &render::format_count);
    add_ticks_up(markup_, kAxis, up_, kTicks, &render::format_duration_ns);
    add_text(markup_, (kAxis.left + kAxis.right) / 2, kAxis.bottom + 34, "q m", axis_.quantity + ", logarithmic");
    add_text(markup_, 0, 12, "q", "time per step, logarithmic");
    for (const Series& series : all_) {
      if (!series.leads) line(series, "t");
    }
    std::vector<EndLabel> labels;
    for (const Series& series : all_) {
      if (!series.leads) continue;
      const int hue = hue_of(hues_, *series.cell);
      line(series, "c s" + std::to_string(hue));
      intervals(series, hue);
      const std::size_t last = series.cells.rbegin()->first;
      if (last + 1 == axis_.points.size()) {
        labels.push_back({up_.at(series.time(last).value), short_name(*series.cell, kRoomOfMargin)});
      }
    }
    add_end_labels(markup_, kAxis, std::move(labels));
    for (const AxisCrossing& crossing : crossings_) mark(crossing);
  }

 private:
  double x_of(std::size_t place) const { return across_.at(axis_.points[place].value); }

  void line(const Series& series, const std::string& css) {
    std::string path;
    std::size_t last = 0;
    for (const auto& [place, cell] : series.cells) {
      const bool goes_on = !path.empty() && place == last + 1;
      path += (goes_on ? "L" : "M") + coordinate(x_of(place)) + " " + coordinate(up_.at(cell->summary->step_ns.value));
      last = place;
    }
    markup_.empty("path", {{"class", css}, {"d", path}});
  }

  void intervals(const Series& series, int hue) {
    std::string whiskers;
    std::string marks;
    for (const auto& [place, cell] : series.cells) {
      const stats::Estimate& time = cell->summary->step_ns;
      whiskers += upright_path(x_of(place), up_.at(time.interval.low), up_.at(time.interval.high));
      marks += mark_path(hue, x_of(place), up_.at(time.value));
    }
    markup_.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", whiskers}});
    markup_.empty("path", {{"class", "k" + std::to_string(hue)}, {"d", marks}});
  }

  void mark(const AxisCrossing& crossing) {
    const double x = across_.at(crossing.value);
    const double y = up_.at(crossing.time_ns);
    add_line(markup_, x, y, x, kAxis.bottom, "o");
    add_line(markup_, across_.at(crossing.interval.low), kAxis.bottom, across_.at(crossing.interval.high), kAxis.bottom,
             "c s" + std::to_string(hue_of(hues_, *crossing.after->cell)));
    words_.add(markup_, x + 4, kAxis.bottom - 6, render::format_count(crossing.value));
  }

  Markup& markup_;
  const Axis& axis_;
  const std::vector<Series>& all_;
  const std::vector<AxisCrossing>& crossings_;
  Hues& hues_;
  InnerTexts words_{kAxis};
  Scale across_ = Scale::linear(0, 1, 0, 1);
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

render::TextTable table_of(const Axis& axis, const std::vector<Series>& all) {
  render::TextTable table = {{.title = "implementation", .texts = {}}};
  for (const Axis::Point& point : axis.points) {
    table.push_back({.title = render::format_count(point.value), .right_aligned = true, .texts = {}});
  }
  for (const Series& series : all) {
    std::vector<std::string> texts = {render::row_name(*series.cell)};
    for (std::size_t i = 0; i < axis.points.size(); ++i) {
      texts.push_back(!series.cells.contains(i) ? "-"
                                                : render::format_duration_ns(series.time(i).value) + " " +
                                                      render::format_interval_ns(series.time(i)));
    }
    add_row(table, texts);
  }
  return table;
}

std::string sentence_of(const std::vector<Series>& all, const std::vector<AxisCrossing>& crossings,
                        const std::vector<Leader>& leaders) {
  std::string text;
  for (const AxisCrossing& crossing : crossings) {
    text += render::row_name(*crossing.after->cell) + " is faster than " + render::row_name(*crossing.before->cell) +
            " from " + words_of(crossing) + " on. ";
  }
  const auto won = static_cast<std::size_t>(std::ranges::count_if(leaders, &Leader::won));
  const bool one = std::ranges::all_of(
      leaders, [&](const Leader& leader) { return !leader.won || leader.series == leaders.front().series; });
  if (won == leaders.size() && one) {
    text += render::row_name(*leaders.front().series->cell) + " is the fastest at every size. ";
  } else if (won < leaders.size() && all.size() > 1) {
    text += "Verdicts name a fastest at " + std::to_string(won) + " of " + std::to_string(leaders.size()) + " sizes. ";
  }
  return text +
         "Lines between sizes are interpolated, and a crossing's interval is cut at the sizes around it; grey "
         "lines have the lowest time nowhere.";
}

}  // namespace

void add_axis(Markup& markup, const Axis& axis, const render::Rankings& rankings, const std::string& id, Hues& hues) {
  std::vector<Series> all = series_of(axis);
  if (all.empty()) return;
  const std::vector<Leader> leaders = leaders_of(all, axis, rankings);
  const std::vector<AxisCrossing> crossings = crossings_of(axis, leaders, rankings);
  const Figure figure{.id = id,
                      .title = "Time over " + axis.quantity + (axis.rest.empty() ? "" : ", " + axis.rest),
                      .sentence = sentence_of(all, crossings, leaders),
                      .height = kAxis.height(),
                      .data = table_of(axis, all)};
  add_figure(markup, figure, [&] { AxisPicture(markup, axis, all, crossings, hues).draw(); });
}

}  // namespace gdbench::page
