#include "reports/render/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "reports/render/render.h"

namespace gdbench::render {

namespace {

std::string print(const char* format, int digits, double value) {
  std::array<char, 400> text{};  // the longest double without an exponent has 309 digits before its point
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

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

}  // namespace

std::string format_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (std::fabs(value) >= 999.5) return print("%.*f", 0, value);
  return print("%.*g", 3, value);
}

std::string format_duration_ns(double nanoseconds) {
  if (!std::isfinite(nanoseconds)) return "-";
  const double rounded = round_to_three_digits(nanoseconds);
  for (const Unit& unit : kUnits) {
    // The tolerance covers the last bit of a rounded 999.6.
    if (std::fabs(rounded) >= unit.nanoseconds * (1 - 1e-9) || unit.nanoseconds == 1) {
      return format_number(rounded / unit.nanoseconds).append(" ").append(unit.name);
    }
  }
  return "-";
}

std::string format_percent(double share) {
  const double percent = share * 100;
  if (!std::isfinite(percent)) return "-";
  return print("%.*f", percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0, percent) + "%";
}

std::string format_half_width(const stats::Estimate& estimate) {
  const double farther =
      std::max(estimate.value - estimate.interval.low, estimate.interval.high - estimate.value) / estimate.value * 100;
  if (!std::isfinite(farther)) return "-";
  return "+-" + print("%.*f", farther < 99.95 ? 1 : 0, farther) + "%";
}

std::string format_ratio(const stats::Estimate& ratio) {
  if (!std::isfinite(ratio.value)) return "-";
  const int digits = ratio.value < 0.0995 ? 3 : ratio.value < 99.5 ? 2 : 0;
  return print("%.*f", digits, ratio.value) + "x [" + print("%.*f", digits, ratio.interval.low) + ", " +
         print("%.*f", digits, ratio.interval.high) + "]";
}

std::string exact(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string wrapped(const std::string& text, int width) {
  if (width <= 0) return text;
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string margin(std::min(line.find_first_not_of(' '), line.size()), ' ');
    std::string row;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (row.empty()) {
        row = margin + word;
      } else if (row.size() + 1 + word.size() <= static_cast<std::size_t>(width)) {
        row += " " + word;
      } else {
        result += row + "\n";
        row = margin + "  " + word;
      }
    }
    result += row + "\n";
  }
  return result;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace gdbench::render
