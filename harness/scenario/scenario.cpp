#include "harness/scenario/scenario.h"

#include <algorithm>
#include <bit>

#include "harness/base/fields.h"
#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/record_writer.h"
#include "harness/base/text.h"
#include "harness/scenario/constraints.h"
#include "harness/scenario/data_source.h"
#include "harness/scenario/optimizers.h"
#include "harness/scenario/settings.h"

namespace gdbench::scenario {

namespace {

using catalogue::ModelKind;

constexpr IntegerRange kRows = {1, kMaxRows};
constexpr IntegerRange kColumns = {1, kMaxColumns};

// A training to a target may be this many times as long as the scenario says, unless it says otherwise.
constexpr std::int64_t kLongerThanScenario = 100;
// Evaluations within the scenario's own number of steps, unless it says otherwise.
constexpr std::int64_t kEvaluations = 10;

// The last layer's activation is identity unless said otherwise, the hidden ones' must be said.
PerceptronLayer read_layer(JsonReader reader, bool is_output) {
  PerceptronLayer layer;
  layer.width = reader.integer("width", kColumns, std::nullopt);
  const std::optional<Activation> fallback = is_output ? std::optional(Activation::identity) : std::nullopt;
  layer.activation = reader.choice("activation", catalogue::all_of<Activation>(), fallback);
  layer.bias = reader.boolean("bias", true);
  reader.finish();
  return layer;
}

TensorGroup read_tensor_group(JsonReader reader) {
  TensorGroup group;
  group.rows = reader.integer("rows", {1, kMaxParameters}, std::nullopt);
  group.columns = reader.integer("columns", {1, kMaxParameters}, 1);
  group.count = reader.integer("count", {1, kMaxTensors}, 1);
  reader.finish();
  return group;
}

Model read_model(JsonReader reader) {
  const auto kind = reader.choice("kind", catalogue::all_of<ModelKind>());
  Model model;
  if (kind == ModelKind::linear_regression) {
    model = LinearRegression{reader.boolean("bias", false)};
  } else if (kind == ModelKind::multilayer_perceptron) {
    MultilayerPerceptron perceptron;
    const std::vector<JsonReader> layers = reader.objects("layers");
    for (const JsonReader& layer : layers) perceptron.layers.push_back(read_layer(layer, &layer == &layers.back()));
    model = std::move(perceptron);
  } else {
    Tensors tensors;
    for (const JsonReader& group : reader.objects("tensors")) tensors.groups.push_back(read_tensor_group(group));
    model = std::move(tensors);
  }
  reader.finish();
  return model;
}

// `holder` has the key "batch" or "rows".
std::optional<std::int64_t> read_batch_rows(JsonReader& holder, const std::string& key) {
  const Json* value = holder.member(key);
  if (value == nullptr || *value == "full") return std::nullopt;
  if (value->is_number()) return holder.integer(key, kRows, std::nullopt);
  holder.fail(key, "\"full\" or a positive number of rows");
  return std::nullopt;
}

Batch read_batch(JsonReader& root) {
  Batch batch;
  const Json* value = root.member("batch");
  if (value == nullptr || !value->is_object()) {
    batch.rows = read_batch_rows(root, "batch");
    return batch;
  }
  JsonReader reader = root.object("batch");
  batch.rows = read_batch_rows(reader, "rows");
  batch.shuffle = reader.boolean("shuffle", true);
  batch.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
  batch.micro_batches = reader.integer("micro_batches", {1, kMaxRows}, 1);
  reader.finish();
  return batch;
}

// The key `target` of a scenario of `steps` steps; nothing where it is absent. Faults: neither or both of `loss` and
// `relative`, a number outside its range.
std::optional<Target> read_target(JsonReader& root, std::int64_t steps) {
  if (!root.has("target")) return std::nullopt;
  JsonReader reader = root.object("target");
  Target target;
  const bool absolute = reader.has("loss");
  target.relative = reader.has("relative");
  if (absolute == target.relative) {
    root.fail("target", absolute ? "both of loss and relative" : "neither loss nor relative",
              "exactly one: \"loss\", or \"relative\", a part of the initial loss");
  } else if (absolute) {
    target.loss = reader.number("loss", {0, true}, std::nullopt);
  } else {
    target.loss = reader.number("relative", {0, true}, std::nullopt);
    if (target.loss >= 1) reader.fail("relative", "a number below 1");
  }
  const std::int64_t longest = kMaxSteps / kLongerThanScenario < steps ? kMaxSteps : kLongerThanScenario * steps;
  target.max_steps = reader.integer("most_steps", {1, kMaxSteps}, longest);
  const std::int64_t every = std::clamp<std::int64_t>(steps / kEvaluations, 1, target.max_steps);
  target.evaluate_every = reader.integer("evaluate_every", {1, target.max_steps}, every);
  reader.finish();
  return target;
}

std::string read_name(JsonReader& root) {
  std::string name = root.text("name");
  // Names are matched by globs and become parts of file names.
  if (root.has("name") && !is_name(name)) {
    root.fail("name", kExpectedName);
  }
  return name;
}

// Kept by dtypes without one, too, so that a scenario's dtype can be set to another.
catalogue::LossScaling read_loss_scaling(JsonReader& root) {
  catalogue::LossScaling scaling;
  if (!root.has("loss_scaling")) return scaling;
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  JsonReader reader = root.object("loss_scaling");
  const std::int64_t initial = reader.integer("initial", {1, kLargest}, static_cast<std::int64_t>(scaling.initial));
  if (!std::has_single_bit(static_cast<std::uint64_t>(initial))) {
    reader.fail("initial", std::to_string(initial), "a power of two, by which nothing is rounded");
  }
  scaling.initial = static_cast<double>(initial);
  scaling.growth_interval = reader.integer("growth_interval", {1, kMaxSteps}, scaling.growth_interval);
  reader.finish();
  return scaling;
}

// The given gradients have an entry for each parameter.
void complete_gradients(JsonReader& root, Scenario& scenario) {
  auto* data = std::get_if<SyntheticData>(&scenario.data);
  const auto* tensors = std::get_if<Tensors>(&scenario.model);
  if (data == nullptr || tensors == nullptr || data->kind != SyntheticKind::gradients) return;
  double entries = 0;
  for (const TensorGroup& group : tensors->groups) {
    entries += static_cast<double>(group.rows) * static_cast<double>(group.columns) * static_cast<double>(group.count);
  }
  if (entries > static_cast<double>(kMaxParameters)) {
    root.fail("model", "more than " + std::to_string(kMaxParameters) + " parameters", "fewer");
    return;
  }
  data->features = static_cast<std::int64_t>(entries);
}

Scenario read_document(JsonDocument& document, const std::filesystem::path& file) {
  JsonReader root(document);
  Scenario scenario;
  scenario.file = file;
  scenario.name = read_name(root);
  scenario.purpose = root.text("purpose", "");
  scenario.favours = root.text("favours", "");
  scenario.task = root.choice("task", catalogue::all_of<Task>(), Task::train);
  // A key that is absent is reported by `finish`, its object is not read.
  if (JsonReader model = root.object("model"); root.has("model")) scenario.model = read_model(model);
  scenario.loss = root.choice("loss", catalogue::all_of<Loss>(), Loss::mse);
  if (scenario.loss.kind == Loss::huber) scenario.loss.huber_delta = root.number("huber_delta", {0, true}, 1.0);
  if (JsonReader data = root.object("data"); root.has("data")) scenario.data = read_data(data, file.parent_path());
  complete_gradients(root, scenario);
  if (root.has("standardise")) {
    JsonReader standardise = root.object("standardise");
    scenario.standardise.features = standardise.boolean("features", false);
    scenario.standardise.targets = standardise.boolean("targets", false);
    standardise.finish();
  }
  scenario.batch = read_batch(root);
  const JsonReader optimizer = root.object("optimizer");
  scenario.dtype = root.choice("dtype", catalogue::all_of<Dtype>(), Dtype::f32);
  scenario.loss_scaling = read_loss_scaling(root);
  scenario.steps = root.integer("steps", {1, kMaxSteps}, 100);
  if (root.has("optimizer")) {
    OptimizerAndSchedule read = read_optimizer(optimizer, scenario.steps);
    scenario.optimizer = std::move(read.optimizer);
    scenario.schedule = read.schedule;
  }
  scenario.initial_seed = static_cast<std::uint64_t>(root.integer("initial_seed", kSeeds, 1));
  scenario.target = read_target(root, scenario.steps);
  root.finish(setting_names());
  return scenario;
}

void check_constraints(JsonDocument& document, const Scenario& scenario) {
  std::optional<Fault> fault = find_target_fault(scenario);
  const auto* synthetic = std::get_if<SyntheticData>(&scenario.data);
  if (!fault && synthetic != nullptr) {
    fault = find_shape_fault(scenario, {synthetic->rows, synthetic->features, synthetic->outputs});
  }
  if (!fault) return;
  const bool batch_is_object = document.root().contains("batch") && document.root()["batch"].is_object();
  if (fault->pointer == "/batch" && batch_is_object) fault->pointer += "/rows";
  document.fail(fault->pointer, fault->found, fault->expected);
}

}  // namespace

Result<Scenario> read_scenario(const std::filesystem::path& file, const std::vector<Setting>& settings) {
  try {
    JsonDocument document = TRY(JsonDocument::read(file, "a scenario (a JSON object)"));
    apply_settings(document, settings);
    if (!document.ok()) return document.error();
    Scenario scenario = read_document(document, file);
    if (document.ok()) check_constraints(document, scenario);
    if (!document.ok()) return document.error();
    return scenario;
  } catch (const std::exception& error) {
    return failure(one_line(file.string() + ": cannot be read: " + error.what()));
  }
}

FIELDS_OF(LinearRegression, bias)
FIELDS_OF(PerceptronLayer, width, activation, bias)
FIELDS_OF(MultilayerPerceptron, layers)
FIELDS_OF(TensorGroup, rows, columns, count)
void fields(auto& archive, Of<Tensors> auto& tensors) { archive.field("tensors", tensors.groups); }

static Json to_json(const Model& model) {
  Json json = std::visit([](const auto& one) -> Json { return RecordWriter::encode(one); }, model);
  json["kind"] = name_of(static_cast<ModelKind>(model.index()));
  return json;
}

static Json to_json(const Target& target) {
  return {{target.relative ? "relative" : "loss", target.loss},
          {"most_steps", target.max_steps},
          {"evaluate_every", target.evaluate_every}};
}

Json to_json(const Scenario& scenario) {
  Json batch = "full";  // shuffling and its seed have no effect then
  if (scenario.batch.rows) {
    batch = {{"rows", *scenario.batch.rows}, {"shuffle", scenario.batch.shuffle}, {"seed", scenario.batch.seed}};
  }
  if (scenario.batch.micro_batches > 1) {
    if (!scenario.batch.rows) batch = {{"rows", "full"}};
    batch["micro_batches"] = scenario.batch.micro_batches;
  }
  Json result = {
      {"name", scenario.name},
      {"purpose", scenario.purpose},
      {"favours", scenario.favours},
      {"task", name_of(scenario.task)},
      {"model", to_json(scenario.model)},
      {"loss", name_of(scenario.loss.kind)},
      {"data", to_json(scenario.data)},
      {"standardise", {{"features", scenario.standardise.features}, {"targets", scenario.standardise.targets}}},
      {"batch", std::move(batch)},
      {"optimizer", to_json(scenario.optimizer, scenario.schedule)},
      {"dtype", name_of(scenario.dtype)},
      {"steps", scenario.steps},
      {"initial_seed", scenario.initial_seed}};
  if (scenario.loss.kind == Loss::huber) result["huber_delta"] = scenario.loss.huber_delta;
  if (catalogue::scales_loss(scenario.dtype)) {
    result["loss_scaling"] = {{"initial", static_cast<std::int64_t>(scenario.loss_scaling.initial)},
                              {"growth_interval", scenario.loss_scaling.growth_interval}};
  }
  // Absent where there is none: the identity of other scenarios stays what it was before there were targets.
  if (scenario.target) result["target"] = to_json(*scenario.target);
  return result;
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
  scenario.data = in_folder(std::move(scenario.data), std::filesystem::absolute(scenario.file).parent_path());
  return scenario;
}

}  // namespace gdbench::scenario
