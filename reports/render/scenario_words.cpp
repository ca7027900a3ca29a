// What a scenario is, in one line.
#include <algorithm>
#include <array>

#include "reports/render/format.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

using report::ModelKind;

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
std::string tensors_words(const std::vector<report::TensorsRecord>& groups) {
  std::string text;
  for (const report::TensorsRecord& group : groups) {
    const auto number = [](std::int64_t value) { return format_number(static_cast<double>(value)); };
    join(text,
         (group.count > 1 ? number(group.count) + " of " : "") + number(group.rows) + "x" + number(group.columns));
  }
  return "tensors " + text;
}

// "full batch"; "batch of 32 in 4 parts, 128 steps per epoch".
std::string batch_words(const report::ScenarioRecord& scenario) {
  const bool full = scenario.batch_rows == scenario.rows;
  std::string text = full ? "full batch" : "batch of " + std::to_string(scenario.batch_rows);
  const std::int64_t parts = scenario.resolved.micro_batches;
  if (parts > 1) text += " in " + format_number(static_cast<double>(parts)) + " parts";
  if (full || scenario.batch_rows < 1) return text;
  const std::int64_t steps = (scenario.rows + scenario.batch_rows - 1) / scenario.batch_rows;
  return text + ", " + counted(static_cast<std::size_t>(steps), "step") + " per epoch";
}

// "adam, weight decay 0.01 decoupled, cosine schedule over 1000 steps, warm-up 50".
std::string optimizer_words(const report::ResolvedScenario& resolved) {
  std::string text = resolved.optimizer ? name_of(*resolved.optimizer) : "";
  if (resolved.weight_decay != 0) {
    join(text, "weight decay " + format_number(resolved.weight_decay) +
                   (resolved.decoupled_weight_decay ? " decoupled" : " coupled"));
  }
  if (const std::optional<std::int64_t> steps = resolved.schedule_steps) {
    join(text, resolved.schedule + " schedule over " + counted(static_cast<std::size_t>(*steps), "step"));
  }
  if (resolved.warm_up > 0) join(text, "warm-up " + format_number(static_cast<double>(resolved.warm_up)));
  return text;
}

}  // namespace

std::string model_words(const report::ScenarioRecord& scenario) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  if (!resolved.model) return "";
  if (resolved.model == ModelKind::tensors) return tensors_words(resolved.tensors);
  if (resolved.model == ModelKind::linear_regression) return "linear regression";
  std::string widths = std::to_string(scenario.features);
  std::string activations;
  for (const report::LayerRecord& layer : resolved.layers) {
    widths += "-" + std::to_string(layer.width);
    if (layer.activation != report::Activation::identity) join(activations, name_of(layer.activation));
  }
  return "multi-layer perceptron " + widths + (activations.empty() ? "" : " (" + activations + ")");
}

std::string scenario_words(const report::ScenarioRecord& scenario) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  std::string text = model_words(scenario);
  if (resolved.task == report::Task::update) {
    join(text, "update by given gradients");
    join(text, resolved.dtype_name());
  } else {
    join(text,
         std::to_string(scenario.rows) + " rows x " + counted(static_cast<std::size_t>(scenario.features), "feature"));
    join(text, batch_words(scenario));
    join(text, resolved.dtype_name());
    std::string loss = resolved.loss ? name_of(*resolved.loss) : "";
    std::replace(loss.begin(), loss.end(), '_', ' ');
    join(text, loss);
  }
  join(text, optimizer_words(resolved));
  if (resolved.task == report::Task::gradients) {
    join(text, counted(static_cast<std::size_t>(scenario.outputs), "gradient") + " per step");
  }
  join(text, counted(static_cast<std::size_t>(scenario.parameters), "parameter"));
  join(text, operations_words(scenario.operations_per_step) + " per step");
  return text;
}

}  // namespace gdbench::render
