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

#include "harness/base/result.h"
#include "harness/scenario/problem.h"

namespace gdbench::fairness {

using scenario::OptimizerKind;

enum class Loss { mse, half_mse, sum_of_squares, softmax_cross_entropy };
enum class Reduction { mean, mean_over_rows, sum };
enum class Dtype { f16, bf16, f32, f64, uint8, int32, int64 };
enum class EpsilonPlace { inside, outside };  // of the root
enum class Compiled { none, function, graph, xla, compile_method };
enum class Normalisation { none, per_feature, per_sample };
enum class Update { copies, in_place, overwrites_input };
enum class ClockItem { import, data, transfer, tracing, evaluation };

// As in the files: "half_mse", "per_sample" ...
const char* name_of(Loss loss);
const char* name_of(Reduction reduction);
const char* name_of(Dtype dtype);
const char* name_of(EpsilonPlace place);
const char* name_of(Compiled compiled);
const char* name_of(Normalisation normalisation);
const char* name_of(Update update);
const char* name_of(ClockItem item);

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
