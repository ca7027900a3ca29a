#include "harness/measure/start_variation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdbench::measure {

namespace {

// How many entries are changed at the most, by at least how much of their last bit, and where they are zero and no
// distance is known.
constexpr std::size_t kChangedEntries = 64;
constexpr double kChangedBits = 8;
constexpr double kChangeOfZero = 1e-6;

}  // namespace

std::vector<VariedEntry> vary(const scenario::State& start, scenario::Dtype dtype, double distance,
                              std::mt19937_64& generator) {
  std::vector<VariedEntry> varied;
  for (std::size_t i = 0; i < kChangedEntries && !start.parameters.empty(); ++i) {
    const std::size_t tensor = generator() % start.parameters.size();
    const std::size_t entry = generator() % start.parameters[tensor].size();
    const auto same = [&](const VariedEntry& other) { return other.tensor == tensor && other.entry == entry; };
    if (std::none_of(varied.begin(), varied.end(), same)) {
      varied.push_back({tensor, entry, start.parameters[tensor][entry]});
    }
  }
  const double part = distance / std::sqrt(static_cast<double>(std::max<std::size_t>(1, varied.size())));
  const double epsilon = catalogue::epsilon_of(dtype);
  for (VariedEntry& changed : varied) {
    // From half of it to all of it, up or down: a start that is met twice would have to agree in every entry.
    const double share = 0.5 + 0.5 * std::generate_canonical<double, 32>(generator);
    const double least =
        changed.value == 0 ? (part > 0 ? 0 : kChangeOfZero) : kChangedBits * epsilon * std::fabs(changed.value);
    const double change = share * std::max(part, least);
    changed.value += generator() % 2 == 0 ? change : -change;
  }
  return varied;
}

}  // namespace gdbench::measure
