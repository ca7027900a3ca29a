// A picture of bars: a row for each, on one axis from 0, with intervals where there are some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/stats/estimate.h"
#include "reports/page/parts.h"

namespace gdbench::page {

struct Bar {
  std::string label;
  double value = 0;  // may be negative: its bar goes to the left
  std::optional<stats::Interval> interval{};
  int hue = 0;
  std::string text;  // the value, at the right
};

struct BarChart {
  std::string axis;  // what it shows, in which unit
  TickText tick_text;
  std::vector<Bar> bars;
  std::optional<double> line{};  // a value that bars are to be held against
};

// Writes the figure with the picture, whose height and numbers need not be given: where `data` is empty, they are the
// labels and texts.
void add_bars(Markup& markup, Figure figure, const BarChart& chart);

}  // namespace gdbench::page
