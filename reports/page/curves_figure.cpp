#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

constexpr PlotArea kCurves = PlotArea{};
constexpr double kPointsOfDecade = 4;
// On logarithmic axes a curve is a straight line but for so many decades around its bend, to a fifth of a pixel.
constexpr double kBend = 2;

// What n steps take: ready_ns + n * step_ns.
struct Curve {
  const report::Cell* cell;
  double ready_ns;
  double step_ns;

  double at(double steps) const { return ready_ns + steps * step_ns; }
};

// A part of the axis and whose curve is lowest there.
struct Lead {
  const Curve* curve;
  double from;  // steps
};

std::vector<Curve> curves_of(const ScenarioView& view) {
  std::vector<Curve> curves;
  for (const render::Row& row : view.table.ranked) {
    const report::Summary& summary = *row.cell->summary;
    if (summary.ready_ns) curves.push_back({row.cell, *summary.ready_ns, summary.step_ns.value});
  }
  return curves;
}

// The lower envelope from one step on: of curves that are ahead the one that the others meet next.
std::vector<Lead> leads_of(const std::vector<Curve>& curves) {
  const auto first = std::ranges::min_element(curves, {}, [](const Curve& curve) { return curve.at(1); });
  std::vector<Lead> leads = {{&*first, 1}};
  while (true) {
    const Curve& leader = *leads.back().curve;
    const Curve* next = nullptr;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Curve& curve : curves) {
      if (curve.step_ns >= leader.step_ns) continue;
      const double meets = (curve.ready_ns - leader.ready_ns) / (leader.step_ns - curve.step_ns);
      if (meets >= leads.back().from && meets < nearest) {
        nearest = meets;
        next = &curve;
      }
    }
    if (next == nullptr) return leads;
    leads.push_back({next, nearest});
  }
}

class CurvesPicture {
 public:
  CurvesPicture(Markup& markup, const ScenarioView& view, const std::vector<Curve>& curves,
                const std::vector<Lead>& leads)
      : markup_(markup), view_(view), curves_(curves), leads_(leads) {
    // Two decades beyond the last crossing.
    most_ = std::pow(10, std::ceil(std::log10(std::max(1e4, leads.back().from * 100))));
    Extent times;
    for (const Curve& curve : curves) {
      times.add_positive(curve.at(1));
      times.add_positive(curve.at(most_));
    }
    steps_ = Scale::logarithmic(1, most_, kCurves.left, kCurves.right);
    times_ = Scale::logarithmic(times.low, times.high, kCurves.bottom, kCurves.top);
  }

  void draw() {
    axes();
    for (const Curve& curve : curves_) {
      if (!leads(curve)) path(curve, "t");
    }
    for (const Lead& lead : leads_) path(*lead.curve, "c s" + std::to_string(hue_of(view_.hues, *lead.curve->cell)));
    for (std::size_t i = 1; i < leads_.size(); ++i) crossing(leads_[i]);
    labels();
  }

 private:
  bool leads(const Curve& curve) const {
    return std::ranges::any_of(leads_, [&](const Lead& lead) { return lead.curve == &curve; });
  }

  void axes() {
    add_ticks_across(markup_, kCurves, steps_, 8, &render::format_count);
    add_ticks_up(markup_, kCurves, times_, 8, &render::format_duration_ns);
    add_text(markup_, (kCurves.left + kCurves.right) / 2, kCurves.bottom + 34, "q m", "steps");
    add_text(markup_, 0, 12, "q", "ready + steps");
  }

  void path(const Curve& curve, const std::string& css) {
    const int points = static_cast<int>(std::log10(most_) * kPointsOfDecade);
    std::string line;
    const double bend = std::log10(curve.ready_ns / curve.step_ns);
    for (int i = 0; i <= points; ++i) {
      const bool is_end = i == 0 || i == points;
      if (!is_end && std::abs(i / kPointsOfDecade - bend) > kBend) continue;
      const double steps = std::pow(10, i / kPointsOfDecade);
      extend(line, steps_.at(steps), times_.at(curve.at(steps)));
    }
    markup_.empty("path", {{"class", css}, {"d", line}});
  }

  void crossing(const Lead& lead) {
    const double x = steps_.at(lead.from);
    const double y = times_.at(lead.curve->at(lead.from));
    const int hue = hue_of(view_.hues, *lead.curve->cell);
    add_mark(markup_, hue, x, y);
    crossings_.add(markup_, x + 6, y + 16, "from " + render::format_count(lead.from));
  }

  // At the ends of the curves that lead.
  void labels() {
    std::vector<EndLabel> found;
    for (const Lead& lead : leads_)
      found.push_back({times_.at(lead.curve->at(most_)), short_name(*lead.curve->cell, kRoomOfMargin)});
    add_end_labels(markup_, kCurves, std::move(found));
  }

  Markup& markup_;
  const ScenarioView& view_;
  const std::vector<Curve>& curves_;
  const std::vector<Lead>& leads_;
  double most_ = 1;
  InnerTexts crossings_{kCurves};
  Scale steps_ = Scale::linear(0, 1, 0, 1);
  Scale times_ = Scale::linear(0, 1, 0, 1);
};

std::string sentence_of(const std::vector<Lead>& leads) {
  std::string text;
  for (const Lead& lead : leads) {
    const std::string name = render::row_name(*lead.curve->cell);
    text += text.empty() ? "By medians, " + name + " has its result first"
                         : ", " + name + " from " + render::format_count(lead.from) + " steps on";
  }
  return text + ". Grey curves lead nowhere.";
}

}  // namespace

void add_curves(Markup& markup, const ScenarioView& view) {
  const std::vector<Curve> curves = curves_of(view);
  if (curves.empty() || !std::ranges::all_of(curves, [](const Curve& curve) { return curve.at(1) > 0; })) return;
  const std::vector<Lead> leads = leads_of(curves);
  render::TextTable numbers = {{.title = "implementation", .texts = {}},
                               {.title = "ready", .right_aligned = true, .texts = {}},
                               {.title = "time/step", .right_aligned = true, .texts = {}},
                               {.title = "first from step", .right_aligned = true, .texts = {}}};
  for (const Curve& curve : curves) {
    const auto lead = std::ranges::find(leads, &curve, &Lead::curve);
    add_row(numbers, {render::row_name(*curve.cell), render::format_duration_ns(curve.ready_ns),
                      render::format_duration_ns(curve.step_ns), lead == leads.end() ? "-" : render::format_count(lead->from)});
  }
  const Figure figure{.id = view.id + "-curves",
                      .title = "Time to result",
                      .sentence = sentence_of(leads),
                      .height = kCurves.height(),
                      .data = std::move(numbers)};
  add_figure(markup, figure, [&] { CurvesPicture(markup, view, curves, leads).draw(); });
}

}  // namespace gdbench::page
