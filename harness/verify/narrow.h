// Internal to verify: numbers of fewer bits, and how near others lie to the middle between two of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdbench::verify {

// The distance between two neighbours of `bits` significant bits around a number other than 0. The range of exponents
// is the type's own, which bfloat16 shares with float.
template <class T>
T spacing_at(T value, int bits) {
  return std::ldexp(T(1), std::ilogb(value) + 1 - bits);
}

// The nearest number of so many significant bits; of two equally near ones that whose last bit is 0.
template <class T>
T narrowed(T value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const T spacing = spacing_at(value, bits);
  return std::nearbyint(value / spacing) * spacing;
}

// How far a finite number other than 0 lies from the nearest middle, where the least error decides to which neighbour
// it is rounded.
template <class T>
T distance_to_middle(T value, int bits) {
  const T spacing = spacing_at(value, bits);
  const T place = value / spacing;
  return std::abs(place - std::floor(place) - T(0.5)) * spacing;
}

// Of many numbers: what may come of rounding them when each is a little off.
class Middles {
 public:
  template <class T>
  void add(const T* values, std::int64_t count, int bits) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (values[i] == 0 || !std::isfinite(values[i])) continue;
      const double spacing = static_cast<double>(spacing_at(values[i], bits));
      squares_[place_of(static_cast<double>(distance_to_middle(values[i], bits)))] += spacing * spacing;
    }
  }
  template <class T>
  void add(const std::vector<T>& values, int bits) {
    add(values.data(), static_cast<std::int64_t>(values.size()), bits);
  }

  // 2-norm of the spacings of the numbers that lie nearer to a middle than `error`.
  double undecided(double error) const {
    if (!(error > 0)) return 0;
    double sum = 0;
    for (std::size_t i = 0; i <= place_of(error); ++i) sum += squares_[i];
    return std::sqrt(sum);
  }

 private:
  static constexpr int kLeastExponent = -200;
  static constexpr std::size_t kPlaces = 264;
  // By powers of two.
  static std::size_t place_of(double distance) {
    if (distance == 0) return 0;
    const int place = std::ilogb(distance) - kLeastExponent;
    return static_cast<std::size_t>(std::clamp(place, 0, static_cast<int>(kPlaces) - 1));
  }

  std::array<double, kPlaces> squares_{};
};

}  // namespace gdbench::verify
