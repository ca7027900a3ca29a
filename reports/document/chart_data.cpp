#include <algorithm>
#include <set>

#include "reports/document/writers.h"

namespace gdbench::document {

namespace {

std::string value_text(const Axis& axis, double value, const std::optional<stats::Interval>& interval) {
  const std::string text = axis.text(value);
  return interval ? text + " [" + axis.text(interval->low) + ", " + axis.text(interval->high) + "]" : text;
}

// A row for each value of the horizontal axis, a column for each series.
Columns data_of(const Plane& plane) {
  std::set<double> places;
  for (const Series& series : plane.series) {
    if (series.line == Line::guide) continue;
    for (const Point& point : series.points) places.insert(point.x);
  }
  Columns columns = {right(plane.across.title)};
  for (const double x : places) columns.front().texts.push_back(plane.across.text(x));
  for (const Series& series : plane.series) {
    if (series.line == Line::guide) continue;
    Column column = right(series.name);
    for (const double x : places) {
      std::string texts;
      for (const Point& point : series.points) {
        if (point.x == x) texts += (texts.empty() ? "" : "; ") + value_text(plane.up, point.y, point.interval);
      }
      column.texts.push_back(texts.empty() ? "-" : texts);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// A row for each row, a column for each axis and for what stands behind rows.
Columns data_of(const Rows& rows) {
  Columns columns = {left("row")};
  for (const auto& [name, hue] : rows.key) columns.push_back(right(name));
  const std::size_t first_axis = columns.size();
  const bool measured = std::ranges::any_of(rows.rows, [](const BarRow& row) { return !row.measures.empty(); });
  for (const Axis& axis : rows.axes) {
    if (measured) columns.push_back(right(axis.title));
  }
  Column words = left("finding");
  Column figures = left("figure");
  for (const BarRow& row : rows.rows) {
    columns.front().texts.push_back(row.group.empty() ? row.label : row.group + ": " + row.label);
    for (std::size_t i = 0; i < rows.key.size(); ++i) {
      const auto piece = std::ranges::find(row.pieces, rows.key[i].first, &Piece::name);
      columns[i + 1].texts.push_back(piece == row.pieces.end() ? "-" : rows.axes.front().text(piece->to - piece->from));
    }
    for (std::size_t i = 0; measured && i < rows.axes.size(); ++i) {
      std::string texts;
      for (const Measure& measure : row.measures) {
        if (measure.axis == i) texts = value_text(rows.axes[i], measure.value, measure.interval);
      }
      columns[first_axis + i].texts.push_back(texts.empty() ? "-" : texts);
    }
    words.texts.push_back(row.word);
    figures.texts.push_back(row.figure);
  }
  for (Column* column : {&words, &figures}) {
    if (!std::ranges::all_of(column->texts, &std::string::empty)) columns.push_back(std::move(*column));
  }
  return columns;
}

}  // namespace

Columns data_of(const Figure& figure) {
  if (!figure.data.empty()) return figure.data;
  return std::visit([](const auto& kind) { return data_of(kind); }, figure.chart);
}

}  // namespace gdbench::document
