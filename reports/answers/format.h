// Numbers as people read them; the same in every renderer.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/quantity.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"
#include "reports/document/document.h"

namespace gdbench::answers {

using document::Blocks;
using document::bytes_of;
using document::Columns;
using document::cut;
using document::display_width;
using document::Document;
using document::Figure;
using document::left;
using document::length_of_style;
using document::padded;
using document::paragraph;
using document::right;
using document::Style;
using document::styled;

Style style_of_verdict(stats::Verdict verdict);
Style style_of_state(report::CellState state);

// Three significant digits without an exponent: "0.431", "18.3", "2540". "-" for what is not finite.
std::string format_number(double value);

// "500", "1e5", "2.5e6": a count of anything at an axis.
std::string format_count(double count);

// ", 16 of them skipped", to be put behind a number of steps; empty where none was, or none can be.
std::string skipped_words(const std::optional<std::int64_t>& skipped_steps);

// "18.3 ns", "104 us", "1.25 ms", "2.1 s": three significant digits.
std::string format_duration_ns(double nanoseconds);

// The unit that format_duration_ns chooses for a time, and another time in that unit without its name; with its own
// unit where that would be ten thousand or more.
std::string unit_name_of(double nanoseconds);
std::string format_in_unit_of(double nanoseconds, double of);

// A multiple of `step` with all the decimals that tell it from the next one: "104.5 us" in steps of 500 ns.
std::string format_multiple_ns(double nanoseconds, double step);

// A share in per cent, two digits below 10%: "82%", "4.3%", "104%". "-" for what is not finite.
std::string format_percent(double share);

// Three digits and a binary unit: "640 B", "1.5 KiB", "12 MiB".
std::string format_bytes(double bytes);

// A difference with its interval in one unit, signs shown: "+12.3 ns [+11.9, +12.8]". "-" for what is not finite.
std::string format_difference_ns(const stats::Estimate& difference);

// The same without signs: "25.1 ns [24.3, 26.0]".
std::string format_estimate_ns(const stats::Estimate& estimate);

// "time of a step", "peak memory".
std::string quantity_name(report::Quantity quantity);
// A value of it, with its unit where it has one.
std::string format_quantity(report::Quantity quantity, double value);

// A ratio as a change with its interval: "+268% [+263, +275]".
std::string format_change(const stats::Estimate& ratio);

// The interval in the unit of the value, as format_duration_ns shows it: "[19.8, 20.3]". "-" when there is none.
std::string format_interval_ns(const stats::Estimate& estimate);

// "0.43x".
std::string format_factor(double ratio);

// "0.43x [0.42, 0.45]".
std::string format_ratio(const stats::Estimate& ratio);

// The shortest decimal that reads back as the same double; empty for what is not finite.
std::string exact(double value);

// "1 cell", "2 cells", "3 launches".
std::string counted(std::int64_t count, const std::string& noun);
template <std::integral Count>
std::string counted(Count count, const std::string& noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

// Appends a part to a list with commas; nothing where the part is empty.
void join(std::string& text, const std::string& part);

// "a, b, c and 2 more", "a; b; and 2 more".
std::string some_of(const std::vector<std::string>& names, std::size_t most, const std::string& separator = ", ");

// "1.2x (a) to 3.4x (b)": what is said of the least and of the greatest of them, by a value; once where it is the same.
template <class Items, class ValueOf, class WordsOf>
std::string range_words(const Items& items, const ValueOf& value_of, const WordsOf& words_of) {
  const auto [least, most] = std::ranges::minmax_element(items, {}, value_of);
  const std::string low = words_of(*least);
  const std::string high = words_of(*most);
  return low == high ? low : low + " to " + high;
}

// What belongs to a key, where keys stay in the order in which they first came.
template <class Key, class Value>
Value& entry_of(std::vector<std::pair<Key, Value>>& entries, const Key& key) {
  for (auto& [known, value] : entries) {
    if (known == key) return value;
  }
  return entries.emplace_back(key, Value()).second;
}

// "12 cells: 9 ok, 2 unsupported": a total, and how many there are of each kind that there is any of.
template <class Kinds, class CountOf>
std::string counts_by_kind(const std::string& total, const Kinds& kinds, const CountOf& count_of) {
  std::string text;
  for (const auto kind : kinds) {
    if (const auto count = count_of(kind); count > 0) join(text, std::to_string(count) + " " + name_of(kind));
  }
  return text.empty() ? total : total + ": " + text;
}

}  // namespace gdbench::answers
