#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "reports/document/drawing.h"

namespace gdbench::document {

namespace {

constexpr double kMostLeft = 336;  // how far labels may reach
constexpr double kLabelLeft = 2;   // letters may reach out to the left
constexpr double kLabelGap = 8;
constexpr double kAxisGap = 20;  // between two axes
constexpr double kBarHeight = 12;
constexpr double kTallRow = 24;           // of pieces with texts in them
constexpr double kRoomInPiece = 8;        // around a text
constexpr double kNarrowestPiece = 0.05;  // pixels of a piece that is drawn
constexpr double kGroupHeight = 24;
constexpr double kGroupGap = 6;
constexpr double kTall = 900;  // from here on the axis has labels at the bottom, too
constexpr int kTicksOfRows = 6;

bool is_limit(double end) { return std::isfinite(end) && end > 0; }

bool has_bars(const Rows& rows) {
  return std::ranges::any_of(rows.rows, [](const BarRow& row) {
    return !row.pieces.empty() || std::ranges::any_of(row.measures, &Measure::bar);
  });
}

// What the axis must show, and with intervals. Those that are much longer than all else are cut where the axis ends.
class AxisExtent {
 public:
  AxisExtent(const Rows& rows, std::size_t axis) : logarithmic_(rows.axes[axis].logarithmic) {
    const bool first = axis == 0;
    if (!logarithmic_ && has_bars(rows)) inner_.add(0);
    if (first && rows.line) add(inner_, *rows.line);
    if (first && rows.band) add(inner_, rows.band->low, rows.band->high);
    for (const BarRow& row : rows.rows) {
      for (const Measure& measure : row.measures) {
        if (measure.axis == axis) add(inner_, measure.value);
      }
      if (!first) continue;
      for (const Piece& piece : row.pieces) add(inner_, piece.from, piece.to);
      for (const double dot : row.dots) add(inner_, dot);
      if (!row.wanted) continue;
      for (const double limit : {row.wanted->low, row.wanted->high}) {
        if (is_limit(limit)) add(inner_, limit);
      }
    }
    outer_ = inner_;
    for (const BarRow& row : rows.rows) {
      for (const Measure& measure : row.measures) {
        if (measure.axis == axis && measure.interval) add(outer_, measure.interval->low, measure.interval->high);
      }
    }
  }

  Extent ends() const {
    if (!logarithmic_ || inner_.empty) return outer_;
    constexpr double kReach = 1.25;
    constexpr double kRoomAtEnds = 0.04;  // of the axis, at either end: nothing that counts stands there
    const double reach = std::max(std::pow(inner_.high / inner_.low, 2), kReach);
    Extent ends = outer_;
    ends.low = std::max(outer_.low, inner_.low / reach);
    ends.high = std::min(outer_.high, inner_.high * reach);
    const double room = std::pow(ends.high / ends.low, kRoomAtEnds);
    ends.low /= room;
    ends.high *= room;
    return ends;
  }

 private:
  template <class... Values>
  void add(Extent& extent, Values... values) const {
    for (const double value : {values...}) logarithmic_ ? extent.add_positive(value) : extent.add(value);
  }

  bool logarithmic_;
  Extent inner_;
  Extent outer_;
};

class RowsDrawing {
 public:
  explicit RowsDrawing(const Rows& rows) : rows_(rows) {
    for (const BarRow& row : rows.rows) {
      const auto same = [&](const Group& group) { return group.front()->group == row.group; };
      const auto known = std::ranges::find_if(groups_, same);
      (known == groups_.end() ? groups_.emplace_back() : *known).push_back(&row);
    }
    columns();
  }

  Drawing draw() {
    double bottom = top_;
    for (const Group& group : groups_) bottom += height_of(group);
    heads();
    double top = top_;
    for (const Group& group : groups_) {
      draw(group, top);
      top += height_of(group);
    }
    paths_.write(markup_);
    if (bottom >= kTall) {
      for (std::size_t i = 0; i < scales_.size(); ++i) tick_labels(i, bottom + 6);
      bottom += kRowHeight;
    }
    return {.markup = markup_.take(), .height = bottom + 6};
  }

 private:
  using Group = std::vector<const BarRow*>;

  double heading_of(const Group& group) const { return group.front()->group.empty() ? 0 : kGroupHeight; }
  double height_of(const Group& group) const {
    return heading_of(group) + row_height_ * static_cast<double>(group.size()) +
           (group.front()->group.empty() ? 0 : kGroupGap);
  }

  // Where labels, axes and words stand: as wide as they need to be, the axes in what is left.
  void columns() {
    double label = 0;
    double word = 0;
    double figure = 0;
    for (const BarRow& row : rows_.rows) {
      label = std::max(label, width_of(row.label) + kLabelLeft + (row.group.empty() ? 0 : 8));
      word = std::max(word, width_of(row.word));
      figure = std::max(figure, width_of(row.figure));
      for (const Piece& piece : row.pieces) {
        if (!piece.text.empty()) row_height_ = kTallRow;
      }
    }
    left_ = label == 0 ? 1 : std::clamp(label + kLabelGap, kRowsLeft, kMostLeft);
    const double right = kPictureWidth - 2 - (figure > 0 ? figure + kLabelGap : 0) - (word > 0 ? word + 24 : 0);
    word_left_ = right + 22;
    const auto count = static_cast<double>(rows_.axes.size());
    const double width = (right - left_ - kAxisGap * (count - 1)) / count;
    for (std::size_t i = 0; i < rows_.axes.size(); ++i) {
      const double from = left_ + (width + kAxisGap) * static_cast<double>(i);
      extents_.push_back(AxisExtent(rows_, i).ends());
      scales_.push_back(scale_of(rows_.axes[i], extents_.back(), from, from + width));
      lefts_.push_back(from);
    }
    right_ = lefts_.empty() ? right : lefts_.front() + width;
    if (!rows_.key.empty()) top_ += kRowHeight;
  }

  void heads() {
    double y = 12;
    if (!rows_.key.empty()) {
      double x = left_;
      for (const auto& [name, hue] : rows_.key) {
        markup_.empty("path", {{"class", area_class(hue)}, {"d", bar_path(x, y - 9, 10, 10)}});
        add_text(markup_, x + 14, y, "", name);
        x += 30 + width_of(name);
      }
      y += kRowHeight;
    }
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      add_text(markup_, lefts_[i], y, "q", title_of(rows_.axes[i]));
      tick_labels(i, top_ - 8);
    }
    if (!rows_.band_name.empty()) {
      markup_.empty("path", {{"class", "b"}, {"d", bar_path(word_left_ - 15, y - 8, 8, 8)}});
      add_text(markup_, word_left_ - 4, y, "q", rows_.band_name);
    }
  }

  void tick_labels(std::size_t axis, double y) {
    constexpr double kGap = 6;
    double said_until = lefts_[axis] - kAxisGap;
    for (const auto& [tick, text] : ticks_of(rows_.axes[axis], scales_[axis], kTicksOfRows)) {
      const double half = width_of(text) / 2;
      const double x = std::clamp(scales_[axis].at(tick), half, kPictureWidth - half);
      if (x - half < said_until) continue;
      add_text(markup_, x, y, "q m", text);
      said_until = x + half + kGap;
    }
  }

  void box(double x, double y, double width, double height) {
    markup_.empty("path", {{"class", "b"}, {"d", bar_path(x, y, width, height)}});
  }

  void draw(const Group& group, double top) {
    constexpr std::size_t kRoomOfHeading = 100;
    if (heading_of(group) > 0) add_text(markup_, kLabelLeft, top + 16, "", cut(group.front()->group, kRoomOfHeading));
    top += heading_of(group);
    const double bottom = top + row_height_ * static_cast<double>(group.size());
    if (rows_.band) {
      const double from = scales_.front().at(rows_.band->low);
      box(from, top, scales_.front().at(rows_.band->high) - from, bottom - top);
    }
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      for (const auto& [tick, text] : ticks_of(rows_.axes[i], scales_[i], kTicksOfRows)) {
        add_line(markup_, scales_[i].at(tick), top - 2, scales_[i].at(tick), bottom);
      }
    }
    if (rows_.line) {
      const double x = scales_.front().at(*rows_.line);
      add_line(markup_, x, top - 2, x, bottom, "o");
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      draw(*group[i], top + row_height_ * (static_cast<double>(i) + 0.5));
    }
  }

  void draw(const BarRow& row, double y) {
    const double indent = row.group.empty() ? kLabelLeft : kLabelLeft + 8;
    const auto room = static_cast<std::size_t>((left_ - indent - kLabelGap) / width_of("m"));
    if (!row.label.empty()) add_text(markup_, indent, y + 4, row.set_back ? "q" : "", cut(row.label, room));
    if (row.wanted) wanted(*row.wanted, y);
    for (const Piece& piece : row.pieces) draw(piece, y);
    dots(row, y);
    for (const Measure& measure : row.measures) draw(measure, row.look, y);
    if (!row.word.empty()) {
      mark(row.look, word_left_ - 11, y);
      add_text(markup_, word_left_, y + 4, "", row.word);
    }
    if (!row.figure.empty()) add_text(markup_, kPictureWidth - 2, y + 4, "e", row.figure);
  }

  // Where the value should lie, and a stroke at each limit.
  void wanted(const stats::Interval& range, double y) {
    const double from = is_limit(range.low) ? scales_.front().at(range.low) : left_;
    const double to = is_limit(range.high) ? scales_.front().at(range.high) : right_;
    box(from, y - 7, to - from, 14);
    for (const double limit : {range.low, range.high}) {
      if (is_limit(limit)) add_line(markup_, scales_.front().at(limit), y - 8, scales_.front().at(limit), y + 8, "o");
    }
  }

  // Those of the same pixel are one dot; they stand below an interval, which would cover them.
  void dots(const BarRow& row, double y) {
    std::set<std::string> places;
    for (const double dot : row.dots) {
      if (std::isfinite(dot)) places.insert(coordinate(std::round(scales_.front().at(dot))));
    }
    const double below = row.measures.empty() || !row.measures.front().interval ? 0 : 5;
    for (const std::string& x : places) {
      paths_.of("d " + stroke_class(row.look.hue)) += "M" + x + " " + coordinate(y + below) + "h0";
    }
  }

  void draw(const Piece& piece, double y) {
    const double from = scales_.front().at(piece.from);
    const double width = scales_.front().at(piece.to) - from;
    if (piece.hint.empty()) {
      if (width >= kNarrowestPiece)
        paths_.of(area_class(piece.hue)) += bar_path(from, y - kBarHeight / 2, width, kBarHeight);
      return;
    }
    markup_.element("rect",
                    {{"class", area_class(piece.hue) + " l"},
                     {"x", coordinate(from)},
                     {"y", coordinate(y - row_height_ / 2)},
                     {"width", coordinate(width > 1 ? width - 0.5 : width)},
                     {"height", coordinate(row_height_ - 1)}},
                    [&] { markup_.element("title", piece.hint); });
    // All of it, or its first words where these have room.
    for (const std::string& text : {piece.text, piece.text.substr(0, piece.text.find_first_of(", "))}) {
      if (width_of(text) + kRoomInPiece > width) continue;
      return add_text(markup_, from + kRoomInPiece / 2, y + 4, "", text);
    }
  }

  void draw(const Measure& measure, const Look& look, double y) {
    const Scale& scale = scales_[measure.axis];
    if (!std::isfinite(measure.value) || (rows_.axes[measure.axis].logarithmic && measure.value <= 0)) return;
    if (measure.bar) {
      const double from = std::min(scale.at(0), scale.at(measure.value));
      const double width = std::abs(scale.at(measure.value) - scale.at(0));
      paths_.of(area_class(look.hue)) += bar_path(from, y - kBarHeight / 2, width, kBarHeight);
    } else {
      mark(look, scale.at(measure.value), y);
    }
    if (!measure.interval || std::isnan(measure.interval->low) || std::isnan(measure.interval->high)) return;
    const double low = scale.at(measure.interval->low);
    const double high = scale.at(measure.interval->high);
    if (measure.bar) {
      paths_.of("o") += "M" + coordinate(low) + " " + coordinate(y) + "v-3v6v-3H" + coordinate(high) + "v-3v6";
      return;
    }
    std::string& path = paths_.of("c " + stroke_class(look.hue));
    path += "M" + coordinate(low) + " " + coordinate(y) + "H" + coordinate(high);
    const Extent& ends = extents_[measure.axis];
    if (measure.interval->low < ends.low) path += arrow(low, 5, y);
    if (measure.interval->high > ends.high) path += arrow(high, -5, y);
  }

  static std::string arrow(double x, double back, double y) {
    const std::string from = coordinate(x + back);
    return "M" + from + " " + coordinate(y - 4) + "L" + coordinate(x) + " " + coordinate(y) + "L" + from + " " +
           coordinate(y + 4);
  }

  void mark(const Look& look, double x, double y) { paths_.of(area_class(look.hue)) += mark_path(look.shape, x, y); }

  const Rows& rows_;
  std::vector<Group> groups_;
  std::vector<Extent> extents_;  // of each axis
  std::vector<Scale> scales_;
  std::vector<double> lefts_;
  double left_ = 0;
  double right_ = 0;  // of the first axis
  double word_left_ = 0;
  double top_ = kRowsTop;
  double row_height_ = kRowHeight;
  Paths paths_;
  Markup markup_;
};

}  // namespace

Drawing draw(const Rows& rows) { return RowsDrawing(rows).draw(); }

}  // namespace gdbench::document
