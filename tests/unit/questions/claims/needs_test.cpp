// Which cells a claim's verdict rests on.
#include "harness/questions/claims/needs.h"

#include <gtest/gtest.h>

#include "tests/unit/questions/claims/judged_report.h"

namespace gdbench::claims {
namespace {

using nlohmann::json;
using scenario::Point;
using tests::claim_of;
using tests::MadeCell;
using tests::slower;
using Names = std::set<std::string>;

tests::Needed needed(const json& relations, const tests::MakeCell& make = slower("one/x", 2)) {
  const json matrix = {
      {"axes", {{"scenario", "mlp-10-50-1"}, {"batch", {1, 32, 256}}, {"implementation", {"one/x", "two/x"}}}}};
  return tests::needed(claim_of(matrix, relations), make, "batch");
}

json comparison(const char* kind, const json& more) {
  json object = {
      {"kind", kind}, {"quantity", "step"}, {"a", {{"implementation", "one/x"}}}, {"b", {{"implementation", "two/x"}}}};
  object.update(more);
  return object;
}

TEST(Needs, APointThatIsNotNamedIsBeside) {
  const tests::Needed cells =
      needed(json::array({comparison("ratio", {{"at_least", 3}, {"at", {{"batch", {1, 256}}}}})}));
  EXPECT_EQ(cells.deciding, (Names{"one/x 1", "one/x 256", "two/x 1", "two/x 256"}));
  EXPECT_EQ(cells.beside, (Names{"one/x 32", "two/x 32"}));
  EXPECT_FALSE(cells.lacks_some);
}

TEST(Needs, OfATrendTheEndsDecideAndOfWhatIsShownNothing) {
  const json trend = comparison("trend", {{"at_least", 3}, {"along", "batch"}});
  const json shown = comparison("ratio", {{"at_least", 3}, {"decides", false}});
  const tests::Needed cells = needed(json::array({trend, shown}));
  EXPECT_EQ(cells.deciding, (Names{"one/x 1", "one/x 256", "two/x 1", "two/x 256"}));
  EXPECT_EQ(cells.beside, (Names{"one/x 1", "one/x 256", "one/x 32", "two/x 1", "two/x 256", "two/x 32"}));
}

TEST(Needs, ACellThatCannotBeMeasuredIsLacking) {
  const tests::Needed cells = needed(json::array({comparison("ratio", {{"at_least", 3}})}), [](const Point& point) {
    MadeCell cell;
    if (point.implementation == "two/x") cell.status = {report::CellState::unsupported, "no"};
    return cell;
  });
  EXPECT_EQ(cells.deciding, (Names{"one/x 1", "one/x 256", "one/x 32"}));
  EXPECT_TRUE(cells.lacks_some);
}

}  // namespace
}  // namespace gdbench::claims
