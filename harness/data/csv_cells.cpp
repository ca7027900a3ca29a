#include "harness/data/csv_cells.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "harness/base/text.h"

namespace gdbench::data {

using scenario::NumberFormat;

namespace {

// The number's text as from_chars reads it; nothing where groups of digits are not of three.
std::optional<std::string> plain_number(std::string_view text, const NumberFormat& format) {
  constexpr char kMarks[] = {'\0', ',', '.', ' ', '\''};
  const char decimal = format.decimal == scenario::Decimal::comma ? ',' : '.';
  const char group = kMarks[static_cast<std::size_t>(format.thousands)];
  const std::size_t end = std::min(text.find(decimal), text.size());
  std::string plain;
  std::size_t digits = 0;  // since the last group began
  bool grouped = false;
  for (const char character : text.substr(0, end)) {
    const bool ends_group = group != '\0' && character == group;
    if (ends_group && (digits == 0 || digits > 3 || (grouped && digits != 3))) return std::nullopt;
    if (!ends_group) plain += character;
    grouped = grouped || ends_group;
    if (ends_group || (character >= '0' && character <= '9')) digits = ends_group ? 0 : digits + 1;
  }
  if (grouped && digits != 3) return std::nullopt;
  if (decimal == ',' && plain.find('.') != std::string::npos) return std::nullopt;
  if (end == text.size()) return plain;
  return plain.append(".").append(text.substr(end + 1));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> cell_number(std::string_view cell, const NumberFormat& format) {
  std::string_view text = trimmed(cell);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const bool percent = format.percent && text.ends_with('%');
  if (percent) text = trimmed(text.substr(0, text.size() - 1));
  std::optional<double> number;
  if (format.decimal == scenario::Decimal::point && format.thousands == scenario::Thousands::none) {
    number = number_of<double>(text);
  } else if (const std::optional<std::string> plain = plain_number(text, format)) {
    number = number_of<double>(*plain);
  }
  if (number && percent) *number /= 100;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// The key of /data that would read a cell which is no number as things are; empty where there is none.
std::string remedy_for(std::string_view cell) {
  constexpr std::string_view kUsual[] = {"?", "NA", "N/A", "n/a", "na", "nan", "NaN", "null", "NULL", "-", "."};
  const std::string_view text = trimmed(cell);
  if (std::ranges::find(kUsual, text) != std::end(kUsual)) return cat("\"missing\": [", in_quotes(text), "]");
  std::vector<std::string> keys;
  const auto propose = [&](const NumberFormat& format, const char* key) {
    if (cell_number(cell, format)) keys.emplace_back(key);
  };
  propose({.decimal = scenario::Decimal::comma}, "\"decimal\": \",\"");
  propose({.thousands = scenario::Thousands::comma}, "\"thousands\": \",\"");
  propose({.thousands = scenario::Thousands::blank}, "\"thousands\": \"blank\"");
  propose({.thousands = scenario::Thousands::apostrophe}, "\"thousands\": \"'\"");
  propose({.percent = true}, "\"percent\": true");
  if (keys.empty()) {
    propose({.decimal = scenario::Decimal::comma, .thousands = scenario::Thousands::point},
            "\"decimal\": \",\" with \"thousands\": \".\"");
  }
  return joined(keys, " or ");
}

}  // namespace gdbench::data
