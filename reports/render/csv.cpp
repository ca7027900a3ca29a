#include "reports/render/render.h"
#include "reports/render/table.h"

namespace gdbench::render {

namespace {

// RFC 4180, section 2: fields with a quote, a comma or a line break are quoted, quotes doubled.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
  return out;
}

template <class Text>
void add_record(Text&& text_of, std::string& text) {
  bool first = true;
  for (const Column& column : columns()) {
    if (column.field == nullptr) continue;
    if (!first) text += ",";
    first = false;
    text += quoted(text_of(column));
  }
  text += "\r\n";
}

}  // namespace

std::string csv(const report::Report& report) {
  std::string text;
  add_record([](const Column& column) { return std::string(column.field); }, text);
  for (const ScenarioTable& table : tables_of(report)) {
    for (const auto* rows : {&table.ranked, &table.unranked, &table.untimed}) {
      for (const Row& row : *rows) add_record([&row](const Column& column) { return column.value(row); }, text);
    }
  }
  return text;
}

}  // namespace gdbench::render
