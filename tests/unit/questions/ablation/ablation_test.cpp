#include "harness/questions/ablation/ablation.h"

#include <gtest/gtest.h>

namespace gdbench::ablation {
namespace {

const protocol::OptionDeclaration kParts = {"parts", protocol::OptionType::switches, "all", {"a", "b", "c"}, ""};

std::vector<std::string> values_of(const std::vector<report::AblationVariant>& variants) {
  std::vector<std::string> values;
  for (const report::AblationVariant& variant : variants) values.push_back(variant.value);
  return values;
}

TEST(AblationVariants, SwitchOffWhatIsOnOneByOne) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(values_of(ablation_variants(kParts, "all")), (Values{"all", "-a", "-b", "-c", "none"}));
  EXPECT_EQ(values_of(ablation_variants(kParts, "-b")), (Values{"-b", "-b,-a", "-b,-c", "none"}));
  EXPECT_EQ(values_of(ablation_variants(kParts, "none,+c")), (Values{"none,+c", "none,+c,-c"}));
  EXPECT_EQ(values_of(ablation_variants(kParts, "none")), (Values{"none"}));
  EXPECT_EQ(values_of(ablation_variants(kParts, "nonsense")), (Values{"nonsense"}));  // refused by the plan
}

TEST(AblationVariants, SayWhatTheyLack) {
  const auto variants = ablation_variants(kParts, "all");
  EXPECT_TRUE(variants.front().as_it_is());
  EXPECT_EQ(variants[2].without, "b");
  EXPECT_FALSE(variants[2].as_it_is());
  EXPECT_TRUE(variants.back().everything_off);
  EXPECT_FALSE(variants.back().as_it_is());
}

}  // namespace
}  // namespace gdbench::ablation
