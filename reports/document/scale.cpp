#include "reports/document/scale.h"

#include <algorithm>
#include <cmath>

namespace gdbench::document {

namespace {

constexpr double kSteps[] = {1, 2, 5};
constexpr double kSlack = 1e-9;  // of a step: rounding leaves out no tick at an end

std::vector<double> linear_ticks(double low, double high, int most) {
  const double least = (high - low) / std::max(most, 1);
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : kSteps) {
    if (factor * power >= least) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - kSlack); i * step <= high + kSlack * step; ++i)
    ticks.push_back(i * step + 0.0);
  return ticks;
}

// 1, 2 and 5 times the powers of ten from low to high, or these powers alone, or some of them.
std::vector<double> logarithmic_ticks(double low, double high, int most) {
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  std::vector<double> fine;
  std::vector<double> powers;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double factor : kSteps) {
      const double value = factor * std::pow(10, exponent);
      if (value < low * (1 - kSlack) || value > high * (1 + kSlack)) continue;
      fine.push_back(value);
      if (factor == 1) powers.push_back(value);
    }
  }
  if (static_cast<int>(fine.size()) <= most) return fine;
  const std::size_t every = (powers.size() + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most);
  std::vector<double> some;
  for (std::size_t i = 0; i < powers.size(); i += every) some.push_back(powers[i]);
  return some;
}

}  // namespace

Scale::Scale(bool logarithmic, double low, double high, double from, double to)
    : logarithmic_(logarithmic), low_(low), high_(high), from_(from), to_(to) {}

double Scale::at(double value) const {
  const double inside = std::clamp(value, low_, high_);
  if (high_ <= low_) return (from_ + to_) / 2;
  const double share =
      logarithmic_ ? std::log(inside / low_) / std::log(high_ / low_) : (inside - low_) / (high_ - low_);
  return from_ + share * (to_ - from_);
}

std::vector<double> Scale::ticks(int most) const {
  if (high_ <= low_) return {low_};
  if (!logarithmic_) return linear_ticks(low_, high_, most);
  std::vector<double> ticks = logarithmic_ticks(low_, high_, most);
  return ticks.size() < 2 ? linear_ticks(low_, high_, most) : ticks;
}

void Extent::add(double value) {
  if (!std::isfinite(value)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

}  // namespace gdbench::document
