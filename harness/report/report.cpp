#include "harness/report/report.h"

#include <algorithm>
#include <unordered_set>

#include "harness/base/json.h"
#include "harness/report/fields.h"
#include "harness/report/report_file.h"

namespace gdbench::report {

namespace {

constexpr const char* kSchema = "gdbench-report";

// What every minor version of a schema major has in common.
struct Header {
  std::string schema;
  int major = 0;
  int minor = 0;
};

Result<Header> read_header(const Json& json, RecordReader::Context& context) {
  const Place root;
  Header header;
  if (!json.is_object() || !json.contains("schema")) {
    return usage_error(context.origin + ": found no key \"schema\", expected a report of gdbench");
  }
  RecordReader::decode(json["schema"], {&root, "schema"}, header.schema, context);
  if (!context.error && header.schema != kSchema) {
    RecordReader::refuse(json["schema"], {&root, "schema"}, "\"gdbench-report\"", context);
  }
  if (context.error) return *context.error;

  const Place version{&root, "schema_version"};
  const Json none;
  const Json& value = json.contains("schema_version") ? json["schema_version"] : none;
  if (!value.is_object() || !value.contains("major") || !value.contains("minor")) {
    RecordReader::refuse(value, version, "an object with major and minor", context);
    return *context.error;
  }
  RecordReader::decode(value["major"], {&version, "major"}, header.major, context);
  RecordReader::decode(value["minor"], {&version, "minor"}, header.minor, context);
  if (!context.error && header.major != kSchemaMajor) {
    RecordReader::refuse(value["major"], {&version, "major"},
                         std::to_string(kSchemaMajor) + " (this program reads no other major version)", context);
  }
  if (context.error) return *context.error;
  return header;
}

// References inside the document: what renderers and later commands rely on.
void check_references(const Report& report, RecordReader::Context& context) {
  const Place root;
  const Place cells{&root, "cells"};
  std::unordered_set<std::string> keys;
  for (const ScenarioRecord& scenario : report.scenarios) keys.insert(scenario.key);
  std::unordered_set<std::string> ids;
  for (std::size_t i = 0; i < report.cells.size() && !context.error; ++i) {
    const Place cell{&cells, {}, i};
    if (!ids.insert(report.cells[i].id).second) {
      RecordReader::refuse(report.cells[i].id, {&cell, "id"}, "an id that no other cell has", context);
    } else if (!keys.contains(report.cells[i].scenario)) {
      RecordReader::refuse(report.cells[i].scenario, {&cell, "scenario"}, "the key of an entry of /scenarios", context);
    }
  }
}

}  // namespace

bool is_failure(CellState state) {
  return state == CellState::wrong || state == CellState::crashed || state == CellState::timed_out ||
         state == CellState::untrusted;
}

std::string words_of(const CellStatus& status) {
  const std::string state = name_of(status.state);
  return status.reason.empty() ? state : state + ": " + status.reason;
}

Cell* Report::find_cell(const std::string& id) {
  for (Cell& cell : cells) {
    if (cell.id == id) return &cell;
  }
  return nullptr;
}

void Report::add_ceilings(const std::optional<Ceilings>& others) {
  if (!ceilings) {
    ceilings = others;
  } else if (others) {
    ceilings->measurements.insert(ceilings->measurements.end(), others->measurements.begin(),
                                  others->measurements.end());
  }
}

void Report::add_notes(const std::vector<std::string>& others) {
  for (const std::string& note : others) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

const ScenarioRecord* Report::find_scenario(const std::string& key) const {
  for (const ScenarioRecord& scenario : scenarios) {
    if (scenario.key == key) return &scenario;
  }
  return nullptr;
}

OrderedJson to_json(const Report& report) {
  return RecordWriter::document(kSchema, kSchemaMajor, kSchemaMinor, report);
}

Result<Report> from_json(const Json& json, const std::string& origin) {
  RecordReader::Context context{origin, false};
  const Header header = TRY(read_header(json, context));
  context.ignore_unknown = header.minor > kSchemaMinor;

  Report report;
  const Place root;
  RecordReader reader(json, root, context);
  std::string ignored;
  reader.field("schema", ignored);
  reader.text("schema_version", ignored);
  fields(reader, report);
  reader.finish();
  check_references(report, context);
  if (context.error) return *context.error;
  return report;
}

}  // namespace gdbench::report
