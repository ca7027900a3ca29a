#include "tests/support/reports/answers.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <variant>

#include "reports/document/writers.h"
#include "tests/support/reports/golden.h"

namespace gdbench::tests {

namespace {

// What a chart has beyond its numbers: guides, bands, rules, notes, dots and what is demanded; empty for nothing.
std::string marks_of(const document::Figure& figure) {
  document::Blocks blocks;
  blocks.figure(figure);
  document::Document document;
  document.section("", std::move(blocks));
  const OrderedJson chart = document::json_of(document)["sections"][0]["blocks"][0]["figure"]["chart"];
  OrderedJson marks;
  for (const char* key : {"bands", "rules", "notes", "band"}) {
    if (chart.contains(key)) marks[key] = chart[key];
  }
  for (const OrderedJson& series : chart.value("series", OrderedJson::array())) {
    if (!series["measured"].get<bool>()) marks["guides"][series["name"].get<std::string>()] = series["points"];
  }
  for (const OrderedJson& row : chart.value("rows", OrderedJson::array())) {
    for (const char* key : {"dots", "wanted"}) {
      if (row.contains(key)) marks[key][row["label"].get<std::string>()] = row[key];
    }
  }
  return marks.empty() ? "" : "marks: " + marks.dump();
}

// What a page shows of a table without words: by what rows are chosen, and shades of places; empty for nothing.
std::string marks_of(const document::Table& table) {
  OrderedJson marks;
  for (const document::Filter& filter : table.filters) marks["filters"][filter.label] = filter.values;
  for (const document::Column& column : table.columns) {
    if (!column.shades.empty()) marks["shades"][column.title] = column.shades;
  }
  return marks.empty() ? "" : "marks: " + marks.dump();
}

// Figures as a sentence, a table, their chart and its marks; folds opened.
std::vector<document::Block> unfolded(const std::vector<document::Block>& blocks) {
  document::Blocks out;
  for (const document::Block& block : blocks) {
    if (const auto* figure = std::get_if<document::Figure>(&block.content)) {
      out.paragraph("figure: " + figure->title + ". " + figure->sentence);
      out.table("", document::data_of(*figure));
      document::Figure chart = *figure;
      chart.data.clear();
      if (!figure->data.empty()) out.table("chart", document::data_of(chart));
      out.paragraph(marks_of(chart));
    } else if (const auto* fold = std::get_if<document::Fold>(&block.content)) {
      document::Blocks content;
      for (const document::Block& one : unfolded(fold->blocks)) content.add(one);
      out.fold("fold: " + fold->summary, std::move(content), true);
    } else {
      out.add(block);
      if (const auto* table = std::get_if<document::Table>(&block.content)) out.paragraph(marks_of(*table));
    }
  }
  return out.take();
}

}  // namespace

std::string outline_of(const document::Document& document) {
  document::Document whole = document;
  for (document::Section& section : whole.sections) section.blocks = unfolded(section.blocks);
  return document::text_of(whole, {});
}

void expect_golden_answer(const std::string& name, const document::Document& document) {
  expect_golden("answers/" + name + ".txt", outline_of(document));
  if (const char* folder = std::getenv("GDBENCH_PAGES")) {
    write_text(std::filesystem::path(folder) / (name + ".html"), document::html_of(document));
  }
}

}  // namespace gdbench::tests
