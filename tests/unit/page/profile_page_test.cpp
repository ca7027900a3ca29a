#include "reports/page/profile_page.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/support/reports/example_profile.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

bool holds(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

// Widths of the boxes of the flame chart by what they are called.
std::map<std::string, double> widths_of_boxes(const std::string& page) {
  const std::regex box(R"re(<rect class="k\d l"[^>]* width="([0-9.]+)"[^>]*><title>([^<]*), [^,<]*, [^,<]*</title>)re");
  std::map<std::string, double> widths;
  for (std::sregex_iterator found(page.begin(), page.end(), box), end; found != end; ++found) {
    widths[(*found)[2]] = std::stod((*found)[1]);
  }
  return widths;
}

TEST(Golden, ProfilePage) {
  report::Profile profile = tests::layered_profile();
  profile.records.erase(profile.records.begin() + 2, profile.records.begin() + 5);  // more of the same
  profile.records.push_back({.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 5000});
  profile.dispatches_per_step = 7;
  profile.floor = {{"empty call", 12}};
  profile.ops = {.profiler = "a.profiler", .steps = 30, .step_ns = 180, .records = {}};
  profile.ops->records.push_back(
      {.phase = report::Phase::forward, .op = "addmm", .calls = 1, .time_ns = 45, .layers = {{1}}});
  expect_golden_page("profile", profile_page(profile));
}

// 758 pixels are 100 ns.
TEST(ProfilePage, BoxesAreAsWideAsTheirTime) {
  const std::map<std::string, double> widths = widths_of_boxes(profile_page(tests::example_profile()));
  const auto expect_width = [&](const std::string& name, double time_ns) {
    ASSERT_TRUE(widths.contains(name)) << name;
    EXPECT_NEAR(widths.at(name), 7.58 * time_ns, 1) << name;
  };
  expect_width("step", 100);
  expect_width("forward: all of it", 40);
  expect_width("backward: product", 30);
  expect_width("unattributed", 30);
  EXPECT_EQ(widths.size(), 6U);
}

TEST(ProfilePage, HasNoFlameChartWhereAStepTookNoTime) {
  report::Profile profile = tests::example_profile();
  profile.profiled_step_ns = 0;
  EXPECT_FALSE(holds(profile_page(profile), "id=\"flame\""));
}

TEST(ProfilePage, NamesOfOpsAreText) {
  report::Profile profile = tests::layered_profile();
  profile.cell = "</title><script>alert(1)</script>";
  for (report::ProfileRecord& record : profile.records) record.op = "\"><img src=x> \u202eexe";
  const std::string page = profile_page(profile);
  EXPECT_FALSE(holds(page, "<img"));
  EXPECT_FALSE(holds(page, "<script>alert"));
  EXPECT_FALSE(holds(page, "\u202e"));
  EXPECT_TRUE(holds(page, "&lt;img src=x&gt;"));
}

}  // namespace
}  // namespace gdbench::page
