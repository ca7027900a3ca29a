#include "harness/questions/fairness/comparison.h"

#include <algorithm>
#include <array>

#include "harness/base/fields.h"
#include "harness/base/record_writer.h"
#include "harness/questions/fairness/finder.h"

namespace gdbench::fairness {

namespace {

struct RuleRow {
  const char* name;
  Harm harm;
};

// In the order of the enumerators.
constexpr std::array kRules = {
    RuleRow{"broadcast", Harm::wrong},
    RuleRow{"shapes_do_not_fit", Harm::wrong},
    RuleRow{"overwritten_input", Harm::wrong},
    RuleRow{"no_wait", Harm::wrong},
    RuleRow{"mixed_dtypes", Harm::wrong},
    RuleRow{"compile_is_not_xla", Harm::wrong},
    RuleRow{"updates", Harm::work},
    RuleRow{"rows_of_a_step", Harm::work},
    RuleRow{"device", Harm::work},
    RuleRow{"threads", Harm::work},
    RuleRow{"loss", Harm::work},
    RuleRow{"outputs", Harm::work},
    RuleRow{"weights_shape", Harm::work},
    RuleRow{"optimizer", Harm::work},
    RuleRow{"dtype", Harm::work},
    RuleRow{"casts", Harm::work},
    RuleRow{"rank_one_product", Harm::work},
    RuleRow{"accumulated_parts", Harm::work},
    RuleRow{"update_copies", Harm::work},
    RuleRow{"shuffle", Harm::work},
    RuleRow{"tracing", Harm::clock},
    RuleRow{"clock_includes", Harm::clock},
    RuleRow{"no_warm_up", Harm::clock},
    RuleRow{"gradient_factor", Harm::training},
    RuleRow{"undivided_accumulation", Harm::training},
    RuleRow{"learning_rate", Harm::training},
    RuleRow{"initial", Harm::training},
    RuleRow{"rows", Harm::training},
    RuleRow{"normalisation", Harm::training},
    RuleRow{"optimizer_constant", Harm::training},
};
static_assert(kRules.size() == static_cast<std::size_t>(kLastRule) + 1);

const RuleRow& row_of(Rule rule) { return kRules.at(static_cast<std::size_t>(rule)); }

const char* verdict_of(const Comparison& comparison) {
  if (!comparison.findings.empty()) return "unfair";
  return comparison.fair() ? "fair" : "nothing_compared";
}

}  // namespace

const char* name_of(Rule rule) { return row_of(rule).name; }
Harm harm_of(Rule rule) { return row_of(rule).harm; }
const char* name_of(Side side) { return side == Side::a ? "a" : "b"; }
const char* name_of(UnknownReason reason) { return reason == UnknownReason::not_given ? "not_given" : "not_proven"; }

Comparison compare(const Description& a, const Description& b) {
  Comparison comparison;
  comparison.a = a.name;
  comparison.b = b.name;
  Finder finder(a, b, comparison);
  find_wrong_sides(finder);
  find_unequal_work(finder);
  find_unequal_clocks(finder);
  find_unequal_training(finder);
  std::stable_sort(comparison.findings.begin(), comparison.findings.end(),
                   [](const Finding& x, const Finding& y) { return x.rule < y.rule; });
  return comparison;
}

void fields(auto& archive, Of<Finding> auto& finding) {
  archive.field("rule", finding.rule);
  archive.field("harm", harm_of(finding.rule));
  archive.field("key", finding.key);
  archive.optional("side", finding.side);
  if (finding.side != Side::b) archive.field("a", finding.a);
  if (finding.side != Side::a) archive.field("b", finding.b);
  archive.optional("ratio", finding.ratio);
  archive.optional("learning_rate_for_b", finding.learning_rate);
}

void fields(auto& archive, Of<Unknown> auto& unknown) {
  FIELDS(archive, unknown, key, reason);
  archive.optional("not_given_by", unknown.side);
}

void fields(auto& archive, Of<Comparison> auto& comparison) {
  archive.field("schema", std::string("gdbench-comparison-check"));
  archive.field("schema_version", std::string("1.0"));
  FIELDS(archive, comparison, a, b);
  archive.field("verdict", std::string(verdict_of(comparison)));
  FIELDS(archive, comparison, findings, unknown, compared, unsaid);
}

OrderedJson to_json(const Comparison& comparison) { return RecordWriter::encode(comparison); }

}  // namespace gdbench::fairness
