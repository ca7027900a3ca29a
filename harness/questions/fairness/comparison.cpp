#include "harness/questions/fairness/comparison.h"

#include <algorithm>

#include "harness/base/fields.h"
#include "harness/base/record_writer.h"
#include "harness/questions/fairness/rules.h"
#include "harness/questions/fairness/training.h"

namespace gdbench::fairness {

namespace {

const char* verdict_of(const Comparison& comparison) {
  if (!comparison.findings.empty()) return "unfair";
  return comparison.fair() ? "fair" : "nothing_compared";
}

}  // namespace

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
