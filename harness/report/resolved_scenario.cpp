#include "harness/report/resolved_scenario.h"

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/report/fields.h"

namespace gdbench::report {

static void fields(auto& reader, Of<LayerRecord> auto& layer) {
  reader.field("width", layer.width);
  reader.optional("activation", layer.activation);
  reader.optional("bias", layer.bias);
}

static void fields(auto& reader, Of<TensorsRecord> auto& tensors) {
  reader.optional("rows", tensors.rows);
  reader.optional("columns", tensors.columns);
  reader.optional("count", tensors.count);
}

void decode_whole(const Json& value, const Place& place, ResolvedScenario& scenario, RecordReader::Context& context) {
  if (!value.is_object()) return RecordReader::refuse(value, place, "an object", context);
  for (const char* key : {"model", "data", "optimizer", "target"}) {
    if (value.contains(key) && !value[key].is_object()) {
      return RecordReader::refuse(value[key], {&place, key}, "an object", context);
    }
  }
  scenario = ResolvedScenario();
  scenario.text = compact(value);
  RecordReader::Context lenient{context.origin, true};  // most keys have no member here, at every depth
  const auto read = [&](const std::string& key, auto& target) {
    const Json::json_pointer member(key);
    const std::string pointer = place.pointer() + key;
    if (value.contains(member)) RecordReader::decode(value[member], {nullptr, pointer}, target, lenient);
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
  read("/optimizer/kind", scenario.optimizer);
  read("/optimizer/learning_rate", scenario.learning_rate);
  read("/optimizer/weight_decay", scenario.weight_decay);
  read("/optimizer/decoupled_weight_decay", scenario.decoupled_weight_decay);
  read("/optimizer/schedule/kind", scenario.schedule);
  read("/optimizer/schedule/steps", scenario.schedule_steps);
  read("/optimizer/schedule/warm_up", scenario.warm_up);
  read("/target/evaluate_every", scenario.evaluate_every);
  read("/target/most_steps", scenario.max_steps);
  if (!context.error) context.error = lenient.error;
}

Result<ResolvedScenario> resolved_scenario(const Json& json, const std::string& origin) {
  RecordReader::Context context{origin, true};
  ResolvedScenario scenario;
  RecordReader::decode(json, Place(), scenario, context);
  if (context.error) return *context.error;
  return scenario;
}

}  // namespace gdbench::report
