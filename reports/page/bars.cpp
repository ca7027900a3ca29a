#include "reports/page/bars.h"

#include <algorithm>
#include <utility>

namespace gdbench::page {

namespace {

constexpr double kThick = 11;        // of a bar, in pixels
constexpr double kTextsRight = 754;  // where texts end
constexpr int kBarTicks = 6;
constexpr double kMostLeft = 336;  // how far labels may reach
constexpr double kLabelGap = 8;

// Where bars begin: behind the longest label, if that leaves them room.
double left_of(const BarChart& chart) {
  double left = kRowsLeft;
  for (const Bar& bar : chart.bars) left = std::max(left, width_of(bar.label) + kLabelGap);
  return std::min(left, kMostLeft);
}

// Where they end at most: before the longest text.
double right_of(const BarChart& chart) {
  double widest = 0;
  for (const Bar& bar : chart.bars) widest = std::max(widest, width_of(bar.text));
  return std::min(kRowsRight, kTextsRight - widest) - kLabelGap;
}

// From 0 to the furthest value or end of an interval, on both sides.
Scale axis_of(const BarChart& chart, double left) {
  Extent extent;
  extent.add(0);
  if (chart.line) extent.add(*chart.line);
  for (const Bar& bar : chart.bars) {
    extent.add(bar.value);
    if (!bar.interval) continue;
    extent.add(bar.interval->low);
    extent.add(bar.interval->high);
  }
  return Scale::linear(extent.low, extent.high, left, right_of(chart));
}

void add_row_of(Markup& markup, const Scale& scale, const Bar& bar, std::size_t room, double y) {
  const double from = std::min(scale.at(0), scale.at(bar.value));
  const double width = std::max(scale.at(0), scale.at(bar.value)) - from;
  add_text(markup, 0, y + 4, "", render::cut(bar.label, room));
  markup.empty("path",
               {{"class", "k" + std::to_string(bar.hue)}, {"d", bar_path(from, y - kThick / 2, width, kThick)}});
  if (bar.interval) {
    const double low = scale.at(bar.interval->low);
    const double high = scale.at(bar.interval->high);
    markup.empty("path",
                 {{"class", "o"},
                  {"d", "M" + coordinate(low) + " " + coordinate(y) + "v-3v6v-3H" + coordinate(high) + "v-3v6"}});
  }
  add_text(markup, kTextsRight, y + 4, "e", bar.text);
}

}  // namespace

void add_bars(Markup& markup, Figure figure, const BarChart& chart) {
  const double bottom = kRowsTop + kRowHeight * static_cast<double>(chart.bars.size());
  figure.height = bottom + 6;
  if (figure.data.empty()) {
    figure.data = {{.title = "bar", .texts = {}}, {.title = chart.axis, .right_aligned = true, .texts = {}}};
    for (const Bar& bar : chart.bars) add_row(figure.data, {bar.label, bar.text});
  }
  add_figure(markup, figure, [&] {
    const double left = left_of(chart);
    const auto room = static_cast<std::size_t>(left / width_of("m"));
    const Scale scale = axis_of(chart, left);
    add_text(markup, left, 12, "q", chart.axis);
    for (const double tick : scale.ticks(kBarTicks)) {
      add_line(markup, scale.at(tick), kRowsTop - 6, scale.at(tick), bottom);
      add_text(markup, scale.at(tick), kRowsTop - 9, "q m", chart.tick_text(tick));
    }
    if (chart.line) add_line(markup, scale.at(*chart.line), kRowsTop - 6, scale.at(*chart.line), bottom, "o");
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
      add_row_of(markup, scale, chart.bars[i], room, kRowsTop + kRowHeight * (static_cast<double>(i) + 0.5));
    }
  });
}

}  // namespace gdbench::page
