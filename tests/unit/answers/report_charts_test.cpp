#include "reports/answers/report_charts.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/base/text.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

using tests::MadeReport;
using Names = std::vector<std::string>;

// A scenario of the name before the brackets.
MadeReport& add_scenario(MadeReport& made, const std::string& label, std::int64_t rows = 1, double operations = 0) {
  report::ScenarioRecord& scenario = made.scenario(label).report().scenarios.back();
  scenario.name = label.substr(0, label.find('['));
  scenario.rows = rows;
  scenario.operations_per_step = operations;
  return made;
}

const std::vector<report::LossPoint> kFalling = {{0, 2}, {10, 1}, {20, 0.5}};

// A training of that scenario, with the losses of its evaluations, or without.
void add_training(MadeReport& made, const std::string& label, const std::string& implementation, double step_ns,
                  std::optional<std::vector<report::LossPoint>> curve = kFalling) {
  const std::vector<report::ScenarioRecord>& scenarios = made.report().scenarios;
  if (scenarios.empty() || scenarios.back().label != label) add_scenario(made, label);
  report::TargetRun& target = made.timed(implementation, step_ns).target.emplace();
  target.stopped_after = 20;
  target.curve = std::move(curve);
}

// The figures of losses, and the names of what each shows.
std::pair<Figures, std::vector<Names>> losses_of(const MadeReport& made) {
  const report::Report report = made.summarised();
  Figures figures = losses_over_steps(tables_of(report));
  std::vector<Names> names;
  for (const document::Figure& figure : figures) {
    Names& own = names.emplace_back();
    for (const auto& series : std::get<document::Plane>(figure.chart).series) own.push_back(series.name);
  }
  return {figures, names};
}

TEST(LossesOverSteps, TakeTheFastestThatKnowsItsLosses) {
  MadeReport made("");
  add_training(made, "s[dtype=bf16,initial_seed=1]", "a/x", 2);
  add_training(made, "s[dtype=bf16,initial_seed=1]", "a/y", 1, std::nullopt);
  add_training(made, "s[dtype=f32,initial_seed=1]", "a/x", 2);
  add_training(made, "s[dtype=f32,initial_seed=1]", "a/y", 1);
  const auto [figures, names] = losses_of(made);
  EXPECT_EQ(names, (std::vector<Names>{{"dtype=bf16", "dtype=f32"}})) << "a seed is no setting";
  EXPECT_EQ(figures.at(0).title, "s: loss over steps");
  EXPECT_EQ(figures.at(0).data[1].texts, (Names{"a/x", "a/y"}));
  EXPECT_EQ(figures.at(0).data[2].texts, (Names{"20", "20"}));
}

TEST(LossesOverSteps, HaveSeedsOfOneSettingTogether) {
  MadeReport made("");
  for (const int seed : {1, 2, 3}) {
    add_training(made, cat("s[initial_seed=", seed, ",target.loss=0.5]"), "a/x", 1);
    add_training(made, cat("s[dtype=bf16,initial_seed=", seed, ",target.loss=0.5]"), "a/x", 1);
  }
  const std::string as_it_is = "as it is";
  const std::string bf16 = "dtype=bf16";
  EXPECT_EQ(losses_of(made).second, (std::vector<Names>{{as_it_is, as_it_is, as_it_is, bf16, bf16, bf16}}));
}

TEST(LossesOverSteps, AreNotShownWhereNothingDiffers) {
  MadeReport made("");
  add_training(made, "s[initial_seed=1]", "a/x", 1);
  add_training(made, "s[initial_seed=2]", "a/x", 1);
  add_training(made, "t[dtype=f64]", "a/x", 1, std::nullopt);
  EXPECT_TRUE(losses_of(made).first.empty());
}

// "rows of s: 100 1000; "
std::string axes_in(const MadeReport& made) {
  const report::Report report = made.summarised();
  const std::vector<ScenarioTable> tables = tables_of(report);
  std::string text;
  for (const SizeAxis& axis : axes_of(tables)) {
    text += cat(axis.quantity, " of ", axis.rest, ":");
    for (const SizeAxis::Point& point : axis.points) text += formatted(" %g", point.value);
    text += "; ";
  }
  return text;
}

TEST(SizeAxes, AreTheQuantitiesThatLabelsDifferIn) {
  MadeReport made("");
  for (const auto& [label, rows] :
       {std::pair("s[rows=1000]", 1000), std::pair("s", 100), std::pair("s[dtype=f64,rows=10]", 10),
        std::pair("s[dtype=f64,rows=20]", 20), std::pair("t", 7)})
    add_scenario(made, label, rows).timed("a/x", 1);
  EXPECT_EQ(axes_in(made), "rows of s: 100 1000; rows of s[dtype=f64]: 10 20; ");
}

TEST(SizeAxes, AreOperationsWhereThereIsNoQuantity) {
  MadeReport made("");
  for (const auto& [label, operations] : {std::pair("s", 3e6), std::pair("t", 2e3)})
    add_scenario(made, label, 1, operations).timed("a/x", 1);
  EXPECT_EQ(axes_in(made), "") << "two are no axis";
  add_scenario(made, "u", 1, 40).timed("a/x", 1);
  EXPECT_EQ(axes_in(made), "operations of : 40 2000 3e+06; ");
}

struct Race {
  std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> times;  // of a and b by rows, by launch
  std::string says;
};

TEST(TimesOverSizes, SayWhoIsFasterFromWhereOn) {
  const std::vector<double> one(7, 1);
  const std::vector<double> ten(7, 10);
  for (const Race& race : std::vector<Race>{
           // Equal at log 10 / (log 10 + log 20) = 0.435 of the way in the first launch, at 0.589 in the last.
           {{{1, {one, ten}}, {100, {{50, 60, 80, 100, 120, 150, 200}, ten}}},
            "b/x is faster than a/x from 10 [7.4, 15] on."},
           {{{1, {{1, 1, 1, 1, 1, 1, 20}, ten}}, {100, {std::vector<double>(7, 100), ten}}},
            "Verdicts name a fastest at 1 of 2 sizes."},
           {{{1, {{1}, {2}}}, {10, {}}, {100, {{1}, {2}}}}, "Verdicts name a fastest at 0 of 2 sizes."},
           {{{1, {one, ten}}, {100, {one, ten}}}, "a/x is the fastest at every size."}}) {
    MadeReport made("", 0);
    for (const auto& [rows, times] : race.times) {
      add_scenario(made, cat("s[rows=", rows, "]"), rows);
      for (const auto& [name, own] : {std::pair("a/x", times.first), {"b/x", times.second}}) {
        if (own.empty()) continue;
        report::Cell& cell = made.timed(name, 1);
        for (const double time : own)
          cell.samples.push_back(
              {.launch = static_cast<int>(cell.samples.size()), .round = 1, .steps = 1, .real_ns = time});
      }
    }
    const report::Report report = made.summarised();
    document::Hues hues;
    std::string said;
    for (const auto& figure : times_over_sizes(report, tables_of(report), hues)) said += figure.sentence;
    for (const char* sentence : {" is faster than ", " is the fastest", "Verdicts name"}) {
      EXPECT_EQ(said.find(sentence) != std::string::npos, race.says.find(sentence) != std::string::npos) << race.says;
    }
    EXPECT_NE(said.find(race.says), std::string::npos) << race.says << "\n" << said.substr(0, 400);
  }
}

}  // namespace
}  // namespace gdbench::answers
