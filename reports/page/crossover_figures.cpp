#include "reports/page/crossover_figures.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "harness/base/text.h"
#include "reports/page/parts.h"
#include "reports/render/crossover.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using report::Crossover;
using report::CrossoverPoint;
using report::StepsCrossover;
using stats::Verdict;

constexpr int kHueOfA = 0;
constexpr int kHueOfB = 1;
constexpr int kHueOfNobody = kHues - 1;
constexpr double kRoom = 1.1;         // left free around the outermost value
constexpr double kStepsBeyond = 100;  // times the crossing are shown
constexpr double kFewestSteps = 1e4;  // that are shown

// Where it is open who is faster: between two winners, or as far as there is none.
struct OpenRange {
  double from;
  double to;
  std::string words;
};

std::string range_words(const std::string& what, std::int64_t from, std::int64_t to) {
  return cat(what, ", ", from, " to ", to);
}

std::vector<OpenRange> open_ranges(const Crossover& crossover) {
  const std::vector<stats::Zone>& zones = crossover.answer.zones;
  std::vector<OpenRange> ranges;
  const auto add = [&](const std::string& what, std::int64_t from, std::int64_t to) {
    ranges.push_back({static_cast<double>(from), static_cast<double>(to), range_words(what, from, to)});
  };
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const bool is_last = i + 1 == zones.size();
    if (!zones[i].has_winner()) {
      add(zones[i].verdict == Verdict::equivalent ? "equal" : "undecided", i == 0 ? zones[i].first : zones[i - 1].last,
          is_last ? zones[i].last : zones[i + 1].first);
    } else if (!is_last && zones[i + 1].has_winner()) {
      add("crossing", zones[i].last, zones[i + 1].first);
    }
  }
  return ranges;
}

Scale sizes_of(const Crossover& crossover) {
  return Scale::logarithmic(static_cast<double>(crossover.points.front().size),
                            static_cast<double>(crossover.points.back().size), PlotArea().left, PlotArea().right);
}

void add_whisker(Markup& markup, const Scale& up, const stats::Estimate& estimate, double x, int hue) {
  add_line(markup, x, up.at(estimate.interval.low), x, up.at(estimate.interval.high), "c s" + std::to_string(hue));
  add_mark(markup, hue, x, up.at(estimate.value));
}

Scale room_for(const Extent& extent, const PlotArea& area) {
  return Scale::logarithmic(extent.low / kRoom, extent.high * kRoom, area.bottom, area.top);
}

void add_axis_words(Markup& markup, const PlotArea& area, const std::string& up, const std::string& across) {
  add_text(markup, 0, 12, "q", up + ", logarithmic");
  add_text(markup, (area.left + area.right) / 2, area.bottom + 34, "q m", across + ", logarithmic");
}

void add_band(Markup& markup, const PlotArea& area, double from, double to) {
  markup.empty("path", {{"class", "b"}, {"d", bar_path(from, area.top, to - from, area.bottom - area.top)}});
}

// One of the two over the sizes.
void add_side(Markup& markup, const Crossover& crossover, const Scale& across, const Scale& up,
              stats::Estimate CrossoverPoint::*step_ns, int hue) {
  std::string line;
  for (const CrossoverPoint& point : crossover.points) {
    extend(line, across.at(static_cast<double>(point.size)), up.at((point.*step_ns).value));
  }
  markup.empty("path", {{"class", "h s" + std::to_string(hue)}, {"d", line}});
  for (const CrossoverPoint& point : crossover.points) {
    add_whisker(markup, up, point.*step_ns, across.at(static_cast<double>(point.size)), hue);
  }
}

int hue_of_winner(Verdict verdict) {
  return verdict == Verdict::faster ? kHueOfA : verdict == Verdict::slower ? kHueOfB : kHueOfNobody;
}

std::string zone_name(const Crossover& crossover, const stats::Zone& zone) {
  const std::string& winner = zone.verdict == Verdict::faster ? crossover.a : crossover.b;
  return zone.has_winner() ? winner + " faster" : zone.verdict == Verdict::equivalent ? "equal" : "undecided";
}

render::TextTable columns_of(const Crossover& crossover, std::initializer_list<std::size_t> columns) {
  const render::TextTable all = render::crossover_rows(crossover);
  render::TextTable some;
  for (const std::size_t column : columns) some.push_back(all[column]);
  return some;
}

std::string sentence_of(const std::vector<OpenRange>& ranges) {
  std::string text = "Medians over launches with their 95% intervals.";
  if (ranges.empty()) return text + " One winner from end to end.";
  std::string words;
  for (const OpenRange& range : ranges) render::join(words, range.words);
  return text + " Bands show where the winner changes or is not known: " + words + ".";
}

}  // namespace

void add_sizes(Markup& markup, const Crossover& crossover) {
  const Scale across = sizes_of(crossover);
  const std::vector<OpenRange> ranges = open_ranges(crossover);
  std::vector<Flag> flags;
  flags.reserve(ranges.size());
  for (const OpenRange& range : ranges) flags.push_back({across.at(range.from), range.words});
  const PlotArea area = area_below(flags);
  Extent times;
  for (const CrossoverPoint& point : crossover.points) {
    add_estimate(point.a_step_ns, times);
    add_estimate(point.b_step_ns, times);
  }
  const Scale up = room_for(times, area);
  const Figure figure{.id = "sizes",
                      .title = cat("Time per step over ", crossover.axis),
                      .sentence = sentence_of(ranges),
                      .height = area.height(),
                      .data = columns_of(crossover, {0, 1, 2})};
  add_figure(markup, figure, [&] {
    for (const OpenRange& range : ranges) add_band(markup, area, across.at(range.from), across.at(range.to));
    add_ticks_across(markup, area, across, 8, &render::format_count);
    add_ticks_up(markup, area, up, 8, &render::format_duration_ns);
    add_axis_words(markup, area, "time per step", crossover.axis);
    add_flags(markup, area, flags);
    add_side(markup, crossover, across, up, &CrossoverPoint::a_step_ns, kHueOfA);
    add_side(markup, crossover, across, up, &CrossoverPoint::b_step_ns, kHueOfB);
    const CrossoverPoint& last = crossover.points.back();
    add_end_labels(markup, area,
                   {{up.at(last.a_step_ns.value), render::cut(crossover.a, kRoomOfMargin)},
                    {up.at(last.b_step_ns.value), render::cut(crossover.b, kRoomOfMargin)}});
  });
}

void add_ratios(Markup& markup, const Crossover& crossover) {
  const Scale across = sizes_of(crossover);
  std::vector<Flag> flags;
  for (const stats::Zone& zone : crossover.answer.zones) {
    flags.push_back({across.at(static_cast<double>(zone.first)), zone_name(crossover, zone)});
  }
  const PlotArea area = area_below(flags);
  const stats::Interval margin = stats::margin_range(crossover.margin);
  Extent ratios;
  for (const CrossoverPoint& point : crossover.points) add_estimate(point.comparison.ratio, ratios);
  ratios.add(margin.low);
  ratios.add(margin.high);
  const Scale up = room_for(ratios, area);
  const Figure figure{
      .id = "ratios",
      .title = cat("Time of ", crossover.a, " over that of ", crossover.b),
      .sentence = cat("Below 1 ", crossover.a, " is faster, above 1 ", crossover.b, "; the band is the margin of ",
                      render::format_percent(crossover.margin),
                      ", which an interval must leave as a whole for a winner. Circles are sizes where ", crossover.a,
                      " wins, squares where ", crossover.b, " does, bars where neither."),
      .height = area.height(),
      .data = columns_of(crossover, {0, 3, 4, 5})};
  add_figure(markup, figure, [&] {
    markup.empty("path", {{"class", "b"},
                          {"d", bar_path(area.left, up.at(margin.high), area.right - area.left,
                                         up.at(margin.low) - up.at(margin.high))}});
    add_ticks_across(markup, area, across, 8, &render::format_count);
    add_ticks_up(markup, area, up, 8, &render::format_factor);
    add_line(markup, area.left, up.at(1), area.right, up.at(1), "o");
    add_axis_words(markup, area, "ratio", crossover.axis);
    add_flags(markup, area, flags);
    for (const CrossoverPoint& point : crossover.points) {
      add_whisker(markup, up, point.comparison.ratio, across.at(static_cast<double>(point.size)),
                  hue_of_winner(point.comparison.verdict));
    }
  });
}

namespace {

// What n steps of one side take, in ns: what came before its steady steps, and these.
double time_of(const report::StartCost& side, double steps) { return side.ready_ns + steps * side.step_ns.value; }

// Where it has overtaken: the interval as far as it is finite and drawn.
struct Crossing {
  bool known = false;  // a number of steps, not only a limit of it
  double low = 1;
  double high = 1;
  std::string words;
};

Crossing crossing_of(const StepsCrossover& crossover, double most) {
  const stats::BreakEven& answer = crossover.answer;
  const auto inside = [&](double steps) { return std::isfinite(steps) ? std::clamp(steps, 1.0, most) : most; };
  Crossing crossing{.known = answer.overtaking == stats::Overtaking::after,
                    .low = inside(answer.interval.low),
                    .high = inside(answer.interval.high),
                    .words = ""};
  if (crossing.known) {
    crossing.words = cat("from ", render::format_count(std::ceil(answer.steps)), " [", render::format_count(std::ceil(crossing.low)), ", ",
                         render::format_count(std::ceil(crossing.high)), "]");
  }
  if (answer.overtaking == stats::Overtaking::at_latest)
    crossing.words = "at most " + render::format_count(std::ceil(crossing.high));
  if (answer.overtaking == stats::Overtaking::at_earliest)
    crossing.words = "not before " + render::format_count(std::ceil(crossing.low));
  if (answer.overtaking == stats::Overtaking::undecided)
    crossing.words = cat("undecided, from ", render::format_count(crossing.low), " on");
  return crossing;
}

double most_steps(const stats::BreakEven& answer) {
  double most = kFewestSteps;
  for (const double steps : {answer.steps, answer.interval.low, answer.interval.high}) {
    if (std::isfinite(steps)) most = std::max(most, steps * kStepsBeyond);
  }
  return std::pow(10, std::ceil(std::log10(most)));
}

}  // namespace

void add_steps(Markup& markup, const StepsCrossover& crossover) {
  constexpr int kPointsOfDecade = 4;
  const double most = most_steps(crossover.answer);
  const Crossing crossing = crossing_of(crossover, most);
  const Scale across = Scale::logarithmic(1, most, PlotArea().left, PlotArea().right);
  std::vector<Flag> flags;
  if (!crossing.words.empty()) {
    const double at = crossing.known ? std::clamp(crossover.answer.steps, 1.0, most) : crossing.low;
    flags.push_back({across.at(at), crossing.words});
  }
  const PlotArea area = area_below(flags);
  Extent times;
  for (const report::StartCost& side : crossover.sides) {
    times.add_positive(time_of(side, 1));
    times.add_positive(time_of(side, most));
  }
  const Scale up = room_for(times, area);
  const Figure figure{.id = "steps",
                      .title = "Time to result",
                      .sentence = "Ready and so many steps, from medians over launches; imports are not counted. " +
                                  (crossing.words.empty() ? std::string("No crossing is drawn.")
                                                          : "The band is the 95% interval of where one has overtaken."),
                      .height = area.height(),
                      .data = render::crossover_rows(crossover)};
  add_figure(markup, figure, [&] {
    if (!crossing.words.empty()) add_band(markup, area, across.at(crossing.low), across.at(crossing.high));
    add_ticks_across(markup, area, across, 8, &render::format_count);
    add_ticks_up(markup, area, up, 8, &render::format_duration_ns);
    add_axis_words(markup, area, "ready + steps", "steps");
    add_flags(markup, area, flags);
    std::vector<EndLabel> labels;
    for (std::size_t i = 0; i < crossover.sides.size(); ++i) {
      const report::StartCost& side = crossover.sides[i];
      const int hue = i == 0 ? kHueOfA : kHueOfB;
      std::string line;
      for (int point = 0; point <= static_cast<int>(std::log10(most) * kPointsOfDecade); ++point) {
        const double steps = std::pow(10, static_cast<double>(point) / kPointsOfDecade);
        extend(line, across.at(steps), up.at(time_of(side, steps)));
      }
      markup.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", line}});
      add_mark(markup, hue, across.at(most), up.at(time_of(side, most)));
      labels.push_back({up.at(time_of(side, most)), render::cut(side.implementation, kRoomOfMargin)});
    }
    add_end_labels(markup, area, std::move(labels));
  });
}

}  // namespace gdbench::page
