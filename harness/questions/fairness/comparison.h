// What is unequal between two descriptions of timed trainings, as data. Put into words by reports/render/fairness.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"
#include "harness/base/json.h"

namespace gdbench::fairness {

using catalogue::name_of;

struct Description;

// What an inequality spoils, the worst first.
enum class Harm {
  wrong,     // one side is not what it is taken for: its figure is of something else
  work,      // the sides do not do the same work: their times answer different questions
  clock,     // the clock of one side includes what that of the other does not
  training,  // losses and steps to a target are not comparable; times of a step are
};
inline constexpr catalogue::Named<Harm> kHarms[] = {
    {Harm::wrong, "wrong"}, {Harm::work, "work"}, {Harm::clock, "clock"}, {Harm::training, "training"}};
constexpr const auto& rows_of(Harm /*any*/) { return kHarms; }

// The worst first; findings are in this order.
enum class Rule {
  // wrong; of one side
  broadcast,
  shapes_do_not_fit,
  overwritten_input,
  no_wait,
  mixed_dtypes,
  compile_is_not_xla,
  // work
  updates,
  rows_of_a_step,
  device,
  threads,
  loss,  // another function, not another factor
  outputs,
  weights_shape,
  optimizer,
  dtype,
  casts,  // of one side
  rank_one_product,
  accumulated_parts,
  update_copies,
  shuffle,
  // clock; of one side
  tracing,
  clock_includes,
  no_warm_up,
  // training
  gradient_factor,
  undivided_accumulation,  // of one side
  learning_rate,
  initial,
  rows,
  normalisation,
  optimizer_constant,
};
constexpr Rule kLastRule = Rule::optimizer_constant;

struct RuleRow {
  Rule value;
  const char* name;
  Harm harm;
};
inline constexpr RuleRow kRules[] = {
    {Rule::broadcast, "broadcast", Harm::wrong},
    {Rule::shapes_do_not_fit, "shapes_do_not_fit", Harm::wrong},
    {Rule::overwritten_input, "overwritten_input", Harm::wrong},
    {Rule::no_wait, "no_wait", Harm::wrong},
    {Rule::mixed_dtypes, "mixed_dtypes", Harm::wrong},
    {Rule::compile_is_not_xla, "compile_is_not_xla", Harm::wrong},
    {Rule::updates, "updates", Harm::work},
    {Rule::rows_of_a_step, "rows_of_a_step", Harm::work},
    {Rule::device, "device", Harm::work},
    {Rule::threads, "threads", Harm::work},
    {Rule::loss, "loss", Harm::work},
    {Rule::outputs, "outputs", Harm::work},
    {Rule::weights_shape, "weights_shape", Harm::work},
    {Rule::optimizer, "optimizer", Harm::work},
    {Rule::dtype, "dtype", Harm::work},
    {Rule::casts, "casts", Harm::work},
    {Rule::rank_one_product, "rank_one_product", Harm::work},
    {Rule::accumulated_parts, "accumulated_parts", Harm::work},
    {Rule::update_copies, "update_copies", Harm::work},
    {Rule::shuffle, "shuffle", Harm::work},
    {Rule::tracing, "tracing", Harm::clock},
    {Rule::clock_includes, "clock_includes", Harm::clock},
    {Rule::no_warm_up, "no_warm_up", Harm::clock},
    {Rule::gradient_factor, "gradient_factor", Harm::training},
    {Rule::undivided_accumulation, "undivided_accumulation", Harm::training},
    {Rule::learning_rate, "learning_rate", Harm::training},
    {Rule::initial, "initial", Harm::training},
    {Rule::rows, "rows", Harm::training},
    {Rule::normalisation, "normalisation", Harm::training},
    {Rule::optimizer_constant, "optimizer_constant", Harm::training},
};
constexpr const auto& rows_of(Rule /*any*/) { return kRules; }
constexpr Harm harm_of(Rule rule) { return catalogue::row_of(rule).harm; }

enum class Side { a, b };
inline constexpr catalogue::Named<Side> kSides[] = {{Side::a, "a"}, {Side::b, "b"}};
constexpr const auto& rows_of(Side /*any*/) { return kSides; }

struct Finding {
  Rule rule = Rule::broadcast;
  std::string key;           // of the descriptions, as a JSON pointer without its first stroke: "optimizer/beta1"
  std::optional<Side> side;  // whose fault it is, where it is one's
  std::string a;             // the values as text; that of the side alone where one is given
  std::string b;
  // A's over B's for gradient_factor (of the gradients), updates and rows_of_a_step; more than 1 where the side's
  // gradients are multiplied by it (undivided_accumulation), or its differences by it (broadcast).
  std::optional<double> ratio;
  std::optional<double> learning_rate;  // for B: with it its updates are those of A
};

// What could not be judged.
enum class UnknownReason {
  not_given,   // only the other side says it
  not_proven,  // both say it, and it need not be the same: one seed draws different numbers in two libraries
};
inline constexpr catalogue::Named<UnknownReason> kUnknownReasons[] = {{UnknownReason::not_given, "not_given"},
                                                                      {UnknownReason::not_proven, "not_proven"}};
constexpr const auto& rows_of(UnknownReason /*any*/) { return kUnknownReasons; }

struct Unknown {
  std::string key;
  UnknownReason reason = UnknownReason::not_given;
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
