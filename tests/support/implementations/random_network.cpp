#include "tests/support/implementations/random_network.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace gdbench::strategies {

std::string text_of(const RandomNetwork& network) {
  const TrainingCase& values = network.values;
  std::ostringstream text;
  text << name_of(values.dtype) << ", " << network.threads << " threads" << (network.is_rank ? ", a rank" : "");
  for (const gdbench_option_value& option : network.options) text << ", " << option.key << "=" << option.value;
  text << ", layers " << values.layers.front().inputs;
  for (const gdbench_layer& layer : values.layers) {
    text << (values.normalized ? " normalised" : "") << " -> " << layer.outputs
         << (layer.has_bias != 0 ? " " : " without bias ") << name_of(catalogue::activation_of(layer));
  }
  text << ", " << name_of(values.loss.kind) << ", " << name_of(values.optimizer.kind) << " with weight decay "
       << values.optimizer.weight_decay << (values.optimizer.decoupled ? " decoupled" : "") << ", batches of "
       << values.batch_rows << " of " << values.rows << " rows" << (values.shuffled ? " shuffled" : "") << ", in "
       << values.micro_batches << " parts";
  return text.str();
}

namespace {

class NetworkGenerator {
 public:
  NetworkGenerator(const Draw& draw, const NetworkBounds& bounds) : drawn_(draw), bounds_(bounds) {}

  RandomNetwork draw(const std::vector<const char*>& instructions) {
    RandomNetwork network;
    network.is_rank = one_in(4);
    TrainingCase& values = network.values;
    values.dtype = bounds_.dtype;
    values.loss = any<catalogue::Loss>();
    values.scaled_weights = true;
    values.normalized = one_in(4) && !catalogue::is_mixed(values.dtype);
    draw_optimizer(values);
    do {
      network.threads = static_cast<int>(one_of({1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 8}));
      draw_shape(values);
      draw_batches(values, network.threads);
    } while (work_of(values) > bounds_.most_work || values.batch_rows < network.threads ||
             programs_of(values, network.threads) > bounds_.most_programs);
    std::int64_t widest = 0;
    for (const gdbench_layer& layer : values.layers) widest = std::max(widest, layer.inputs);
    // So small that no network diverges, of which there would be nothing to compare.
    values.learning_rates = {std::min(0.05, 1 / static_cast<double>(widest))};
    network.options = {{"instructions", instructions[drawn_(instructions.size())]}};
    const char* const lanes[] = {"auto", "auto", "auto", "panels", "panels", "panels", "columns", "rows"};
    network.options.push_back({"lanes", lanes[drawn_(std::size(lanes))]});
    if (one_in(4)) network.options.push_back({"loader", "gather"});
    // Scalars are for one thread.
    if (network.threads > 1) network.options.push_back({"scalar_limit", "0"});
    if (one_in(2)) values.optimizer.epsilon_place = catalogue::row_of(values.optimizer.kind).other_place;
    return network;
  }

 private:
  bool one_in(std::size_t count) { return drawn_(count) == 0; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(drawn_(static_cast<std::size_t>(most - least + 1)));
  }
  std::int64_t one_of(std::initializer_list<std::int64_t> values) { return values.begin()[drawn_(values.size())]; }
  template <class Enum>
  Enum any() {
    return static_cast<Enum>(drawn_(catalogue::kCount<Enum>));
  }

  static double work_of(const TrainingCase& values) {
    constexpr std::int64_t kRowsOfUpdate = 40;
    double weights = 0;
    for (const gdbench_layer& layer : values.layers) weights += static_cast<double>(layer.inputs * layer.outputs);
    return weights * static_cast<double>(values.rows + kRowsOfUpdate);
  }

  static std::int64_t programs_of(const TrainingCase& values, int threads) {
    return std::ssize(values.layers) * threads * (values.rows > values.batch_rows ? 2 : 1) * values.micro_batches;
  }

  std::int64_t draw_width() {
    if (bounds_.wide && one_in(2)) return between(500, 1500);
    if (one_in(3)) return between(48, 300);
    return one_of({1, 2, 3, 5, 7, 8, 13, 16, 17, 23, 31, 32, 33, 47, 64});
  }

  void draw_shape(TrainingCase& values) {
    std::vector<std::int64_t> widths;
    do {
      widths.assign(static_cast<std::size_t>(one_of({1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6})) + 1, 0);
      std::ranges::generate(widths, [&] { return draw_width(); });
    } while (bounds_.wide && *std::ranges::max_element(widths) < 500);
    values.layers.clear();
    for (std::size_t l = 1; l < widths.size(); ++l) {
      values.layers.push_back(layer(widths[l - 1], widths[l], any<catalogue::Activation>(), !one_in(4)));
    }
    values.batch_rows =
        one_in(2) ? between(1, 600) : one_of({1, 1, 2, 3, 7, 16, 31, 32, 64, 97, 128, 130, 517, 1021, 4097});
  }

  void draw_batches(TrainingCase& values, int threads) {
    values.rows = values.batch_rows;
    if (values.batch_rows > 1 && one_in(3)) values.rows += between(1, values.batch_rows - 1);
    values.shuffled = one_in(2);
    // Batches in parts are for one thread.
    values.micro_batches = 1;
    if (threads == 1 && one_in(4)) values.micro_batches = std::min<std::int64_t>(values.batch_rows, between(2, 3));
  }

  void draw_optimizer(TrainingCase& values) {
    std::vector<OptimizerCase> optimizers = entrywise_cases();
    // Where a gradient is as small as its rounding error, as some of these are, its sign may be the other one, which is
    // all that lion goes by.
    std::erase_if(optimizers, [](const OptimizerCase& optimizer) {
      return optimizer.kind == catalogue::OptimizerKind::lion ||
             optimizer.epsilon_place != catalogue::EpsilonPlace::outside;
    });
    values.optimizer = optimizers[drawn_(optimizers.size())];
    // As little as gradients of wide layers are, which decay is not to hide.
    if (values.optimizer.weight_decay != 0) values.optimizer.weight_decay = 0.01;
  }

  const Draw& drawn_;
  const NetworkBounds& bounds_;
};

double largest_difference(const Dense& one, const Dense& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    largest = std::max(largest, std::abs(one.values[i] - other.values[i]));
  }
  return largest;
}

// Nothing where they are as near as `tolerance`, which no NaN is.
std::string difference_of(double actual, double expected, double tolerance, const std::string& what) {
  if (std::abs(actual - expected) <= tolerance) return "";
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << what << " is " << actual << ", expected " << expected << " within " << tolerance;
  return text.str();
}

}  // namespace

RandomNetwork random_network(const Draw& draw, const NetworkBounds& bounds,
                             const std::vector<const char*>& instructions) {
  return NetworkGenerator(draw, bounds).draw(instructions);
}

Comparison compared_with_reference(const RandomNetwork& network) {
  constexpr int kSteps = 3;
  const bool single = network.values.dtype == catalogue::Dtype::f32;
  // Rules that divide by a root move an entry as far whose gradient is little more than rounding.
  const auto& keys = catalogue::row_of(network.values.optimizer.kind).keys;
  const bool divides = std::ranges::any_of(keys, [](const auto& key) { return &key.constant == &catalogue::kEpsilon; });
  const double part = !single ? 1e-10 : divides ? 1e-2 : 1e-3;
  const double rounding = kSteps * (single ? double{std::numeric_limits<float>::epsilon()} : 1e-15);

  TrainingProblem training(network.values);
  if (catalogue::averages(network.values.optimizer.kind)) training.add_slots();  // its loss reads them
  const gdbench_ranks alone = {sizeof(alone), 0, 1, nullptr, nullptr, nullptr, nullptr};
  if (network.is_rank) training.mutable_settings().ranks = &alone;
  const double trained_loss = trained_by_jit(training, kSteps, network.options, network.threads);
  const std::vector<Dense> actual = training.state_values();
  const std::vector<Dense> expected = training.trained(kSteps);
  const std::vector<Dense> other_side = training.trained(kSteps, verify::Ties::flipped);
  const double loss = training.loss(expected, 0);
  if (!(loss < 1e3)) return {.diverges = true, .difference = {}};
  for (std::size_t p = 0; p < training.initial().size(); ++p) {
    const double moved = largest_difference(expected[p], training.initial()[p]);
    for (std::size_t entry = 0; entry < expected[p].values.size(); ++entry) {
      const double wanted = expected[p].values[entry];
      const double either = std::abs(wanted - other_side[p].values[entry]);
      const std::string difference =
          difference_of(actual[p].values[entry], wanted, part * moved + rounding * std::abs(wanted) + 2 * either,
                        "parameter " + std::to_string(p) + " entry " + std::to_string(entry));
      if (!difference.empty()) return {.diverges = false, .difference = difference};
    }
  }
  const double either = std::abs(loss - training.loss(other_side, 0));
  const double tolerance = (single ? 1e-4 : 1e-10) * std::max(1.0, loss) + 2 * either;
  return {.diverges = false, .difference = difference_of(trained_loss, loss, tolerance, "the loss")};
}

}  // namespace gdbench::strategies
