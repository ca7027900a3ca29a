// The catalogue of the arithmetic: a row for each task, dtype, activation, loss, optimizer and phase of plugin.h, with
// what is known of it except its formula. Scenario files, messages, reports, masks of what implementations can do,
// counts of operations and checks read it; after a row is added, the compiler, or a test that takes its cases from
// here, shows where a formula is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/abi/dtypes.h"
#include "harness/abi/least_functions.h"
#include "harness/abi/optimizers.h"

namespace gdbench::catalogue {

// The values are plugin.h's, which says what each one is.
enum class Task : std::int32_t {
  train = GDBENCH_TASK_TRAIN,
  update = GDBENCH_TASK_UPDATE,
  gradients = GDBENCH_TASK_GRADIENTS,
  floor = GDBENCH_TASK_FLOOR,
  forward = GDBENCH_TASK_FORWARD
};
enum class Activation : std::int32_t {
  identity = GDBENCH_IDENTITY,
  relu = GDBENCH_RELU,
  tanh = GDBENCH_TANH,
  sigmoid = GDBENCH_SIGMOID,
  leaky_relu = GDBENCH_LEAKY_RELU,
  silu = GDBENCH_SILU,
  gelu = GDBENCH_GELU,
  gelu_tanh = GDBENCH_GELU_TANH,
  softplus = GDBENCH_SOFTPLUS
};
enum class Loss : std::int32_t {
  mse = GDBENCH_MSE,
  half_mse = GDBENCH_HALF_MSE,
  softmax_cross_entropy = GDBENCH_SOFTMAX_CROSS_ENTROPY,
  binary_cross_entropy = GDBENCH_BINARY_CROSS_ENTROPY,
  huber = GDBENCH_HUBER
};
enum class Normalization : std::int32_t { none = GDBENCH_NO_NORMALIZATION, layer = GDBENCH_LAYER_NORM };
enum class Phase : std::int32_t {
  data = GDBENCH_PHASE_DATA,
  forward = GDBENCH_PHASE_FORWARD,
  backward = GDBENCH_PHASE_BACKWARD,
  update = GDBENCH_PHASE_UPDATE,
  record = GDBENCH_PHASE_RECORD,
  compile = GDBENCH_PHASE_COMPILE,
  other = GDBENCH_PHASE_OTHER,
  exchange = GDBENCH_PHASE_EXCHANGE
};
enum class ModelKind { linear_regression, multilayer_perceptron, tensors };  // of a scenario file
enum class Clock : std::int32_t { host = 0, device = 1 };                    // gdbench_profile_record.device_clock
// What an op does with the parameters that it names: it reads them, computes their gradient, or updates them.
enum class ParameterUse : std::int32_t {
  reads = GDBENCH_READS_PARAMETERS,
  gradient = GDBENCH_COMPUTES_GRADIENTS,
  updates = GDBENCH_UPDATES_PARAMETERS
};
enum class StreamFormat : std::int32_t { csv = GDBENCH_STREAM_CSV, npy = GDBENCH_STREAM_NPY };
enum class Capability : std::int32_t {
  no_arithmetic = GDBENCH_CAPABILITY_NO_ARITHMETIC,
  shuffle = GDBENCH_CAPABILITY_SHUFFLE,
  stream = GDBENCH_CAPABILITY_STREAM,
  micro_batches = GDBENCH_CAPABILITY_MICRO_BATCHES,
  weight_decay = GDBENCH_CAPABILITY_WEIGHT_DECAY,
  schedule = GDBENCH_CAPABILITY_SCHEDULE,
  tf32_products = GDBENCH_CAPABILITY_TF32_PRODUCTS,
  device = GDBENCH_CAPABILITY_DEVICE,
  rounds_results = GDBENCH_CAPABILITY_ROUNDS_RESULTS,
  rounds_parameters = GDBENCH_CAPABILITY_ROUNDS_PARAMETERS,
  rounds_stochastically = GDBENCH_CAPABILITY_ROUNDS_STOCHASTICALLY,
  ranks = GDBENCH_CAPABILITY_RANKS,
  epsilon_place = GDBENCH_CAPABILITY_EPSILON_PLACE,
  normalizations = GDBENCH_CAPABILITY_NORMALIZATIONS,
  drop_last = GDBENCH_CAPABILITY_DROP_LAST
};

// What ids of a plugin's implementations with Capability::ranks end with.
inline constexpr const char* kRanksPolicy = "+mpi";
// The option of theirs that says how many processes there are.
inline constexpr const char* kRanksOption = "ranks";

// Names are those of scenario files, reports and messages.

struct TaskRow {
  Task value;
  const char* name;
};
inline constexpr TaskRow kTasks[] = {
    {Task::train, "train"}, {Task::update, "update"},   {Task::gradients, "gradients"},
    {Task::floor, "floor"}, {Task::forward, "forward"},
};

// Operations are counted per entry, an elementary function, a root, a division and a comparison being one each.

// Of an activation: the same everywhere; the same on each side of 0, where it jumps; or another one for every input.
enum class Slope { constant, jumps_at_zero, varies };

struct ActivationRow {
  Activation value;
  const char* name;
  Slope slope;
  int operations;
  int gradient_operations;  // of the derivative and its product with the gradient that comes in
  // With the multiply-adds of the argument, the result and the derivative's product with the gradient that comes in:
  // d (1 - a a), d (a - a a), d (s + a - a s).
  LeastFunctions least = {};
  // Whether its derivative is computed from its input z; otherwise from its result f(z), and z need not be kept.
  bool reads_input = false;
  double steepest = 1;  // the largest |f'|
};
inline constexpr ActivationRow kActivations[] = {
    {Activation::identity, "identity", Slope::constant, 0, 0},
    {Activation::relu, "relu", Slope::jumps_at_zero, 1, 1},         // maximum; selection
    {Activation::tanh, "tanh", Slope::varies, 1, 3, {2, 1, 1, 0}},  // d (1 - a a)
    // Negation, exp, addition, division; d a (1 - a).
    {Activation::sigmoid, "sigmoid", Slope::varies, 4, 3, {2, 1, 1, 0}},
    {Activation::leaky_relu, "leaky_relu", Slope::jumps_at_zero, 2, 2},  // product, selection
    // As sigmoid s, and a product; d s (1 + z (1 - s)).
    {Activation::silu, "silu", Slope::varies, 5, 9, {3, 1, 1, 0}, true, 1.0999},
    // Two scalings, erf, addition, product; the same except the product, the density (4), product, addition, product.
    // At least the density's exponential, for the derivative; a polynomial may do for the distribution.
    {Activation::gelu, "gelu", Slope::varies, 5, 11, {4, 1, 0, 0}, true, 1.129},
    // The cubic polynomial's 4 and a scaling, tanh, addition, product and scaling; in addition 1 - t t (2), the
    // polynomial's derivative (3), 3 products, 2 additions.
    {Activation::gelu_tanh, "gelu_tanh", Slope::varies, 9, 18, {5, 1, 1, 0}, true, 1.1291},
    // Magnitude, its negation, exp, log1p, maximum, addition; negation, expm1, product. The least does without the
    // logarithm, and takes the derivative from the exponential.
    {Activation::softplus, "softplus", Slope::varies, 6, 3, {2, 1, 1, 0}},
};

struct NormalizationRow {
  Normalization value;
  const char* name;
  int operations;
  int gradient_operations;
  // Forward a square, two factors and two sums; backward a product for the scale's gradient, a sum with it, two for dz.
  // A row's division and root are not counted.
  LeastFunctions least = {};
};
inline constexpr NormalizationRow kNormalizations[] = {
    {Normalization::none, "none", 0, 0},
    // Mean, difference, square, sum, product by the inverse root; scale, shift. Two sums and a product for the
    // gradients of shift and scale, that scale; two sums and a product, two differences and two products.
    {Normalization::layer, "layer", 7, 11, {7, 0, 0, 0}},
};

// Of a loss: any numbers; numbers from 0 to 1; or class indices, one per row.
enum class Targets { numbers, shares, labels };

struct LossRow {
  Loss value;
  const char* name;
  Targets targets;
  bool takes_logits;        // it puts a sigmoid or a softmax behind the last layer, which has no activation then
  bool couples_columns;     // its derivative by one output of a row reads the others, too
  bool sums_over_columns;   // it is a sum of terms of one output column each, as the task gradients wants it
  int operations;           // per entry of the outputs
  int gradient_operations;  // likewise
  // Of the gradient alone: a step needs no value. The softmax divides once a row, which is not counted.
  LeastFunctions least = {};
};
inline constexpr LossRow kLosses[] = {
    {Loss::mse, "mse", Targets::numbers, false, false, true, 3, 2},  // difference, square, addition; difference, scale
    {Loss::half_mse, "half_mse", Targets::numbers, false, false, true, 3, 2},
    // Maximum, difference, exp, addition.
    {Loss::softmax_cross_entropy, "softmax_cross_entropy", Targets::labels, true, true, false, 4, 5, {1, 1, 0, 0}},
    // Exp, addition, logarithm, product, difference, addition; sigmoid (4), difference, scale; log 2 if it is masked.
    {Loss::binary_cross_entropy, "binary_cross_entropy", Targets::shares, true, false, false, 6, 6, {0, 1, 1, 0}},
    // Difference, magnitude, comparison, two products, addition; difference, two comparisons, scale.
    {Loss::huber, "huber", Targets::numbers, false, false, true, 6, 4},
};

// A loss with its constant. It may stand where only the kind counts.
struct LossFunction {
  constexpr LossFunction(Loss loss = Loss::mse, double delta = 1) : kind(loss), huber_delta(delta) {}
  constexpr operator Loss() const { return kind; }
  bool operator==(const LossFunction&) const = default;

  Loss kind;
  double huber_delta;  // see GDBENCH_HUBER
};

// A row of a list that has nothing but names.
template <class Enum>
struct Named {
  Enum value;
  const char* name;
};

inline constexpr Named<EpsilonPlace> kEpsilonPlaces[] = {{EpsilonPlace::outside, "outside"},
                                                         {EpsilonPlace::hat, "hat"},
                                                         {EpsilonPlace::inside, "inside"},
                                                         {EpsilonPlace::own, "own"}};

inline constexpr Named<Phase> kPhases[] = {{Phase::data, "data"},         {Phase::forward, "forward"},
                                           {Phase::backward, "backward"}, {Phase::update, "update"},
                                           {Phase::record, "record"},     {Phase::compile, "compile"},
                                           {Phase::other, "other"},       {Phase::exchange, "exchange"}};

inline constexpr Named<ModelKind> kModelKinds[] = {{ModelKind::linear_regression, "linear_regression"},
                                                   {ModelKind::multilayer_perceptron, "multilayer_perceptron"},
                                                   {ModelKind::tensors, "tensors"}};

inline constexpr Named<Clock> kClocks[] = {{Clock::host, "host"}, {Clock::device, "device"}};

inline constexpr Named<ParameterUse> kParameterUses[] = {
    {ParameterUse::reads, "reads"}, {ParameterUse::gradient, "gradient"}, {ParameterUse::updates, "updates"}};

inline constexpr Named<StreamFormat> kStreamFormats[] = {{StreamFormat::csv, "csv"}, {StreamFormat::npy, "npy"}};

inline constexpr Named<Capability> kCapabilities[] = {{Capability::no_arithmetic, "no_arithmetic"},
                                                      {Capability::shuffle, "shuffle"},
                                                      {Capability::stream, "stream"},
                                                      {Capability::micro_batches, "micro_batches"},
                                                      {Capability::weight_decay, "weight_decay"},
                                                      {Capability::schedule, "schedule"},
                                                      {Capability::tf32_products, "tf32_products"},
                                                      {Capability::device, "device"},
                                                      {Capability::rounds_results, "rounds_results"},
                                                      {Capability::rounds_parameters, "rounds_parameters"},
                                                      {Capability::rounds_stochastically, "rounds_stochastically"},
                                                      {Capability::ranks, "ranks"},
                                                      {Capability::epsilon_place, "epsilon_place"},
                                                      {Capability::normalizations, "normalizations"},
                                                      {Capability::drop_last, "drop_last"}};

constexpr const auto& rows_of(Task /*any*/) { return kTasks; }
constexpr const auto& rows_of(Dtype /*any*/) { return kDtypes; }
constexpr const auto& rows_of(Activation /*any*/) { return kActivations; }
constexpr const auto& rows_of(Normalization /*any*/) { return kNormalizations; }
constexpr const auto& rows_of(Loss /*any*/) { return kLosses; }
constexpr const auto& rows_of(OptimizerKind /*any*/) { return kOptimizers; }
constexpr const auto& rows_of(EpsilonPlace /*any*/) { return kEpsilonPlaces; }
constexpr const auto& rows_of(Phase /*any*/) { return kPhases; }
constexpr const auto& rows_of(ModelKind /*any*/) { return kModelKinds; }
constexpr const auto& rows_of(Clock /*any*/) { return kClocks; }
constexpr const auto& rows_of(ParameterUse /*any*/) { return kParameterUses; }
constexpr const auto& rows_of(StreamFormat /*any*/) { return kStreamFormats; }
constexpr const auto& rows_of(Capability /*any*/) { return kCapabilities; }

// One of the lists above.
template <class Enum>
concept Catalogued = requires(Enum value) {
  rows_of(value)[0].value;
};

template <Catalogued Enum>
inline constexpr std::size_t kCount = std::size(rows_of(Enum{}));

template <Catalogued Enum>
constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kCount<Enum>; ++i) {
    if (rows_of(Enum{})[i].value != static_cast<Enum>(i)) return false;
  }
  return true;
}

template <Catalogued Enum>
constexpr const auto& row_of(Enum value) {
  static_assert(rows_are_in_order<Enum>());
  return rows_of(value)[static_cast<std::size_t>(value)];
}

template <Catalogued Enum>
constexpr const char* name_of(Enum value) {
  return row_of(value).name;
}

// All values, in the order of plugin.h.
template <Catalogued Enum>
std::vector<Enum> all_of() {
  std::vector<Enum> values;
  for (const auto& row : rows_of(Enum{})) values.push_back(row.value);
  return values;
}

// None where a name, or a number of the plugin interface, is not in the catalogue.
template <Catalogued Enum>
constexpr std::optional<Enum> find(std::string_view name) {
  for (const auto& row : rows_of(Enum{})) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}
template <Catalogued Enum>
constexpr std::optional<Enum> find(std::int32_t number) {
  if (number < 0 || static_cast<std::size_t>(number) >= kCount<Enum>) return std::nullopt;
  return static_cast<Enum>(number);
}

// Masks of the plugin interface: bit i stands for value i.
template <Catalogued Enum>
constexpr std::uint32_t bit_of(Enum value) {
  return GDBENCH_BIT(static_cast<std::int32_t>(value));
}
template <Catalogued Enum>
std::vector<std::string> names_of_mask(std::uint32_t mask) {
  std::vector<std::string> names;
  for (const auto& row : rows_of(Enum{})) {
    if ((mask & bit_of(row.value)) != 0) names.emplace_back(row.name);
  }
  return names;
}
template <Catalogued Enum>
inline constexpr std::uint32_t kAll = GDBENCH_BIT(kCount<Enum>) - 1;

constexpr std::size_t size_of(Dtype dtype) { return row_of(dtype).bytes; }
constexpr bool is_mixed(Dtype dtype) { return row_of(dtype).operands.bits != 0; }
constexpr bool scales_loss(Dtype dtype) { return row_of(dtype).scales_loss; }
// The uniform dtype of the same elements.
constexpr Dtype storage_of(Dtype dtype) { return is_mixed(dtype) ? Dtype::f32 : dtype; }
inline constexpr std::uint32_t kUniformDtypes = bit_of(Dtype::f32) | bit_of(Dtype::f64);
// Whether what tells an activation's derivative is its input; see ActivationRow.
constexpr bool reads_input(Activation activation) { return row_of(activation).reads_input; }
constexpr std::size_t slot_count(OptimizerKind kind) { return row_of(kind).slots; }

constexpr bool takes_labels(Loss loss) { return row_of(loss).targets == Targets::labels; }

// Of the plugin interface's structs, whose numbers were looked up before.
constexpr Task task_of(const gdbench_problem& problem) { return static_cast<Task>(problem.task); }
constexpr Dtype dtype_of(const gdbench_problem& problem) { return static_cast<Dtype>(problem.dtype); }
constexpr Dtype dtype_of(const gdbench_data& data) { return static_cast<Dtype>(data.dtype); }
constexpr Dtype element_of(const gdbench_stream& stream) { return static_cast<Dtype>(stream.element); }
constexpr LossFunction loss_of(const gdbench_problem& problem) {
  return {static_cast<Loss>(problem.loss), problem.huber_delta};
}
constexpr Activation activation_of(const gdbench_layer& layer) { return static_cast<Activation>(layer.activation); }
constexpr Normalization normalization_of(const gdbench_problem& problem, std::int64_t layer) {
  return problem.normalizations == nullptr ? Normalization::none
                                           : static_cast<Normalization>(problem.normalizations[layer]);
}
constexpr bool takes_labels(const gdbench_problem& problem) { return takes_labels(loss_of(problem)); }
constexpr OptimizerKind kind_of(const gdbench_optimizer& optimizer) {
  return static_cast<OptimizerKind>(optimizer.kind);
}

constexpr EpsilonPlace epsilon_place_of(const gdbench_optimizer& optimizer) {
  return static_cast<EpsilonPlace>(optimizer.epsilon_place);
}

// What a parameter is to its layer.
enum class LayerPart { weights, bias, scale, shift };

// Calls visit(part, rows, columns) for each parameter of a layer in the order of gdbench_state.
template <class Visit>
constexpr void for_each_parameter(std::int64_t inputs, std::int64_t outputs, bool bias, Normalization normalization,
                                  Visit&& visit) {
  visit(LayerPart::weights, inputs, outputs);
  if (bias) visit(LayerPart::bias, std::int64_t{1}, outputs);
  if (normalization == Normalization::none) return;
  visit(LayerPart::scale, std::int64_t{1}, outputs);
  visit(LayerPart::shift, std::int64_t{1}, outputs);
}
// Calls visit(number of the layer, part, rows, columns).
template <class Visit>
constexpr void for_each_parameter(const gdbench_problem& problem, Visit&& visit) {
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    const gdbench_layer& layer = problem.layers[l];
    for_each_parameter(layer.inputs, layer.outputs, layer.has_bias != 0, normalization_of(problem, l),
                       [&](LayerPart part, std::int64_t rows, std::int64_t columns) { visit(l, part, rows, columns); });
  }
}

// Whether an optimizer moves a part of a layer as one matrix: muon, the weights between the first and the last layer.
constexpr bool moves_as_matrix(OptimizerKind kind, std::int64_t layer, std::int64_t layer_count, LayerPart part) {
  return kind == OptimizerKind::muon && part == LayerPart::weights && layer > 0 && layer + 1 < layer_count;
}
constexpr bool moves_as_matrix(const gdbench_problem& problem, std::int64_t layer, LayerPart part) {
  return moves_as_matrix(kind_of(*problem.optimizer), layer, problem.layer_count, part);
}
// Floating-point operations of the products by which muon moves a matrix: in each step those of the square S of its
// shorter side, of S S, and of the matrix by their sum.
constexpr double orthogonalization_operations(double rows, double columns) {
  const double shorter = rows < columns ? rows : columns;
  return GDBENCH_MUON_STEPS * (4 * rows * columns * shorter + 2 * shorter * shorter * shorter);
}

// Floating-point operations per entry of a parameter.
constexpr int operations_of(OptimizerKind kind, bool decays, bool decoupled) {
  const OptimizerRow& row = row_of(kind);
  return row.operations + (!decays ? 0 : decoupled || row.always_decoupled ? 1 : 2);
}

// Calls visit(std::integral_constant) with the value and returns what it returns: code for each row, chosen once.
template <Catalogued Enum, std::size_t i = 0, class Visitor>
constexpr decltype(auto) with(Enum value, Visitor&& visit) {
  if constexpr (i + 1 == kCount<Enum>) {
    return visit(std::integral_constant<Enum, static_cast<Enum>(i)>());
  } else {
    if (value == static_cast<Enum>(i)) return visit(std::integral_constant<Enum, static_cast<Enum>(i)>());
    return with<Enum, i + 1>(value, visit);
  }
}

// Calls visit(std::integral_constant) with each value.
template <Catalogued Enum, std::size_t i = 0, class Visitor>
constexpr void for_each(Visitor&& visit) {
  if constexpr (i < kCount<Enum>) {
    visit(std::integral_constant<Enum, static_cast<Enum>(i)>());
    for_each<Enum, i + 1>(visit);
  }
}

// Calls visit with a zero of the dtype's type.
template <class Visitor>
constexpr decltype(auto) with_element(Dtype dtype, Visitor&& visit) {
  return with(dtype,
              [&](auto constant) -> decltype(auto) { return visit(typename ElementOf<constant.value>::Type()); });
}

// The distance from 1 to the next number.
constexpr double epsilon_of(Dtype dtype) {
  return with_element(dtype, [](auto zero) { return double{std::numeric_limits<decltype(zero)>::epsilon()}; });
}
// To the nearest that the dtype holds.
constexpr double rounded_to(Dtype dtype, double value) {
  return with_element(dtype, [&](auto zero) { return double{static_cast<decltype(zero)>(value)}; });
}

}  // namespace gdbench::catalogue
