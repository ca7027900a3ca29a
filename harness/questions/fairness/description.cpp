#include "harness/questions/fairness/description.h"

#include <algorithm>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"

namespace gdbench::fairness {

namespace {

constexpr IntegerRange kCount = {1, 1'000'000'000'000};
constexpr IntegerRange kEpochs = {1, 1'000'000};  // times kCount they fit
constexpr std::size_t kMaxDimensions = 8;

// The readers of optional keys.
template <catalogue::Catalogued Enum>
void read_choice(JsonReader& reader, const char* key, std::optional<Enum>& value) {
  if (reader.has(key)) value = reader.choice(key, catalogue::all_of<Enum>());
}

void read_integer(JsonReader& reader, const char* key, IntegerRange range, std::optional<std::int64_t>& value) {
  if (reader.has(key)) value = reader.integer(key, range, std::nullopt);
}

void read_boolean(JsonReader& reader, const char* key, std::optional<bool>& value) {
  if (reader.has(key)) value = reader.boolean(key, false);
}

void read_batch(JsonReader& reader, Description& description) {
  const Json* batch = reader.member("batch");
  if (batch == nullptr) return;
  if (*batch == "full") {
    description.batch = kFullBatch;
  } else if (batch->is_number()) {
    description.batch = reader.integer("batch", kCount, std::nullopt);
  } else {
    reader.fail("batch", "\"full\" or a number of rows");
  }
}

void read_shape(JsonReader& reader, const char* key, std::optional<Shape>& value) {
  const Json* sizes = reader.member(key);
  if (sizes == nullptr) return;
  Shape shape;
  bool valid = sizes->is_array() && !sizes->empty() && sizes->size() <= kMaxDimensions;
  for (std::size_t i = 0; valid && i < sizes->size(); ++i) {
    const Json& size = (*sizes)[i];
    const bool number = size.is_number_unsigned() && size > 0 && size <= kCount.most;
    valid = number || size == "N";
    shape.push_back(number ? size.get<std::int64_t>() : kRowsDimension);
  }
  if (!valid) return reader.fail(key, sizes->dump(), "1 to 8 positive integers or \"N\", such as [\"N\", 1]");
  value = std::move(shape);
}

void read_timed(JsonReader& reader, Description& description) {
  if (!reader.has("timed")) return;
  std::set<ClockItem> items;
  for (const std::string& name : reader.texts("timed")) {
    if (const auto item = catalogue::find<ClockItem>(name)) {
      items.insert(*item);
    } else {
      reader.fail("timed", "\"" + name + "\"", "import, data, transfer, tracing, evaluation, or none of them");
    }
  }
  description.timed = std::move(items);
}

void read_initial(JsonReader& reader, Description& description) {
  const Json* value = reader.member("initial");
  if (value == nullptr) return;
  Initial initial;
  if (*value == "same") {
    initial.same = true;
  } else if (value->is_object()) {
    JsonReader inner = reader.object("initial");
    read_integer(inner, "seed", {0, INT64_MAX}, initial.seed);
    initial.distribution = inner.text("distribution", "");
    inner.finish();
  } else {
    reader.fail("initial", "\"same\" or {\"seed\", \"distribution\"}");
  }
  description.initial = std::move(initial);
}

std::optional<WeightDecay> read_weight_decay(JsonReader& reader) {
  if (!reader.has("weight_decay")) return std::nullopt;
  JsonReader inner = reader.object("weight_decay");
  WeightDecay decay;
  decay.value = inner.number("value", {0, false}, std::nullopt);
  decay.decoupled = inner.boolean("decoupled", false);
  inner.finish();
  return decay;
}

// sgd with a momentum is momentum and the reverse, adam with a decoupled decay is adamw.
OptimizerKind amounts_to(OptimizerKind kind, const OptimizerDescription& optimizer) {
  const auto momentum = optimizer.constants.find("momentum");
  if (momentum != optimizer.constants.end()) {
    if (kind == OptimizerKind::sgd && momentum->second > 0) return OptimizerKind::momentum;
    if (kind == OptimizerKind::momentum && momentum->second == 0) return OptimizerKind::sgd;
  }
  const bool decoupled = optimizer.weight_decay && optimizer.weight_decay->decoupled;
  return kind == OptimizerKind::adam && decoupled ? OptimizerKind::adamw : kind;
}

void read_optimizer(JsonReader& outer, OptimizerDescription& optimizer) {
  if (!outer.has("optimizer")) return;
  JsonReader reader = outer.object("optimizer");
  read_choice(reader, "kind", optimizer.kind);
  if (reader.has("learning_rate")) optimizer.learning_rate = reader.number("learning_rate", {0, true}, std::nullopt);
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    const NumberRange range = constant->is_share ? NumberRange{0, false, 1} : NumberRange{0, false};
    const char* name = constant->name;
    if (reader.has(name)) optimizer.constants[name] = reader.number(name, range, std::nullopt);
  }
  read_choice(reader, "epsilon_place", optimizer.epsilon_place);
  if (optimizer.epsilon_place == EpsilonPlace::own) {
    reader.fail("epsilon_place", "\"own\"", "one of outside, hat, inside");
  }
  optimizer.weight_decay = read_weight_decay(reader);
  const bool always_decoupled = optimizer.kind && catalogue::row_of(*optimizer.kind).always_decoupled;
  if (always_decoupled && optimizer.weight_decay) optimizer.weight_decay->decoupled = true;
  if (optimizer.kind) optimizer.kind = amounts_to(*optimizer.kind, optimizer);
  reader.finish();
}

void read_accumulation(JsonReader& outer, Description& description) {
  if (!outer.has("accumulation")) return;
  JsonReader reader = outer.object("accumulation");
  Accumulation accumulation;
  accumulation.steps = reader.integer("steps", {1, 1'000'000}, std::nullopt);
  accumulation.divides = reader.boolean("divides", true);
  reader.finish();
  description.accumulation = accumulation;
}

// In lower case: "CPU" is "cpu".
void read_device(JsonReader& reader, Description& description) {
  if (!reader.has("device")) return;
  std::string device = reader.text("device");
  for (char& character : device) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  description.device = std::move(device);
}

// The last batch of an epoch may be dropped or kept.
void check_updates(JsonReader& reader, const Description& description) {
  const std::optional<std::int64_t> step_rows = description.step_rows();
  if (!description.updates || !description.epochs || !description.rows || !step_rows) return;
  Description counted = description;
  counted.updates.reset();
  const std::int64_t kept = *counted.update_count();
  const std::int64_t dropped = *description.rows / *step_rows * *description.epochs;
  if (*description.updates == kept || *description.updates == dropped) return;
  reader.fail("updates", std::to_string(kept) + ", which is epochs times batches of an epoch");
}

}  // namespace

std::optional<std::int64_t> Description::step_rows() const {
  if (batch == kFullBatch) return rows;
  return batch && rows ? std::min(*batch, *rows) : batch;
}

std::optional<std::int64_t> Description::update_count() const {
  if (updates) return updates;
  if (batch == kFullBatch) return epochs;
  if (!epochs || !rows || !batch) return std::nullopt;
  return *epochs * ((*rows - 1) / *batch + 1);
}

std::optional<std::int64_t> Description::outputs() const {
  const std::optional<Shape>& shape = prediction_shape ? prediction_shape : target_shape;
  if (!shape || (shape->size() > 1 && shape->back() == kRowsDimension)) return std::nullopt;
  return shape->size() == 1 ? 1 : shape->back();
}

Result<Description> read_description(const std::filesystem::path& file) {
  JsonDocument document = TRY(JsonDocument::read(file, "a description of a timed training (a JSON object)"));
  JsonReader reader(document);
  Description description;
  description.name = reader.text("name");
  if (reader.has("name") && description.name.empty()) reader.fail("name", "text that names the side");
  read_choice(reader, "loss", description.loss);
  read_choice(reader, "loss_reduction", description.loss_reduction);
  read_batch(reader, description);
  read_integer(reader, "rows", kCount, description.rows);
  read_integer(reader, "epochs", kEpochs, description.epochs);
  read_integer(reader, "updates", kCount, description.updates);
  read_choice(reader, "parameters_dtype", description.parameters_dtype);
  read_choice(reader, "data_dtype", description.data_dtype);
  read_integer(reader, "casts_per_step", {0, 1'000'000}, description.casts_per_step);
  read_optimizer(reader, description.optimizer);
  read_initial(reader, description);
  read_integer(reader, "warm_up_steps", {0, kCount.most}, description.warm_up_steps);
  read_timed(reader, description);
  read_choice(reader, "compiled", description.compiled);
  read_shape(reader, "weights_shape", description.weights_shape);
  read_shape(reader, "target_shape", description.target_shape);
  read_shape(reader, "prediction_shape", description.prediction_shape);
  read_choice(reader, "normalisation", description.normalisation);
  read_accumulation(reader, description);
  read_choice(reader, "update", description.update);
  read_boolean(reader, "shuffle", description.shuffle);
  read_integer(reader, "threads", {1, 1'000'000}, description.threads);
  read_device(reader, description);
  read_boolean(reader, "synchronises", description.synchronises);
  check_updates(reader, description);
  reader.finish();
  if (!document.ok()) return document.error();
  return description;
}

}  // namespace gdbench::fairness
