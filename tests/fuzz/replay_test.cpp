// Every seed of every target, cut off and with single bytes changed: no crash, and nothing for the sanitizers. What
// fuzzing finds becomes a seed, so that it is not met again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace gdbench::fuzz {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::uint8_t>;

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, target] : targets()) all.push_back(name);
  return all;
}

Bytes read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The file `seeds` has a target and a folder in each line.
std::vector<Bytes> seeds_of(const std::string& target) {
  std::vector<Bytes> seeds;
  std::ifstream list(std::string(GDBENCH_SOURCE_DIR) + "/tests/fuzz/seeds");
  std::string name;
  std::string folder;
  while (list >> name >> folder) {
    if (name != target) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(GDBENCH_SOURCE_DIR) / folder)) {
      if (entry.is_regular_file()) seeds.push_back(read(entry.path()));
    }
  }
  return seeds;
}

class Replay : public ::testing::TestWithParam<std::string> {};

TEST_P(Replay, SeedsAndTheirNeighbours) {
  constexpr std::size_t kCuts = 8;
  constexpr std::size_t kSeedsOfEach = 10;  // files of some targets are many, and alike
  constexpr std::size_t kChanges = 24;
  const Target target = targets().at(GetParam());
  std::vector<Bytes> seeds = seeds_of(GetParam());
  ASSERT_FALSE(seeds.empty()) << "there is no line for it in tests/fuzz/seeds, or nothing in its folder";
  std::ranges::sort(seeds, {}, &Bytes::size);
  std::mt19937 generator(1);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const Bytes& seed = seeds[i];
    target(seed.data(), seed.size());
    if (i >= kSeedsOfEach || seed.empty()) continue;
    for (std::size_t cut = 0; cut < kCuts; ++cut) target(seed.data(), seed.size() * cut / kCuts);
    for (std::size_t change = 0; change < kChanges; ++change) {
      Bytes changed = seed;
      changed[generator() % changed.size()] = static_cast<std::uint8_t>(generator());
      target(changed.data(), changed.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, ::testing::ValuesIn(names()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace gdbench::fuzz
