#include "harness/report/explanation.h"

#include <nlohmann/json.hpp>

#include "harness/report/fields.h"

namespace gdbench::report {

FIELDS_OF(CellDifference, cell, base, difference_ns, comparison)
FIELDS_OF(AxisPart, axis, value, base_value, difference)
FIELDS_OF(AxisPath, parts, rest_ns)

// Of both kinds of parts.
void add_contribution(auto& archive, const Contribution& contribution) {
  FIELDS(archive, contribution, a_ns, b_ns, difference_ns, share, share_interval, standing);
}

void fields(auto& archive, Of<PhasePart> auto& part) {
  archive.field("phase", part.name());
  add_contribution(archive, part.contribution);
  FIELDS(archive, part, only_bounded);
}

void fields(auto& archive, Of<OpPart> auto& part) {
  FIELDS(archive, part, phase, op, layers, a_calls, b_calls, by_calls_ns, by_length_ns);
  add_contribution(archive, part.contribution);
}

FIELDS_OF(ProfileBasis, profiles, overhead_ns, drift_ns, one_piece)
FIELDS_OF(ProfileDifference, a, b, phases, ops)
FIELDS_OF(CallsShare, a_calls, b_calls, share, interval)
FIELDS_OF(KeyDifference, key, a, b)
FIELDS_OF(TargetDifference, a, b, time)
FIELDS_OF(MissingEvidence, lack, cell, command)
FIELDS_OF(DispatchCost, dispatches, floor, cheapest_ns, least_ns, share)
FIELDS_OF(OpShare, phase, op, layers, share)
FIELDS_OF(LargestOps, profiler, slowdown, ops)
FIELDS_OF(Advice, remedy, cell, subject, value, saving_ns, share)

namespace {

struct Sides {
  std::optional<double> a;
  std::optional<double> b;
};
FIELDS_OF(Sides, a, b)

// A record whose result has no object of its own.
struct StartBreakEven {
  const BreakEvenRecord& record;
};
void fields(auto& archive, Of<StartBreakEven> auto& start) {
  FIELDS(archive, start.record, cell, other);
  FIELDS(archive, start.record.result, overtaking, steps, interval, launches);
}

}  // namespace

void fields(auto& archive, Of<StartDifference> auto& start) {
  archive.field("load_ns", Sides{start.a_load_ns, start.b_load_ns});
  archive.field("prepare_ns", Sides{start.a_prepare_ns, start.b_prepare_ns});
  archive.field("first_step_ns", Sides{start.a_first_step_ns, start.b_first_step_ns});
  if (start.a_import_ns || start.b_import_ns) archive.field("import_ns", Sides{start.a_import_ns, start.b_import_ns});
  archive.field("break_even", StartBreakEven{start.break_even});
}

FIELDS_OF(Explanation, scenario, b_scenario, a, b, a_step_ns, b_step_ns, whole, paired, differing, target, paths,
          profiles, a_dispatches, b_dispatches, a_ops, b_ops, calls, advice, a_ceiling, b_ceiling, missing, start,
          a_script, b_script)

OrderedJson to_json(const std::vector<Explanation>& explanations) {
  return RecordWriter::document("gdbench-explanation", 2, 3, "explanations", explanations);
}

}  // namespace gdbench::report
