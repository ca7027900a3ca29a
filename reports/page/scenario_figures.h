// The figures of one scenario of a report.
#pragma once

#include <map>
#include <string>

#include "reports/page/figure.h"
#include "reports/page/scale.h"
#include "reports/render/rows.h"

namespace gdbench::page {

struct ScenarioView {
  const render::ScenarioTable& table;
  std::string id;      // of the scenario's section on the page: what its figures' ids begin with
  std::string winner;  // in a sentence
  Hues& hues;          // of kinds of implementations
};

// Each adds nothing where the report has nothing of its kind.

// Steps' times with their intervals and a dot per launch, and ratios to the baseline around 1.
void add_times(Markup& markup, const ScenarioView& view);
// Where a step's time goes, by phases.
void add_phases(Markup& markup, const ScenarioView& view);
// What n steps take from the start of loading on: who is first, from which number of steps on.
void add_curves(Markup& markup, const ScenarioView& view);
// The loss over time, where trainings ran to a target.
void add_target(Markup& markup, const ScenarioView& view);
// Every block in the order of measuring, beside its cell's median: what moves together is the machine.
void add_samples(Markup& markup, const ScenarioView& view);
// Speed-ups of more threads beside the ideal and the ceiling; `numbers` is their table.
void add_threads(Markup& markup, const ScenarioView& view, const report::Report& report,
                 const render::TextTable& numbers);
// Memory of processes at its peak.
void add_memory(Markup& markup, const ScenarioView& view);

// For these, and for figures about several scenarios.

// A picture with a row for each implementation: their names from the left to kRowsLeft.
constexpr double kRowsTop = 34;
constexpr double kRowHeight = 18;
constexpr double kRowsLeft = 196;
constexpr double kRowsRight = 660;

// A picture with an axis at the bottom and one at the left, whose words stand outside.
struct PlotArea {
  double left = 76;
  double right = 620;
  double top = 24;
  double bottom = 320;

  double height() const { return bottom + 40; }
};
// From a line of text to the next one.
constexpr double kLineHeight = 14;

// Timed rows, ranked ones first, each fastest first.
std::vector<render::Row> timed_rows(const render::ScenarioTable& table);
// "graph" of "graph/jit": what shares a hue.
int hue_of(Hues& hues, const report::Cell& cell);
// A row's name, cut to so many columns.
constexpr std::size_t kRoomOfRows = 28;    // to the left of kRowsLeft
constexpr std::size_t kRoomOfMargin = 17;  // to the right of a PlotArea
std::string short_name(const report::Cell& cell, std::size_t room = kRoomOfRows);
// About what a text takes up, in pixels.
double width_of(const std::string& text);
// A text of the picture.
void add_text(Markup& markup, double x, double y, const std::string& css, const std::string& text);
// A line, of the class of grid lines.
void add_line(Markup& markup, double x1, double y1, double x2, double y2, const std::string& css = "g");
// Grid lines through at most about `most` ticks, with their labels below the area, or to its left.
using TickText = std::string (*)(double value);
void add_ticks_across(Markup& markup, const PlotArea& area, const Scale& scale, int most, TickText text_of);
// The ticks' labels alone, around y, without those that would run into the one before.
void add_tick_labels(Markup& markup, const Scale& scale, double y, int most, TickText text_of);
void add_ticks_up(Markup& markup, const PlotArea& area, const Scale& scale, int most, TickText text_of);

// Names of what ends at the right of an area, each at its height or as far below the one before as letters are high.
struct EndLabel {
  double y;
  std::string text;
};
void add_labels_apart(Markup& markup, const PlotArea& area, std::vector<EndLabel> labels);

// Texts inside of an area, none of which covers another.
class InnerTexts {
 public:
  explicit InnerTexts(const PlotArea& area) : area_(area) {}
  // Writes the text from x on, with its line at y or as near to it as there is room.
  void add(Markup& markup, double x, double y, const std::string& text);

 private:
  struct Box {
    double left;
    double right;
    double y;
  };
  bool is_free(const Box& box) const;

  PlotArea area_;
  std::vector<Box> taken_;
};

// "245", "1e6", "2.5e7".
std::string count_text(double count);

// The figure of each launch: the least of its warm samples, as harness/stats/estimate.h has it.
std::map<int, double> figures_of_launches(const report::Cell& cell);

}  // namespace gdbench::page
