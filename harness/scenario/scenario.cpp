#include "harness/scenario/scenario.h"

#include <algorithm>

#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/key_describer.h"
#include "harness/base/record_writer.h"
#include "harness/base/text.h"
#include "harness/scenario/constraints.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/settings.h"

namespace gdbench::scenario {

namespace {

// The given gradients have an entry for each parameter.
void complete_gradients(JsonDocument& document, Scenario& scenario) {
  auto* data = std::get_if<SyntheticData>(&scenario.data);
  const auto* tensors = std::get_if<Tensors>(&scenario.model);
  if (data == nullptr || tensors == nullptr || data->kind != SyntheticKind::gradients) return;
  double entries = 0;
  for (const TensorGroup& group : tensors->groups) {
    entries += static_cast<double>(group.rows) * static_cast<double>(group.columns) * static_cast<double>(group.count);
  }
  if (entries > static_cast<double>(kMaxParameters)) {
    document.fail("/model", "more than " + std::to_string(kMaxParameters) + " parameters", "fewer");
    return;
  }
  data->features = static_cast<std::int64_t>(entries);
}

void check_constraints(JsonDocument& document, const Scenario& scenario) {
  std::optional<Fault> fault = find_target_fault(scenario);
  const auto* synthetic = std::get_if<SyntheticData>(&scenario.data);
  if (!fault && synthetic != nullptr) {
    fault = find_shape_fault(scenario, {synthetic->rows, synthetic->features, synthetic->outputs});
  }
  if (!fault) return;
  if (fault->pointer == "/batch") fault->pointer += "/rows";
  document.fail(fault->pointer, fault->found, fault->expected);
}

}  // namespace

Result<Scenario> read_scenario(const std::filesystem::path& file, const std::vector<Setting>& settings) {
  try {
    JsonDocument document = TRY(JsonDocument::read(file, "a scenario (a JSON object)"));
    apply_settings(document, settings);
    if (!document.ok()) return document.error();
    Scenario scenario;
    scenario.file = file;
    JsonReader root(document);
    fields(root, scenario);
    root.finish(setting_names());
    complete_gradients(document, scenario);
    scenario.optimizer.learning_rates = learning_rates(scenario.schedule);
    if (document.ok()) check_constraints(document, scenario);
    if (!document.ok()) return document.error();
    return scenario;
  } catch (const std::exception& error) {
    return failure(one_line(file.string() + ": cannot be read: " + error.what()));
  }
}

Json to_json(const Scenario& scenario) {
  Json json = RecordWriter::encode(scenario);
  if (json["batch"].size() == 1) json["batch"] = json["batch"]["rows"];
  return json;
}

OrderedJson schema() {
  Scenario scenario;
  OrderedJson schema = KeyDescriber::object_of([&](KeyDescriber& archive) { fields(archive, scenario); });
  OrderedJson& batch = schema["properties"]["batch"];
  OrderedJson spellings = batch["properties"]["rows"]["anyOf"];
  const OrderedJson about = batch["description"];
  spellings.push_back(std::move(batch));
  schema["properties"]["batch"] = {{"description", about}, {"anyOf", std::move(spellings)}};
  schema["title"] = "A scenario of gdbench";
  schema["properties"]["$schema"] = {{"type", "string"}, {"description", "For editors: where this schema is."}};
  return schema;
}

std::string Scenario::identity() const {
  Json resolved = to_json(*this);
  resolved.erase("purpose");
  resolved.erase("favours");
  // nlohmann keeps keys sorted and writes the shortest digits that give the same double.
  Hash64 hash;
  hash.add(resolved.dump(-1, ' ', true, Json::error_handler_t::replace));
  return hexadecimal(hash.value());
}

std::string Scenario::place() const { return one_line(file.empty() ? "scenario " + name : file.string()); }

Scenario with_absolute_paths(Scenario scenario) {
  const std::filesystem::path folder = std::filesystem::absolute(scenario.file).parent_path();
  const auto move = [&](std::filesystem::path& path) { path = (folder / path).lexically_normal(); };
  std::visit(
      [&](auto& source) {
        if constexpr (requires { source.path; }) move(source.path);
        if constexpr (requires { source.x; }) move(source.x);
        if constexpr (requires { source.y; }) move(source.y);
        if constexpr (requires { source.labels; }) move(source.labels);
      },
      scenario.data);
  if (!scenario.initial.path.empty()) move(scenario.initial.path);
  return scenario;
}

}  // namespace gdbench::scenario
