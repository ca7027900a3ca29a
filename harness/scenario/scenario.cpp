#include "harness/scenario/scenario.h"

#include <algorithm>

#include "harness/base/file.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/scenario/constraints.h"
#include "harness/scenario/names.h"
#include "harness/scenario/optimizers.h"
#include "harness/scenario/settings.h"

namespace gdbench::scenario {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostSteps = 1'000'000'000'000;
constexpr IntegerRange kSeeds = {0, INT64_MAX};
constexpr IntegerRange kRows = {1, kMostRows};
constexpr IntegerRange kColumns = {1, kMostColumns};

// The last layer's activation is identity unless said otherwise, the hidden ones' must be said.
PerceptronLayer read_layer(JsonReader reader, bool is_output) {
  PerceptronLayer layer;
  layer.width = reader.integer("width", kColumns, std::nullopt);
  const std::optional<Activation> fallback = is_output ? std::optional(Activation::identity) : std::nullopt;
  layer.activation = reader.choice<Activation>(
      "activation", {Activation::identity, Activation::relu, Activation::tanh, Activation::sigmoid}, fallback);
  layer.bias = reader.boolean("bias", true);
  reader.finish();
  return layer;
}

Model read_model(JsonReader reader) {
  const auto kind = reader.choice<ModelKind>("kind", {ModelKind::linear_regression, ModelKind::multilayer_perceptron});
  Model model;
  if (kind == ModelKind::linear_regression) {
    model = LinearRegression{reader.boolean("bias", false)};
  } else {
    MultilayerPerceptron perceptron;
    const std::vector<JsonReader> layers = reader.objects("layers");
    for (const JsonReader& layer : layers) perceptron.layers.push_back(read_layer(layer, &layer == &layers.back()));
    model = std::move(perceptron);
  }
  reader.finish();
  return model;
}

SyntheticData read_synthetic(JsonReader& reader) {
  SyntheticData data;
  data.kind =
      reader.choice<SyntheticKind>("kind", {SyntheticKind::linear, SyntheticKind::teacher, SyntheticKind::blobs});
  data.rows = reader.integer("rows", kRows, std::nullopt);
  data.features = reader.integer("features", kColumns, std::nullopt);
  const bool blobs = data.kind == SyntheticKind::blobs;
  // Every class gets a row.
  const IntegerRange outputs = blobs ? IntegerRange{2, std::max<std::int64_t>(2, data.rows)} : kColumns;
  data.outputs = reader.integer("outputs", outputs, blobs ? std::nullopt : std::optional<std::int64_t>(1));
  data.noise = reader.number("noise", {0, false}, 0.1);
  data.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
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
  const json* values = reader.member(key);
  if (values == nullptr) return columns;
  const bool all_numbers = values->is_array() && std::all_of(values->begin(), values->end(), [](const json& value) {
                             return value.is_number_integer() && value >= 0 && value < kMostColumns;
                           });
  if (!all_numbers) {
    reader.fail(key, "an array of column numbers, from 0");
    return columns;
  }
  for (const json& value : *values) columns.push_back(value.dump());
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
    reader.finish({"kind", "rows", "features", "outputs", "noise", "seed"});
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
  const json* value = holder.member(key);
  if (value == nullptr || *value == "full") return std::nullopt;
  if (value->is_number()) return holder.integer(key, kRows, std::nullopt);
  holder.fail(key, "\"full\" or a positive number of rows");
  return std::nullopt;
}

Batch read_batch(JsonReader& root) {
  Batch batch;
  const json* value = root.member("batch");
  if (value == nullptr || !value->is_object()) {
    batch.rows = read_batch_rows(root, "batch");
    return batch;
  }
  JsonReader reader = root.object("batch");
  batch.rows = read_batch_rows(reader, "rows");
  batch.shuffle = reader.boolean("shuffle", true);
  batch.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
  reader.finish();
  return batch;
}

Optimizer read_optimizer(JsonReader reader) {
  using enum OptimizerKind;
  Optimizer optimizer;
  optimizer.kind = reader.choice<OptimizerKind>("kind", {sgd, momentum, nesterov, adagrad, rmsprop, adam, adamw}, sgd);
  const OptimizerRow* row = find_optimizer(optimizer.kind);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const OptimizerRow& known : optimizer_rows()) names.emplace_back(name_of(known.kind));
    reader.fail("kind", in_quotes(name_of(optimizer.kind)) + ", which is not implemented yet", joined(names));
    return optimizer;
  }
  for (const OptimizerKey* key : row->keys) {
    key->store(optimizer, reader.number(key->name, key->range, key->fallback));
  }
  reader.finish();
  return optimizer;
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

Scenario read_document(JsonDocument& document, const std::filesystem::path& file) {
  JsonReader root(document);
  Scenario scenario;
  scenario.file = file;
  scenario.name = read_name(root);
  scenario.purpose = root.text("purpose", "");
  scenario.favours = root.text("favours", "");
  scenario.task = root.choice<Task>("task", {Task::train, Task::update, Task::gradients, Task::floor}, Task::train);
  if (scenario.task != Task::train && scenario.task != Task::gradients) {
    root.fail("task", in_quotes(name_of(scenario.task)) + ", which is not implemented yet", "train or gradients");
  }
  // A key that is absent is reported by `finish`, its object is not read.
  if (JsonReader model = root.object("model"); root.has("model")) scenario.model = read_model(model);
  scenario.loss = root.choice<Loss>("loss", {Loss::mse, Loss::half_mse, Loss::softmax_cross_entropy}, Loss::mse);
  if (JsonReader data = root.object("data"); root.has("data")) scenario.data = read_data(data, file.parent_path());
  if (root.has("standardise")) {
    JsonReader standardise = root.object("standardise");
    scenario.standardise.features = standardise.boolean("features", false);
    scenario.standardise.targets = standardise.boolean("targets", false);
    standardise.finish();
  }
  scenario.batch = read_batch(root);
  if (JsonReader optimizer = root.object("optimizer"); root.has("optimizer")) {
    scenario.optimizer = read_optimizer(optimizer);
  }
  scenario.dtype = root.choice<Dtype>("dtype", {Dtype::f32, Dtype::f64}, Dtype::f32);
  scenario.steps = root.integer("steps", {1, kMostSteps}, 100);
  scenario.initial_seed = static_cast<std::uint64_t>(root.integer("initial_seed", kSeeds, 1));
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
    Result<JsonDocument> read = JsonDocument::read(file, "a scenario (a JSON object)");
    if (!read.ok()) return read.error();
    JsonDocument& document = read.value();
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
