// How somebody timed one training, in their own words: what DESCRIPTION.md says a file may hold. Everything but the
// name may be absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"
#include "harness/base/result.h"
#include "harness/scenario/problem.h"

namespace gdbench::fairness {

using catalogue::name_of;
using scenario::OptimizerKind;

enum class Loss { mse, half_mse, sum_of_squares, softmax_cross_entropy };
inline constexpr catalogue::Named<Loss> kLosses[] = {{Loss::mse, "mse"},
                                                     {Loss::half_mse, "half_mse"},
                                                     {Loss::sum_of_squares, "sum_of_squares"},
                                                     {Loss::softmax_cross_entropy, "softmax_cross_entropy"}};
constexpr const auto& rows_of(Loss /*any*/) { return kLosses; }

enum class Reduction { mean, mean_over_rows, sum };
inline constexpr catalogue::Named<Reduction> kReductions[] = {
    {Reduction::mean, "mean"}, {Reduction::mean_over_rows, "mean_over_rows"}, {Reduction::sum, "sum"}};
constexpr const auto& rows_of(Reduction /*any*/) { return kReductions; }

enum class Dtype { f16, bf16, f32, f64, uint8, int32, int64 };
inline constexpr catalogue::Named<Dtype> kDtypes[] = {
    {Dtype::f16, "f16"},     {Dtype::bf16, "bf16"},   {Dtype::f32, "f32"},    {Dtype::f64, "f64"},
    {Dtype::uint8, "uint8"}, {Dtype::int32, "int32"}, {Dtype::int64, "int64"}};
constexpr const auto& rows_of(Dtype /*any*/) { return kDtypes; }

using catalogue::EpsilonPlace;

enum class Compiled { none, function, graph, xla, compile_method };
inline constexpr catalogue::Named<Compiled> kCompiled[] = {{Compiled::none, "none"},
                                                           {Compiled::function, "function"},
                                                           {Compiled::graph, "graph"},
                                                           {Compiled::xla, "xla"},
                                                           {Compiled::compile_method, "compile_method"}};
constexpr const auto& rows_of(Compiled /*any*/) { return kCompiled; }

enum class Normalisation { none, per_feature, per_sample };
inline constexpr catalogue::Named<Normalisation> kNormalisations[] = {{Normalisation::none, "none"},
                                                                      {Normalisation::per_feature, "per_feature"},
                                                                      {Normalisation::per_sample, "per_sample"}};
constexpr const auto& rows_of(Normalisation /*any*/) { return kNormalisations; }

enum class Update { copies, in_place, overwrites_input };
inline constexpr catalogue::Named<Update> kUpdates[] = {
    {Update::copies, "copies"}, {Update::in_place, "in_place"}, {Update::overwrites_input, "overwrites_input"}};
constexpr const auto& rows_of(Update /*any*/) { return kUpdates; }

enum class ClockItem { import, data, transfer, tracing, evaluation };
inline constexpr catalogue::Named<ClockItem> kClockItems[] = {{ClockItem::import, "import"},
                                                              {ClockItem::data, "data"},
                                                              {ClockItem::transfer, "transfer"},
                                                              {ClockItem::tracing, "tracing"},
                                                              {ClockItem::evaluation, "evaluation"}};
constexpr const auto& rows_of(ClockItem /*any*/) { return kClockItems; }

constexpr bool is_integer(Dtype dtype) { return dtype >= Dtype::uint8; }

// Sizes of an array's dimensions; kRowsDimension stands for "N", the rows of a step.
using Shape = std::vector<std::int64_t>;
constexpr std::int64_t kRowsDimension = 0;

struct WeightDecay {
  double value = 0;
  bool decoupled = false;
  bool operator==(const WeightDecay&) const = default;
};

struct OptimizerDescription {
  std::optional<OptimizerKind> kind;  // what it amounts to: sgd with a momentum is `momentum`
  std::optional<double> learning_rate;
  std::map<std::string, double> constants;  // by the names of catalogue::kOptimizerConstants
  std::optional<EpsilonPlace> epsilon_place;
  std::optional<WeightDecay> weight_decay;
};

// The initial parameters: those of the other side, or drawn.
struct Initial {
  bool same = false;
  std::optional<std::int64_t> seed;
  std::string distribution;
};

// A batch is processed in `steps` parts whose gradients are added; `divides`: and divided by their number.
struct Accumulation {
  std::int64_t steps = 1;
  bool divides = true;
};

constexpr std::int64_t kFullBatch = 0;

struct Description {
  std::string name;
  std::optional<Loss> loss;
  std::optional<Reduction> loss_reduction;
  std::optional<std::int64_t> batch;  // rows of one update, or kFullBatch
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> updates;
  std::optional<Dtype> parameters_dtype;
  std::optional<Dtype> data_dtype;
  std::optional<std::int64_t> casts_per_step;
  OptimizerDescription optimizer;
  std::optional<Initial> initial;
  std::optional<std::int64_t> warm_up_steps;
  std::optional<std::set<ClockItem>> timed;
  std::optional<Compiled> compiled;
  std::optional<Shape> weights_shape;
  std::optional<Shape> target_shape;
  std::optional<Shape> prediction_shape;
  std::optional<Normalisation> normalisation;
  std::optional<Accumulation> accumulation;
  std::optional<Update> update;
  std::optional<bool> shuffle;
  std::optional<std::int64_t> threads;
  std::optional<std::string> device;
  std::optional<bool> synchronises;

  // Rows of one update: the batch, or all rows where it is full.
  std::optional<std::int64_t> step_rows() const;
  // Updates as said, or epochs x ceil(rows / batch).
  std::optional<std::int64_t> update_count() const;
  // Columns of the predictions, else of the targets; 1 for a vector.
  std::optional<std::int64_t> outputs() const;
};

// One-line errors: file, JSON pointer, found, expected. Updates that contradict rows, batch and epochs are one.
Result<Description> read_description(const std::filesystem::path& file);

}  // namespace gdbench::fairness
