#include <algorithm>
#include <map>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

constexpr PlotArea kThreads = PlotArea{.bottom = 262};

// Speed-ups of one implementation over its numbers of threads.
struct Course {
  const report::Cell* cell;  // of any number of threads
  std::map<int, const stats::Estimate*> speed_ups;
};

// In the report's order; by what the rows are called without their threads.
std::vector<Course> courses_of(const report::Report& report, const std::string& scenario) {
  std::vector<Course> courses;
  std::map<std::string, std::size_t> places;
  std::map<std::string, const report::Cell*> cells;
  for (const report::Cell& cell : report.cells) cells.emplace(cell.id, &cell);
  for (const report::ThreadScaling& scaling : *report.scaling) {
    const auto cell = cells.find(scaling.cell);
    const auto single = cells.find(scaling.single);
    if (cell == cells.end() || single == cells.end() || cell->second->scenario != scenario) continue;
    const auto [place, is_new] = places.emplace(scaling.single, courses.size());
    if (is_new) courses.push_back({single->second, {}});
    courses[place->second].speed_ups[cell->second->threads] = &scaling.speed_up;
  }
  return courses;
}

// What the multiply-adds of so many threads together reached over one thread's.
std::map<int, double> ceilings_of(const report::Report& report, bool f64) {
  std::map<int, double> ceilings;
  if (!report.ceilings || !report.ceilings->best || !report.ceilings->teams) return ceilings;
  const auto rate = [&](const report::VectorCeilings& best) {
    return f64 ? best.fma_f64_gflop_per_second : best.fma_f32_gflop_per_second;
  };
  const double single = rate(*report.ceilings->best);
  for (const report::TeamCeilings& team : *report.ceilings->teams) {
    if (single > 0) ceilings[team.threads] = rate(team.best) / single;
  }
  return ceilings;
}

class ThreadsPicture {
 public:
  ThreadsPicture(Markup& markup, const std::vector<Course>& courses, std::map<int, double> ceilings, Hues& hues)
      : markup_(markup), courses_(courses), ceilings_(std::move(ceilings)), hues_(hues) {
    Extent speed_ups;
    speed_ups.add(1);
    for (const Course& course : courses) {
      most_ = std::max(most_, course.speed_ups.rbegin()->first);
      for (const auto& [threads, speed_up] : course.speed_ups) {
        speed_ups.add(speed_up->interval.low);
        speed_ups.add(speed_up->interval.high);
      }
    }
    speed_ups.add(most_);
    across_ = Scale::linear(1, most_, kThreads.left, kThreads.right);
    up_ = Scale::linear(std::min(0.0, speed_ups.low), speed_ups.high, kThreads.bottom, kThreads.top);
  }

  void draw() {
    add_ticks_across(markup_, kThreads, across_, std::min(most_ - 1, 8), &render::format_number);
    add_ticks_up(markup_, kThreads, up_, 6, &render::format_number);
    add_text(markup_, (kThreads.left + kThreads.right) / 2, kThreads.bottom + 34, "q m", "threads");
    add_text(markup_, 0, 12, "q", "times as fast as with one thread");
    add_line(markup_, across_.at(1), up_.at(1), across_.at(most_), up_.at(most_), "o");
    std::vector<EndLabel> labels = {{up_.at(most_), "ideal"}};
    ceiling(labels);
    for (const Course& course : courses_) {
      draw(course);
      const auto& [threads, speed_up] = *course.speed_ups.rbegin();
      if (threads == most_) labels.push_back({up_.at(speed_up->value), short_name(*course.cell, kRoomOfMargin)});
    }
    add_end_labels(markup_, kThreads, std::move(labels));
  }

 private:
  void ceiling(std::vector<EndLabel>& labels) {
    std::string line = "M" + coordinate(across_.at(1)) + " " + coordinate(up_.at(1));
    for (const auto& [threads, factor] : ceilings_) {
      if (threads > most_) break;
      line += "L" + coordinate(across_.at(threads)) + " " + coordinate(up_.at(factor));
      if (threads == most_) labels.push_back({up_.at(factor), "ceiling"});
    }
    if (!ceilings_.empty()) markup_.empty("path", {{"class", "g"}, {"d", line}});
  }

  void draw(const Course& course) {
    const int hue = hue_of(hues_, *course.cell);
    std::string line = "M" + coordinate(across_.at(1)) + " " + coordinate(up_.at(1));
    std::string whiskers;
    std::string marks;
    for (const auto& [threads, speed_up] : course.speed_ups) {
      const double x = across_.at(threads);
      line += "L" + coordinate(x) + " " + coordinate(up_.at(speed_up->value));
      whiskers += "M" + coordinate(x) + " " + coordinate(up_.at(speed_up->interval.low)) + "V" +
                  coordinate(up_.at(speed_up->interval.high));
      marks += mark_path(hue, x, up_.at(speed_up->value));
    }
    markup_.empty("path", {{"class", "h s" + std::to_string(hue)}, {"d", line}});
    markup_.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", whiskers}});
    markup_.empty("path", {{"class", "k" + std::to_string(hue)}, {"d", marks}});
  }

  Markup& markup_;
  const std::vector<Course>& courses_;
  std::map<int, double> ceilings_;
  Hues& hues_;
  int most_ = 2;
  Scale across_ = Scale::linear(0, 1, 0, 1);
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

}  // namespace

void add_threads(Markup& markup, const ScenarioView& view, const report::Report& report,
                 const render::TextTable& numbers) {
  if (!report.scaling) return;
  const report::ScenarioRecord& scenario = *view.table.scenario;
  const std::vector<Course> courses = courses_of(report, scenario.key);
  if (courses.empty()) return;
  const Figure figure{.id = view.id + "-threads",
                      .title = "What more threads bring",
                      .sentence =
                          "Speed-up beside the same with one thread; the ideal is a step shared evenly, the ceiling "
                          "what the multiply-adds of so many threads reached together in this run.",
                      .height = kThreads.height(),
                      .data = numbers};
  add_figure(markup, figure, [&] {
    const bool f64 = scenario.resolved.dtype == report::Dtype::f64;
    ThreadsPicture(markup, courses, ceilings_of(report, f64), view.hues).draw();
  });
}

}  // namespace gdbench::page
