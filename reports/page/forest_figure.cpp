#include "reports/page/forest_figure.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "reports/page/scenario_figures.h"

namespace gdbench::page {

namespace {

constexpr double kForestRight = 456;
constexpr double kMarkLeft = 492;  // the finding's mark, its word, and where figures end
constexpr double kWordLeft = 503;
constexpr double kFigureRight = kPictureWidth - 2;
constexpr double kGroupHeight = 24;
constexpr double kGroupGap = 6;
constexpr double kTall = 900;  // from here on the axis has labels at the bottom, too
constexpr int kTicksOfForest = 6;

struct Look {
  int hue;
  int mark;
};

Look look_of(Finding finding) {
  switch (finding) {
    case Finding::worse:
      return {.hue = 1, .mark = 2};
    case Finding::better:
      return {.hue = 0, .mark = 4};
    case Finding::alike:
      return {.hue = 6, .mark = 0};
    case Finding::open:
      return {.hue = 5, .mark = 3};
    case Finding::failed:
      return {.hue = 3, .mark = 5};
    case Finding::passed:
      break;
  }
  return {.hue = 2, .mark = 1};
}

bool is_drawn(const stats::Estimate& ratio) {
  return std::isfinite(ratio.value) && ratio.value > 0 && !std::isnan(ratio.interval.low) &&
         !std::isnan(ratio.interval.high);
}

bool is_limit(double end) { return std::isfinite(end) && end > 0; }

// From the least to the largest ratio of the axis.
stats::Interval ends_of(const Forest& forest) {
  constexpr double kLeast = 1.01;  // wherever all ratios are 1
  constexpr double kReach = 1.25;
  constexpr double kRoomAtEnds = 0.04;  // of the axis, at either end: nothing that counts stands there
  Extent inner;
  for (const double always : {1 / kLeast, kLeast}) inner.add(always);
  if (forest.band) {
    inner.add_positive(forest.band->low);
    inner.add_positive(forest.band->high);
  }
  for (const ForestRow& row : forest.rows) {
    if (row.ratio && is_drawn(*row.ratio)) inner.add_positive(row.ratio->value);
    for (const double dot : row.dots) inner.add_positive(dot);
    if (!row.wanted) continue;
    inner.add_positive(row.wanted->low);
    inner.add_positive(row.wanted->high);
  }
  Extent outer = inner;
  for (const ForestRow& row : forest.rows) {
    if (!row.ratio || !is_drawn(*row.ratio)) continue;
    outer.add_positive(row.ratio->interval.low);
    outer.add_positive(row.ratio->interval.high);
  }
  const double reach = std::max(std::pow(inner.high / inner.low, 2), kReach);
  const double low = std::max(outer.low, inner.low / reach);
  const double high = std::min(outer.high, inner.high * reach);
  const double room = std::pow(high / low, kRoomAtEnds);
  return {low / room, high * room};
}

std::string tick_text(double ratio) { return formatted("%.6gx", ratio); }

class ForestPicture {
 public:
  ForestPicture(Markup& markup, const Forest& forest)
      : markup_(markup),
        forest_(forest),
        ends_(ends_of(forest)),
        scale_(Scale::logarithmic(ends_.low, ends_.high, kRowsLeft, kForestRight)) {
    for (const ForestRow& row : forest.rows) {
      const auto same = [&](const auto& group) { return group.front()->group == row.group; };
      const auto known = std::ranges::find_if(groups_, same);
      (known == groups_.end() ? groups_.emplace_back() : *known).push_back(&row);
    }
  }

  double height() const {
    double bottom = kRowsTop;
    for (const Group& group : groups_) bottom += height_of(group);
    return bottom < kTall ? bottom : bottom + kRowHeight;
  }

  void draw() {
    add_text(markup_, kRowsLeft, 12, "q", forest_.axis + ", logarithmic");
    if (forest_.band) {
      box(kMarkLeft - 4, 4, 8, 8);
      add_text(markup_, kWordLeft, 12, "q", forest_.band_name);
    }
    add_tick_labels(markup_, scale_, kRowsTop - 8, kTicksOfForest, &tick_text);
    double top = kRowsTop;
    for (const Group& group : groups_) {
      draw(group, top);
      top += height_of(group);
    }
    if (top >= kTall) add_tick_labels(markup_, scale_, top + 6, kTicksOfForest, &tick_text);
  }

 private:
  using Group = std::vector<const ForestRow*>;

  static double heading_of(const Group& group) { return group.front()->group.empty() ? 0 : kGroupHeight; }
  static double height_of(const Group& group) {
    return heading_of(group) + kRowHeight * static_cast<double>(group.size()) + kGroupGap;
  }

  void box(double x, double y, double width, double height) {
    markup_.empty("path", {{"class", "b"}, {"d", bar_path(x, y, width, height)}});
  }

  void draw(const Group& group, double top) {
    constexpr std::size_t kRoomOfHeading = 100;
    if (!group.front()->group.empty())
      add_text(markup_, 0, top + 16, "", render::cut(group.front()->group, kRoomOfHeading));
    top += heading_of(group);
    const double bottom = top + kRowHeight * static_cast<double>(group.size());
    if (forest_.band) {
      const double left = scale_.at(forest_.band->low);
      box(left, top, scale_.at(forest_.band->high) - left, bottom - top);
    }
    for (const double tick : scale_.ticks(kTicksOfForest))
      add_line(markup_, scale_.at(tick), top, scale_.at(tick), bottom);
    add_line(markup_, scale_.at(1), top, scale_.at(1), bottom, "o");
    for (std::size_t i = 0; i < group.size(); ++i) row(*group[i], top + kRowHeight * (static_cast<double>(i) + 0.5));
  }

  void row(const ForestRow& row, double y) {
    constexpr std::size_t kRoomOfWord = 14;
    constexpr std::size_t kRoomOfFigure = 24;
    const Look look = look_of(row.finding);
    add_text(markup_, row.group.empty() ? 0 : 8, y + 4, "",
             render::cut(row.label, row.group.empty() ? kRoomOfRows : kRoomOfRows - 1));
    if (row.wanted) wanted(*row.wanted, y);
    std::set<std::string> places;  // of the same pixel are one dot
    for (const double dot : row.dots) {
      if (is_limit(dot)) places.insert(coordinate(std::round(scale_.at(dot))));
    }
    std::string dots;
    // Below an interval, which would cover them.
    for (const std::string& x : places) dots += "M" + x + " " + coordinate(row.ratio ? y + 6 : y) + "h0";
    if (!dots.empty()) markup_.empty("path", {{"class", "d s" + std::to_string(look.hue)}, {"d", dots}});
    if (row.ratio && is_drawn(*row.ratio)) {
      whisker(row.ratio->interval, look, y);
      mark(look, scale_.at(row.ratio->value), y);
    }
    mark(look, kMarkLeft, y);
    add_text(markup_, kWordLeft, y + 4, "", render::cut(row.word, kRoomOfWord));
    if (!row.figure.empty()) add_text(markup_, kFigureRight, y + 4, "e", render::cut(row.figure, kRoomOfFigure));
  }

  // Where the ratio should lie, and a stroke at each limit.
  void wanted(const stats::Interval& range, double y) {
    const double left = is_limit(range.low) ? scale_.at(range.low) : kRowsLeft;
    const double right = is_limit(range.high) ? scale_.at(range.high) : kForestRight;
    box(left, y - 7, right - left, 14);
    for (const double limit : {range.low, range.high}) {
      if (is_limit(limit)) add_line(markup_, scale_.at(limit), y - 8, scale_.at(limit), y + 8, "o");
    }
  }

  void whisker(const stats::Interval& interval, const Look& look, double y) {
    const std::string css = "c s" + std::to_string(look.hue);
    add_line(markup_, scale_.at(interval.low), y, scale_.at(interval.high), y, css);
    if (interval.low < ends_.low) arrow(css, kRowsLeft, 5, y);
    if (interval.high > ends_.high) arrow(css, kForestRight, -5, y);
  }

  void arrow(const std::string& css, double x, double back, double y) {
    const std::string from = coordinate(x + back);
    markup_.empty("path", {{"class", css},
                           {"d", "M" + from + " " + coordinate(y - 4) + "L" + coordinate(x) + " " + coordinate(y) +
                                     "L" + from + " " + coordinate(y + 4)}});
  }

  void mark(const Look& look, double x, double y) {
    markup_.empty("path", {{"class", "k" + std::to_string(look.hue)}, {"d", mark_path(look.mark, x, y)}});
  }

  Markup& markup_;
  const Forest& forest_;
  stats::Interval ends_;
  Scale scale_;
  std::vector<Group> groups_;
};

}  // namespace

void add_forest(Markup& markup, const Forest& forest) {
  if (forest.rows.empty()) return;
  ForestPicture picture(markup, forest);
  Figure figure = forest.figure;
  figure.height = picture.height();
  add_figure(markup, figure, [&] { picture.draw(); });
}

}  // namespace gdbench::page
