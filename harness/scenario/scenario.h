// A scenario: a fully specified problem, read from a JSON file, overridden by KEY=VALUE settings, validated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/scenario/data_source.h"
#include "harness/scenario/optimizers.h"
#include "harness/scenario/problem.h"

namespace gdbench::scenario {

struct LinearRegression {
  bool bias = false;
};

struct PerceptronLayer {
  std::int64_t width = 0;
  Activation activation = Activation::identity;
  bool bias = true;
  Normalization normalization = Normalization::none;
};

// The last entry is the output layer.
struct MultilayerPerceptron {
  std::vector<PerceptronLayer> layers;
};

// Parameters without a model, for the task update: `count` tensors of one shape.
struct TensorGroup {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t count = 1;
};

struct Tensors {
  std::vector<TensorGroup> groups;
};

// In the order of catalogue::ModelKind.
using Model = std::variant<LinearRegression, MultilayerPerceptron, Tensors>;

struct Standardise {
  bool features = false;  // to mean 0 and standard deviation 1 per column; a constant column becomes 0
  bool targets = false;
};

struct Batch {
  std::optional<std::int64_t> rows;  // none: full batch
  bool shuffle = true;               // ignored for a full batch
  std::uint64_t seed = 1;
  std::int64_t micro_batches = 1;
  bool drop_last = false;  // of an epoch, where it would be smaller
};

// A training is done when its loss over all training rows is at or below a bound.
struct Target {
  double loss = 0;        // the bound, or, if relative, the part of the initial loss that it is
  bool relative = false;  // then below 1
  std::int64_t max_steps = 0;
  std::int64_t evaluate_every = 0;  // steps between two evaluations of the loss; at most max_steps
};

constexpr std::int64_t kMaxSteps = 1'000'000'000'000;

// What arithmetic does with subnormal numbers: computes with them, or takes them for zeros.
enum class Denormals { keep, flush };
inline constexpr catalogue::Named<Denormals> kDenormals[] = {{Denormals::keep, "keep"}, {Denormals::flush, "flush"}};
constexpr const auto& rows_of(Denormals /*any*/) { return kDenormals; }

// Of the weights of a layer with n inputs and m outputs; biases are 0 but with `uniform`. uniform: in +-sqrt(1 / n),
// biases too; lecun: normal, of variance 1 / n (LeCun and others, Efficient BackProp, 1998); glorot: in
// +-sqrt(6 / (n + m)) (Glorot and Bengio, AISTATS 2010); he: normal, of variance 2 / n (He and others, ICCV 2015);
// normal: of variance 1.
enum class Distribution { uniform, lecun, glorot, he, normal };
inline constexpr catalogue::Named<Distribution> kDistributions[] = {{Distribution::uniform, "uniform"},
                                                                    {Distribution::lecun, "lecun"},
                                                                    {Distribution::glorot, "glorot"},
                                                                    {Distribution::he, "he"},
                                                                    {Distribution::normal, "normal"}};
constexpr const auto& rows_of(Distribution /*any*/) { return kDistributions; }

// The parameters that training starts from.
struct Initial {
  Distribution distribution = Distribution::uniform;
  double scale = 1;                 // of weights and biases
  std::filesystem::path path = {};  // not empty: they are read from this archive, or this file and those next to it
  std::uint64_t seed = 1;
  bool is_default() const { return distribution == Distribution::uniform && scale == 1 && path.empty(); }
};

struct Scenario {
  std::string name;
  std::string purpose;  // the question it answers
  std::string favours;  // which kind of implementation it flatters
  Task task = Task::train;
  Model model;
  catalogue::LossFunction loss;
  Data data;
  Standardise standardise;
  Batch batch;
  Optimizer optimizer;  // its learning rates are the schedule's
  Schedule schedule;
  Dtype dtype = Dtype::f32;
  catalogue::LossScaling loss_scaling = {};  // of dtypes that have one
  Denormals denormals = Denormals::keep;
  std::int64_t steps = 100;  // a run of this length is far from its fixed point
  Initial initial;
  std::optional<Target> target;
  std::filesystem::path file;  // where it was read from; paths in it are relative to that file

  // 16 hexadecimal digits of a hash of the resolved scenario without purpose, favours and file.
  std::string identity() const;
  // The file, or the name where it comes from none, on one line.
  std::string place() const;
};

// One override. `key` is a dotted path into the scenario's JSON ("optimizer.learning_rate", "data.rows") or one of the
// short axis names: rows, features (data.*), width (every hidden layer), learning_rate. `value` is JSON where it parses
// as JSON, else a string.
struct Setting {
  std::string key;
  std::string value;
  std::string source{};  // who gave it, for messages: "/axes/width of FILE"; empty: --set
};

// "KEY=VALUE" -> Setting.
Result<Setting> parse_setting(const std::string& text);

// Reads, overrides and validates. One-line errors: file, JSON pointer (or the setting), found, expected.
Result<Scenario> read_scenario(const std::filesystem::path& file, const std::vector<Setting>& settings);

// The resolved scenario, every default spelled out; read_scenario accepts it again.
Json to_json(const Scenario& scenario);

// What scenario files may hold, as a JSON schema.
OrderedJson schema();

// The same scenario with its data's paths absolute, for writing it to another folder.
Scenario with_absolute_paths(Scenario scenario);

}  // namespace gdbench::scenario
