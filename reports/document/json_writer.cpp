#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/document/writers.h"

namespace gdbench::document {

namespace {

OrderedJson blocks_of(const std::vector<Block>& blocks);

// Numbers that JSON does not have are null.
OrderedJson number_of(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

OrderedJson range_of(const stats::Interval& range) { return {number_of(range.low), number_of(range.high)}; }

OrderedJson paragraph_of(const Paragraph& paragraph) {
  if (paragraph.style == Style::plain) return paragraph.text;
  return {{"text", paragraph.text}, {"style", name_of(paragraph.style)}};
}

OrderedJson table_of(const std::string& title, const Columns& columns) {
  OrderedJson table = {{"title", title}, {"columns", OrderedJson::array()}, {"rows", OrderedJson::array()}};
  for (const Column& column : columns) table["columns"].push_back(column.title);
  for (std::size_t row = 0; !columns.empty() && row < columns.front().texts.size(); ++row) {
    OrderedJson texts = OrderedJson::array();
    for (const Column& column : columns) texts.push_back(whole_text(column, row));
    table["rows"].push_back(std::move(texts));
  }
  return table;
}

OrderedJson axis_of(const Axis& axis) { return {{"title", axis.title}, {"logarithmic", axis.logarithmic}}; }

OrderedJson chart_of(const Plane& plane) {
  OrderedJson json = {{"x", axis_of(plane.across)}, {"y", axis_of(plane.up)}, {"series", OrderedJson::array()}};
  for (const Series& series : plane.series) {
    OrderedJson points = OrderedJson::array();
    for (const Point& point : series.points) {
      OrderedJson one = {{"x", number_of(point.x)}, {"y", number_of(point.y)}};
      if (point.interval) one["interval"] = range_of(*point.interval);
      points.push_back(std::move(one));
    }
    json["series"].push_back(
        {{"name", series.name}, {"measured", series.line != Line::guide}, {"points", std::move(points)}});
  }
  for (const Band& band : plane.bands) json["bands"].push_back({{band.upright ? "x" : "y", range_of(band.range)}});
  for (const Rule& rule : plane.rules) {
    json["rules"].push_back({{rule.upright ? "x" : "y", number_of(rule.at)}, {"text", rule.text}});
  }
  for (const Note& note : plane.notes) {
    json["notes"].push_back({{"x", number_of(note.x)}, {"y", number_of(note.y)}, {"text", note.text}});
  }
  return json;
}

OrderedJson row_of(const BarRow& row) {
  OrderedJson json = {{"label", row.label}};
  if (!row.group.empty()) json["group"] = row.group;
  for (const Measure& measure : row.measures) {
    OrderedJson one = {{"axis", measure.axis}, {"value", number_of(measure.value)}};
    if (measure.interval) one["interval"] = range_of(*measure.interval);
    json["values"].push_back(std::move(one));
  }
  for (const Piece& piece : row.pieces) {
    json["pieces"].push_back(
        {{"from", number_of(piece.from)}, {"to", number_of(piece.to)}, {"name", piece.name}, {"text", piece.text}});
  }
  for (const double dot : row.dots) json["dots"].push_back(number_of(dot));
  if (row.wanted) json["wanted"] = range_of(*row.wanted);
  if (!row.word.empty()) json["word"] = row.word;
  if (!row.figure.empty()) json["figure"] = row.figure;
  return json;
}

OrderedJson chart_of(const Rows& rows) {
  OrderedJson json = {{"axes", OrderedJson::array()}, {"rows", OrderedJson::array()}};
  for (const Axis& axis : rows.axes) json["axes"].push_back(axis_of(axis));
  for (const BarRow& row : rows.rows) json["rows"].push_back(row_of(row));
  if (rows.band) json["band"] = {{"name", rows.band_name}, {"range", range_of(*rows.band)}};
  return json;
}

OrderedJson block_of(const Paragraph& paragraph) { return {{"paragraph", paragraph_of(paragraph)}}; }
OrderedJson block_of(const List& list) {
  OrderedJson items = OrderedJson::array();
  for (const Paragraph& item : list.items) items.push_back(paragraph_of(item));
  return {{"list", std::move(items)}};
}
OrderedJson block_of(const Table& table) { return {{"table", table_of(table.title, table.columns)}}; }
OrderedJson block_of(const Figure& figure) {
  const OrderedJson chart = std::visit([](const auto& kind) { return chart_of(kind); }, figure.chart);
  OrderedJson json = {{"title", figure.title}, {"sentence", figure.sentence}, {"chart", chart}};
  if (!figure.data.empty()) json["data"] = table_of("", figure.data);
  return {{"figure", std::move(json)}};
}
OrderedJson block_of(const Command& command) { return {{"command", command.line}}; }
OrderedJson block_of(const Heading& heading) { return {{"heading", heading.title}}; }
OrderedJson block_of(const Fold& fold) {
  return {{"fold", {{"summary", fold.summary}, {"blocks", blocks_of(fold.blocks)}}}};
}

OrderedJson blocks_of(const std::vector<Block>& blocks) {
  OrderedJson json = OrderedJson::array();
  for (const Block& block : blocks) {
    json.push_back(std::visit([](const auto& content) { return block_of(content); }, block.content));
  }
  return json;
}

}  // namespace

OrderedJson json_of(const Document& document) {
  OrderedJson json = {{"title", document.title}, {"answer", OrderedJson::array()}, {"sections", OrderedJson::array()}};
  for (const Paragraph& paragraph : document.answer) json["answer"].push_back(paragraph_of(paragraph));
  for (const Section& section : document.sections) {
    json["sections"].push_back({{"title", section.title}, {"blocks", blocks_of(section.blocks)}});
  }
  return json;
}

}  // namespace gdbench::document
