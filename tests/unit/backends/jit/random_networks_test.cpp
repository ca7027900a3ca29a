// Random networks in every form, on every kind of vectors, against the plain loops of training_case.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/implementations/jit_targets.h"
#include "tests/support/implementations/training_case.h"
#include "tests/unit/backends/jit/trained_by_jit.h"

namespace gdbench::strategies {
namespace {

// Shards run side by side.
constexpr int kShards = 10;
constexpr int kNetworksOfShard = 20;
#ifdef __SANITIZE_ADDRESS__
constexpr int kTrained = 4;  // of a shard's networks: each takes several times as long there
#else
constexpr int kTrained = kNetworksOfShard;
#endif

struct RandomNetwork {
  TrainingCase values;
  int threads = 1;
  JitOptions options;
  bool is_rank = false;  // whose gradients and update are regions of their own
};

std::string text_of(const RandomNetwork& network) {
  const TrainingCase& values = network.values;
  std::ostringstream text;
  text << name_of(values.dtype) << ", " << network.threads << " threads" << (network.is_rank ? ", a rank" : "");
  for (const gdbench_option_value& option : network.options) text << ", " << option.key << "=" << option.value;
  text << ", layers " << values.layers.front().inputs;
  for (const gdbench_layer& layer : values.layers) {
    text << " -> " << layer.outputs << (layer.has_bias != 0 ? " " : " without bias ")
         << name_of(catalogue::activation_of(layer));
  }
  text << ", " << name_of(values.loss.kind) << ", " << name_of(values.optimizer.kind) << " with weight decay "
       << values.optimizer.weight_decay << (values.optimizer.decoupled ? " decoupled" : "") << ", batches of "
       << values.batch_rows << " of " << values.rows << " rows" << (values.shuffled ? " shuffled" : "") << ", in "
       << values.micro_batches << " parts";
  return text.str();
}

class NetworkGenerator {
 public:
  NetworkGenerator(unsigned long seed, int number) : number_(number) {
    std::seed_seq sequence{seed, static_cast<unsigned long>(number)};
    generator_.seed(sequence);
  }

  RandomNetwork draw() {
    RandomNetwork network;
    network.is_rank = number_ / 2 % 4 == 1;
    TrainingCase& values = network.values;
    values.dtype = number_ % 2 == 0 ? catalogue::Dtype::f32 : catalogue::Dtype::f64;
    values.loss = any<catalogue::Loss>();
    values.scaled_weights = true;
    draw_optimizer(values);
    do {
      network.threads = static_cast<int>(one_of({1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 8}));
      draw_shape(values);
      draw_batches(values, network.threads);
    } while (work_of(values) > most_work() || values.batch_rows < network.threads ||
             programs_of(values, network.threads) > kMostPrograms);
    std::int64_t widest = 0;
    for (const gdbench_layer& layer : values.layers) widest = std::max(widest, layer.inputs);
    // So small that no network diverges, of which there would be nothing to compare.
    values.learning_rates = {std::min(0.05, 1 / static_cast<double>(widest))};
    network.options = {{"instructions", targets_[drawn(targets_.size())].name}};
    const char* const lanes[] = {"auto", "auto", "auto", "panels", "panels", "panels", "columns", "rows"};
    network.options.push_back({"lanes", lanes[drawn(std::size(lanes))]});
    if (one_in(4)) network.options.push_back({"loader", "gather"});
    // Scalars are for one thread.
    if (network.threads > 1) network.options.push_back({"scalar_limit", "0"});
    return network;
  }

 private:
  std::size_t drawn(std::size_t count) { return generator_() % count; }
  bool one_in(std::size_t count) { return drawn(count) == 0; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(drawn(static_cast<std::size_t>(most - least + 1)));
  }
  std::int64_t one_of(std::initializer_list<std::int64_t> values) { return values.begin()[drawn(values.size())]; }
  template <class Enum>
  Enum any() {
    return static_cast<Enum>(drawn(catalogue::kCount<Enum>));
  }

  // One network in ten is wide, of each type of numbers.
  bool wide() const { return number_ / 2 % 10 == 0; }

  // Multiply-adds of a forward pass, and as those of a row weights, whose updates take long in long double.
  double most_work() const { return wide() ? 5e7 : 5e6; }
  static double work_of(const TrainingCase& values) {
    constexpr std::int64_t kRowsOfUpdate = 40;
    double weights = 0;
    for (const gdbench_layer& layer : values.layers) weights += static_cast<double>(layer.inputs * layer.outputs);
    return weights * static_cast<double>(values.rows + kRowsOfUpdate);
  }

  // Layers of which code is generated: of each thread, of each size of batches, of each part of one.
  static constexpr std::int64_t kMostPrograms = 8;
  static std::int64_t programs_of(const TrainingCase& values, int threads) {
    return std::ssize(values.layers) * threads * (values.rows > values.batch_rows ? 2 : 1) * values.micro_batches;
  }

  std::int64_t draw_width() {
    if (wide() && one_in(2)) return between(500, 1500);
    if (one_in(3)) return between(48, 300);
    return one_of({1, 2, 3, 5, 7, 8, 13, 16, 17, 23, 31, 32, 33, 47, 64});
  }

  void draw_shape(TrainingCase& values) {
    std::vector<std::int64_t> widths;
    do {
      widths.assign(static_cast<std::size_t>(one_of({1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6})) + 1, 0);
      std::ranges::generate(widths, [&] { return draw_width(); });
    } while (wide() && *std::ranges::max_element(widths) < 500);
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
    const std::vector<OptimizerCase> optimizers = optimizer_cases();
    do {
      values.optimizer = optimizers[drawn(optimizers.size())];
      // Where a gradient is as small as its rounding error, as some of these are, its sign may be the other one, which
      // is all that lion goes by.
    } while (values.optimizer.kind == catalogue::OptimizerKind::lion);
    // As little as gradients of wide layers are, which decay is not to hide.
    if (values.optimizer.weight_decay != 0) values.optimizer.weight_decay = 0.01;
  }

  int number_;
  std::mt19937_64 generator_;
  std::vector<backends::jit::NamedTarget> targets_ = backends::jit::targets_of_this_machine();
};

double largest_difference(const Dense& one, const Dense& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    largest = std::max(largest, std::abs(one.values[i] - other.values[i]));
  }
  return largest;
}

// Updates are compared, which are smaller than parameters by far: each entry within a part of what the parameter's
// entries moved at most, which rounding of sums of that size can explain, and of the rounding of each update's result.
// Where rounding chooses the side of a slope that jumps (an input of relu near 0), both sides are right.
void check(const RandomNetwork& network) {
  constexpr std::int64_t kSteps = 3;
  const bool single = network.values.dtype == catalogue::Dtype::f32;
  const double part = single ? 1e-3 : 1e-10;
  const double rounding = kSteps * (single ? double{std::numeric_limits<float>::epsilon()} : 1e-15);
  const double near_jump = single ? 2e-5 : 1e-13;

  TrainingProblem training(network.values);
  const gdbench_ranks alone = {sizeof(alone), 0, 1, nullptr, nullptr, nullptr, nullptr};
  if (network.is_rank) training.mutable_settings().ranks = &alone;
  const double trained_loss = trained_by_jit(training, kSteps, network.options, network.threads);
  const std::vector<Dense> actual = training.state_values();
  const std::vector<Dense> expected = training.trained(kSteps, near_jump);
  const std::vector<Dense> other_side = training.trained(kSteps, -near_jump);
  const double loss = training.loss(expected, 0);
  ASSERT_LT(loss, 1e3) << "diverges: nothing to compare";
  for (std::size_t p = 0; p < expected.size(); ++p) {
    const double moved = largest_difference(expected[p], training.initial()[p]);
    for (std::size_t entry = 0; entry < expected[p].values.size(); ++entry) {
      const double wanted = expected[p].values[entry];
      const double either = std::abs(wanted - other_side[p].values[entry]);
      ASSERT_NEAR(actual[p].values[entry], wanted, part * moved + rounding * std::abs(wanted) + 2 * either)
          << "parameter " << p << " entry " << entry << " of an update of " << moved;
    }
  }
  const double either = std::abs(loss - training.loss(other_side, 0));
  EXPECT_NEAR(trained_loss, loss, (single ? 1e-4 : 1e-10) * std::max(1.0, loss) + 2 * either);
}

class JitRandomNetworksTest : public testing::TestWithParam<int> {};

// GDBENCH_SEED takes another seed than 1.
TEST_P(JitRandomNetworksTest, TrainLikePlainLoops) {
  const char* text = std::getenv("GDBENCH_SEED");
  const unsigned long seed = text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
  const int first = GetParam() * kNetworksOfShard;
  for (int number = first; number < first + kTrained; ++number) {
    const RandomNetwork network = NetworkGenerator(seed, number).draw();
    // Beforehand, for a crash; CTest shows it where the test fails.
    std::cout << "GDBENCH_SEED=" << seed << ", network " << number << ": " << text_of(network) << std::endl;
    check(network);
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, JitRandomNetworksTest, testing::Range(0, kShards));

}  // namespace
}  // namespace gdbench::strategies
