#include <gtest/gtest.h>

#include "harness/measure/eligibility.h"

namespace gdbench::measure {
namespace {

using protocol::OptionDeclaration;
using protocol::OptionType;
using On = std::vector<bool>;

const OptionDeclaration kSwitches = {"parts", OptionType::switches, "all", {"a", "b", "c-d"}, ""};

TEST(Switches, WordsApplyInOrder) {
  const std::pair<const char*, On> cases[] = {
      {"", {true, true, true}},           {"all", {true, true, true}},       {"none", {false, false, false}},
      {"-a", {false, true, true}},        {"-a,-c-d", {false, true, false}}, {"none,+b", {false, true, false}},
      {"+b,none", {false, false, false}}, {"-a,+a", {true, true, true}},     {"-a,", {false, true, true}},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(parse_switches(kSwitches, value), expected) << value;
  for (const char* wrong : {"a", "-", "+", "-e", "-a,b", "*a", "-a -b", "-none"}) {
    EXPECT_FALSE(parse_switches(kSwitches, wrong)) << wrong;
  }
}

TEST(Switches, OneMoreIsSwitchedOff) {
  for (const char* all : {"all", ""}) EXPECT_EQ(without_switch(all, "a"), "-a") << all;
  for (const char* some : {"-b", "none,+a,+b"}) EXPECT_EQ(without_switch(some, "a"), std::string(some) + ",-a");
}

TEST(Switches, AreFoundAmongTheOptions) {
  protocol::ImplementationDescription implementation;
  implementation.options = {{"tile", OptionType::integer, "8", {}, ""}, {"none", OptionType::switches, "all", {}, ""}};
  EXPECT_EQ(find_switches(implementation), nullptr);  // without names there is nothing to switch
  implementation.options.push_back(kSwitches);
  ASSERT_NE(find_switches(implementation), nullptr);
  EXPECT_EQ(find_switches(implementation)->key, "parts");
}

}  // namespace
}  // namespace gdbench::measure
