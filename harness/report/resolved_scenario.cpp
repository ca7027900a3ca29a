#include "harness/report/resolved_scenario.h"

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/report/fields.h"

namespace gdbench::report {

static void fields(auto& reader, Of<LayerRecord> auto& layer) {
  reader.field("width", layer.width);
  reader.optional("activation", layer.activation);
  reader.optional("bias", layer.bias);
  reader.optional("normalization", layer.normalization);
}

static void fields(auto& reader, Of<TensorsRecord> auto& tensors) {
  reader.optional("rows", tensors.rows);
  reader.optional("columns", tensors.columns);
  reader.optional("count", tensors.count);
}

void decode_whole(const Json& value, const Place& place, ResolvedScenario& scenario, JsonDocument& document) {
  if (!value.is_object()) return RecordReader::refuse(value, place, "an object", document);
  const std::string pointer = place.pointer();
  for (const char* key : {"model", "data", "optimizer", "target"}) {
    if (value.contains(key) && !value[key].is_object()) {
      return RecordReader::refuse(value[key], {pointer, key, {}}, "an object", document);
    }
  }
  scenario = ResolvedScenario();
  scenario.text = compact(value);
  // Most keys have no member here, at every depth.
  const bool ignore_unknown = std::exchange(document.rules().ignore_unknown, true);
  const auto read = [&](const char* key, auto& target) {
    const Json::json_pointer member(key);
    if (value.contains(member)) RecordReader::decode(value[member], {pointer + key, {}, {}}, target, document);
  };
  read("/task", scenario.task);
  read("/dtype", scenario.dtype);
  read("/loss", scenario.loss);
  read("/model/kind", scenario.model);
  read("/model/bias", scenario.bias);
  read("/model/layers", scenario.layers);
  read("/model/tensors", scenario.tensors);
  read("/data/density", scenario.density);
  read("/batch/micro_batches", scenario.micro_batches);
  read("/batch/drop_last", scenario.drop_last);
  read("/optimizer/kind", scenario.optimizer);
  read("/optimizer/learning_rate", scenario.learning_rate);
  read("/optimizer/weight_decay", scenario.weight_decay);
  read("/optimizer/decoupled_weight_decay", scenario.decoupled_weight_decay);
  read("/optimizer/schedule/kind", scenario.schedule);
  read("/optimizer/schedule/steps", scenario.schedule_steps);
  read("/optimizer/schedule/warm_up", scenario.warm_up);
  read("/target/evaluate_every", scenario.evaluate_every);
  read("/target/most_steps", scenario.max_steps);
  document.rules().ignore_unknown = ignore_unknown;
}

Result<ResolvedScenario> resolved_scenario(const Json& json, const std::string& origin) {
  JsonDocument document(origin);
  ResolvedScenario scenario;
  decode_whole(json, {}, scenario, document);
  if (!document.ok()) return document.error();
  return scenario;
}

}  // namespace gdbench::report
