#include "harness/questions/fairness/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "harness/base/fields.h"
#include "harness/base/record_writer.h"
#include "harness/questions/fairness/description.h"

namespace gdbench::fairness {

namespace {

constexpr double kSameRate = 1e-6;  // relative; people write rates with a few digits

bool close(double x, double y) { return std::abs(x - y) <= kSameRate * std::max(std::abs(x), std::abs(y)); }

bool both_say(const Description& a, const Description& b, const std::string& fact) {
  return a.says(fact) && b.says(fact);
}
bool differ(const Description& a, const Description& b, const std::string& fact) {
  return both_say(a, b, fact) && a.text(fact) != b.text(fact);
}

// Gradients. By what the sum over rows and outputs is divided; nothing where the sizes that it takes are not known.
// Rows are taken for 1 unless `needs_rows`: both sides divide by them.
std::optional<double> divisor_of(const Description& side, bool needs_rows) {
  const std::string reduction = side.text("loss_reduction");
  if (reduction == "sum") return 1;
  const std::optional<double> rows = needs_rows ? side.number<double>("batch.rows") : 1;
  // The mean of a cross entropy is over rows anyway.
  if (!rows || reduction == "mean_over_rows" || side.text("loss.function") != "squares") return rows;
  const std::optional<double> outputs = side.number<double>("prediction_shape.outputs");
  return outputs ? std::optional(*rows * *outputs) : std::nullopt;
}

// A's gradients over B's, by the losses' definitions alone; nothing where sizes are not known.
std::optional<double> ratio_by_loss(const Description& a, const Description& b) {
  if (!both_say(a, b, "loss") || differ(a, b, "loss.function")) return 1;
  const auto factor_of = [](const Description& side) { return side.text("loss") == "half_mse" ? 0.5 : 1; };
  const double ratio = factor_of(a) / factor_of(b);
  if (!differ(a, b, "loss_reduction")) return ratio;
  const bool needs_rows = a.text("loss_reduction") == "sum" || b.text("loss_reduction") == "sum";
  const std::optional<double> divisor_a = divisor_of(a, needs_rows);
  const std::optional<double> divisor_b = divisor_of(b, needs_rows);
  return divisor_a && divisor_b ? std::optional(ratio * *divisor_b / *divisor_a) : std::nullopt;
}

double undivided_parts(const Description& side) {
  return side.text("accumulation/divides") == "false" ? side.number<double>("accumulation/steps").value_or(1) : 1;
}

// Learning rates and gradients together: what counts is their product where the optimizer is linear in the gradient.
// Gives both sides the facts of what is unequal; returns the rate that B needs, where there is one.
std::optional<double> weigh_gradients(Description& a, Description& b) {
  const std::optional<double> rate_a = a.number<double>("optimizer/learning_rate");
  const std::optional<double> rate_b = b.number<double>("optimizer/learning_rate");
  const std::optional<double> by_loss = ratio_by_loss(a, b);
  const double parts_a = undivided_parts(a);
  const double parts_b = undivided_parts(b);
  const std::optional<double> ratio = by_loss ? std::optional(*by_loss * parts_a / parts_b) : std::nullopt;

  // An update that divides by the gradients' size does not notice a factor, unless a decay is added to the gradient.
  const std::string kind = a.text("optimizer/kind");
  const bool known = !kind.empty() && kind == b.text("optimizer/kind") && !a.says("optimizer/weight_decay.added") &&
                     !b.says("optimizer/weight_decay.added");
  const bool linear = known && (kind == "sgd" || kind == "momentum" || kind == "nesterov");
  std::optional<double> needed;
  if ((!ratio || !close(*ratio, 1)) && (linear || !known)) {
    if (ratio && rate_a && linear) needed = *rate_a * *ratio;
    const bool made_up_for = needed && rate_b && close(*needed, *rate_b);
    if (!made_up_for && !(by_loss && close(*by_loss, 1))) {
      for (Description* side : {&a, &b}) side->facts["loss.factor"] = side->text("loss.text");
      if (by_loss) a.facts["loss.ratio"] = Json(*by_loss).dump(), b.facts["loss.ratio"] = "1";
    }
    for (Description* side : {&a, &b}) {
      if (made_up_for || close(parts_a, parts_b) || undivided_parts(*side) == 1) continue;
      side->facts["accumulation/divides.parts"] = side->text("accumulation/steps");
    }
  }
  if (!needed && rate_a && rate_b && !close(*rate_a, *rate_b)) {
    for (Description* side : {&a, &b}) {
      side->facts["optimizer/learning_rate.judged"] = side->text("optimizer/learning_rate");
    }
  }
  return needed;
}

class Judge {
 public:
  Judge(const Description& a, const Description& b) : a_(a), b_(b), rate_for_b_(weigh_gradients(a_, b_)) {
    comparison_.a = a.name;
    comparison_.b = b.name;
    for (const Rule& rule : rules()) apply(rule);
    for (const Field& field : description_fields()) account(field);
    account_for_proofs();
  }
  Comparison take() { return std::move(comparison_); }

 private:
  const Description& of(Side side) const { return side == Side::a ? a_ : b_; }

  void apply(const Rule& rule) {
    std::map<std::string, std::string> details;
    std::vector<std::string> facts;
    std::istringstream words(rule.when);
    std::string test;
    words >> test;
    for (std::string word; words >> word;) {
      if (word == "shown" || word == "ratio" || word.starts_with("unless_")) {
        words >> details[word];
      } else {
        facts.push_back(word);
      }
    }
    for (const std::string& fact : facts) apply(rule, test, fact, details);
  }

  void apply(const Rule& rule, const std::string& test, const std::string& tested,
             std::map<std::string, std::string>& details) {
    const std::size_t equal = tested.find('=');
    const std::string fact = tested.substr(0, equal);
    const std::string other = details["unless_other"];
    const std::string said = details["unless_said"];
    if ((fact != other && differ(a_, b_, other)) || (fact != said && both_say(a_, b_, said))) return;
    const auto value_of = [&](const Description& side) {
      const std::string text = side.text(fact);
      return equal == std::string::npos || text == tested.substr(equal + 1) ? text : "";
    };
    const auto shown = [&](const Description& side) {
      return details.contains("shown") ? side.text(details["shown"]) : value_of(side);
    };
    const auto add = [&](std::optional<Side> side) {
      Finding& finding = comparison_.findings.emplace_back();
      finding.rule = &rule;
      finding.key = fact.substr(0, fact.find('.'));
      finding.side = side;
      if (side != Side::b) finding.a = shown(a_);
      if (side != Side::a) finding.b = shown(b_);
      const std::optional<double> a = a_.number<double>(details["ratio"]);
      const std::optional<double> b = b_.number<double>(details["ratio"]);
      if (side) finding.ratio = side == Side::a ? a : b;
      if (!side && a && b) finding.ratio = *a / *b;
      if (std::string(rule.words).find("{rate}") != std::string::npos) finding.learning_rate = rate_for_b_;
    };
    const std::string a = value_of(a_);
    const std::string b = value_of(b_);
    if (test == "fault") {
      if (!a.empty()) add(Side::a);
      if (!b.empty()) add(Side::b);
    } else if (both_say(a_, b_, fact) && a != b) {
      // Of two numbers without a sign the longer is the larger.
      const Side more = std::pair(a.size(), a) > std::pair(b.size(), b) ? Side::a : Side::b;
      add(test == "more" ? std::optional(more) : std::nullopt);
    }
  }

  // Whether both, one or neither says a key.
  void account(const Field& field) {
    const std::string key = field.key;
    const bool one_says = a_.says(key) || b_.says(key);
    if (field.use == Use::helps || field.use == Use::required) return;
    if (field.use == Use::if_said && (!one_says || differ(a_, b_, "optimizer/kind"))) return;
    if (both_say(a_, b_, key)) return comparison_.compared.push_back(key);
    bool unknown = false;
    for (const Side side : {Side::a, Side::b}) {
      if (of(side).says(key) || !(one_says || of(side).says(key + ".needed"))) continue;
      comparison_.unknown.push_back({key, side});
      unknown = true;
    }
    if (!unknown) comparison_.unsaid.push_back(key);
  }

  // Only arrays that were copied are proven to be equal; a full batch is as large as the rows, which may be unknown.
  void account_for_proofs() {
    const bool unequal = differ(a_, b_, "initial.seed") || differ(a_, b_, "initial.distribution");
    if (both_say(a_, b_, "initial") && !both_say(a_, b_, "initial.copied") && !unequal) {
      comparison_.unknown.push_back({"initial", std::nullopt});
    }
    if (differ(a_, b_, "batch") && !both_say(a_, b_, "batch.rows")) {
      comparison_.unknown.push_back({"batch", std::nullopt});
    }
  }

  Description a_;
  Description b_;
  std::optional<double> rate_for_b_;
  Comparison comparison_;
};

const char* verdict_of(const Comparison& comparison) {
  if (!comparison.findings.empty()) return "unfair";
  return comparison.fair() ? "fair" : "nothing_compared";
}

}  // namespace

Comparison compare(const Description& a, const Description& b) { return Judge(a, b).take(); }

void fields(auto& archive, Of<Finding> auto& finding) {
  archive.field("rule", std::string(finding.rule->name));
  archive.field("harm", finding.rule->harm);
  archive.field("key", finding.key);
  archive.optional("side", finding.side);
  if (finding.side != Side::b) archive.field("a", finding.a);
  if (finding.side != Side::a) archive.field("b", finding.b);
  archive.optional("ratio", finding.ratio);
  archive.optional("learning_rate_for_b", finding.learning_rate);
}

void fields(auto& archive, Of<Unknown> auto& unknown) {
  archive.field("key", unknown.key);
  archive.field("reason", std::string(unknown.side ? "not_given" : "not_proven"));
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
