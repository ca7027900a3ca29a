#include "harness/report/schema_writer.h"

namespace gdbench::report {

namespace {

// The headers of the structs.
constexpr std::string_view kHeaders =
#include "gdbench/record_headers.inc"
    ;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void append_comment(std::string& words, std::string_view line) {
  const std::size_t begin = line.find("// ");
  if (begin != std::string_view::npos) words.append(words.empty() ? "" : " ").append(line.substr(begin + 3));
}

bool declares(std::string_view line, std::string_view member) {
  const std::size_t place = line.find(" " + std::string(member));
  if (place == std::string_view::npos) return false;
  const std::string_view rest = line.substr(place + 1 + member.size());
  return rest.starts_with(";") || rest.starts_with(" = ") || rest.starts_with("{");
}

}  // namespace

std::string comment_of(std::string_view name, std::string_view member) {
  const std::string head = "struct " + std::string(name) + " {";
  std::string above;
  bool inside = false;
  for (std::string_view text = kHeaders; !text.empty();) {
    const std::string_view line = take_line(text);
    if (line.substr(0, line.find("//")).find_first_not_of(' ') == std::string_view::npos && !line.empty()) {
      append_comment(above, line);
      continue;
    }
    if (line.starts_with("}")) inside = false;
    if (line == head) {
      inside = true;
      if (member.empty() && !above.empty()) return above;
    } else if (inside && !member.empty() && declares(line.substr(0, line.find("//")), member)) {
      append_comment(above, line);
      return above;
    }
    above.clear();
  }
  return "";
}

OrderedJson SchemaWriter::document(const std::string& title, const OrderedJson& forms, const OrderedJson& definitions) {
  OrderedJson schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  if (forms.size() == 1) {
    schema.update(forms[0]);
  } else {
    schema["oneOf"] = forms;
  }
  schema["$defs"] = definitions;
  return schema;
}

void SchemaWriter::add_version(const char* schema, int major) {
  const OrderedJson minor = {{"type", "integer"}, {"minimum", 0}};
  add("schema", true, {{"const", schema}});
  add("schema_version", true,
      {{"type", "object"},
       {"description", "A minor version adds keys, a major one changes them."},
       {"properties", {{"major", {{"const", major}}}, {"minor", minor}}},
       {"required", {"major", "minor"}},
       {"additionalProperties", false}});
}

void SchemaWriter::add(const char* key, bool required, OrderedJson schema) {
  if (const std::string comment = comment_of(name_, key); !comment.empty()) schema["description"] = comment;
  properties_[key] = std::move(schema);
  if (required) required_.push_back(key);
}

OrderedJson SchemaWriter::take() {
  OrderedJson schema = {{"type", "object"}};
  if (const std::string comment = comment_of(name_); !comment.empty()) schema["description"] = comment;
  schema["properties"] = std::move(properties_);
  schema["required"] = std::move(required_);
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace gdbench::report
