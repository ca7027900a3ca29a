// Every rule: found where it is broken, silent where both sides agree, unknown where one says nothing.
#include <algorithm>
#include <set>

#include "harness/questions/fairness/comparison.h"
#include "tests/unit/questions/fairness/files.h"

namespace gdbench::fairness {
namespace {

struct Broken {
  std::string rule;
  const char* a;       // a merge patch of the whole description; B has none
  const char* key;     // to be removed from A; then it is unknown
  bool alone = false;  // it is found although B breaks it too
};

std::vector<std::string> rules_of(const Comparison& comparison) {
  std::vector<std::string> rules;
  for (const Finding& finding : comparison.findings) rules.push_back(finding.rule->name);
  return rules;
}

bool is_unknown(const Comparison& comparison, const std::string& key) {
  return std::any_of(comparison.unknown.begin(), comparison.unknown.end(),
                     [&](const Unknown& unknown) { return unknown.key == key; });
}

Comparison compared(const std::string& a, const std::string& b = "{}", const json& base = whole_description()) {
  return compare(described(base, a), described(base, b));
}

// {"optimizer": {"beta1": null}} for "optimizer/beta1".
std::string removal_of(const std::string& key) {
  const std::size_t stroke = key.find('/');
  if (stroke == std::string::npos) return json{{key, nullptr}}.dump();
  return json{{key.substr(0, stroke), {{key.substr(stroke + 1), nullptr}}}}.dump();
}

const std::vector<Broken>& broken_rules() {
  static const std::vector<Broken> rules = {
      {"broadcast", R"({"prediction_shape": ["N"], "target_shape": ["N", 1], "weights_shape": null})",
       "prediction_shape", true},
      {"shapes_do_not_fit", R"({"target_shape": ["N", 3]})", "target_shape", true},
      {"overwritten_input", R"({"update": "overwrites_input"})", "update", true},
      {"no_wait", R"({"synchronises": false})", "synchronises", true},
      {"mixed_dtypes", R"({"data_dtype": "f64"})", "data_dtype", true},
      {"compile_is_not_xla", R"({"compiled": "compile_method"})", "compiled", true},
      {"updates", R"({"epochs": 20})", "epochs"},
      {"rows_of_a_step", R"({"batch": "full"})", "batch"},
      {"device", R"({"device": "gpu"})", "device"},
      {"threads", R"({"threads": 8})", "threads"},
      {"loss", R"({"loss": "softmax_cross_entropy"})", "loss"},
      {"outputs", R"({"prediction_shape": ["N", 5], "target_shape": ["N", 5]})", "prediction_shape"},
      {"weights_shape", R"({"weights_shape": [11, 4]})", "weights_shape"},
      {"optimizer", R"({"optimizer": {"kind": "adagrad"}})", "optimizer/kind"},
      {"dtype", R"({"parameters_dtype": "f64", "data_dtype": "f64"})", "parameters_dtype"},
      {"casts", R"({"casts_per_step": 2})", "casts_per_step"},
      {"accumulated_parts", R"({"accumulation": {"steps": 8}})", "accumulation"},
      {"update_copies", R"({"update": "copies"})", "update"},
      {"shuffle", R"({"shuffle": false})", "shuffle"},
      {"tracing", R"({"warm_up_steps": 0})", "warm_up_steps", true},
      {"clock_includes", R"({"timed": ["import"]})", "timed"},
      {"gradient_factor", R"({"loss": "half_mse"})", "loss"},
      {"undivided_accumulation", R"({"accumulation": {"divides": false}})", "accumulation"},
      {"learning_rate", R"({"optimizer": {"learning_rate": 0.001}})", "optimizer/learning_rate"},
      {"initial", R"({"initial": {"seed": 1}})", "initial"},
      {"rows", R"({"rows": 1020})", "rows"},
      {"normalisation", R"({"normalisation": "per_sample"})", "normalisation"},
      {"optimizer_constant", R"({"optimizer": {"beta1": 0.8}})", "optimizer/beta1"},
      {"optimizer_constant", R"({"optimizer": {"beta2": 0.99}})", "optimizer/beta2"},
      {"optimizer_constant", R"({"optimizer": {"epsilon": 1e-7}})", "optimizer/epsilon"},
      {"optimizer_constant", R"({"optimizer": {"epsilon_place": "inside"}})", "optimizer/epsilon_place"},
      {"optimizer_constant", R"({"optimizer": {"weight_decay": {"value": 0.2}}})", "optimizer/weight_decay"},
  };
  return rules;
}

// What the other side has to say for A's patch to break one rule alone.
std::string other_of(const std::string& rule) {
  if (rule == "initial") return R"({"initial": {"seed": 2}})";
  if (rule == "broadcast") return R"({"prediction_shape": ["N"], "target_shape": ["N"], "weights_shape": null})";
  return "{}";
}

class FairnessRule : public testing::TestWithParam<Broken> {};

TEST_P(FairnessRule, IsFoundWhereItIsBroken) {
  const Comparison comparison = compared(GetParam().a, other_of(GetParam().rule));
  EXPECT_EQ(rules_of(comparison), std::vector<std::string>{GetParam().rule}) << to_json(comparison).dump(1);
  EXPECT_FALSE(comparison.fair());
  const Comparison turned = compared(other_of(GetParam().rule), GetParam().a);
  EXPECT_EQ(rules_of(turned), rules_of(comparison));
  if (comparison.findings.at(0).side) {
    EXPECT_NE(turned.findings.at(0).side, comparison.findings.at(0).side);
  }
}

TEST_P(FairnessRule, IsSilentWhereBothAgree) {
  const Comparison comparison = compared(GetParam().a, GetParam().a);
  const std::vector<std::string> expected(GetParam().alone ? 2 : 0, GetParam().rule);
  EXPECT_EQ(rules_of(comparison), expected) << to_json(comparison).dump(1);
}

TEST_P(FairnessRule, IsUnknownWhereOneSideIsSilent) {
  const Comparison comparison = compared(removal_of(GetParam().key));
  EXPECT_EQ(rules_of(comparison), std::vector<std::string>{}) << to_json(comparison).dump(1);
  // Epochs are one way to say updates.
  const std::string key = GetParam().key == std::string("epochs") ? "updates" : GetParam().key;
  ASSERT_TRUE(is_unknown(comparison, key)) << to_json(comparison).dump(1);
  EXPECT_TRUE(comparison.fair()) << "in what both say";
  for (const Unknown& unknown : comparison.unknown) EXPECT_EQ(unknown.side, Side::a);
}

INSTANTIATE_TEST_SUITE_P(All, FairnessRule, testing::ValuesIn(broken_rules()),
                         [](const auto& tested) { return tested.param.rule + std::to_string(tested.index); });

TEST(Fairness, EveryRuleIsTested) {
  std::set<std::string> tested = {"rank_one_product", "no_warm_up"};  // below
  for (const Broken& broken : broken_rules()) tested.insert(broken.rule);
  EXPECT_EQ(tested.size(), rules().size());
}

TEST(Fairness, TwoLikeDescriptionsAreFair) {
  const Comparison comparison = compared("{}");
  EXPECT_TRUE(comparison.fair()) << to_json(comparison).dump(1);
  EXPECT_TRUE(comparison.unknown.empty() && comparison.unsaid.empty()) << to_json(comparison).dump(1);
  EXPECT_EQ(to_json(comparison)["verdict"], "fair");
  const Comparison nothing = compare(described({{"name", "x"}}, "{}"), described({{"name", "y"}}, "{}"));
  EXPECT_FALSE(nothing.fair());
  EXPECT_EQ(to_json(nothing)["verdict"], "nothing_compared");
}

TEST(Fairness, TheWorstComesFirst) {
  const Comparison comparison = compared(
      R"({"normalisation": "per_sample", "timed": ["import"], "threads": 2, "synchronises": false, "rows": 1020})");
  EXPECT_EQ(rules_of(comparison),
            (std::vector<std::string>{"no_wait", "threads", "clock_includes", "rows", "normalisation"}));
  EXPECT_TRUE(std::ranges::is_sorted(rules(), {}, &Rule::harm));
}

struct Pair {
  const char* name;
  std::string a;  // merge patches
  std::string b;
  std::vector<std::string> rules;
};

TEST(Fairness, ValuesThatBelongTogetherAreJudgedTogether) {
  const std::string vector = R"({"weights_shape": [10]})";
  const std::string cold = R"({"compiled": "none", "warm_up_steps": 0})";
  const std::string tracing = R"({"timed": ["tracing"]})";
  const std::string labels = R"({"loss": "softmax_cross_entropy", "target_shape": ["N"]})";
  const std::string symbol = R"({"prediction_shape": ["N", 4], "target_shape": [32, 4]})";
  const std::string seeded = R"({"initial": {"seed": 1, "distribution": "normal"}})";
  const std::string no_decay = R"({"optimizer": {"weight_decay": null}})";
  const Pair pairs[] = {
      {"a column and a vector", vector, R"({"weights_shape": [10, 1]})", {"rank_one_product"}},
      {"two vectors", vector, vector, {}},
      {"no warm-up of what is not compiled", cold, R"({"compiled": "none"})", {"no_warm_up"}},
      {"neither has one", cold, cold, {}},
      {"tracing is timed", tracing, tracing, {"tracing", "tracing"}},
      {"data where parameters are not said",
       R"({"parameters_dtype": null, "data_dtype": "f64"})",
       R"({"parameters_dtype": null})",
       {"dtype"}},
      {"the mean of a sum of squares", R"({"loss": "sum_of_squares"})", "{}", {}},
      // Without a decay that is added to the gradient, Adam divides a factor out again.
      {"Adam hides a factor", no_decay, R"({"loss": "half_mse", "optimizer": {"weight_decay": null}})", {}},
      {"but no rate",
       no_decay,
       R"({"loss": "half_mse", "optimizer": {"weight_decay": null, "learning_rate": 0.001}})",
       {"learning_rate"}},
      {"other seeds", seeded, R"({"initial": {"distribution": "zeros"}})", {"initial"}},
      {"class labels are no broadcast", labels, labels, {}},
      {"N is 32 here", symbol, symbol, {}},
      {"the order of a full batch", R"({"batch": "full", "shuffle": false})", R"({"batch": "full"})", {}}};
  for (const auto& [name, a, b, rules] : pairs) {
    const Comparison comparison = compared(a, b);
    EXPECT_EQ(rules_of(comparison), rules) << name;
    EXPECT_EQ(comparison.fair(), rules.empty()) << name;
  }
  const Finding finding = compared(vector, R"({"weights_shape": [10, 1]})").findings.at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.a, "(10,)");
}

TEST(Fairness, WhatIsNotSaidOrProvenIsUnknown) {
  const std::string integers = R"({"data_dtype": "uint8", "casts_per_step": null})";
  const std::string seeded = R"({"initial": {"seed": 1, "distribution": "normal"}})";
  const auto expect_unknown = [](const Comparison& comparison, const std::string& key) {
    EXPECT_TRUE(comparison.findings.empty()) << key;
    EXPECT_TRUE(is_unknown(comparison, key)) << to_json(comparison).dump(1);
  };
  expect_unknown(compared(R"({"compiled": "none", "warm_up_steps": null})", R"({"compiled": "none"})"),
                 "warm_up_steps");
  expect_unknown(compared(R"({"batch": "full", "rows": null, "epochs": null, "updates": 320})"), "batch");
  expect_unknown(compared(integers, integers), "casts_per_step");
  expect_unknown(compared(seeded, seeded), "initial");
  EXPECT_FALSE(compared(seeded, seeded).unknown[0].side) << "copied ones are";
}

TEST(Fairness, FindingsHaveTheirFigures) {
  const Comparison updates =
      compared(R"({"rows": 5, "epochs": 1, "batch": "full"})", R"({"rows": 5, "epochs": 1, "batch": 1})");
  ASSERT_EQ(rules_of(updates), std::vector<std::string>{"rows_of_a_step"}) << "updates of other batches are no other";
  EXPECT_EQ(updates.findings[0].a, "1 update of 5 rows");
  EXPECT_EQ(updates.findings[0].b, "5 updates of 1 row");
  EXPECT_EQ(updates.findings[0].ratio, 0.2);
  const Comparison casts = compared(R"({"data_dtype": "uint8", "casts_per_step": 1})");
  ASSERT_EQ(rules_of(casts), std::vector<std::string>{"casts"});
  EXPECT_EQ(casts.findings[0].a, "1 of uint8 data");
}

struct Factor {
  const char* a;
  const char* b;
  std::optional<double> ratio;          // of the gradients
  std::optional<double> learning_rate;  // that makes up for it
};

TEST(Fairness, FactorsOfAGradientAreMadeUpForByTheRate) {
  const char* unsaid = R"({"prediction_shape": null, "target_shape": null, "loss_reduction": "mean_over_rows"})";
  const char* half = R"({"loss": "half_mse"})";
  const Factor factors[] = {
      {"{}", half, 2, 0.02},
      // A wrong rate besides is no finding of its own: the right one has been named.
      {"{}", R"({"loss": "half_mse", "optimizer": {"learning_rate": 0.03}})", 2, 0.02},
      {R"({"loss_reduction": "sum"})", "{}", 32 * 4, 1.28},
      {R"({"loss_reduction": "mean_over_rows"})", "{}", 4, 0.04},
      {R"({"loss": "sum_of_squares", "loss_reduction": null})", "{}", 32 * 4, 1.28},
      {unsaid, R"({"prediction_shape": null, "target_shape": null})", std::nullopt, std::nullopt}};
  for (const auto& [a, b, ratio, learning_rate] : factors) {
    const Comparison comparison = compared(a, b, plain_description());
    ASSERT_EQ(rules_of(comparison), std::vector<std::string>{"gradient_factor"}) << a << b;
    EXPECT_EQ(comparison.findings[0].ratio, ratio) << a << b;
    EXPECT_EQ(comparison.findings[0].learning_rate, learning_rate) << a << b;
  }
  const char* made_up = R"({"loss": "half_mse", "optimizer": {"learning_rate": 0.02}})";
  EXPECT_TRUE(compared("{}", made_up, plain_description()).fair());
  const Comparison parts = compared(R"({"accumulation": {"divides": false}})", "{}", plain_description());
  EXPECT_EQ(parts.findings.at(0).ratio, 2);
  EXPECT_EQ(parts.findings.at(0).learning_rate, 0.02);
  EXPECT_FALSE(compared("{}", half).findings.at(0).learning_rate) << "Adam adds its decay to the gradient";
}

}  // namespace
}  // namespace gdbench::fairness
