#include "harness/questions/fairness/description.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/abi/catalogue.h"
#include "harness/base/json_reader.h"

namespace gdbench::fairness {

const std::vector<Field>& description_fields() {
  using enum Form;
  using enum Use;
  static const std::vector<std::string> types = {"f16", "bf16", "f32", "f64", "uint8", "int32", "int64"};
  static const std::vector<Field> fields = {
      {"name", text, required},
      {"loss", choice, compared, {"mse", "half_mse", "sum_of_squares", "softmax_cross_entropy"}},
      {"loss_reduction", choice, helps, {"mean", "mean_over_rows", "sum"}},
      {"batch", whole, compared, {"full"}, 1, kMostRows, "\"full\" or a number of rows"},
      {"rows", whole},
      {"epochs", whole, helps, {}, 1, 1'000'000},  // times rows they fit
      {"updates", whole},
      {"parameters_dtype", choice, compared, types},
      {"data_dtype", choice, compared, types},
      {"casts_per_step", whole, compared, {}, 0, 1'000'000},
      {"optimizer", object, helps},
      {"optimizer/kind", choice, compared, catalogue::names_of_mask<catalogue::OptimizerKind>(~0U)},
      {"optimizer/learning_rate", positive},
      {"optimizer/momentum", share, if_said},
      {"optimizer/beta1", share, if_said},
      {"optimizer/beta2", share, if_said},
      {"optimizer/rho", share, if_said},
      {"optimizer/epsilon", number, if_said},
      {"optimizer/momentum_decay", number, if_said},
      {"optimizer/adamw_rate_factor", number, if_said},
      {"optimizer/epsilon_place", choice, if_said, {"outside", "hat", "inside"}},
      {"optimizer/weight_decay", object, if_said},
      {"optimizer/weight_decay/value", number, required},
      {"optimizer/weight_decay/decoupled", yes_no, helps},
      {"initial", object, compared, {"same"}, 1, kMostRows, "\"same\" or {\"seed\", \"distribution\"}"},
      {"initial/seed", whole, helps, {}, 0, INT64_MAX},
      {"initial/distribution", text, helps},
      {"warm_up_steps", whole, compared, {}, 0},
      {"timed", items, compared, {"import", "data", "transfer", "tracing", "evaluation"}},
      {"compiled", choice, compared, {"none", "function", "graph", "xla", "compile_method"}},
      {"weights_shape", shape},
      {"target_shape", shape},
      {"prediction_shape", shape},
      {"normalisation", choice, compared, {"none", "per_feature", "per_sample"}},
      {"accumulation", object},
      {"accumulation/steps", whole, required, {}, 1, 1'000'000},
      {"accumulation/divides", yes_no, helps},
      {"update", choice, compared, {"copies", "in_place", "overwrites_input"}},
      {"shuffle", yes_no},
      {"threads", whole, compared, {}, 1, 1'000'000},
      {"device", text},
      {"synchronises", yes_no},
  };
  return fields;
}

namespace {

using Shape = std::vector<std::int64_t>;  // kN stands for "N", the rows of a step
constexpr std::int64_t kN = 0;

std::string shown(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : shape) sizes.push_back(size == kN ? "N" : std::to_string(size));
  return "(" + joined(sizes) + (shape.size() == 1 ? ",)" : ")");
}

// Reads a file by the list of fields, then derives what follows.
class Reading {
 public:
  explicit Reading(JsonDocument& document) : top_(document) {
    read_object(top_, "");
    derive_steps();
    derive_loss();
    derive_optimizer();
    derive_shapes();
    derive_types();
    derive_clock();
    top_.finish();
  }
  Description take() { return {text("name"), std::move(side_.facts)}; }

 private:
  std::string text(const std::string& fact) const { return side_.text(fact); }
  std::optional<std::int64_t> count(const std::string& fact) const { return side_.number<std::int64_t>(fact); }
  void set(const std::string& fact, const std::string& value) { side_.facts[fact] = value; }

  void read_object(JsonReader& reader, const std::string& object) {
    for (const Field& field : description_fields()) {
      const std::string key = field.key;
      const std::size_t stroke = key.rfind('/');
      if ((stroke == std::string::npos ? "" : key.substr(0, stroke)) != object) continue;
      const std::string name = key.substr(stroke + 1);
      const Json* value = reader.member(name);
      if (value != nullptr || field.use == Use::required) set(key, value_of(reader, field, name, value));
    }
  }

  std::string value_of(JsonReader& reader, const Field& field, const std::string& name, const Json* value) {
    const auto is_name = [&](const std::string& known) { return value != nullptr && *value == known; };
    if (field.form != Form::items && std::ranges::any_of(field.names, is_name)) return *value;
    const bool other = field.form == Form::object ? value->is_object() : value != nullptr && value->is_number();
    if (*field.expected != '\0' && !other) {
      reader.fail(name, field.expected);
      return "";
    }
    switch (field.form) {
      case Form::text:
        return reader.text(name);
      case Form::choice:
        reader.fail(name, "one of " + joined(field.names) +
                              (value->is_string() ? suggestion(value->get<std::string>(), field.names) : ""));
        return "";
      case Form::whole:
        return std::to_string(reader.integer(name, {field.least, field.most}, std::nullopt));
      case Form::positive:
      case Form::number:
      case Form::share: {
        const double below = field.form == Form::share ? 1 : HUGE_VAL;
        return Json(reader.number(name, {0, field.form == Form::positive, below}, std::nullopt)).dump();
      }
      case Form::yes_no:
        return reader.boolean(name, false) ? "true" : "false";
      case Form::items:
        return items_of(reader, field, name);
      case Form::shape:
        return shape_of(reader, field, name, *value);
      case Form::object:
        JsonReader inner = reader.object(name);
        read_object(inner, field.key);
        inner.finish();
        return "given";
    }
    return "";
  }

  static std::string items_of(JsonReader& reader, const Field& field, const std::string& name) {
    const std::vector<std::string> items = reader.texts(name);
    for (const std::string& item : items) {
      if (std::find(field.names.begin(), field.names.end(), item) != field.names.end()) continue;
      reader.fail(name, "\"" + item + "\"", joined(field.names) + ", or none of them");
    }
    return " " + joined(items, " ") + " ";
  }

  std::string shape_of(JsonReader& reader, const Field& field, const std::string& name, const Json& sizes) {
    Shape& shape = shapes_[field.key];
    bool valid = sizes.is_array() && !sizes.empty() && sizes.size() <= 8;
    for (std::size_t i = 0; valid && i < sizes.size(); ++i) {
      const bool number = sizes[i].is_number_unsigned() && sizes[i] > 0 && sizes[i] <= field.most;
      valid = number || sizes[i] == "N";
      shape.push_back(number ? sizes[i].get<std::int64_t>() : kN);
    }
    if (!valid) reader.fail(name, sizes.dump(), "1 to 8 positive integers or \"N\", such as [\"N\", 1]");
    return shown(shape);
  }

  // Updates as said, or epochs x ceil(rows / batch); the last batch of an epoch may also be dropped.
  void derive_steps() {
    const bool full = text("batch") == "full";
    const std::optional<std::int64_t> rows = count("rows");
    const std::optional<std::int64_t> epochs = count("epochs");
    const std::optional<std::int64_t> batch = full ? rows : count("batch");
    const std::optional<std::int64_t> step_rows = batch && rows ? std::min(*batch, *rows) : batch;
    std::optional<std::int64_t> updates = count("updates");
    std::optional<std::int64_t> counted = full ? epochs : std::nullopt;
    if (epochs && rows && batch) {
      counted = *epochs * ((*rows - 1) / *batch + 1);
      if (updates && *updates != *counted && *updates != *rows / *step_rows * *epochs) {
        top_.fail("updates", std::to_string(*counted) + ", which is epochs times batches of an epoch");
      }
    }
    if (!updates) updates = counted;
    if (full) set("batch.full", "true");
    if (step_rows) set("batch.rows", std::to_string(*step_rows));
    if (updates) set("updates", std::to_string(*updates));
    set("batch.text",  // "3200 updates of 32 rows", "1 update of 1 row", as far as it is known
        (updates ? std::to_string(*updates) + (*updates == 1 ? " update" : " updates") : "updates") +
            (step_rows ? " of " + std::to_string(*step_rows) + (*step_rows == 1 ? " row" : " rows") : ""));
  }

  void derive_loss() {
    const std::string loss = text("loss");
    if (loss.empty()) return;
    if (!side_.says("loss_reduction")) set("loss_reduction", loss == "sum_of_squares" ? "sum" : "mean");
    set("loss.function", loss == "softmax_cross_entropy" ? loss : "squares");
    set("loss.text", loss + " (" + text("loss_reduction") + ")");
  }

  // sgd with a momentum is momentum and the reverse, adam with a decoupled decay is adamw.
  void derive_optimizer() {
    const std::string kind = text("optimizer/kind");
    bool decoupled = text("optimizer/weight_decay/decoupled") == "true";
    const std::optional<double> decay = side_.number<double>("optimizer/weight_decay/value");
    const std::optional<double> momentum = side_.number<double>("optimizer/momentum");
    if (kind == "sgd" && momentum > 0.0) set("optimizer/kind", "momentum");
    if (kind == "momentum" && momentum == 0.0) set("optimizer/kind", "sgd");
    if (kind == "adam" && decoupled) set("optimizer/kind", "adamw");
    if (!decay) return;
    if (const auto known = catalogue::find<catalogue::OptimizerKind>(kind)) {
      decoupled = decoupled || catalogue::row_of(*known).always_decoupled;
    }
    if (*decay != 0 && !decoupled) set("optimizer/weight_decay.added", "true");
    set("optimizer/weight_decay",
        *decay == 0 ? "none"
                    : text("optimizer/weight_decay/value") + (decoupled ? " decoupled" : " added to the gradient"));
  }

  void derive_shapes() {
    const auto shape_of_key = [&](const char* key) { return shapes_.contains(key) ? shapes_.at(key) : Shape(); };
    const Shape prediction = shape_of_key("prediction_shape");
    const Shape target = shape_of_key("target_shape");
    const Shape& outputs = prediction.empty() ? target : prediction;
    if (outputs.size() == 1) set("prediction_shape.outputs", "1");
    if (outputs.size() > 1 && outputs.back() != kN) set("prediction_shape.outputs", std::to_string(outputs.back()));
    Shape weights = shape_of_key("weights_shape");
    if (!weights.empty()) {
      set("weights_shape.vector", weights.size() == 1 ? shown(weights) : "");
      if (weights.size() == 1) weights.push_back(1);
      set("weights_shape.column", shown(weights));
    }
    // Class labels (N,) against logits (N, classes) are as they should be.
    if (!prediction.empty() && !target.empty() && text("loss.function") == "squares") subtract(prediction, target);
  }

  // As NumPy, PyTorch and TensorFlow do: aligned at the last dimension, a dimension of 1 or none is repeated.
  void subtract(const Shape& prediction, const Shape& target) {
    bool fits = true;
    bool repeats = false;
    double repeats_of_prediction = 1;  // 0: not known
    Shape difference;
    const auto size_at = [](const Shape& shape, std::size_t i) {
      return i < shape.size() ? shape.end()[-1 - static_cast<std::ptrdiff_t>(i)] : 1;
    };
    const auto resolved = [&](std::int64_t size) { return size == kN ? count("batch.rows").value_or(kN) : size; };
    for (std::size_t i = 0; i < std::max(prediction.size(), target.size()); ++i) {
      const std::int64_t p = resolved(size_at(prediction, i));
      const std::int64_t t = resolved(size_at(target, i));
      fits = fits && (p == t || p == 1 || t == 1);
      repeats = repeats || p != t;
      if (p == 1) repeats_of_prediction *= static_cast<double>(t);
      difference.insert(difference.begin(), size_at(p == 1 ? target : prediction, i));  // N stays N
    }
    const std::string shapes = "prediction " + shown(prediction) + " less target " + shown(target);
    if (!fits) set("prediction_shape.misfit", shapes);
    if (fits && repeats) set("prediction_shape.broadcast", shapes + " is " + shown(difference));
    if (repeats_of_prediction > 1) set("prediction_shape.repeats", Json(repeats_of_prediction).dump());
  }

  void derive_types() {
    const std::string parameters = text("parameters_dtype");
    const std::string data = text("data_dtype");
    const bool integers = data.find("int") != std::string::npos;
    if (integers) set("casts_per_step.needed", "true");  // integers are cast somewhere
    if (!data.empty() && !integers) {
      set("data_dtype.floating", data);
      if (!parameters.empty() && parameters != data) {
        set("data_dtype.mixed", parameters + " parameters with " + data + " data");
      }
    }
    set("casts_per_step.text", text("casts_per_step") + (data.empty() ? "" : " of " + data + " data"));
  }

  // What was never run before is traced or compiled by its first step.
  void derive_clock() {
    const std::string compiled = text("compiled");
    const bool cold = text("warm_up_steps") == "0";
    const bool traces = cold && !compiled.empty() && compiled != "none";
    if (traces) set("warm_up_steps.tracing", compiled + " without a warm-up step");
    if (!traces && side_.says("warm_up_steps")) set("warm_up_steps.none", cold ? "0" : "");
    for (const std::string item : {"import", "data", "transfer", "tracing", "evaluation"}) {
      const bool timed = text("timed").find(" " + item + " ") != std::string::npos;
      if (side_.says("timed") && !(item == "tracing" && traces)) set("timed." + item, timed ? item : "");
    }
    std::string device = text("device");
    for (char& character : device) {
      if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    }
    if (side_.says("device")) set("device", device);
    const std::string seed = text("initial/seed");
    const std::string distribution = text("initial/distribution");
    if (text("initial") == "same") set("initial.copied", "true");
    if (text("initial") != "given") return;
    if (!seed.empty()) set("initial.seed", seed);
    if (!distribution.empty()) set("initial.distribution", distribution);
    const std::string drawn = distribution + (seed.empty() ? "" : (distribution.empty() ? "seed " : ", seed ") + seed);
    set("initial", drawn.empty() ? "drawn" : drawn);
  }

  JsonReader top_;
  Description side_;
  std::map<std::string, Shape> shapes_;
};

}  // namespace

Result<Description> read_description(const std::filesystem::path& file) {
  JsonDocument document = TRY(JsonDocument::read(file, "a description of a timed training (a JSON object)"));
  Description description = Reading(document).take();
  if (description.name.empty()) JsonReader(document).fail("name", "text that names the side");
  if (!document.ok()) return document.error();
  return description;
}

}  // namespace gdbench::fairness
