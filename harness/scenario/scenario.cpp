#include "harness/scenario/scenario.h"

#include <algorithm>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/scenario/constraints.h"
#include "harness/scenario/names.h"
#include "harness/scenario/optimizers.h"
#include "harness/scenario/settings.h"
#include "harness/scenario/target.h"

namespace gdbench::scenario {

namespace {

constexpr IntegerRange kSeeds = {0, INT64_MAX};
constexpr IntegerRange kRows = {1, kMaxRows};
constexpr IntegerRange kColumns = {1, kMaxColumns};

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
  const auto kind = reader.choice<ModelKind>(
      "kind", {ModelKind::linear_regression, ModelKind::multilayer_perceptron, ModelKind::tensors});
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

SyntheticData read_synthetic(JsonReader& reader) {
  SyntheticData data;
  data.kind = reader.choice<SyntheticKind>(
      "kind", {SyntheticKind::linear, SyntheticKind::teacher, SyntheticKind::blobs, SyntheticKind::gradients});
  if (data.kind == SyntheticKind::gradients) {
    // As many as the model has parameters: complete_gradients.
    data.rows = 1;
    data.outputs = 0;
    data.noise = 0;
    data.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
    return data;
  }
  data.rows = reader.integer("rows", kRows, std::nullopt);
  data.features = reader.integer("features", kColumns, std::nullopt);
  const bool blobs = data.kind == SyntheticKind::blobs;
  // Every class gets a row.
  const IntegerRange outputs = blobs ? IntegerRange{2, std::max<std::int64_t>(2, data.rows)} : kColumns;
  data.outputs = reader.integer("outputs", outputs, blobs ? std::nullopt : std::optional<std::int64_t>(1));
  data.noise = reader.number("noise", {0, false}, 0.1);
  data.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
  data.condition = reader.number("condition", {1, false}, 1.0);
  if (data.condition != 1 && data.kind != SyntheticKind::linear) {
    reader.fail("condition", "a condition with the kind " + in_quotes(name_of(data.kind)), "the kind \"linear\"");
  }
  data.density = reader.number("density", {0, true}, 1.0);
  if (data.density > 1) reader.fail("density", "a number above 0 and up to 1");
  return data;
}

// A path relative to the scenario's folder; the file must be there.
std::filesystem::path read_path(JsonReader& reader, const std::string& key, const std::filesystem::path& folder) {
  std::filesystem::path path = reader.text(key);
  if (!reader.has(key)) return path;
  const std::string reason = path.empty() ? "no path" : unreadable_because(folder / path);
  if (!reason.empty()) reader.fail(key, in_quotes(path.string()) + " (" + reason + ")", "a file that can be read");
  return path;
}

CsvData read_csv(JsonReader& reader, const std::filesystem::path& folder) {
  CsvData data;
  data.path = read_path(reader, "path", folder);
  data.features = reader.texts("features", std::vector<std::string>{});
  data.targets = reader.texts("targets");
  if (data.targets.empty() && reader.has("targets")) reader.fail("targets", "at least one column");
  for (const std::string& target : data.targets) {
    if (std::find(data.features.begin(), data.features.end(), target) == data.features.end()) continue;
    reader.fail("targets", in_quotes(target) + ", which is a feature as well", "other columns than the features");
  }
  data.empty_cells =
      reader.choice<EmptyCells>("empty_cells", {EmptyCells::reject, EmptyCells::drop}, EmptyCells::reject);
  return data;
}

// Columns of a streamed file: names in a CSV file, numbers from 0 in an NPY file.
std::vector<std::string> read_columns(JsonReader& reader, const std::string& key, bool numbers) {
  if (!numbers) return reader.texts(key, std::vector<std::string>{});
  std::vector<std::string> columns;
  const Json* values = reader.member(key);
  if (values == nullptr) return columns;
  const bool all_numbers = values->is_array() && std::all_of(values->begin(), values->end(), [](const Json& value) {
                             return value.is_number_integer() && value >= 0 && value < kMaxColumns;
                           });
  if (!all_numbers) {
    reader.fail(key, "an array of column numbers, from 0");
    return columns;
  }
  for (const Json& value : *values) columns.push_back(value.dump());
  return columns;
}

StreamData read_stream(JsonReader& reader, const std::filesystem::path& folder) {
  constexpr IntegerRange kCaps = {1, INT64_MAX};
  StreamData data;
  data.path = read_path(reader, "path", folder);
  const std::string extension = data.path.extension().string();
  if (reader.has("path") && extension != ".csv" && extension != ".npy") {
    reader.fail("path", in_quotes(data.path.string()), "a .csv or .npy file");
  }
  data.features = read_columns(reader, "features", extension == ".npy");
  data.targets = read_columns(reader, "targets", extension == ".npy");
  if (data.targets.empty()) reader.fail("targets", "at least one column");
  for (const std::string& target : data.targets) {
    if (std::find(data.features.begin(), data.features.end(), target) == data.features.end()) continue;
    reader.fail("targets", in_quotes(target) + ", which is a feature as well", "other columns than the features");
  }
  data.memory_cap = reader.integer("memory_cap", kCaps, data.memory_cap);
  return data;
}

Data read_data(JsonReader reader, const std::filesystem::path& folder) {
  const auto source =
      reader.choice<Source>("source", {Source::synthetic, Source::csv, Source::npy, Source::idx, Source::stream});
  Data data;
  if (!reader.has("source")) {
    reader.finish({"kind", "rows", "features", "outputs", "noise", "seed", "condition", "density"});
    return data;
  }
  switch (source) {
    case Source::synthetic:
      data = read_synthetic(reader);
      break;
    case Source::csv:
      data = read_csv(reader, folder);
      break;
    case Source::npy:
      data = NpyData{read_path(reader, "x", folder), read_path(reader, "y", folder)};
      break;
    case Source::idx:
      data = IdxData{read_path(reader, "x", folder), read_path(reader, "labels", folder)};
      break;
    case Source::stream:
      data = read_stream(reader, folder);
      break;
  }
  reader.finish();
  return data;
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

std::string read_name(JsonReader& root) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  std::string name = root.text("name");
  // Names are matched by globs and become parts of file names.
  if (root.has("name") && (name.empty() || name.find_first_not_of(kAllowed) != std::string::npos)) {
    root.fail("name", "letters, digits, '.', '_' and '-'");
  }
  return name;
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

}  // namespace gdbench::scenario
