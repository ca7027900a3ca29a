// Which references are made for the cells of a scenario, and which are kept in files.
#include <algorithm>
#include <filesystem>
#include <string>

#include "harness/measure/verify_cell.h"
#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

class ReferenceTrajectoriesTest : public FakeRun {
 protected:
  std::size_t kept() const {
    const std::filesystem::path cache = folder_.path() / "cache";
    if (!std::filesystem::exists(cache)) return 0;
    const std::filesystem::directory_iterator entries(cache);
    return static_cast<std::size_t>(std::ranges::distance(entries));
  }
  ReferenceTrajectories references() {
    options_.reference_cache = folder_.path() / "cache";
    return {*plan_.scenarios[0], options_};
  }
};

TEST_F(ReferenceTrajectoriesTest, KeepWhatTakesLongToMake) {
  add("a/tf32");
  catalogue_.back().implementation.capabilities = {"tf32_products"};
  make_plan();
  EXPECT_TRUE(references().status().ok());
  EXPECT_EQ(kept(), 0U) << "quicker to make than to read";
  const auto seconds = [this] { return verify::reference_seconds(plan_.scenarios[0]->problem, {}); };
  for (int rows = 50'000; seconds() < 0.05; rows *= 2) {
    report_ = {};
    make_plan({"mlp-10-50-1"}, {{"rows", std::to_string(rows)}, {"model.layers.0.activation", "identity"}});
  }
  EXPECT_TRUE(references().status().ok());
  EXPECT_EQ(kept(), 1U);
  ReferenceTrajectories found = references();
  EXPECT_EQ(kept(), 1U);
  EXPECT_TRUE(found.of(plan_.scenarios[0]->cells.at(0)).ok());
  EXPECT_EQ(kept(), 2U) << "that of another arithmetic";
}

TEST_F(ReferenceTrajectoriesTest, NameTheScenarioThatIsUnfit) {
  add("a/right");
  const auto words = [this](const std::string& scenario, const std::vector<scenario::Setting>& settings) {
    report_ = {};
    make_plan({scenario}, settings);
    const Status status = references().status();
    EXPECT_TRUE(status.ok() || status.error().kind == ErrorKind::usage);
    return status.ok() ? "" : status.error().message;
  };
  const std::string diverged = words("linreg-3x2", {{"learning_rate", "1e20"}});
  EXPECT_NE(diverged.find("/scenarios/linreg-3x2.json: /optimizer/learning_rate: found 1e+20, at which training "
                          "diverges: its loss or its parameters are not finite from step 2; expected less than "),
            std::string::npos)
      << diverged;
  // Five steps beyond the bound are nothing yet; as many as the scenario has are followed.
  EXPECT_EQ(words("linreg-300x2", {{"learning_rate", "1.5"}, {"steps", "2"}}), "");
  EXPECT_NE(words("linreg-300x2", {{"learning_rate", "1.5"}, {"steps", "50"}}), "");
  options_.limits.memory_bytes = 100;
  const std::string large = words("linreg-3x2", {});
  EXPECT_NE(large.find("/scenarios/linreg-3x2.json: /model: found 2 parameters"), std::string::npos) << large;
}

}  // namespace
}  // namespace gdbench::measure
