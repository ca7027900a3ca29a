// Internal to verify: numbers of fewer bits, and how near others lie to the middle between two of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/scenario/problem.h"

namespace gdbench::verify {

using catalogue::NumberFormat;

// The distance between two neighbours of a format around a number other than 0, subnormal ones included.
template <class T>
T spacing_at(T value, const NumberFormat& format) {
  return std::ldexp(T(1), std::max(std::ilogb(value), format.least_exponent) + 1 - format.bits);
}

// The nearest number of a format; of two equally near ones that whose last bit is 0. Beyond the largest one infinity.
template <class T>
T narrowed(T value, const NumberFormat& format) {
  if (value == 0 || !std::isfinite(value)) return value;
  const T spacing = spacing_at(value, format);
  const T nearest = std::nearbyint(value / spacing) * spacing;
  const bool overflows = std::abs(nearest) >= std::ldexp(T(1), format.greatest_exponent + 1);
  return overflows ? std::copysign(std::numeric_limits<T>::infinity(), value) : nearest;
}

// Where numbers begin to be rounded to infinity.
template <class T>
T overflow_of(const NumberFormat& format) {
  return std::ldexp(T(2) - std::ldexp(T(1), -format.bits), format.greatest_exponent);
}

// The number of a format that is left where `offset` spacings, from 0 to below 1, are added to the magnitude and the
// rest is cut off. Both fractions have 16 bits where T is float, so that their sum is exact.
template <class T>
T cut_off(T value, const NumberFormat& format, T offset) {
  if (value == 0 || !std::isfinite(value)) return value;
  const T spacing = spacing_at(value, format);
  const T place = std::abs(value) / spacing;
  const T below = std::floor(place);
  return std::copysign((place - below + offset >= 1 ? below + 1 : below) * spacing, value);
}

// How far a finite number other than 0 lies from where the least error decides to which neighbour it is rounded: the
// nearest middle, or with another offset where cut_off changes.
template <class T>
T distance_to_middle(T value, const NumberFormat& format, T offset = T(0.5)) {
  const T spacing = spacing_at(value, format);
  const T place = std::abs(value) / spacing;
  const T moved = place - std::floor(place) + offset;
  return std::abs(moved - std::nearbyint(moved)) * spacing;
}

// Squared, of what rounding makes of a number that may be off by `error`.
template <class T>
double square_undecided(T value, double error, const NumberFormat& format, T offset = T(0.5)) {
  if (value == 0 || !std::isfinite(value)) return 0;
  if (!(static_cast<double>(distance_to_middle(value, format, offset)) < error)) return 0;
  const double spacing = static_cast<double>(spacing_at(value, format));
  return spacing * spacing;
}

// The possible effect of rounding many numbers, each of which is a little off.
class Middles {
 public:
  // They are rounded after they were multiplied by `scale`.
  template <class T>
  void add(const T* values, std::int64_t count, const NumberFormat& format, double scale = 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (values[i] == 0 || !std::isfinite(values[i])) continue;
      const T scaled = values[i] * static_cast<T>(scale);
      const double spacing = static_cast<double>(spacing_at(scaled, format)) / scale;
      squares_[place_of(static_cast<double>(distance_to_middle(scaled, format)) / scale)] += spacing * spacing;
    }
  }
  template <class T>
  void add(const std::vector<T>& values, const NumberFormat& format, double scale = 1) {
    add(values.data(), static_cast<std::int64_t>(values.size()), format, scale);
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
    constexpr int kGreatestExponent = kLeastExponent + static_cast<int>(kPlaces) - 1;
    return static_cast<std::size_t>(std::clamp(std::ilogb(distance), kLeastExponent, kGreatestExponent) -
                                    kLeastExponent);
  }

  std::array<double, kPlaces> squares_{};
};

}  // namespace gdbench::verify
