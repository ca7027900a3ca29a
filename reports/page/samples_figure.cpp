#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

constexpr PlotArea kSamples = PlotArea{.left = 56, .right = 750, .top = 12, .bottom = 188};
constexpr double kLeastShown = 0.9;  // of a cell's median: what is shown
constexpr double kMostShown = 1.3;

// More rounds than these are shown as launches, and more launches by every second, third ... of them.
constexpr std::size_t kMostMoments = 150;

// A launch of a scenario's cells is made side by side, a round after the other: their numbers are the order.
struct Moment {
  int launch;
  int round;  // 0 of a whole launch
  auto operator<=>(const Moment&) const = default;
};

struct Course {
  const report::Cell* cell;
  double median = 0;               // of warm blocks
  std::map<Moment, double> times;  // of blocks, or the least of each launch
};

bool by_launches(const std::vector<render::Row>& rows) {
  std::set<Moment> moments;
  for (const render::Row& row : rows) {
    for (const report::Sample& sample : row.cell->samples) moments.insert({sample.launch, sample.round});
  }
  return moments.size() > kMostMoments;
}

Course course_of(const report::Cell& cell, bool launches) {
  Course course{.cell = &cell, .times = {}};
  std::vector<double> warm;
  for (const report::Sample& sample : cell.samples) {
    if (sample.cold) continue;
    warm.push_back(sample.real_ns);
    if (!launches) course.times[{sample.launch, sample.round}] = sample.real_ns;
  }
  if (launches) {
    for (const auto& [launch, figure] : figures_of_launches(cell)) course.times[{launch, 0}] = figure;
  }
  course.median = stats::median(std::move(warm));
  return course;
}

// The moments of all of them, with their places in the order, from 1 on.
std::map<Moment, std::size_t> order_of(const std::vector<Course>& courses) {
  std::map<Moment, std::size_t> order;
  for (const Course& course : courses) {
    for (const auto& [moment, time] : course.times) order.emplace(moment, 0);
  }
  std::size_t count = 0;
  for (auto& [moment, place] : order) place = ++count;
  return order;
}

// All of them have the same moments left.
void thin_out(std::vector<Course>& courses) {
  const std::map<Moment, std::size_t> order = order_of(courses);
  const std::size_t every = order.size() / kMostMoments + 1;
  for (Course& course : courses) {
    std::erase_if(course.times, [&](const auto& entry) { return (order.at(entry.first) - 1) % every != 0; });
  }
}

render::TextTable table_of_courses(const std::vector<Course>& courses) {
  render::TextTable table = {{.title = "implementation", .texts = {}},
                             {.title = "median", .right_aligned = true, .texts = {}},
                             {.title = "times it", .texts = {}}};
  for (const Course& course : courses) {
    std::string times;
    for (const auto& [moment, time] : course.times) {
      times += (times.empty() ? "" : moment.round == 1 ? " | " : " ") + render::format_number(time / course.median);
    }
    add_row(table, {render::row_name(*course.cell), render::format_duration_ns(course.median), times});
  }
  return table;
}

}  // namespace

void add_samples(Markup& markup, const ScenarioView& view) {
  const std::vector<render::Row> rows = timed_rows(view.table);
  const bool launches = by_launches(rows);
  std::vector<Course> courses;
  for (const render::Row& row : rows) courses.push_back(course_of(*row.cell, launches));
  std::erase_if(courses, [](const Course& course) { return course.times.empty(); });
  if (courses.empty()) return;
  thin_out(courses);
  const std::map<Moment, std::size_t> order = order_of(courses);
  const std::string what = launches ? "The least block of a launch" : "A block's time";
  const Figure figure{.id = view.id + "-samples",
                      .title = launches ? "Launches in the order of measuring" : "Blocks in the order of measuring",
                      .sentence = what +
                                  " over its cell's median, cut at 0.9 and 1.3, a line per cell: what rises in all "
                                  "cells at once is the machine." +
                                  (launches ? "" : " Upright lines part launches."),
                      .height = kSamples.height(),
                      .data = table_of_courses(courses)};
  add_figure(markup, figure, [&] {
    const Scale across = Scale::linear(0.5, static_cast<double>(order.size()) + 0.5, kSamples.left, kSamples.right);
    const Scale up = Scale::linear(kLeastShown, kMostShown, kSamples.bottom, kSamples.top);
    add_ticks_up(markup, kSamples, up, 5, &render::format_factor);
    for (const auto& [moment, place] : order) {
      const double x = across.at(static_cast<double>(place) - 0.5);
      if (!launches && moment.round == 1) add_line(markup, x, kSamples.top, x, kSamples.bottom);
    }
    add_text(markup, (kSamples.left + kSamples.right) / 2, kSamples.bottom + 24, "q m",
             launches ? "launches" : "rounds, launch after launch");
    for (const Course& course : courses) {
      std::string line;
      for (const auto& [moment, time] : course.times) {
        // Whole pixels: there are many.
        extend(line, std::round(across.at(static_cast<double>(order.at(moment)))),
               std::round(up.at(time / course.median)));
      }
      const int hue = hue_of(view.hues, *course.cell);
      markup.empty("path", {{"class", "h s" + std::to_string(hue)}, {"d", line}});
    }
  });
}

}  // namespace gdbench::page
