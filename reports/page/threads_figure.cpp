#include <algorithm>
#include <map>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

constexpr PlotArea kThreads = PlotArea{.bottom = 262};

// Speed-ups of one implementation over its numbers of threads.
struct ThreadCourse {
  const report::Cell* single;  // with one thread
  std::map<int, const stats::Estimate*> speed_ups;
};

// In the report's order.
std::vector<ThreadCourse> courses_of(const std::vector<render::ScalingRow>& rows) {
  std::vector<ThreadCourse> courses;
  for (const render::ScalingRow& row : rows) {
    if (row.single == nullptr) continue;
    auto course = std::ranges::find(courses, row.single, &ThreadCourse::single);
    if (course == courses.end()) course = courses.insert(course, {row.single, {}});
    course->speed_ups[row.cell->threads] = &row.scaling->speed_up;
  }
  return courses;
}

// What the multiply-adds of so many threads together reached over one thread's.
std::map<int, double> ceilings_of(const report::Report& report, report::Dtype dtype) {
  std::map<int, double> ceilings;
  if (!report.ceilings || !report.ceilings->best || !report.ceilings->teams) return ceilings;
  const double single = report.ceilings->best->fma_gflop_per_second(dtype);
  for (const report::TeamCeilings& team : *report.ceilings->teams) {
    if (single > 0) ceilings[team.threads] = team.best.fma_gflop_per_second(dtype) / single;
  }
  return ceilings;
}

class ThreadsPicture {
 public:
  ThreadsPicture(Markup& markup, const std::vector<ThreadCourse>& courses, std::map<int, double> ceilings, Hues& hues)
      : markup_(markup), courses_(courses), ceilings_(std::move(ceilings)), hues_(hues) {
    Extent speed_ups;
    speed_ups.add(1);
    for (const ThreadCourse& course : courses) {
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
    for (const ThreadCourse& course : courses_) {
      draw(course);
      const auto& [threads, speed_up] = *course.speed_ups.rbegin();
      if (threads == most_) labels.push_back({up_.at(speed_up->value), short_name(*course.single, kRoomOfMargin)});
    }
    add_end_labels(markup_, kThreads, std::move(labels));
  }

 private:
  void ceiling(std::vector<EndLabel>& labels) {
    std::string line;
    extend(line, across_.at(1), up_.at(1));
    for (const auto& [threads, factor] : ceilings_) {
      if (threads > most_) break;
      extend(line, across_.at(threads), up_.at(factor));
      if (threads == most_) labels.push_back({up_.at(factor), "ceiling"});
    }
    if (!ceilings_.empty()) markup_.empty("path", {{"class", "g"}, {"d", line}});
  }

  void draw(const ThreadCourse& course) {
    const int hue = hue_of(hues_, *course.single);
    std::string line;
    extend(line, across_.at(1), up_.at(1));
    std::string whiskers;
    std::string marks;
    for (const auto& [threads, speed_up] : course.speed_ups) {
      const double x = across_.at(threads);
      extend(line, x, up_.at(speed_up->value));
      whiskers += upright_path(x, up_.at(speed_up->interval.low), up_.at(speed_up->interval.high));
      marks += mark_path(hue, x, up_.at(speed_up->value));
    }
    markup_.empty("path", {{"class", "h s" + std::to_string(hue)}, {"d", line}});
    markup_.empty("path", {{"class", "c s" + std::to_string(hue)}, {"d", whiskers}});
    markup_.empty("path", {{"class", "k" + std::to_string(hue)}, {"d", marks}});
  }

  Markup& markup_;
  const std::vector<ThreadCourse>& courses_;
  std::map<int, double> ceilings_;
  Hues& hues_;
  int most_ = 2;
  Scale across_ = Scale::linear(0, 1, 0, 1);
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

}  // namespace

void add_threads(Markup& markup, const ScenarioView& view, const report::Report& report,
                 const render::ScalingWords& scaling) {
  const report::ScenarioRecord& scenario = *view.table.scenario;
  const std::vector<ThreadCourse> courses = courses_of(scaling.rows_of(scenario.key));
  if (courses.empty()) return;
  const Figure figure{.id = view.id + "-threads",
                      .title = "What more threads bring",
                      .sentence =
                          "Speed-up beside the same with one thread; the ideal is a step shared evenly, the ceiling "
                          "what the multiply-adds of so many threads reached together in this run.",
                      .height = kThreads.height(),
                      .data = scaling.of_scenario(scenario.key)};
  add_figure(markup, figure, [&] {
    const report::Dtype dtype = scenario.resolved.dtype.value_or(report::Dtype::f32);
    ThreadsPicture(markup, courses, ceilings_of(report, dtype), view.hues).draw();
  });
}

}  // namespace gdbench::page
