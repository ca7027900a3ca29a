#include "harness/worker/protocol.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/worker/json_names.h"

namespace gdbench::worker {

namespace {

using nlohmann::json;

constexpr const char* kOptionTypes[] = {"bool", "integer", "number", "choice", "string", "switches"};

Result<scenario::Layer> layer_from_json(const json& object) {
  scenario::Layer layer;
  layer.inputs = object.at("inputs").get<std::int64_t>();
  layer.outputs = object.at("outputs").get<std::int64_t>();
  layer.bias = object.at("bias").get<bool>();
  const Result<catalogue::Activation> activation = catalogued<catalogue::Activation>(object, "activation");
  if (!activation.ok()) return activation.error();
  layer.activation = activation.value();
  return layer;
}

// Keys that a kind does not read may be absent.
Result<scenario::Optimizer> optimizer_from_json(const json& object) {
  scenario::Optimizer optimizer;
  const auto kind = catalogued<catalogue::OptimizerKind>(object, "kind");
  if (!kind.ok()) return kind.error();
  optimizer.kind = kind.value();
  optimizer.learning_rates = object.at("learning_rates").get<std::vector<double>>();
  if (optimizer.learning_rates.empty()) return failure("the optimizer has no learning rate");
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    optimizer.*constant->member = object.value(constant->name, optimizer.*constant->member);
  }
  optimizer.weight_decay = object.value("weight_decay", optimizer.weight_decay);
  optimizer.decoupled_weight_decay = object.value("decoupled_weight_decay", false);
  return optimizer;
}

json optimizer_to_json(const scenario::Optimizer& optimizer) {
  json object = {{"kind", name_of(optimizer.kind)},
                 {"learning_rates", optimizer.learning_rates},
                 {"weight_decay", optimizer.weight_decay},
                 {"decoupled_weight_decay", optimizer.decoupled_weight_decay}};
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    object[constant->name] = optimizer.*constant->member;
  }
  return object;
}

Result<scenario::Problem> parse_problem(const json& object) {
  scenario::Problem problem;
  const auto task = catalogued<catalogue::Task>(object, "task");
  if (!task.ok()) return task.error();
  problem.task = task.value();
  const auto dtype = catalogued<catalogue::Dtype>(object, "dtype");
  if (!dtype.ok()) return dtype.error();
  problem.dtype = dtype.value();
  for (const json& entry : object.at("layers")) {
    Result<scenario::Layer> layer = layer_from_json(entry);
    if (!layer.ok()) return layer.error();
    problem.layers.push_back(layer.value());
  }
  if (problem.layers.empty()) return failure("the problem has no layer");
  const auto loss = catalogued<catalogue::Loss>(object, "loss");
  if (!loss.ok()) return loss.error();
  problem.loss = {loss.value(), object.value("huber_delta", 1.0)};
  problem.rows = object.at("rows").get<std::int64_t>();
  problem.batch_rows = object.at("batch_rows").get<std::int64_t>();
  problem.micro_batches = object.value("micro_batches", std::int64_t{1});
  Result<scenario::Optimizer> optimizer = optimizer_from_json(object.at("optimizer"));
  if (!optimizer.ok()) return optimizer.error();
  problem.optimizer = std::move(optimizer).value();
  return problem;
}

json option_to_json(const OptionDeclaration& option) {
  return {{"key", option.key},
          {"type", kOptionTypes[static_cast<int>(option.type)]},
          {"default", option.default_value},
          {"choices", option.choices},
          {"description", option.description}};
}

OptionDeclaration option_from_json(const json& object) {
  OptionDeclaration option;
  option.key = object.at("key").get<std::string>();
  const std::string type = object.value("type", "string");
  const auto* found = std::find(std::begin(kOptionTypes), std::end(kOptionTypes), type);
  if (found != std::end(kOptionTypes)) option.type = static_cast<OptionType>(found - std::begin(kOptionTypes));
  option.default_value = object.value("default", "");
  option.choices = object.value("choices", std::vector<std::string>{});
  option.description = object.value("description", "");
  return option;
}

json implementation_to_json(const ImplementationDescription& implementation) {
  json options = json::array();
  for (const OptionDeclaration& option : implementation.options) options.push_back(option_to_json(option));
  return {{"id", implementation.id},
          {"description", implementation.description},
          {"build", implementation.build},
          {"tasks", implementation.tasks},
          {"dtypes", implementation.dtypes},
          {"activations", implementation.activations},
          {"losses", implementation.losses},
          {"optimizers", implementation.optimizers},
          {"capabilities", implementation.capabilities},
          {"max_layers", implementation.max_layers},
          {"max_compute_threads", implementation.max_compute_threads},
          {"helper_threads", implementation.helper_threads},
          {"options", std::move(options)},
          {"unavailable", implementation.unavailable}};
}

ImplementationDescription implementation_from_json(const json& object) {
  using Names = std::vector<std::string>;
  ImplementationDescription implementation;
  implementation.id = object.at("id").get<std::string>();
  implementation.description = object.value("description", "");
  implementation.build = object.value("build", "");
  implementation.tasks = object.value("tasks", Names{"train"});
  implementation.dtypes = object.value("dtypes", Names{"f32"});
  implementation.activations = object.value("activations", Names{"identity"});
  implementation.losses = object.value("losses", Names{"mse"});
  implementation.optimizers = object.value("optimizers", Names{"sgd"});
  implementation.capabilities = object.value("capabilities", Names{});
  implementation.max_layers = object.value("max_layers", std::int64_t{0});
  implementation.max_compute_threads = object.value("max_compute_threads", 1);
  implementation.helper_threads = object.value("helper_threads", 0);
  for (const json& option : object.value("options", json::array())) {
    implementation.options.push_back(option_from_json(option));
  }
  implementation.unavailable = object.value("unavailable", "");
  return implementation;
}

}  // namespace

bool ImplementationDescription::has_capability(const std::string& name) const {
  return std::find(capabilities.begin(), capabilities.end(), name) != capabilities.end();
}

json problem_to_json(const scenario::Problem& problem) {
  json layers = json::array();
  for (const scenario::Layer& layer : problem.layers) {
    layers.push_back({{"inputs", layer.inputs},
                      {"outputs", layer.outputs},
                      {"activation", name_of(layer.activation)},
                      {"bias", layer.bias}});
  }
  return {{"task", name_of(problem.task)},
          {"dtype", name_of(problem.dtype)},
          {"layers", std::move(layers)},
          {"loss", name_of(problem.loss.kind)},
          {"huber_delta", problem.loss.huber_delta},
          {"rows", problem.rows},
          {"batch_rows", problem.batch_rows},
          {"micro_batches", problem.micro_batches},
          {"optimizer", optimizer_to_json(problem.optimizer)}};
}

Result<scenario::Problem> problem_from_json(const json& object) {
  try {
    return parse_problem(object);
  } catch (const json::exception& exception) {
    return failure(std::string("malformed problem: ") + exception.what());
  }
}

json hello_to_json(const HelloAnswer& answer) {
  json implementations = json::array();
  for (const ImplementationDescription& implementation : answer.implementations) {
    implementations.push_back(implementation_to_json(implementation));
  }
  return {{"protocol", {{"major", answer.protocol_major}, {"minor", answer.protocol_minor}}},
          {"worker", {{"build", answer.worker_build}}},
          {"plugin", {{"name", answer.plugin_name}, {"version", answer.plugin_version}}},
          {"implementations", std::move(implementations)}};
}

Result<HelloAnswer> hello_from_json(const json& object) {
  try {
    HelloAnswer answer;
    answer.protocol_major = object.at("protocol").at("major").get<int>();
    answer.protocol_minor = object.at("protocol").at("minor").get<int>();
    answer.worker_build = object.value("worker", json::object()).value("build", "");
    const json plugin = object.value("plugin", json::object());
    answer.plugin_name = plugin.value("name", "");
    answer.plugin_version = plugin.value("version", "");
    for (const json& implementation : object.at("implementations")) {
      answer.implementations.push_back(implementation_from_json(implementation));
    }
    return answer;
  } catch (const json::exception& exception) {
    return failure(std::string("malformed answer to hello: ") + exception.what());
  }
}

}  // namespace gdbench::worker
