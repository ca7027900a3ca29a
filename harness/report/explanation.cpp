#include "harness/report/explanation.h"

#include <nlohmann/json.hpp>

#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

OrderedJson json_of(const BreakEvenRecord& record) {
  OrderedJson json = OrderedJson::object();
  json["cell"] = record.cell;
  json["other"] = record.other;
  json["overtaking"] = stats::name_of(record.result.overtaking);
  json["steps"] = RecordWriter::encode(record.result.steps);
  json["interval"] = RecordWriter::encode(record.result.interval);
  json["launches"] = record.result.launches;
  return json;
}

OrderedJson json_of(const StartDifference& start) {
  OrderedJson json = OrderedJson::object();
  const auto pair = [&json](const char* key, double a_ns, double b_ns) {
    json[key]["a"] = RecordWriter::encode(a_ns);
    json[key]["b"] = RecordWriter::encode(b_ns);
  };
  pair("load_ns", start.a_load_ns, start.b_load_ns);
  pair("prepare_ns", start.a_prepare_ns, start.b_prepare_ns);
  pair("first_step_ns", start.a_first_step_ns, start.b_first_step_ns);
  if (start.a_import_ns) json["import_ns"]["a"] = *start.a_import_ns;
  if (start.b_import_ns) json["import_ns"]["b"] = *start.b_import_ns;
  json["break_even"] = json_of(start.break_even);
  return json;
}

}  // namespace

void fields(auto& archive, const CellDifference& difference) {
  archive.field("cell", difference.cell);
  archive.field("base", difference.base);
  archive.field("difference_ns", difference.difference_ns);
  archive.field("comparison", difference.comparison);
}

void fields(auto& archive, const AxisPart& part) {
  archive.field("axis", part.axis);
  archive.field("value", part.value);
  archive.field("base_value", part.base_value);
  archive.field("difference", part.difference);
}

void fields(auto& archive, const AxisPath& path) {
  archive.field("parts", path.parts);
  archive.field("rest_ns", path.rest_ns);
}

// Of both kinds of parts.
void add_contribution(auto& archive, const Contribution& contribution) {
  archive.field("a_ns", contribution.a_ns);
  archive.field("b_ns", contribution.b_ns);
  archive.field("difference_ns", contribution.difference_ns);
  archive.field("share", contribution.share);
  archive.field("share_interval", contribution.share_interval);
  archive.field("standing", contribution.standing);
}

void fields(auto& archive, const PhasePart& part) {
  archive.field("phase", part.name());
  add_contribution(archive, part.contribution);
  archive.field("only_bounded", part.only_bounded);
}

void fields(auto& archive, const OpPart& part) {
  archive.field("phase", part.phase);
  archive.field("op", part.op);
  archive.optional("layers", part.layers);
  archive.field("a_calls", part.a_calls);
  archive.field("b_calls", part.b_calls);
  archive.field("by_calls_ns", part.by_calls_ns);
  archive.field("by_length_ns", part.by_length_ns);
  add_contribution(archive, part.contribution);
}

void fields(auto& archive, const ProfileBasis& basis) {
  archive.field("profiles", basis.profiles);
  archive.field("overhead_ns", basis.overhead_ns);
  archive.field("drift_ns", basis.drift_ns);
  archive.field("one_piece", basis.one_piece);
}

void fields(auto& archive, const ProfileDifference& profiles) {
  archive.field("a", profiles.a);
  archive.field("b", profiles.b);
  archive.field("phases", profiles.phases);
  archive.field("ops", profiles.ops);
}

void fields(auto& archive, const CallsShare& calls) {
  archive.field("a_calls", calls.a_calls);
  archive.field("b_calls", calls.b_calls);
  archive.field("share", calls.share);
  archive.field("interval", calls.interval);
}

void fields(auto& archive, const KeyDifference& difference) {
  archive.field("key", difference.key);
  archive.field("a", difference.a);
  archive.field("b", difference.b);
}

void fields(auto& archive, const TargetDifference& target) {
  archive.field("a", target.a);
  archive.field("b", target.b);
  archive.optional("time", target.time);
}

void fields(auto& archive, const MissingEvidence& missing) {
  archive.field("lack", missing.lack);
  archive.field("cell", missing.cell);
  archive.field("command", missing.command);
}

void fields(auto& archive, const DispatchCost& cost) {
  archive.field("dispatches", cost.dispatches);
  archive.field("floor", cost.floor);
  archive.field("cheapest_ns", cost.cheapest_ns);
  archive.field("least_ns", cost.least_ns);
  archive.field("share", cost.share);
}

void fields(auto& archive, const Advice& advice) {
  archive.field("remedy", advice.remedy);
  archive.field("cell", advice.cell);
  archive.field("subject", advice.subject);
  archive.field("value", advice.value);
  archive.field("saving_ns", advice.saving_ns);
  archive.field("share", advice.share);
}

namespace {

OrderedJson json_of(const Explanation& explanation) {
  RecordWriter writer;
  writer.field("scenario", explanation.scenario);
  writer.field("b_scenario", explanation.b_scenario);
  writer.field("a", explanation.a);
  writer.field("b", explanation.b);
  writer.field("a_step_ns", explanation.a_step_ns);
  writer.field("b_step_ns", explanation.b_step_ns);
  writer.field("whole", explanation.whole);
  writer.field("differing", explanation.differing);
  writer.optional("target", explanation.target);
  writer.field("paths", explanation.paths);
  writer.optional("profiles", explanation.profiles);
  writer.optional("a_dispatches", explanation.a_dispatches);
  writer.optional("b_dispatches", explanation.b_dispatches);
  writer.optional("calls", explanation.calls);
  writer.optional("advice", explanation.advice);
  writer.optional("a_ceiling", explanation.a_ceiling);
  writer.optional("b_ceiling", explanation.b_ceiling);
  writer.field("missing", explanation.missing);
  OrderedJson json = writer.take();
  if (explanation.start) json["start"] = json_of(*explanation.start);
  return json;
}

}  // namespace

OrderedJson to_ordered_json(const std::vector<Explanation>& explanations) {
  OrderedJson json = OrderedJson::object();
  json["schema"] = "gdbench-explanation";
  json["schema_version"] = {{"major", 2}, {"minor", 0}};
  json["explanations"] = OrderedJson::array();
  for (const Explanation& explanation : explanations) json["explanations"].push_back(json_of(explanation));
  return json;
}

}  // namespace gdbench::report
