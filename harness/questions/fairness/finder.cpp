#include "harness/questions/fairness/finder.h"

#include <nlohmann/json.hpp>

#include "harness/base/json.h"

namespace gdbench::fairness {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(double value) { return Json(value).dump(); }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(const std::string& value) { return value; }

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    text += (text.empty() ? "(" : ", ") + (size == kRowsDimension ? std::string("N") : std::to_string(size));
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string text_of(const WeightDecay& decay) {
  if (decay.value == 0) return "none";
  return text_of(decay.value) + (decay.decoupled ? " decoupled" : " added to the gradient");
}

Finding& Finder::unequal(Rule rule, const std::string& key, std::string value_a, std::string value_b) {
  Finding finding;
  finding.rule = rule;
  finding.key = key;
  finding.a = std::move(value_a);
  finding.b = std::move(value_b);
  return comparison_.findings.emplace_back(std::move(finding));
}

Finding& Finder::fault(Rule rule, const std::string& key, Side side, std::string value) {
  Finding& finding = unequal(rule, key, "", "");
  finding.side = side;
  (side == Side::a ? finding.a : finding.b) = std::move(value);
  return finding;
}

void Finder::unknown(const std::string& key, UnknownReason reason, std::optional<Side> side) {
  comparison_.unknown.push_back({key, reason, side});
}

bool Finder::account(const std::string& key, bool said_by_a, bool said_by_b) {
  if (said_by_a != said_by_b) {
    unknown(key, UnknownReason::not_given, said_by_a ? Side::b : Side::a);
  } else {
    (said_by_a ? comparison_.compared : comparison_.unsaid).push_back(key);
  }
  return said_by_a && said_by_b;
}

}  // namespace gdbench::fairness
