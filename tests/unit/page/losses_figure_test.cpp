#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "reports/page/report_figures.h"

namespace gdbench::page {
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
    cell.target->curve = std::move(curve);
    report_.cells.push_back(cell);
  }

  std::vector<LossCurves> curves() {
    tables_ = render::tables_of(report_);
    return loss_curves_of(tables_);
  }

 private:
  report::Report report_;
  std::vector<render::ScenarioTable> tables_;
};

const std::vector<report::LossPoint> kFalling = {{0, 2}, {10, 1}, {20, 0.5}};

TEST_F(LossCurvesTest, TakesTheFastestThatKnowsItsLosses) {
  add("s[dtype=bf16,initial_seed=1]", "a/x", 2, kFalling);
  add("s[dtype=bf16,initial_seed=1]", "a/y", 1, std::nullopt);
  add("s[dtype=f32,initial_seed=1]", "a/x", 2, kFalling);
  add("s[dtype=f32,initial_seed=1]", "a/y", 1, kFalling);
  const std::vector<LossCurves> found = curves();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "s");
  ASSERT_EQ(found[0].curves.size(), 2U);
  EXPECT_EQ(found[0].curves[0].setting, "dtype=bf16") << "a seed is no setting";
  EXPECT_EQ(found[0].curves[0].cell->implementation, "a/x");
  EXPECT_EQ(found[0].curves[1].cell->implementation, "a/y");
}

TEST_F(LossCurvesTest, PutsSeedsOfOneSettingTogether) {
  for (const char* seed : {"1", "2", "3"}) {
    add(std::string("s[initial_seed=") + seed + ",target.loss=0.5]", "a/x", 1, kFalling);
    add(std::string("s[dtype=bf16,initial_seed=") + seed + ",target.loss=0.5]", "a/x", 1, kFalling);
  }
  const std::vector<LossCurves> found = curves();
  ASSERT_EQ(found.size(), 1U);
  std::vector<std::string> settings;
  for (const LossCurves::Curve& curve : found[0].curves) settings.push_back(curve.setting);
  EXPECT_EQ(settings,
            (std::vector<std::string>{"as it is", "as it is", "as it is", "dtype=bf16", "dtype=bf16", "dtype=bf16"}));
}

TEST_F(LossCurvesTest, ShowsNothingWhereNothingDiffers) {
  add("s[initial_seed=1]", "a/x", 1, kFalling);
  add("s[initial_seed=2]", "a/x", 1, kFalling);
  add("t[dtype=f64]", "a/x", 1, std::nullopt);
  EXPECT_TRUE(curves().empty());
}

TEST_F(LossCurvesTest, DrawsALineForEachTrainingAndANumberForEach) {
  add("s[dtype=bf16]", "a/x", 1, kFalling);
  add("s[dtype=f32]", "a/x", 1, kFalling);
  Markup markup;
  add_losses(markup, curves().at(0), "losses-1");
  const std::string text = markup.take();
  EXPECT_NE(text.find("s: loss over steps"), std::string::npos);
  EXPECT_NE(text.find("c s0"), std::string::npos);
  EXPECT_NE(text.find("c s1"), std::string::npos);
  EXPECT_NE(text.find("s[dtype=bf16]"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::page
