// What the rules share: it collects findings and keeps account of what was compared, and what could not be.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/questions/fairness/comparison.h"
#include "harness/questions/fairness/description.h"

namespace gdbench::fairness {

// Values as messages show them.
std::string text_of(bool value);
std::string text_of(double value);  // the shortest that reads back
std::string text_of(std::int64_t value);
std::string text_of(const std::string& value);
std::string text_of(const Shape& shape);  // "(N, 1)", "(N,)"
std::string text_of(const WeightDecay& decay);

template <class Enum>
requires std::is_enum_v<Enum> std::string text_of(Enum value) { return name_of(value); }

class Finder {
 public:
  Finder(const Description& side_a, const Description& side_b, Comparison& comparison)
      : a(side_a), b(side_b), comparison_(comparison) {}

  const Description& of(Side side) const { return side == Side::a ? a : b; }

  // True if both sides say the key; keeps account of it.
  template <class T>
  bool both(const std::string& key, const std::optional<T>& value_a, const std::optional<T>& value_b) {
    return account(key, value_a.has_value(), value_b.has_value());
  }

  // A finding where both say the key and not the same.
  template <class T>
  void expect_equal(Rule rule, const std::string& key, const std::optional<T>& value_a,
                    const std::optional<T>& value_b) {
    if (both(key, value_a, value_b) && *value_a != *value_b) unequal(rule, key, text_of(*value_a), text_of(*value_b));
  }

  Finding& unequal(Rule rule, const std::string& key, std::string value_a, std::string value_b);
  // About one side.
  Finding& fault(Rule rule, const std::string& key, Side side, std::string value);
  void unknown(const std::string& key, UnknownReason reason, std::optional<Side> side = std::nullopt);

  const Description& a;
  const Description& b;

 private:
  bool account(const std::string& key, bool said_by_a, bool said_by_b);

  Comparison& comparison_;
};

constexpr Side kBothSides[] = {Side::a, Side::b};

}  // namespace gdbench::fairness
