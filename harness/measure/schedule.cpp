#include "harness/measure/schedule.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace gdbench::measure {

namespace {

// Fisher-Yates with draws by remainder: the tiny bias of the remainder does not matter here, that the order is the same
// with every standard library does.
std::vector<std::size_t> seeded_permutation(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> permutation(count);
  std::iota(permutation.begin(), permutation.end(), std::size_t{0});
  std::mt19937_64 generator(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(permutation[i - 1], permutation[generator() % i]);
  return permutation;
}

// 0, 1, n-1, 2, n-2, ...: neighbouring differences are all distinct modulo n.
std::size_t zigzag(std::size_t position, std::size_t count) {
  const std::size_t half = (position + 1) / 2;
  return position % 2 == 1 ? half : (count - half) % count;
}

}  // namespace

std::vector<std::size_t> round_order(std::size_t count, int round, int launch, std::uint64_t seed) {
  const std::vector<std::size_t> names =
      seeded_permutation(count, seed * 1'000'003 + static_cast<std::uint64_t>(launch));
  const auto shift = static_cast<std::size_t>(round);
  std::vector<std::size_t> order(count);
  for (std::size_t position = 0; position < count; ++position) {
    order[position] = names[(zigzag(position, count) + shift) % count];
  }
  const bool mirrored = count % 2 == 1 && (shift / std::max<std::size_t>(count, 1)) % 2 == 1;
  if (mirrored) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace gdbench::measure
