// The claims that come with the project.
#include <gtest/gtest.h>

#include <set>

#include "harness/questions/claims/claim.h"
#include "harness/questions/claims/expand.h"

namespace gdbench::claims {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios";

// Native implementations whose options the claims name; frameworks are found by their names in the claims.
const std::vector<scenario::KnownImplementation> kImplementations = {{"hand/naive"},
                                                                     {"hand/eigen"},
                                                                     {"tape/eigen"},
                                                                     {"tape/eigen+rerecord"},
                                                                     {"hand/blas"},
                                                                     {"loop/plain"},
                                                                     {"graph/eigen"},
                                                                     {"hand/eigen+mpi", true},
                                                                     {"tape/eigen+mpi", true},
                                                                     {"hand/onednn+mpi", true},
                                                                     {"graph/jit+mpi", true}};

TEST(ShippedClaims, AreReadAndNameOnlyWhatThereIs) {
  const Result<std::vector<scenario::KnownScenario>> scenarios = scenario::list_scenarios({kFolder});
  ASSERT_TRUE(scenarios.ok()) << scenarios.error().message;
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "claims")) {
    const Result<Claim> claim = read_claim(entry.path());
    ASSERT_TRUE(claim.ok()) << claim.error().message;
    ids.insert(claim->id);
    EXPECT_GT(claim->purpose.size(), 40U) << claim->id;
    const Result<ExpandedClaim> expanded = expand(claim.value(), scenarios.value(), kImplementations);
    ASSERT_TRUE(expanded.ok()) << expanded.error().message;
    for (const scenario::Point& point : expanded->points) {
      const Result<scenario::Scenario> read = scenario::read_scenario(point.scenario_file, point.scenario_settings);
      EXPECT_TRUE(read.ok()) << claim->id << ": " << read.error().message;
      EXPECT_EQ(point.implementation.find('*'), std::string::npos) << "a claim says which implementations decide it";
    }
    // Two modes of one framework, or two frameworks: never another implementation in a framework's place.
    for (const ExpandedRelation& relation : expanded->relations) EXPECT_LE(relation.pairs.size(), 12U);
  }
  EXPECT_EQ(ids.size(), 30U);
}

}  // namespace
}  // namespace gdbench::claims
