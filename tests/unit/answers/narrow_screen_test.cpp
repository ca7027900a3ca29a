// What a screen shows that has no room for all.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/base/text.h"
#include "reports/answers/console.h"
#include "tests/unit/answers/made_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using report::Report;
using tests::MadeReport;

TEST(NarrowScreen, LeavesOutThoseThatAreFarthestBehindFirst) {
  MadeReport made("example/base");
  for (const char* scenario : {"first", "second"}) {
    made.scenario(scenario, {{"example/base", 1000}, {"a/near", 30}, {"b/behind", 400}, {"c/winner", 10}});
    for (report::Launch& launch : made.timed("d/framework", 600).launches) launch.import_seconds = 1;
    made.timed("e/farthest", 800);
  }
  const Report report = made.summarised();
  std::vector<std::string> said;
  for (int width = 100; width >= 40; --width) {
    std::string text = first_screen(report, {false, width});
    std::ranges::replace(text, '\n', ' ');
    const std::size_t begin = text.find("Left out for lack of width: ");
    if (begin == std::string::npos) continue;
    text = text.substr(begin, text.find('.', begin) - begin);
    if (said.empty() || said.back() != text) said.push_back(text);
  }
  const std::string start = "Left out for lack of width: e/farthest";
  EXPECT_EQ(said, (std::vector<std::string>{start, start + ", b/behind", start + ", b/behind, a/near",
                                            start + ", d/framework, b/behind, a/near"}));
}

TEST(NarrowScreen, CountsWhatItDoesNotName) {
  MadeReport made("example/base");
  made.scenario("first").timed("example/base", 100);
  for (const char* name : {"a/1", "a/2", "a/3", "a/4", "a/5"}) made.timed(name, 200);
  Report report = made.summarised();
  for (std::size_t i = 1; i < 6; ++i) report.cells[i].summary->not_ranked = "used 2 processors";
  report.conditions.emplace();
  for (const char* name : {"load", "clock", "heat"})
    report.conditions->push_back({name, report::Severity::warning, "high", "", ""});
  const std::string screen = first_screen(report, {});
  for (const char* words : {"and 2 more cells without a rank.", "load: high", "clock: high", "and 1 more warning"})
    EXPECT_TRUE(tests::says(screen, words)) << words << "\n" << screen;
}

TEST(NarrowScreen, CountsRowsThatAreNotShown) {
  MadeReport made("a/0");
  made.scenario("first");
  for (int i = 0; i < 28; ++i) made.timed(cat("a/", i), 100 + i);
  EXPECT_TRUE(tests::says(first_screen(made.summarised(), {}), "and 3 more rows"));
}

}  // namespace
}  // namespace gdbench::answers
