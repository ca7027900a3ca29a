// What a scenario is, in one line.
#include <array>

#include "reports/render/format.h"
#include "reports/render/phrases.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

using nlohmann::json;

// "1.5 Mflop": three digits and an SI prefix.
std::string operations_words(double operations) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (operations >= 999.5 && prefix + 1 < kPrefixes.size()) {
    operations /= 1000;
    ++prefix;
  }
  return format_number(operations) + " " + kPrefixes[prefix] + "flop";
}

// "500 tensors 512x1", "tensors 784x128, 1x128".
std::string tensors_words(const json& groups) {
  std::string text;
  for (const json& group : groups) {
    const double count = number_at(group, "/count", 1);
    const std::string shape =
        format_number(number_at(group, "/rows", 0)) + "x" + format_number(number_at(group, "/columns", 1));
    join(text, (count > 1 ? format_number(count) + " of " : "") + shape);
  }
  return "tensors " + text;
}

// "full batch"; "batch of 32 in 4 parts, 128 steps per epoch".
std::string batch_words(const result::ScenarioRecord& scenario) {
  const bool full = scenario.batch_rows == scenario.rows;
  std::string text = full ? "full batch" : "batch of " + std::to_string(scenario.batch_rows);
  const double parts = number_at(scenario.resolved, "/batch/micro_batches", 1);
  if (parts > 1) text += " in " + format_number(parts) + " parts";
  if (full || scenario.batch_rows < 1) return text;
  const std::int64_t steps = (scenario.rows + scenario.batch_rows - 1) / scenario.batch_rows;
  return text + ", " + counted(static_cast<std::size_t>(steps), "step") + " per epoch";
}

// "adam, weight decay 0.01 decoupled, cosine schedule over 1000 steps, warm-up 50".
std::string optimizer_words(const json& resolved) {
  std::string text = text_at(resolved, "/optimizer/kind");
  if (const double decay = number_at(resolved, "/optimizer/weight_decay", 0); decay != 0) {
    const json::json_pointer decoupled("/optimizer/decoupled_weight_decay");
    const bool apart = resolved.contains(decoupled) && resolved[decoupled] == true;
    join(text, "weight decay " + format_number(decay) + (apart ? " decoupled" : " coupled"));
  }
  const std::string schedule = text_at(resolved, "/optimizer/schedule/kind");
  if (!schedule.empty() && schedule != "constant") {
    const auto steps = static_cast<std::size_t>(number_at(resolved, "/optimizer/schedule/steps", 0));
    join(text, schedule + " schedule over " + counted(steps, "step"));
  }
  if (const double warm_up = number_at(resolved, "/optimizer/schedule/warm_up", 0); warm_up > 0) {
    join(text, "warm-up " + format_number(warm_up));
  }
  return text;
}

}  // namespace

std::string model_words(const result::ScenarioRecord& scenario) {
  const json& resolved = scenario.resolved;
  if (!resolved.is_object() || !resolved.contains("model") || !resolved["model"].is_object()) return "";
  const json& model = resolved["model"];
  if (model.contains("tensors") && model["tensors"].is_array()) return tensors_words(model["tensors"]);
  std::string kind = spaced(text_at(model, "/kind"));
  if (kind == "mlp" || kind == "multilayer perceptron") kind = "multi-layer perceptron";
  if (!model.contains("layers") || !model["layers"].is_array()) return kind;
  std::string widths = std::to_string(scenario.features);
  std::string activations;
  for (const json& layer : model["layers"]) {
    if (!layer.is_object() || !layer.contains("width")) continue;
    widths += "-" + layer["width"].dump();
    const std::string activation = text_at(layer, "/activation");
    if (activation != "identity") join(activations, activation);
  }
  return kind + " " + widths + (activations.empty() ? "" : " (" + activations + ")");
}

std::string scenario_words(const result::ScenarioRecord& scenario) {
  std::string text = model_words(scenario);
  const std::string task = text_at(scenario.resolved, "/task");
  if (task == "update") {
    join(text, "update by given gradients");
    join(text, text_at(scenario.resolved, "/dtype"));
  } else {
    join(text,
         std::to_string(scenario.rows) + " rows x " + counted(static_cast<std::size_t>(scenario.features), "feature"));
    join(text, batch_words(scenario));
    join(text, text_at(scenario.resolved, "/dtype"));
    join(text, spaced(text_at(scenario.resolved, "/loss")));
  }
  join(text, optimizer_words(scenario.resolved));
  if (task == "gradients") {
    join(text, counted(static_cast<std::size_t>(scenario.outputs), "gradient") + " per step");
  }
  join(text, counted(static_cast<std::size_t>(scenario.parameters), "parameter"));
  join(text, operations_words(scenario.operations_per_step) + " per step");
  return text;
}

}  // namespace gdbench::render
