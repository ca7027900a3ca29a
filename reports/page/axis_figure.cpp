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
  const report::Cell* cell;                             // of any point
  std::map<std::size_t, const stats::Estimate*> times;  // by place on the axis
  bool leads = false;                                   // somewhere
};

// Where another one becomes the fastest: between two points of the axis.
struct Crossing {
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
      series.times[i] = &row.cell->summary->step_ns;
    }
  }
  std::vector<Series> all;
  for (auto& [name, series] : by_name) all.push_back(std::move(series));
  return all;
}

// The fastest at each point; null where nothing has a time.
std::vector<Series*> leaders_of(std::vector<Series>& all, std::size_t points) {
  std::vector<Series*> leaders(points, nullptr);
  for (std::size_t i = 0; i < points; ++i) {
    for (Series& series : all) {
      const auto time = series.times.find(i);
      if (time == series.times.end()) continue;
      if (leaders[i] == nullptr || time->second->value < leaders[i]->times.at(i)->value) leaders[i] = &series;
    }
    if (leaders[i] != nullptr) leaders[i]->leads = true;
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

// Straight lines on logarithmic axes between points i and i + 1, at both of which both have a time.
Crossing crossing_of(const Axis& axis, std::size_t i, const Series& before, const Series& after) {
  const auto ratio = [&](std::size_t at, double of_before, double of_after) {
    const auto bound = [&](const stats::Estimate& time, double side) {
      return side == 0 ? time.value : side < 0 ? time.interval.low : time.interval.high;
    };
    return std::log(bound(*before.times.at(at), of_before) / bound(*after.times.at(at), of_after));
  };
  const double low = axis.points[i].value;
  const double high = axis.points[i + 1].value;
  const double share = zero_of(ratio(i, 0, 0), ratio(i + 1, 0, 0));
  // Early where the one before is slow and the one after is fast, late the other way round.
  const double early = ratio(i, 1, -1) >= 0 ? 0 : zero_of(ratio(i, 1, -1), ratio(i + 1, 1, -1));
  const double late = ratio(i + 1, -1, 1) <= 0 ? 1 : zero_of(ratio(i, -1, 1), ratio(i + 1, -1, 1));
  return {&before,
          &after,
          between(low, high, share),
          {between(low, high, early), between(low, high, late)},
          between(before.times.at(i)->value, before.times.at(i + 1)->value, share)};
}

std::vector<Crossing> crossings_of(const Axis& axis, const std::vector<Series*>& leaders) {
  std::vector<Crossing> crossings;
  for (std::size_t i = 0; i + 1 < leaders.size(); ++i) {
    const Series* before = leaders[i];
    const Series* after = leaders[i + 1];
    if (before == nullptr || after == nullptr || before == after) continue;
    if (axis.points[i].value == axis.points[i + 1].value) continue;
    if (!before->times.contains(i + 1) || !after->times.contains(i)) continue;
    crossings.push_back(crossing_of(axis, i, *before, *after));
  }
  return crossings;
}

std::string words_of(const Crossing& crossing) {
  return count_text(crossing.value) + " [" + count_text(crossing.interval.low) + ", " +
         count_text(crossing.interval.high) + "]";
}

class AxisPicture {
 public:
  AxisPicture(Markup& markup, const Axis& axis, const std::vector<Series>& all, const std::vector<Crossing>& crossings,
              Hues& hues)
      : markup_(markup), axis_(axis), all_(all), crossings_(crossings), hues_(hues) {
    Extent times;
    for (const Series& series : all) {
      for (const auto& [place, time] : series.times) add_estimate(*time, times);
    }
    across_ = Scale::logarithmic(axis.points.front().value, axis.points.back().value, kAxis.left + 8, kAxis.right - 8);
    up_ = Scale::logarithmic(times.low, times.high, kAxis.bottom, kAxis.top);
  }

  void draw() {
    add_ticks_across(markup_, kAxis, across_, kTicks, &count_text);
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
      const auto& [last, time] = *series.times.rbegin();
      if (last + 1 == axis_.points.size()) {
        labels.push_back({up_.at(time->value), short_name(*series.cell, kRoomOfMargin)});
      }
    }
    add_end_labels(markup_, kAxis, std::move(labels));
    for (const Crossing& crossing : crossings_) mark(crossing);
  }

 private:
  double x_of(std::size_t place) const { return across_.at(axis_.points[place].value); }

  void line(const Series& series, const std::string& css) {
    std::string path;
    std::size_t last = 0;
    for (const auto& [place, time] : series.times) {
      const bool goes_on = !path.empty() && place == last + 1;
      path += (goes_on ? "L" : "M") + coordinate(x_of(place)) + " " + coordinate(up_.at(time->value));
      last = place;
    }
    markup_.empty("path", {{"class", css}, {"d", path}});
  }

  void intervals(const Series& series, int hue) {
    std::string whiskers;
    std::string marks;
    for (const auto& [place, time] : series.times) {
      whiskers += upright_path(x_of(place), up_.at(time->interval.low), up_.at(time->interval.high));
      marks += mark_path(hue, x_of(place), up_.at(time->value));
    }
    markup_.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", whiskers}});
    markup_.empty("path", {{"class", "k" + std::to_string(hue)}, {"d", marks}});
  }

  void mark(const Crossing& crossing) {
    const double x = across_.at(crossing.value);
    const double y = up_.at(crossing.time_ns);
    add_line(markup_, x, y, x, kAxis.bottom, "o");
    add_line(markup_, across_.at(crossing.interval.low), kAxis.bottom, across_.at(crossing.interval.high), kAxis.bottom,
             "c s" + std::to_string(hue_of(hues_, *crossing.after->cell)));
    words_.add(markup_, x + 4, kAxis.bottom - 6, count_text(crossing.value));
  }

  Markup& markup_;
  const Axis& axis_;
  const std::vector<Series>& all_;
  const std::vector<Crossing>& crossings_;
  Hues& hues_;
  InnerTexts words_{kAxis};
  Scale across_ = Scale::linear(0, 1, 0, 1);
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

render::TextTable table_of(const Axis& axis, const std::vector<Series>& all) {
  render::TextTable table = {{.title = "implementation", .texts = {}}};
  for (const Axis::Point& point : axis.points) {
    table.push_back({.title = count_text(point.value), .right_aligned = true, .texts = {}});
  }
  for (const Series& series : all) {
    std::vector<std::string> texts = {render::row_name(*series.cell)};
    for (std::size_t i = 0; i < axis.points.size(); ++i) {
      const auto time = series.times.find(i);
      texts.push_back(time == series.times.end() ? "-"
                                                 : render::format_duration_ns(time->second->value) + " " +
                                                       render::format_interval_ns(*time->second));
    }
    add_row(table, texts);
  }
  return table;
}

std::string sentence_of(const std::vector<Crossing>& crossings, const std::vector<Series*>& leaders) {
  std::string text;
  for (const Crossing& crossing : crossings) {
    text += (text.empty() ? "" : " ") + render::row_name(*crossing.after->cell) + " is faster than " +
            render::row_name(*crossing.before->cell) + " from " + words_of(crossing) + " on.";
  }
  const auto first = std::ranges::find_if(leaders, [](const Series* leader) { return leader != nullptr; });
  const bool one =
      std::ranges::all_of(leaders, [&](const Series* leader) { return leader == nullptr || leader == *first; });
  if (one && first != leaders.end()) text += render::row_name(*(*first)->cell) + " is the fastest at every size.";
  return text + (text.empty() ? "" : " ") +
         "Lines between sizes are interpolated, and a crossing's interval is cut at the sizes around it; grey lines "
         "are "
         "the fastest nowhere.";
}

}  // namespace

void add_axis(Markup& markup, const Axis& axis, const std::string& id, Hues& hues) {
  std::vector<Series> all = series_of(axis);
  if (all.empty()) return;
  const std::vector<Series*> leaders = leaders_of(all, axis.points.size());
  const std::vector<Crossing> crossings = crossings_of(axis, leaders);
  const Figure figure{.id = id,
                      .title = "Time over " + axis.quantity + (axis.rest.empty() ? "" : ", " + axis.rest),
                      .sentence = sentence_of(crossings, leaders),
                      .height = kAxis.height(),
                      .data = table_of(axis, all)};
  add_figure(markup, figure, [&] { AxisPicture(markup, axis, all, crossings, hues).draw(); });
}

}  // namespace gdbench::page
