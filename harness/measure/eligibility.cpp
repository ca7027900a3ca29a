#include "harness/measure/eligibility.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <type_traits>

#include "harness/base/text.h"

namespace gdbench::measure {

namespace {

using catalogue::EpsilonPlace;
using protocol::ImplementationDescription;
using protocol::OptionDeclaration;
using protocol::OptionType;
using scenario::name_of;

constexpr const char* kAll = "all";
constexpr const char* kNone = "none";

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

// What the value of an option has to be and is not; empty where its declaration allows it.
std::string unmet_expectation(const OptionDeclaration& option, const std::string& value) {
  switch (option.type) {
    case OptionType::boolean:
      return value == "true" || value == "false" ? "" : "true or false";
    case OptionType::integer:
      return parses_as<std::int64_t>(value) ? "" : "an integer";
    case OptionType::number:
      return parses_as<double>(value) ? "" : "a number";
    case OptionType::choice:
      return contains(option.choices, value) ? "" : "one of " + joined(option.choices);
    case OptionType::switches:
      return parse_switches(option, value)
                 ? ""
                 : "all, none, or -NAME or +NAME, separated by commas, with NAME one of " + joined(option.choices);
    case OptionType::string:
      break;
  }
  return "";
}

}  // namespace

std::string reason_unsupported(const ImplementationDescription& implementation, const scenario::Problem& problem,
                               bool shuffled, bool streamed, int threads) {
  const std::string& id = implementation.id;
  const auto lack = [](const std::vector<std::string>& offered, const char* kind, const char* name) {
    return contains(offered, name) ? std::string() : std::string(" has no ") + kind + name;
  };
  std::vector<std::string> lacks = {lack(implementation.tasks, "task ", name_of(problem.task)),
                                    lack(implementation.dtypes, "", name_of(problem.dtype)),
                                    lack(implementation.losses, "loss ", name_of(problem.loss.kind)),
                                    lack(implementation.optimizers, "optimizer ", name_of(problem.optimizer.kind))};
  for (const scenario::Layer& layer : problem.layers) {
    lacks.push_back(lack(implementation.activations, "activation ", name_of(layer.activation)));
  }
  for (const std::string& text : lacks) {
    if (!text.empty()) return id + text;
  }
  for (const OptionDeclaration& option : implementation.options) {
    const std::string expected = unmet_expectation(option, option.default_value);
    if (!expected.empty()) {
      return cat(id, " declares the default ", in_quotes(option.default_value), " for its option ", option.key,
                 ", expected ", expected);
    }
  }
  const auto layers = static_cast<std::int64_t>(problem.layers.size());
  if (implementation.max_layers != 0 && layers > implementation.max_layers) {
    return cat(id, " has at most ", implementation.max_layers, " layer(s), the model has ", layers);
  }
  const auto is_normalized = [](const scenario::Layer& layer) {
    return layer.normalization != catalogue::Normalization::none;
  };
  struct Need {
    bool exists;
    const char* capability;
    const char* lack;
  };
  for (const auto& [exists, capability, text] :
       {Need{shuffled, "shuffle", " cannot follow shuffled batches"},
        Need{streamed, "stream", " cannot stream its data"},
        Need{problem.optimizer.learning_rates.size() > 1, "schedule", " has no learning-rate schedule"},
        Need{problem.optimizer.weight_decay != 0, "weight_decay", " has no weight decay"},
        Need{problem.flushes_denormals, "flush_denormals", " does not flush denormal numbers to zero"},
        Need{std::ranges::any_of(problem.layers, is_normalized), "normalizations", " does not normalise layers"},
        Need{problem.drops_last_batch, "drop_last", " does not leave out an epoch's smaller last batch"},
        Need{problem.micro_batches > 1, "micro_batches", " does not accumulate gradients over micro-batches"}}) {
    if (exists && !implementation.has_capability(capability)) return id + text;
  }
  const EpsilonPlace place = problem.optimizer.epsilon_place;
  const EpsilonPlace own = own_epsilon_place(implementation, problem.optimizer.kind);
  if (place != own && place != EpsilonPlace::own && !implementation.has_capability("epsilon_place")) {
    return cat(id, " has ", name_of(problem.optimizer.kind), " with optimizer.epsilon_place=", name_of(own),
               " alone, not ", name_of(place));
  }
  if (implementation.max_compute_threads != 0 && threads > implementation.max_compute_threads) {
    return cat(id, " has at most ", implementation.max_compute_threads, " compute thread(s)");
  }
  return {};
}

catalogue::EpsilonPlace own_epsilon_place(const ImplementationDescription& implementation,
                                          catalogue::OptimizerKind optimizer) {
  const auto found = implementation.epsilon_places.find(name_of(optimizer));
  const std::string place = found == implementation.epsilon_places.end() ? "" : found->second;
  return catalogue::find<EpsilonPlace>(place).value_or(EpsilonPlace::outside);
}

Result<std::map<std::string, std::string>> resolve_options(const ImplementationDescription& implementation,
                                                           const std::map<std::string, std::string>& wanted) {
  std::map<std::string, std::string> options;
  for (const OptionDeclaration& option : implementation.options) {
    const auto found = wanted.find(option.key);
    options[option.key] = found == wanted.end() ? option.default_value : found->second;
    if (found == wanted.end()) continue;
    if (const std::string expected = unmet_expectation(option, found->second); !expected.empty()) {
      return usage_error("impl." + option.key + ": found " + in_quotes(found->second) + ", expected " + expected);
    }
  }
  return options;
}

std::optional<std::vector<bool>> parse_switches(const protocol::OptionDeclaration& option, const std::string& value) {
  std::vector<bool> on(option.choices.size(), true);
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty()) continue;
    if (word == kAll || word == kNone) {
      on.assign(on.size(), word == kAll);
      continue;
    }
    const auto choice = std::find(option.choices.begin(), option.choices.end(), word.substr(1));
    if ((word[0] != '-' && word[0] != '+') || choice == option.choices.end()) return std::nullopt;
    on[static_cast<std::size_t>(choice - option.choices.begin())] = word[0] == '+';
  }
  return on;
}

std::string description_of_switch(const protocol::OptionDeclaration& option, const std::string& name) {
  const std::string start = name + ": ";
  std::istringstream lines(option.description);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "";
}

std::string without_switch(const std::string& value, const std::string& name) {
  return (value.empty() || value == kAll ? "" : value + ",") + "-" + name;
}

const protocol::OptionDeclaration* find_switches(const protocol::ImplementationDescription& implementation) {
  const auto& options = implementation.options;
  const auto found = std::find_if(options.begin(), options.end(), [](const protocol::OptionDeclaration& option) {
    return option.type == protocol::OptionType::switches && !option.choices.empty();
  });
  return found == options.end() ? nullptr : &*found;
}

}  // namespace gdbench::measure
