#include "harness/measure/block_starts.h"

#include <algorithm>
#include <cmath>

namespace gdbench::measure {

namespace {

// How many entries are changed at the most, by at least how much of their last bit, and where they are zero and no
// distance is known.
constexpr std::size_t kChangedEntries = 64;
constexpr double kChangedBits = 8;
constexpr double kChangeOfZero = 1e-6;

double uniform(std::mt19937_64& generator) { return std::generate_canonical<double, 32>(generator); }

}  // namespace

StartVariation vary_start(const scenario::State& start, scenario::Dtype dtype, double distance,
                          std::mt19937_64& generator) {
  StartVariation variation;
  if (distance > 0) variation.along = kShareAlong * (2 * uniform(generator) - 1);
  for (std::size_t i = 0; i < kChangedEntries && !start.parameters.empty(); ++i) {
    const std::size_t tensor = generator() % start.parameters.size();
    const std::size_t entry = generator() % start.parameters[tensor].size();
    const auto same = [&](const VariedEntry& other) { return other.tensor == tensor && other.entry == entry; };
    if (std::ranges::none_of(variation.entries, same)) variation.entries.push_back({tensor, entry, 0});
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, variation.entries.size()));
  const double part = kShareOfEntries * distance / std::sqrt(count);
  const double epsilon = catalogue::epsilon_of(dtype);
  for (VariedEntry& changed : variation.entries) {
    const double value = start.parameters[changed.tensor][changed.entry];
    const double least = value == 0 ? (part > 0 ? 0 : kChangeOfZero) : kChangedBits * epsilon * std::fabs(value);
    // From half of it to all of it, up or down: a start that is met twice would have to agree in every entry.
    const double change = (0.5 + 0.5 * uniform(generator)) * std::max(part, least);
    changed.change = generator() % 2 == 0 ? change : -change;
  }
  return variation;
}

scenario::State varied(scenario::State start, const Parameters& way, const StartVariation& variation) {
  for (std::size_t tensor = 0; tensor < way.size() && variation.along != 0; ++tensor) {
    for (std::size_t i = 0; i < way[tensor].size(); ++i)
      start.parameters[tensor][i] += variation.along * way[tensor][i];
  }
  for (const VariedEntry& changed : variation.entries)
    start.parameters[changed.tensor][changed.entry] += changed.change;
  return start;
}

}  // namespace gdbench::measure
