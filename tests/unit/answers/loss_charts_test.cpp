#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "reports/answers/report_charts.h"

namespace gdbench::answers {
namespace {

class LossCurvesTest : public testing::Test {
 protected:
  // A timed cell that was trained, with the losses of its evaluations, or without.
  void add(const std::string& label, const std::string& implementation, double step_ns,
           std::optional<std::vector<report::LossPoint>> curve) {
    if (report_.scenarios.empty() || report_.scenarios.back().label != label) {
      report::ScenarioRecord scenario;
      scenario.key = scenario.label = label;
      scenario.name = label.substr(0, label.find('['));
      report_.scenarios.push_back(scenario);
    }
    report::Cell cell;
    cell.id = label + "/" + implementation;
    cell.scenario = label;
    cell.implementation = implementation;
    cell.status.state = report::CellState::ok;
    cell.summary.emplace();
    cell.summary->step_ns = {.value = step_ns, .interval = {step_ns, step_ns}, .launches = 5};
    cell.target.emplace();
    cell.target->stopped_after = 20;
    cell.target->curve = std::move(curve);
    report_.cells.push_back(cell);
  }

  Figures figures() {
    tables_ = tables_of(report_);
    return losses_over_steps(tables_);
  }

 private:
  report::Report report_;
  std::vector<ScenarioTable> tables_;
};

std::vector<std::string> names_of(const document::Figure& figure) {
  std::vector<std::string> names;
  for (const document::Series& series : std::get<document::Plane>(figure.chart).series) names.push_back(series.name);
  return names;
}

const std::vector<report::LossPoint> kFalling = {{0, 2}, {10, 1}, {20, 0.5}};

TEST_F(LossCurvesTest, TakesTheFastestThatKnowsItsLosses) {
  add("s[dtype=bf16,initial_seed=1]", "a/x", 2, kFalling);
  add("s[dtype=bf16,initial_seed=1]", "a/y", 1, std::nullopt);
  add("s[dtype=f32,initial_seed=1]", "a/x", 2, kFalling);
  add("s[dtype=f32,initial_seed=1]", "a/y", 1, kFalling);
  const Figures found = figures();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "s: loss over steps");
  EXPECT_EQ(names_of(found[0]), (std::vector<std::string>{"dtype=bf16", "dtype=f32"})) << "a seed is no setting";
  EXPECT_EQ(found[0].data[1].texts, (std::vector<std::string>{"a/x", "a/y"}));
  EXPECT_EQ(found[0].data[2].texts, (std::vector<std::string>{"20", "20"}));
}

TEST_F(LossCurvesTest, PutsSeedsOfOneSettingTogether) {
  for (const char* seed : {"1", "2", "3"}) {
    add(std::string("s[initial_seed=") + seed + ",target.loss=0.5]", "a/x", 1, kFalling);
    add(std::string("s[dtype=bf16,initial_seed=") + seed + ",target.loss=0.5]", "a/x", 1, kFalling);
  }
  const Figures found = figures();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(names_of(found[0]),
            (std::vector<std::string>{"as it is", "as it is", "as it is", "dtype=bf16", "dtype=bf16", "dtype=bf16"}));
}

TEST_F(LossCurvesTest, ShowsNothingWhereNothingDiffers) {
  add("s[initial_seed=1]", "a/x", 1, kFalling);
  add("s[initial_seed=2]", "a/x", 1, kFalling);
  add("t[dtype=f64]", "a/x", 1, std::nullopt);
  EXPECT_TRUE(figures().empty());
}

}  // namespace
}  // namespace gdbench::answers
