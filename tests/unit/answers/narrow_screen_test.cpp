// Which columns a screen shows that has no room for all.
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/answers/console.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

using report::Report;
using tests::MadeReport;

TEST(NarrowScreen, LeavesOutThoseThatAreFarthestBehindFirst) {
  MadeReport made("example/base");
  for (const char* scenario : {"first", "second"}) {
    made.scenario(scenario);
    made.timed("example/base", 1000);
    made.timed("a/near", 30);
    made.timed("b/behind", 400);
    made.timed("c/winner", 10);
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

}  // namespace
}  // namespace gdbench::answers
