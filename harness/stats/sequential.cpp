#include "harness/stats/sequential.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gdbench::stats {

namespace {

// High bets find what is clear after few launches, low ones what most launches agree on.
constexpr double kBets[] = {0.2, 0.4, 0.6, 0.8, 0.95};
// A launch that is 2% off, or 0.02%, counts nearly in full: ratios of neighbours scatter by one or two per cent, and by
// tens where a machine changes its speed.
constexpr double kScales[] = {50, 5000};

double enough(double confidence) { return 2 / (1 - confidence); }

// Where no value is on the other side of the centre.
double most_evidence(int count) {
  double sum = 0;
  for (const double bet : kBets) sum += std::pow(1 + bet, count);
  return sum / static_cast<double>(std::size(kBets));
}

// The largest centre against which there is enough evidence from above.
double lower_limit(std::span<const double> values, double confidence) {
  constexpr double kFar = 1;  // from all values: every factor is as large as it gets
  constexpr int kHalvings = 48;
  double left_out = std::ranges::min(values) - kFar;
  double inside = std::ranges::max(values);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (left_out + inside) / 2;
    (evidence_above(values, middle) >= enough(confidence) ? left_out : inside) = middle;
  }
  return left_out;
}

}  // namespace

double evidence_above(std::span<const double> values, double centre) {
  double sum = 0;
  for (const double scale : kScales) {
    double products[std::size(kBets)];
    std::ranges::fill(products, 1.0);
    for (const double value : values) {
      const double side = std::tanh(scale * (value - centre));
      for (std::size_t i = 0; i < std::size(kBets); ++i) products[i] *= 1 + kBets[i] * side;
    }
    for (const double product : products) sum += product;
  }
  return sum / static_cast<double>(std::size(kBets) * std::size(kScales));
}

std::optional<Interval> interval_at_every_look(std::span<const double> values, double confidence) {
  if (most_evidence(static_cast<int>(values.size())) < enough(confidence)) return std::nullopt;
  std::vector<double> mirrored(values.begin(), values.end());
  for (double& value : mirrored) value = -value;
  return Interval{lower_limit(values, confidence), -lower_limit(mirrored, confidence)};
}

int min_launches(double confidence, Looks looks) {
  if (looks == Looks::one) return static_cast<int>(std::ceil(1 - std::log2(1 - confidence)));
  int count = 1;
  while (most_evidence(count) < enough(confidence)) ++count;
  return count;
}

}  // namespace gdbench::stats
