#include "harness/questions/ablation/ablation.h"

#include <gtest/gtest.h>

namespace gdbench::ablation {
namespace {

const protocol::OptionDeclaration kParts = {"parts", protocol::OptionType::switches, "all", {"a", "b", "c"}, ""};

TEST(AblationVariants, SwitchOffWhatIsOnOneByOneAndSayWhatTheyLack) {
  using Values = std::vector<std::string>;
  const std::pair<const char*, Values> cases[] = {{"all", {"all", "-a", "-b", "-c", "none"}},
                                                  {"-b", {"-b", "-b,-a", "-b,-c", "none"}},
                                                  {"none,+c", {"none,+c", "none,+c,-c"}},
                                                  {"none", {"none"}},
                                                  {"nonsense", {"nonsense"}}};  // refused by the plan
  for (const auto& [value, expected] : cases) {
    Values values;
    for (const report::AblationVariant& variant : ablation_variants(kParts, value)) values.push_back(variant.value);
    EXPECT_EQ(values, expected);
  }
  const auto variants = ablation_variants(kParts, "all");
  EXPECT_TRUE(variants.front().as_it_is());
  EXPECT_EQ(variants[2].without, "b");
  EXPECT_FALSE(variants[2].as_it_is());
  EXPECT_TRUE(variants.back().everything_off);
  EXPECT_FALSE(variants.back().as_it_is());
}

}  // namespace
}  // namespace gdbench::ablation
