// A chart as a value: what is drawn, not how. The HTML writer draws it and lists its numbers below it; the JSON writer
// gives the numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/stats/estimate.h"

namespace gdbench::document {

// Hues of series and bars: kHues that are given in turn, then grey, which says that something stands back.
constexpr int kHues = 7;
constexpr int kGrey = -1;

// Hues of kinds of things, in the order in which they are first asked for; those beyond kHues share the last.
class Hues {
 public:
  int of(const std::string& kind);

 private:
  std::vector<std::string> kinds_;
};

using ValueText = std::function<std::string(double value)>;

struct Axis {
  std::string title;  // what it shows, in which unit
  ValueText text;     // of a value at it
  bool logarithmic = false;
  std::optional<stats::Interval> ends{};                // absent: all that is drawn, and 0 for bars
  std::vector<std::pair<double, std::string>> ticks{};  // absent: chosen by the writer
};

// The hue and the shape of a mark: two hues may look alike to a reader, two shapes do not.
struct Look {
  int hue = 0;
  int shape = 0;
};
constexpr Look look_of(int hue) { return {.hue = hue, .shape = hue < 0 ? 0 : hue}; }

// Things over a plane of two axes.

struct Point {
  double x = 0;
  double y = 0;
  std::optional<stats::Interval> interval{};  // of y
};

enum class Line { none, thin, thick, guide };

// Points of one thing, joined by straight lines. Those of `guide` are no measurements: an ideal, a roof, a floor.
struct Series {
  std::string name;
  Look look{};
  Line line = Line::thick;
  bool marked = false;  // a mark at each point
  bool named = true;    // in the picture, where the chart says
  std::vector<Point> points{};
};

// A range of one axis that stands out.
struct Band {
  stats::Interval range;
  bool upright = true;  // of the horizontal axis
};

// A line through a value of one axis.
struct Rule {
  double at = 0;
  std::string text{};
  bool upright = true;  // at a value of the horizontal axis
};

// Words at a place, with a mark there.
struct Note {
  double x = 0;
  double y = 0;
  std::string text;
  Look look{};
};

struct Plane {
  Axis across;
  Axis up;
  std::vector<Series> series{};
  std::vector<Band> bands{};
  std::vector<Rule> rules{};
  std::vector<Note> notes{};
  bool keyed = false;  // names stand in a list of their own, not where series end
};

// A row for each of several things, over one axis or two side by side.

// A part of a bar, which goes from one value to another.
struct Piece {
  double from = 0;
  double to = 0;
  int hue = 0;
  std::string name{};  // what it is, of those in the key
  std::string text{};  // in it, where there is room
  std::string hint{};  // all that is known of it, for a pointer
};

// A value with its interval, or a bar from 0 to it.
struct Measure {
  double value = 0;
  std::optional<stats::Interval> interval{};
  std::size_t axis = 0;
  bool bar = false;
};

struct BarRow {
  std::string label;
  Look look{};
  std::vector<Measure> measures{};
  std::vector<Piece> pieces{};
  std::vector<double> dots{};               // single values, of the first axis
  std::optional<stats::Interval> wanted{};  // where the first measure should lie; an end of 0 or infinity is no limit
  std::string word{};                       // behind the row, with its mark
  std::string figure{};                     // at the end
  std::string group{};                      // rows of a group stand together below its name
  bool set_back = false;                    // its label in grey
};

struct Rows {
  std::vector<Axis> axes;
  std::vector<BarRow> rows{};
  std::optional<stats::Interval> band{};  // of the first axis
  std::string band_name{};
  std::optional<double> line{};                    // a value of the first axis that rows are to be held against
  std::vector<std::pair<std::string, int>> key{};  // names of hues
};

using Chart = std::variant<Plane, Rows>;

}  // namespace gdbench::document
