#include "harness/measure/eligibility.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "harness/base/text.h"
#include "harness/measure/switches.h"

namespace gdbench::measure {

namespace {

using protocol::ImplementationDescription;
using protocol::OptionDeclaration;
using protocol::OptionType;
using scenario::name_of;

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <class Number>
bool parses_as(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return false;
  }
  return error == std::errc() && end == text.data() + text.size();
}

Status check_option(const OptionDeclaration& option, const std::string& value) {
  std::string expected;
  switch (option.type) {
    case OptionType::boolean:
      if (value != "true" && value != "false") expected = "true or false";
      break;
    case OptionType::integer:
      if (!parses_as<std::int64_t>(value)) expected = "an integer";
      break;
    case OptionType::number:
      if (!parses_as<double>(value)) expected = "a number";
      break;
    case OptionType::choice:
      if (!contains(option.choices, value)) expected = "one of " + joined(option.choices);
      break;
    case OptionType::switches:
      if (!parse_switches(option, value)) {
        expected = "all, none, or -NAME or +NAME, separated by commas, with NAME one of " + joined(option.choices);
      }
      break;
    case OptionType::string:
      break;
  }
  if (expected.empty()) return {};
  return usage_error("impl." + option.key + ": found " + in_quotes(value) + ", expected " + expected);
}

}  // namespace

std::string reason_unsupported(const ImplementationDescription& implementation, const scenario::Problem& problem,
                               bool shuffled, bool streamed, int threads) {
  const std::string& id = implementation.id;
  if (!contains(implementation.tasks, name_of(problem.task))) return id + " has no task " + name_of(problem.task);
  if (!contains(implementation.dtypes, name_of(problem.dtype))) return id + " has no " + name_of(problem.dtype);
  const std::string loss = name_of(problem.loss.kind);
  if (!contains(implementation.losses, loss)) return id + " has no loss " + loss;
  if (!contains(implementation.optimizers, name_of(problem.optimizer.kind))) {
    return id + " has no optimizer " + name_of(problem.optimizer.kind);
  }
  for (const scenario::Layer& layer : problem.layers) {
    if (!contains(implementation.activations, name_of(layer.activation))) {
      return id + " has no activation " + name_of(layer.activation);
    }
  }
  const auto layers = static_cast<std::int64_t>(problem.layers.size());
  if (implementation.max_layers != 0 && layers > implementation.max_layers) {
    return id + " has at most " + std::to_string(implementation.max_layers) + " layer(s), the model has " +
           std::to_string(layers);
  }
  if (shuffled && !implementation.has_capability("shuffle")) return id + " cannot follow shuffled batches";
  if (streamed && !implementation.has_capability("stream")) return id + " cannot stream its data";
  if (problem.optimizer.learning_rates.size() > 1 && !implementation.has_capability("schedule")) {
    return id + " has no learning-rate schedule";
  }
  if (problem.optimizer.weight_decay != 0 && !implementation.has_capability("weight_decay")) {
    return id + " has no weight decay";
  }
  if (problem.micro_batches > 1 && !implementation.has_capability("micro_batches")) {
    return id + " does not accumulate gradients over micro-batches";
  }
  if (implementation.max_compute_threads != 0 && threads > implementation.max_compute_threads) {
    return id + " has at most " + std::to_string(implementation.max_compute_threads) + " compute thread(s)";
  }
  return {};
}

Result<std::map<std::string, std::string>> resolve_options(const ImplementationDescription& implementation,
                                                           const std::map<std::string, std::string>& wanted) {
  std::map<std::string, std::string> options;
  for (const OptionDeclaration& option : implementation.options) {
    const auto found = wanted.find(option.key);
    const std::string& value = found == wanted.end() ? option.default_value : found->second;
    TRY(check_option(option, value));
    options[option.key] = value;
  }
  return options;
}

}  // namespace gdbench::measure
