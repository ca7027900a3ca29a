// Random networks in every form, on every kind of vectors, against the reference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "tests/support/few_cases.h"
#include "tests/support/implementations/jit_targets.h"
#include "tests/support/implementations/random_network.h"

namespace gdbench::strategies {
namespace {

// Shards run side by side.
constexpr int kShards = 10;
constexpr int kNetworksOfShard = 20;
constexpr int kTrained = kFewCases ? 4 : kNetworksOfShard;

// Both types of numbers in turn; one network in ten is wide, of each type.
RandomNetwork network_of(unsigned long seed, int number) {
  std::seed_seq sequence{seed, static_cast<unsigned long>(number)};
  std::mt19937_64 generator(sequence);
  NetworkBounds bounds;
  bounds.dtype = number % 2 == 0 ? catalogue::Dtype::f32 : catalogue::Dtype::f64;
  bounds.wide = number / 2 % 10 == 0;
  if (bounds.wide) bounds.most_work *= 10;
  return random_network([&](std::size_t count) { return generator() % count; }, bounds,
                        backends::jit::instructions_of_this_machine());
}

class JitRandomNetworksTest : public testing::TestWithParam<int> {};

// GDBENCH_SEED takes another seed than 1.
TEST_P(JitRandomNetworksTest, TrainLikeTheReference) {
  const char* text = std::getenv("GDBENCH_SEED");
  const unsigned long seed = text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
  const int first = GetParam() * kNetworksOfShard;
  for (int number = first; number < first + kTrained; ++number) {
    const RandomNetwork network = network_of(seed, number);
    // Beforehand, for a crash; CTest shows it where the test fails.
    std::cout << "GDBENCH_SEED=" << seed << ", network " << number << ": " << text_of(network) << std::endl;
    const Comparison compared = compared_with_reference(network);
    EXPECT_FALSE(compared.diverges) << "nothing to compare";
    EXPECT_EQ(compared.difference, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, JitRandomNetworksTest, testing::Range(0, kShards));

}  // namespace
}  // namespace gdbench::strategies
