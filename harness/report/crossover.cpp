#include "harness/report/crossover.h"

#include "harness/report/fields.h"
#include "harness/report/schema_writer.h"

namespace gdbench::stats {

FIELDS_OF(Zone, verdict, first, last)

}  // namespace gdbench::stats

namespace gdbench::report {

void fields(auto& archive, Of<CrossoverNeed> auto& need) {
  archive.field("sizes", need.sizes);
  archive.only_if(need.launches > 0, "launches", need.launches);
  archive.only_if(need.launches > 0, "budget_seconds", need.budget_seconds);
  archive.only_if(need.margin > 0, "margin", need.margin);
}

FIELDS_OF(CrossoverPoint, size, a_step_ns, b_step_ns, comparison)

void fields(auto& archive, Of<Crossover> auto& crossover) {
  FIELDS(archive, crossover, scenario, axis, a, b, margin, confidence);
  FIELDS(archive, crossover.answer, outcome);
  FIELDS(archive, crossover, complete, need);
  FIELDS(archive, crossover.answer, zones);
  FIELDS(archive, crossover, points);
}

FIELDS_OF(StartCost, implementation, load_seconds, prepare_seconds, first_step_ns, ready_ns, step_ns)

void fields(auto& archive, Of<StepsCrossover> auto& crossover) {
  const stats::BreakEven& answer = crossover.answer;
  archive.field("scenario", crossover.scenario);
  archive.field("axis", std::string("steps"));
  archive.field("a", crossover.sides[0].implementation);
  archive.field("b", crossover.sides[1].implementation);
  archive.field("outcome", answer.overtaking);
  archive.field("faster_step", crossover.sides[crossover.faster].implementation);
  archive.field("launches", answer.launches);
  archive.field("margin", answer.margin.value_or(0));
  FIELDS(archive, answer, steps, interval);
  archive.field("sides", std::vector(crossover.sides.begin(), crossover.sides.end()));
}

namespace {

constexpr const char* kCrossoverSchema = "gdbench-crossover";
constexpr int kCrossoverMajor = 2;
constexpr int kCrossoverMinor = 2;

}  // namespace

OrderedJson to_json(const Crossover& crossover) {
  return RecordWriter::document(kCrossoverSchema, kCrossoverMajor, kCrossoverMinor, crossover);
}

OrderedJson to_json(const StepsCrossover& crossover) {
  return RecordWriter::document(kCrossoverSchema, kCrossoverMajor, kCrossoverMinor, crossover);
}

OrderedJson crossover_schema() {
  OrderedJson schema =
      SchemaWriter::document<Crossover, StepsCrossover>(kCrossoverSchema, kCrossoverMajor, kCrossoverMinor);
  schema["oneOf"][0]["properties"]["axis"]["enum"] = {"rows", "batch", "width", "features", "threads"};
  schema["oneOf"][1]["properties"]["axis"]["const"] = "steps";
  return schema;
}

}  // namespace gdbench::report
