#include <gtest/gtest.h>

#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::Files;
using tests::linear_scenario;

using nlohmann::json;
using TargetKey = Files;

TEST_F(TargetKey, HasDefaultsThatFollowTheSteps) {
  const std::tuple<std::vector<Setting>, const char*> rows[] = {
      {{{"target.loss", "0.02"}}, R"({"loss": 0.02, "most_steps": 10000, "evaluate_every": 10})"},
      {{{"target", R"({"relative": 0.5, "most_steps": 3})"}},
       R"({"relative": 0.5, "most_steps": 3, "evaluate_every": 3})"},
      {{{"steps", "1"}, {"target.loss", "1"}}, R"({"loss": 1.0, "most_steps": 100, "evaluate_every": 1})"},
  };
  for (const auto& [settings, target] : rows) {
    const json first = resolved(linear_scenario(), settings);
    EXPECT_EQ(first["target"], json::parse(target));
    EXPECT_EQ(resolved(first), first);
  }
}

TEST_F(TargetKey, ScenariosWithoutOneKeepTheirIdentity) {
  const auto identity = [&](const std::vector<Setting>& settings) {
    return read_scenario(write_json(linear_scenario()), settings).value().identity();
  };
  // Computed before there were targets, conditions and densities.
  EXPECT_EQ(identity({}), "3b51725efb3f5c8f");
  EXPECT_EQ(identity({{"data.condition", "1"}, {"data.density", "1"}}), "3b51725efb3f5c8f");
  EXPECT_NE(identity({{"target.loss", "0.5"}}), identity({}));
  EXPECT_NE(identity({{"target.loss", "0.5"}}), identity({{"target.relative", "0.5"}}));
  EXPECT_NE(identity({{"data.condition", "10"}}), identity({}));
  EXPECT_NE(identity({{"data.density", "0.5"}}), identity({}));
}

TEST_F(TargetKey, SaysWhatIsWrongInOneLine) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"{}",
       "found neither loss nor relative, expected exactly one: \"loss\", or \"relative\", a part of the initial loss"},
      {R"({"loss": 1, "relative": 0.5})",
       "found both of loss and relative, expected exactly one: \"loss\", or \"relative\", a part of the initial loss"},
      {"3", "found 3, expected an object"},
      {R"({"loss": 0})", "(/target/loss): found 0, expected a positive number"},
      {R"({"relative": 1})", "(/target/relative): found 1, expected a number above 0 and below 1"},
      {R"({"loss": 1, "most_steps": 0})", "(/target/most_steps): found 0, expected an integer from 1 to 1000000000000"},
      {R"({"loss": 1, "most_steps": 5, "evaluate_every": 6})",
       "(/target/evaluate_every): found 6, expected an integer from 1 to 5"},
      {R"({"loss": 1, "every": 6})",
       "(/target/every): found an unknown key, expected one of loss, relative, most_steps, evaluate_every"},
  };
  for (const auto& [value, message] : faults) {
    const std::string error = read_error(linear_scenario(), {{"target", value}});
    EXPECT_EQ(error, "s.json: --set target" + std::string(message[0] == '(' ? " " : ": ") + message);
  }
}

}  // namespace
}  // namespace gdbench::scenario
