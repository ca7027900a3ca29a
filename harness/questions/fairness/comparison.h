// What is unequal between two descriptions of timed trainings, by a table of rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"
#include "harness/base/json.h"

namespace gdbench::fairness {

using catalogue::name_of;

struct Description;

// What an inequality spoils, the worst first: `work`, times answer different questions; `training`, times of a step are
// comparable.
enum class Harm { wrong, work, clock, training };
struct HarmRow {
  Harm value;
  const char* name;
  const char* heading;
};
inline constexpr HarmRow kHarms[] = {{Harm::wrong, "wrong", "One side is not what it is taken for"},
                                     {Harm::work, "work", "The sides do not do the same work"},
                                     {Harm::clock, "clock", "The clocks do not measure the same"},
                                     {Harm::training, "training", "Losses and steps to a target cannot be compared"}};
constexpr const auto& rows_of(Harm /*any*/) { return kHarms; }

// A row of rules.cpp. `when` is one of
//   fault FACTS   of each side that has the fact
//   differ FACTS  both sides have the fact, and not the same
//   more FACTS    the same, but the finding is about the side that has more: the larger number, or text and not none
// where a fact "key=value" is `value` where the key has it and none where it has not; then
//   shown FACT         is shown instead of the one that is tested
//   ratio FACT         the finding's ratio: the fact of the side at fault, or A's over B's
//   unless_other FACT  by other facts nothing is found where this one differs
//   unless_said FACT   nor where both sides have this one
// In the words {A} and {B} are the names of the sides, {a} and {b} their values, {side} is whose fault it is, {other}
// the other one, {value} the side's value, {key} the key, {ratio} and {times} A's figure over B's (times: at least 1),
// {rate} the learning rate for B. What stands in [] is left out where one of these is not known.
struct Rule {
  const char* name;
  Harm harm;
  const char* when;
  const char* words;  // what is unequal, what that does to the result, and after kToMend what to do
};
inline constexpr const char* kToMend = " To mend it, ";
const std::vector<Rule>& rules();                 // the worst first; findings are in this order
const Rule& rule_named(const std::string& name);  // which has to be one of them

enum class Side { a, b };
inline constexpr catalogue::Named<Side> kSides[] = {{Side::a, "a"}, {Side::b, "b"}};
constexpr const auto& rows_of(Side /*any*/) { return kSides; }

struct Finding {
  const Rule* rule = nullptr;
  std::string key;
  std::optional<Side> side;  // whose fault it is, where it is one side's
  std::string a;             // the values as text; that of the side alone where one is given
  std::string b;
  std::optional<double> ratio;
  std::optional<double> learning_rate;  // for B: with it its updates are those of A
};

// What could not be judged: only the other side says the key; or both do, and it need not be the same, for one seed
// draws different numbers in two libraries.
struct Unknown {
  std::string key;
  std::optional<Side> side;  // that does not say it
};

struct Comparison {
  std::string a;  // names
  std::string b;
  std::vector<Finding> findings;  // the worst first
  std::vector<Unknown> unknown;
  std::vector<std::string> compared;  // keys that both say
  std::vector<std::string> unsaid;    // keys that neither says

  bool fair() const { return findings.empty() && !compared.empty(); }  // in what both say
};

Comparison compare(const Description& a, const Description& b);

// {"schema": "gdbench-comparison-check", "schema_version": ..., "verdict": "fair" | "unfair" | "nothing_compared", ...}
OrderedJson to_json(const Comparison& comparison);

}  // namespace gdbench::fairness
