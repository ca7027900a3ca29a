#include "harness/report/crossover.h"

#include "harness/report/fields.h"

namespace gdbench::stats {

FIELDS_OF(Zone, verdict, first, last)

}  // namespace gdbench::stats

namespace gdbench::report {

void fields(auto& archive, Of<CrossoverNeed> auto& need) {
  archive.field("sizes", need.sizes);
  if (need.launches > 0) {
    FIELDS(archive, need, launches, budget_seconds);
  }
  if (need.margin > 0) archive.field("margin", need.margin);
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

OrderedJson to_json(const Crossover& crossover) { return RecordWriter::document("gdbench-crossover", 2, 1, crossover); }

OrderedJson to_json(const StepsCrossover& crossover) {
  return RecordWriter::document("gdbench-crossover", 2, 1, crossover);
}

}  // namespace gdbench::report
