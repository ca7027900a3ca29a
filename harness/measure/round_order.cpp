#include "harness/measure/round_order.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_map>

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

std::vector<std::size_t> round_order(std::span<const std::size_t> units, int round, int launch, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> members;  // by unit, in order of its first cell
  std::unordered_map<std::size_t, std::size_t> positions;
  for (std::size_t cell = 0; cell < units.size(); ++cell) {
    const auto [position, fresh] = positions.emplace(units[cell], members.size());
    if (fresh) members.emplace_back();
    members[position->second].push_back(cell);
  }
  std::vector<std::size_t> order;
  for (const std::size_t unit : round_order(members.size(), round, launch, seed)) {
    std::vector<std::size_t>& cells = members[unit];
    const auto shift = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(round) % cells.size());
    std::rotate(cells.begin(), cells.begin() + shift, cells.end());
    if (launch % 2 == 1) std::reverse(cells.begin(), cells.end());
    order.insert(order.end(), cells.begin(), cells.end());
  }
  return order;
}

}  // namespace gdbench::measure
