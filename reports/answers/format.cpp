#include "reports/answers/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <sstream>

#include "harness/base/text.h"

namespace gdbench::answers {

Style style_of_verdict(stats::Verdict verdict) {
  using stats::Verdict;
  return verdict == Verdict::faster         ? Style::good
         : verdict == Verdict::slower       ? Style::bad
         : verdict == Verdict::inconclusive ? Style::unsure
                                            : Style::plain;
}

Style style_of_state(report::CellState state) {
  using report::CellState;
  return state == CellState::unsupported || state == CellState::pending ? Style::dim
         : state == CellState::ok                                       ? Style::plain
                                                                        : Style::bad;
}

namespace {

// Rounded to three significant digits, so that 999.6 ns becomes 1 us and not 1e+03 ns.
double round_to_three_digits(double value) {
  if (value == 0) return 0;
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(std::fabs(value))));
  return std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
}

struct Unit {
  double nanoseconds;
  const char* name;
};
constexpr std::array kUnits = {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}, Unit{1, "ns"}};

// The largest unit that a rounded time has one of; nanoseconds for less.
const Unit& unit_of(double nanoseconds) {
  // The tolerance covers the last bit of a rounded 999.6.
  return *std::find_if(kUnits.begin(), kUnits.end() - 1, [nanoseconds](const Unit& unit) {
    return std::fabs(round_to_three_digits(nanoseconds)) >= unit.nanoseconds * (1 - 1e-9);
  });
}

// Decimals of a ratio: two significant digits at least, as far as that can be read.
int digits_of_ratio(double ratio) {
  const int small = std::min(6, 1 - static_cast<int>(std::floor(std::log10(std::max(ratio, 1e-9)))));
  return ratio < 0.00995 ? small : ratio < 0.0995 ? 3 : ratio < 99.5 ? 2 : 0;
}

bool is_finite(const stats::Estimate& estimate) {
  return std::isfinite(estimate.value) && std::isfinite(estimate.interval.low) && std::isfinite(estimate.interval.high);
}

// Decimals of three significant digits.
int decimals_of(double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; }

// Nanoseconds with their interval, all in the unit of the largest and with as many decimals.
std::string with_interval(const stats::Estimate& estimate, bool with_sign) {
  const auto& [low, high] = estimate.interval;
  const double value = estimate.value;
  if (!is_finite(estimate)) return "-";
  const double largest = std::max({std::fabs(value), std::fabs(low), std::fabs(high)});
  const Unit& unit = unit_of(largest);
  const int digits = decimals_of(largest / unit.nanoseconds);
  const auto text = [&](double nanoseconds) {
    return formatted(with_sign ? "%+.*f" : "%.*f", digits, nanoseconds / unit.nanoseconds);
  };
  return cat(text(value), " ", unit.name, " [", text(low), ", ", text(high), "]");
}

}  // namespace

std::string format_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (std::fabs(value) >= 999.5) return formatted("%.*f", 0, value);
  return formatted("%.*g", 3, value);
}

std::string format_count(double count) {
  int exponent = static_cast<int>(std::floor(std::log10(count)));
  if (exponent < 4) return format_number(count);
  double mantissa = std::round(count / std::pow(10, exponent) * 10) / 10;
  if (mantissa >= 10) {
    mantissa = 1;
    ++exponent;
  }
  return (mantissa == 1 ? "1" : format_number(mantissa)) + "e" + std::to_string(exponent);
}

std::string skipped_words(const std::optional<std::int64_t>& skipped_steps) {
  return skipped_steps.value_or(0) == 0 ? "" : cat(", ", *skipped_steps, " of them skipped");
}

std::string format_duration_ns(double nanoseconds) {
  if (!std::isfinite(nanoseconds)) return "-";
  const Unit& unit = unit_of(nanoseconds);
  return format_number(round_to_three_digits(nanoseconds) / unit.nanoseconds).append(" ").append(unit.name);
}

std::string format_in_unit_of(double nanoseconds, double of) {
  constexpr double kTooMany = 9999.5;  // of that unit, for a column of figures
  if (!std::isfinite(nanoseconds)) return "-";
  const double rounded = round_to_three_digits(nanoseconds);
  const bool own = rounded / unit_of(of).nanoseconds >= kTooMany;
  const Unit& unit = unit_of(own ? nanoseconds : of);
  const double scaled = rounded / unit.nanoseconds;
  return formatted("%.*f", decimals_of(scaled), scaled) + (own ? std::string(" ") + unit.name : "");
}

std::string unit_name_of(double nanoseconds) { return std::isfinite(nanoseconds) ? unit_of(nanoseconds).name : ""; }

std::string format_multiple_ns(double nanoseconds, double step) {
  constexpr double kLastBits = 1e-9;  // of a step that is a power of ten
  const Unit& unit = unit_of(nanoseconds);
  const double decimals = -std::floor(std::log10(step / unit.nanoseconds) + kLastBits);
  return formatted("%.*f ", static_cast<int>(std::max(0.0, decimals)), nanoseconds / unit.nanoseconds) + unit.name;
}

std::string format_percent(double share) {
  const double percent = share * 100;
  if (!std::isfinite(percent)) return "-";
  return formatted("%.*f", std::abs(percent) < 0.995 ? 2 : std::abs(percent) < 9.95 ? 1 : 0, percent) + "%";
}

std::string format_bytes(double bytes) {
  constexpr std::array kBinaryUnits = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kBinaryUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return format_number(bytes) + " " + kBinaryUnits[unit];
}

std::string format_difference_ns(const stats::Estimate& difference) { return with_interval(difference, true); }

std::string format_estimate_ns(const stats::Estimate& estimate) { return with_interval(estimate, false); }

std::string quantity_name(report::Quantity quantity) {
  using report::Quantity;
  static const std::map<Quantity, std::string> words = {{Quantity::step, "time of a step"},
                                                        {Quantity::ratio, "ratio to the baseline"},
                                                        {Quantity::first_step, "time of the first step"},
                                                        {Quantity::prepare, "time to prepare"},
                                                        {Quantity::import, "time to import"},
                                                        {Quantity::time_for_steps, "time from loading to "},
                                                        {Quantity::peak_memory, "peak memory"},
                                                        {Quantity::own_memory, "own memory"},
                                                        {Quantity::device_memory, "memory on the device"},
                                                        {Quantity::time_to_target, "time to the target loss"},
                                                        {Quantity::steps_to_target, "steps to the target loss"},
                                                        {Quantity::allocations, "allocations of a step"},
                                                        {Quantity::step_p95, "95th percentile of single steps"},
                                                        {Quantity::step_p99, "99th percentile of single steps"}};
  return words.at(quantity);
}

std::string format_quantity(report::Quantity quantity, double value) {
  return quantity == report::Quantity::ratio ? format_factor(value)
         : report::is_memory(quantity)       ? format_bytes(value)
         : report::is_counted(quantity)      ? format_number(value)
                                             : format_duration_ns(value);
}

std::string format_change(const stats::Estimate& ratio) {
  if (!is_finite(ratio)) return "-";
  const double largest = std::max(std::fabs(ratio.interval.low - 1), std::fabs(ratio.interval.high - 1)) * 100;
  const int digits = largest < 9.95 ? 1 : 0;
  const auto text = [&](double value) { return formatted("%+.*f", digits, (value - 1) * 100); };
  return cat(text(ratio.value), "% [", text(ratio.interval.low), ", ", text(ratio.interval.high), "]");
}

std::string format_interval_ns(const stats::Estimate& estimate) {
  if (!is_finite(estimate)) return "-";
  const double unit = unit_of(estimate.value).nanoseconds;
  return cat("[", format_number(estimate.interval.low / unit), ", ", format_number(estimate.interval.high / unit), "]");
}

std::string format_factor(double ratio) {
  return std::isfinite(ratio) ? formatted("%.*f", digits_of_ratio(ratio), ratio) + "x" : "-";
}

std::string format_ratio(const stats::Estimate& ratio) {
  if (!std::isfinite(ratio.value)) return "-";
  const int digits = digits_of_ratio(ratio.value);
  return format_factor(ratio.value) +
         formatted(" [%.*f, %.*f]", digits, ratio.interval.low, digits, ratio.interval.high);
}

std::string exact(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

void join(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

std::string some_of(const std::vector<std::string>& names, std::size_t most, const std::string& separator) {
  if (names.size() <= most) return joined(names, separator);
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most));
  const std::string end = separator == "; " ? "; and " : " and ";
  return joined(first, separator) + end + std::to_string(names.size() - most) + " more";
}

}  // namespace gdbench::answers
