#include "harness/report/report.h"

#include <algorithm>
#include <unordered_set>

#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/report/fields.h"
#include "harness/report/report_file.h"
#include "harness/report/schema_writer.h"

namespace gdbench::report {

namespace {

constexpr const char* kSchema = "gdbench-report";

// What its schema asks for beyond the types of the fields.
constexpr const char* kNarrower = R"({
  "Run": {"properties": {"status": {"enum": ["running", "complete", "interrupted", "failed", "killed"]},
                         "shard": {"pattern": "^[0-9]+/[0-9]+$"}}},
  "ScenarioRecord": {"properties": {"key": {"minLength": 1}}},
  "Cell": {"properties": {"id": {"minLength": 1}, "threads": {"minimum": 1}, "ranks": {"minimum": 1}}},
  "VectorCeilings": {"properties": {"vectors": {"enum": ["sse2", "avx2", "avx512f"]}}},
  "LevelCeiling": {"properties": {"level": {"enum": ["L1", "L2", "L3", "memory"]}}},
  "CeilingsMeasurement": {"properties": {"threads": {"minimum": 2}}},
  "LaunchCeilings": {"properties": {"threads": {"minimum": 2}}},
  "TeamCeilings": {"properties": {"threads": {"minimum": 2}}},
  "CostFit": {"properties": {"threads": {"minimum": 1},
                             "at_bound": {"items": {"enum": ["step_ns", "call_ns", "operation_ns"]}}}}
})";

struct SchemaVersion {
  int major = 0;
  int minor = 0;
};
FIELDS_OF(SchemaVersion, major, minor)

// Checks what every minor version of a schema major has in common; whether this one is newer.
bool is_newer_minor(const Json& json, JsonDocument& document) {
  if (!json.is_object() || !json.contains("schema")) {
    document.fail("", "no key \"schema\"", "a report of gdbench");
    return false;
  }
  if (json["schema"] != kSchema) document.fail("/schema", describe(json["schema"]), "\"gdbench-report\"");
  SchemaVersion version;
  const Json value = json.value("schema_version", Json());
  if (!value.is_object()) document.fail("/schema_version", describe(value), "an object with major and minor");
  RecordReader::decode(value, {"/schema_version", {}, {}}, version, document);
  if (version.major != kSchemaMajor) {
    document.fail("/schema_version/major", std::to_string(version.major),
                  cat(kSchemaMajor, " (this program reads no other major version)"));
  }
  return version.minor > kSchemaMinor;
}

// References inside the document: what renderers and later commands rely on.
void check_references(const Report& report, JsonDocument& document) {
  std::unordered_set<std::string> keys;
  for (const ScenarioRecord& scenario : report.scenarios) keys.insert(scenario.key);
  std::unordered_set<std::string> ids;
  for (std::size_t i = 0; i < report.cells.size() && document.ok(); ++i) {
    const Cell& cell = report.cells[i];
    const auto refuse = [&](const char* key, const std::string& found, const std::string& expected) {
      document.fail(cat("/cells/", i, "/", key), in_quotes(found), expected);
    };
    if (!is_name(cell.implementation, cat(kMoreInIds, "@"))) {
      refuse("implementation", cell.implementation, cat(kExpectedId, ", and '@' before an environment"));
    } else if (!ids.insert(cell.id).second) {
      refuse("id", cell.id, "an id that no other cell has");
    } else if (!keys.contains(cell.scenario)) {
      refuse("scenario", cell.scenario, "the key of an entry of /scenarios");
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

ImplementationName parse_implementation(const std::string& whole) {
  ImplementationName name;
  name.environment = environment_of(whole);
  const std::string id = without_environment(whole);
  const std::size_t plus = id.find('+');
  if (plus != std::string::npos) name.policy = id.substr(plus + 1);
  const std::string pair = id.substr(0, plus);
  const std::size_t slash = pair.find('/');
  name.strategy = pair.substr(0, slash);
  if (slash != std::string::npos) name.backend = pair.substr(slash + 1);
  return name;
}

const VectorCeilings* Ceilings::best_of(int threads) const {
  if (threads == 1) return best ? &*best : nullptr;
  if (!teams) return nullptr;
  const auto team = std::ranges::find(*teams, threads, &TeamCeilings::threads);
  return team == teams->end() ? nullptr : &team->best;
}

double calls_per_step(const Cell& cell) {
  if (!cell.profile) return 0;
  const bool imports =
      std::ranges::any_of(cell.launches, [](const Launch& launch) { return launch.import_seconds.has_value(); });
  if (imports) return cell.profile->dispatches_per_step.value_or(0);
  double calls = 0;
  for (const ProfileRecord& record : cell.profile->records) {
    const Phase phase = record.phase;
    if (phase == Phase::forward || phase == Phase::backward || phase == Phase::update) calls += record.calls;
  }
  return calls;
}

std::optional<double> span_seconds(const Run& run) {
  const std::optional<std::int64_t> from = seconds_since_1970(run.started_at);
  const std::optional<std::int64_t> to = seconds_since_1970(run.finished_at);
  if (!from || !to || *to < *from) return std::nullopt;
  return static_cast<double>(*to - *from);
}

std::optional<double> measuring_seconds(const Run& run) {
  return run.measuring_seconds ? run.measuring_seconds : span_seconds(run);
}

const Cell* Report::find_cell(const std::string& id) const {
  const auto cell = std::ranges::find(cells, id, &Cell::id);
  return cell == cells.end() ? nullptr : &*cell;
}

Cell* Report::find_cell(const std::string& id) { return const_cast<Cell*>(std::as_const(*this).find_cell(id)); }

const ScenarioRecord* Report::find_scenario(const std::string& key) const {
  const auto scenario = std::ranges::find(scenarios, key, &ScenarioRecord::key);
  return scenario == scenarios.end() ? nullptr : &*scenario;
}

std::string Report::data_digest(const Cell& cell) const {
  const ScenarioRecord* scenario = find_scenario(cell.scenario);
  return scenario == nullptr ? "" : scenario->data_digest;
}

void Report::add_ceilings(const std::optional<Ceilings>& others) {
  if (!ceilings) {
    ceilings = others;
  } else if (others) {
    ceilings->measurements.insert(ceilings->measurements.end(), others->measurements.begin(),
                                  others->measurements.end());
    if (!others->launches) return;
    for (const LaunchCeilings& launch : *others->launches) ceilings->add_launch() = launch;
  }
}

void Report::add_notes(const std::vector<std::string>& others) {
  for (const std::string& note : others) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

OrderedJson to_json(const Report& report) {
  return RecordWriter::document(kSchema, kSchemaMajor, kSchemaMinor, report);
}

OrderedJson report_schema() {
  OrderedJson schema = SchemaWriter::document<Report>(kSchema, kSchemaMajor, kSchemaMinor);
  schema["$defs"].merge_patch(OrderedJson::parse(kNarrower));
  return schema;
}

OrderedJson to_json(const std::vector<Condition>& conditions) {
  return RecordWriter::document("gdbench-conditions", 1, 1, "conditions", conditions);
}

Result<Report> from_json(const Json& json, const std::string& origin) {
  JsonDocument document(origin, {}, {.ignore_unknown = true});
  document.rules().ignore_unknown = is_newer_minor(json, document);
  if (!document.ok()) return document.error();

  Report report;
  RecordReader reader(document, json);
  std::string ignored;
  reader.field("schema", ignored);
  reader.text("schema_version", ignored);
  if (reader.has("document")) reader.text("document", ignored);  // what a command says of the report
  fields(reader, report);
  reader.finish();
  if (document.ok()) check_references(report, document);
  if (!document.ok()) return document.error();
  return report;
}

}  // namespace gdbench::report
