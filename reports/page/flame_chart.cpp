#include "reports/page/flame_chart.h"

#include <algorithm>
#include <vector>

#include "reports/page/parts.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"
#include "reports/render/profile.h"

namespace gdbench::page {

namespace {

constexpr double kBoxHeight = 24;
constexpr double kBoxTop = 24;    // below the words above the chart
constexpr double kBoxGap = 0.5;   // between neighbours, so that they can be told apart
constexpr double kRoomInBox = 8;  // beside a text
constexpr int kFlameTicks = 8;

// A part of the step, from its start on.
struct Box {
  int level = 0;  // 0 the step, 1 phases, 2 ops
  int hue = kHueOfUnclaimed;
  std::string phase;
  std::string label;
  double start_ns = 0;
  double time_ns = 0;
};

// In the order of the step; what nobody claims comes last.
std::vector<Box> boxes_of(const report::Profile& profile) {
  std::vector<Box> boxes;
  double start = 0;
  for (const render::PhaseTime& phase : render::phases_of(profile)) {
    const int hue = hue_of_phase(phase.phase);
    boxes.push_back({1, hue, phase.name(), "all of it", start, phase.time_ns});
    for (const report::ProfileRecord* record : phase.records) {
      boxes.push_back({2, hue, phase.name(), render::op_label(*record), start, record->time_ns});
      start += record->time_ns;
    }
  }
  const double rest = std::max(0.0, report::unattributed_ns(profile));
  boxes.push_back({1, kHueOfUnclaimed, "unattributed", "", start, rest});
  boxes.insert(boxes.begin(), {0, kHueOfUnclaimed, "step", "", 0, start + rest});
  return boxes;
}

std::string percent_of(double part, double whole) { return render::format_percent(whole > 0 ? part / whole : 0); }

// What stands in a box, and what stands there where that is too long.
std::vector<std::string> texts_of(const Box& box) {
  if (box.level < 2) return {box.phase + " " + render::format_duration_ns(box.time_ns), box.phase};
  return {box.label, box.label.substr(0, box.label.find(','))};
}

void add_box(Markup& markup, const Scale& scale, const Box& box, double step_ns) {
  const double x = scale.at(box.start_ns);
  const double width = scale.at(box.start_ns + box.time_ns) - x;
  const double shown = width > 2 * kBoxGap ? width - kBoxGap : width;
  const double y = kBoxTop + kBoxHeight * box.level;
  const std::string name = box.label.empty() ? box.phase : box.phase + ": " + box.label;
  markup.element("rect",
                 {{"class", "k" + std::to_string(box.hue) + " l"},
                  {"x", coordinate(x)},
                  {"y", coordinate(y)},
                  {"width", coordinate(shown)},
                  {"height", coordinate(kBoxHeight - 1)}},
                 [&] {
                   markup.element("title", name + ", " + render::format_duration_ns(box.time_ns) + ", " +
                                               percent_of(box.time_ns, step_ns) + " of the step");
                 });
  for (const std::string& text : texts_of(box)) {
    if (width_of(text) + kRoomInBox > shown) continue;
    add_text(markup, x + kRoomInBox / 2, y + 16, "", text);
    return;
  }
}

render::TextTable table_of(const std::vector<Box>& boxes) {
  render::TextTable table = {{.title = "phase", .texts = {}},
                             {.title = "op", .texts = {}},
                             {.title = "begins", .right_aligned = true, .texts = {}},
                             {.title = "time", .right_aligned = true, .texts = {}},
                             {.title = "share", .right_aligned = true, .texts = {}}};
  for (const Box& box : boxes) {
    add_row(table, {box.phase, box.label, render::format_duration_ns(box.start_ns),
                    render::format_duration_ns(box.time_ns), percent_of(box.time_ns, boxes.front().time_ns)});
  }
  return table;
}

}  // namespace

void add_flame_chart(Markup& markup, const report::Profile& profile, const std::string& id) {
  const std::vector<Box> boxes = boxes_of(profile);
  const double step_ns = boxes.front().time_ns;
  const double bottom = kBoxTop + 3 * kBoxHeight;
  const Figure figure{.id = id,
                      .title = "One mean step",
                      .sentence =
                          "From left to right in the order of a step: the step, its phases, their ops, as wide as they "
                          "are long. Names stand where there is room; what is narrower than a tenth of a pixel is "
                          "in the table alone. A pointer on a box shows its name and time.",
                      .height = bottom + 20,
                      .data = table_of(boxes)};
  add_figure(markup, figure, [&] {
    const Scale scale = Scale::linear(0, step_ns, 1, kPictureWidth - 1);
    add_text(markup, 0, 12, "q", "time in the profiled step, from its beginning");
    for (const double tick : scale.ticks(kFlameTicks)) {
      const std::string text = render::format_duration_ns(tick);
      add_line(markup, scale.at(tick), kBoxTop, scale.at(tick), bottom + 2);
      const bool first = scale.at(tick) < width_of(text) / 2;
      const bool last = scale.at(tick) + width_of(text) / 2 > kPictureWidth;
      add_text(markup, scale.at(tick), bottom + 15, first ? "q" : last ? "q e" : "q m", text);
    }
    for (const Box& box : boxes) add_box(markup, scale, box, step_ns);
  });
}

}  // namespace gdbench::page
