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

std::string remedy_for(std::string_view cell, const NumberFormat& format) {
  constexpr std::string_view kUsual[] = {"?", "NA", "N/A", "n/a", "na", "nan", "NaN", "null", "NULL", "-", "."};
  const std::string_view text = trimmed(cell);
  if (std::ranges::find(kUsual, text) != std::end(kUsual)) return cat("\"missing\": [", in_quotes(text), "]");
  std::vector<std::string> remedies;  // with as few keys as there are
  std::size_t fewest = 3;
  for (const auto& [decimal, sign] : {scenario::kDecimals[1], scenario::kDecimals[0]}) {
    for (const auto& [thousands, mark] : scenario::kThousands) {
      for (const bool percent : {false, true}) {
        std::vector<std::string> keys;
        if (decimal != format.decimal) keys.push_back(cat("\"decimal\": ", in_quotes(sign)));
        if (thousands != format.thousands) keys.push_back(cat("\"thousands\": ", in_quotes(mark)));
        if (percent && !format.percent) keys.emplace_back("\"percent\": true");
        const bool same_sign = std::string_view(sign) == mark;
        if (keys.size() > fewest || same_sign || !cell_number(cell, {decimal, thousands, percent})) continue;
        if (keys.size() < fewest) remedies.clear();
        fewest = keys.size();
        remedies.push_back(joined(keys, " with "));
      }
    }
  }
  return joined(remedies, " or ");
}

}  // namespace gdbench::data
