#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/text.h"
#include "reports/answers/console.h"
#include "reports/answers/format.h"
#include "reports/answers/grid.h"
#include "reports/answers/labels.h"
#include "reports/answers/overview.h"
#include "reports/answers/table.h"
#include "reports/answers/words.h"
#include "tests/support/reports/example_report.h"
#include "tests/support/reports/explained_report.h"
#include "tests/unit/answers/made_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using report::Cell;
using report::CellState;
using report::Report;
using tests::lines_of;
using tests::MadeReport;
using tests::says;
using tests::styled_parts;
using tests::without_colour;

constexpr std::size_t kMaxLines = 39;

// The line of the screen that begins with those words; empty where there is none.
std::string line_with(const std::string& screen, const std::string& start) {
  for (const std::string& line : lines_of(screen)) {
    if (line.starts_with(start)) return line;
  }
  return "";
}

// Two scenarios; on the first a wins, on the second a and b are not distinguished.
Report two_by_two() {
  MadeReport made("example/base");
  made.scenario("first", {{"example/base", 100}, {"a/one", 50}, {"b/one", 80}});
  made.scenario("second", {{"example/base", 100}, {"b/one", 50}}).timed("a/one", 50.1, 0.05);
  return made.summarised();
}

// Each of two scenarios, "first" and "second", has cells of these times.
MadeReport made_twice(const std::string& baseline, const std::vector<std::pair<std::string, double>>& cells,
                      int launches = 6) {
  MadeReport made(baseline, launches);
  made.scenario("first", cells).scenario("second", cells);
  return made;
}

TEST(FirstScreen, SaysHowLongARunInPartsMeasured) {
  Report report = tests::example_report();
  report.run.measuring_seconds = 29.4;
  EXPECT_NE(measured_words(report).find(", 29 s within 61 s"), std::string::npos) << measured_words(report);
}

TEST(FirstScreen, MarksAWinnerOnlyWhereTheComparisonSaysSo) {
  const std::string screen = first_screen(two_by_two(), {false, 100});
  EXPECT_NE(line_with(screen, "first").find("*50.0 0.50x"), std::string::npos) << screen;
  const std::string tie = line_with(screen, "second");
  EXPECT_EQ(std::count(tie.begin(), tie.end(), '='), 2) << screen;
  EXPECT_EQ(tie.find('*'), std::string::npos) << screen;
  EXPECT_NE(tie.find("tie"), std::string::npos) << screen;
}

void keep_launches(Cell& cell, int from, int before) {
  std::erase_if(cell.samples, [&](const report::Sample& s) { return s.launch < from || s.launch >= before; });
}

TEST(FirstScreen, HasNoWinnerWhereAnotherCellHasTooFewLaunches) {
  MadeReport made("example/base");
  made.scenario("first", {{"example/base", 100}, {"a/one", 50}});
  keep_launches(made.timed("b/one", 200), 0, 2);
  const Report report = made.summarised();
  for (const std::string& text : {first_screen(report, {}), tests::details_of(report)}) {
    EXPECT_FALSE(says(text, "wins:")) << text;
    EXPECT_TRUE(says(text, "2 launches, at least 3 are needed")) << text;
  }
}

TEST(FirstScreen, PutsHimFirstWhomNobodyBeatsWhateverTheMediansSay) {
  // Later launches are faster, and only one of the two has them.
  MadeReport made("example/base", 9);
  made.scenario("first", {{"example/base", 1e6}});
  for (const char* name : {"a/later", "b/better"}) {
    for (report::Sample& sample : made.timed(name, 1).samples) {
      sample.real_ns = (sample.launch < 4 ? 1000 : 100) * (std::string(name) == "a/later" ? 1 : 0.5);
    }
  }
  keep_launches(made.report().cells[2], 0, 4);
  const Report report = made.summarised();
  ASSERT_LT(report.cells[1].summary->step_ns.value, report.cells[2].summary->step_ns.value);
  for (const std::string& text : {first_screen(report, {}), tests::details_of(report)}) {
    EXPECT_TRUE(says(text, "b/better (500 ns) wins: a/later (100 ns) takes 2.00x [2.00, 2.00] as long.")) << text;
  }
}

TEST(FirstScreen, GivesNoVerdictWithinOneProcessOrOnAnUnfitMachine) {
  const MadeReport single = made_twice("example/base", {{"example/base", 100}, {"a/one", 80}}, 1);
  MadeReport unfit = made_twice("example/base", {{"example/base", 100}, {"a/one", 50}, {"example/base", 130}});
  for (const std::size_t control : {2U, 5U}) unfit.report().cells[control].arm = report::kControlArm;
  for (const auto& [made, why] : {std::pair(single, "within one process"), {unfit, "this machine was unfit"}}) {
    const std::string screen = first_screen(made.summarised(), {});
    EXPECT_EQ(line_with(screen, "first").find_first_of("*="), std::string::npos) << screen;
    EXPECT_TRUE(says(screen, why)) << screen;
    EXPECT_EQ(screen.find(why), screen.rfind(why)) << "said once\n" << screen;
  }
}

TEST(FirstScreen, SaysWhatOneLaunchShowsClearly) {
  MadeReport made("example/base", 1);
  for (const auto& [scenario, ns] : {std::pair("first", 50), {"second", 5}, {"third", 90}})
    made.scenario(scenario, {{"example/base", 100}, {"a/one", ns}});
  const std::string screen = first_screen(made.summarised(), {});
  EXPECT_TRUE(says(screen,
                   "Clear but not confirmed, by too few launches on 2 scenarios: a/one ahead by about 2.00x (first) to "
                   "20.00x (second)."))
      << screen;
  EXPECT_TRUE(says(screen, "No verdict on third: measured within one process")) << screen;
}

TEST(FirstScreen, NeverRanksARowWithoutARank) {
  Report report = made_twice("example/base", {{"example/base", 100}, {"a/greedy", 10}, {"b/honest", 50}}).summarised();
  report.cells[1].summary->not_ranked = "used 1.79 processors, its row has 1 thread";
  const std::string screen = first_screen(report, {false, 140});
  EXPECT_EQ(line_with(screen, "first").find("*10.0"), std::string::npos) << screen;
  EXPECT_NE(line_with(screen, "first").find("*50"), std::string::npos) << screen;
  EXPECT_TRUE(says(screen, "used 1.79 processors, its row has 1 thread; its 10 ns would have been the fastest."));
}

TEST(FirstScreen, RefersToTheFastestWhereThereIsNoBaseline) {
  for (const char* baseline : {"", "example/absent"}) {
    const MadeReport made = made_twice(baseline, {{"a/one", 50}, {"b/one", 100}});
    const std::string screen = first_screen(made.summarised(), {});
    EXPECT_TRUE(says(screen, "ratios are to the fastest of a row")) << screen;
    EXPECT_NE(line_with(screen, "first").find("2.00x"), std::string::npos) << screen;
    const Report one = MadeReport(baseline).scenario("first", {{"a/one", 50}, {"b/one", 100}}).summarised();
    EXPECT_TRUE(says(first_screen(one, {}), "a/one *50.0 ns [48.8, 51.2] - - b/one"));
  }
}

TEST(FirstScreen, GroupsFailuresAndSaysWhereTheyAre) {
  MadeReport made("example/base");
  for (int i = 0; i < 40; ++i) {
    made.scenario(cat("s", i), {{"example/base", 100}, {"a/one", 50}});
    made.failed("b/bad", CellState::wrong, "w0 differs by " + std::to_string(i));
    for (const char* name : {"c/x", "c/y", "c/z", "c/u", "c/v"}) made.failed(name, CellState::crashed, "signal 11");
    for (int k = 0; k < 9; ++k) made.failed("d/" + std::to_string(k), CellState::untrusted, "why " + std::to_string(k));
  }
  const std::string screen = first_screen(made.summarised(), {});
  EXPECT_TRUE(says(screen, "crashed: c/x, c/y, c/z and 2 more on 40 scenarios: signal 11")) << screen;
  EXPECT_TRUE(says(screen, "wrong: b/bad on 40 scenarios: w0 differs by 0")) << screen;
  EXPECT_TRUE(says(screen, "and 320 more failed cells: untrusted.")) << screen;
  EXPECT_LE(lines_of(screen).size(), kMaxLines) << screen;
}

TEST(FirstScreen, NamesAControlThatFailsAlone) {
  MadeReport made("example/base");
  made.scenario("s", {{"example/base", 100}, {"a/one", 50}});
  made.failed("a/one", CellState::untrusted, "answered late");
  Report report = made.summarised();
  report.cells.back().arm = report::kControlArm;
  const std::string words = "untrusted: the control of a/one: answered late";
  EXPECT_TRUE(says(first_screen(report, {}), words)) << first_screen(report, {});
  report.cells[1].status = report.cells.back().status;
  EXPECT_FALSE(says(first_screen(report, {}), words)) << "as its twin has";
}

TEST(FirstScreen, SaysHowOftenASlowFrameworkIsCalled) {
  MadeReport made("a/framework");
  Report report = made.scenario("first", {{"a/framework", 1000}, {"b/fast", 100}}).summarised();
  tests::add_profile(report.cells[0], {{.phase = report::Phase::forward, .op = "add", .calls = 3, .time_ns = 900}});
  report.cells[0].profile->dispatches_per_step = 3;
  report.cells[0].profile->floor = {{"empty call", 100}};
  EXPECT_TRUE(
      says(first_screen(report, {}), "a/framework makes 3 calls into its framework per step, at least 30% of its time"))
      << first_screen(report, {});
}

TEST(FirstScreen, ShowsTheRowsThatAnswerMostOfManyScenarios) {
  const Report report = tests::many_scenarios_report();
  const Overview overview = overview_of(report);
  ASSERT_GT(overview.rows.size(), kMaxRows);
  for (const OverviewRow& row : overview.rows) {
    const bool telling = row.failures > 0 || !row.ranking.tied.empty();
    EXPECT_TRUE(row.interest < kMaxRows || !telling) << row.label;
  }
  const auto open = std::ranges::count_if(overview.rows, [](const OverviewRow& row) { return !row.ranking.won(); });
  EXPECT_TRUE(hidden_words(overview, 0).ends_with(formatted(", %td without a winner", open)));
  const std::string screen = first_screen(report, {false, 200});
  EXPECT_TRUE(says(screen, "and 23 more scenarios: hand wins 17, graph wins 6 * wins")) << screen;
}

TEST(FirstScreen, ColoursWinnersAndTies) {
  const std::vector<std::string> parts = styled_parts(first_screen(tests::strategies_report(), {true, 100}));
  for (const char* part :
       {"32 *5.73 jit     0.30x", "33 =141 onednn  0.22x", "1 [6.96, 6.96] over hand/eigen (linreg-300x2)."})
    EXPECT_EQ(std::ranges::count(parts, part), 1) << part;
  EXPECT_EQ(std::ranges::count_if(parts, [](const std::string& part) { return part.starts_with("32 "); }), 6);
}

TEST(FirstScreen, LeavesPoliciesAndOtherBuildsOutOfTheGrid) {
  MadeReport made = made_twice("example/base", {{"example/base", 100}, {"a/one+policy", 10}, {"a/one", 50}});
  for (const std::size_t other : {2U, 5U}) made.report().cells[other].arm = report::kBaseArm;
  const Overview overview = overview_of(made.summarised());
  ASSERT_EQ(overview.columns.size(), 1U);
  EXPECT_EQ(overview.columns[0].title, "example/base");
}

TEST(FirstScreen, HasNoWinnerWhereNothingHasARank) {
  const MadeReport made = made_twice("", {{"a/one+policy", 10}, {"b/one+policy", 50}});
  const std::string screen = first_screen(made.summarised(), {});
  EXPECT_EQ(screen.find("wins"), std::string::npos) << screen;
  EXPECT_EQ(screen.find("*10.0"), std::string::npos) << screen;
  EXPECT_TRUE(says(screen, "Nothing here has a rank: there is no winner.")) << screen;
  const Report one = MadeReport("").scenario("first", {{"a/one+policy", 10}}).summarised();
  EXPECT_TRUE(says(first_screen(one, {}), "a/one+policy 10.0 ns"));
}

TEST(FirstScreen, HasARowPerThreadCount) {
  MadeReport made("example/base");
  for (const char* scenario : {"first", "second"}) {
    made.scenario(scenario);
    for (const int threads : {1, 4}) {
      made.timed("example/base", 100.0 / threads).threads = threads;
      made.timed("a/one", 50).threads = threads;
    }
  }
  const std::string screen = first_screen(made.summarised(), {});
  EXPECT_NE(line_with(screen, "first     ns").find("*50.0"), std::string::npos) << screen;
  EXPECT_NE(line_with(screen, "first @4").find("*25"), std::string::npos) << screen;
}

TEST(FirstScreen, SaysWhereMoreThreadsBringLeastAndMost) {
  MadeReport made("example/base");
  for (const double share : {0.5, 1.25}) {
    made.scenario(share < 1 ? "first" : "second").timed("example/base", 100);
    made.timed("example/base", 100 * share).threads = 4;
  }
  const std::string screen = first_screen(made.summarised(), {});
  EXPECT_TRUE(says(screen,
                   "example/base with more threads is 0.80x [0.80, 0.80] (second @4) to 2.00x [2.00, 2.00] (first @4) "
                   "as fast as with one."))
      << screen;
}

TEST(FirstScreen, SaysAfterHowManyStepsAWinnerHasEarnedItsStart) {
  Report report = two_by_two();
  report.attribution.emplace();
  report.attribution->break_evens = {
      {report.cells[1].id, report.cells[0].id, {stats::Overtaking::after, 40.2, {29.5, 55}, 5}}};
  EXPECT_TRUE(says(first_screen(report, {}),
                   "a/one, which starts later, overtakes example/base after 41 steps [30, 55] (first)."))
      << first_screen(report, {});
}

TEST(FirstScreen, SaysWhereTwoEnvironmentsAreFarthestApart) {
  MadeReport made("a/one@old");
  for (const double share : {0.9, 0.5, 1.3}) {
    made.scenario("s" + format_number(share)).timed("a/one@old", 100);
    Cell& other = made.timed("a/one@new", 100 * share);
    for (report::Sample& sample : other.samples) sample.launch += share > 1 ? 6 : 0;  // where no launch is of both
  }
  EXPECT_TRUE(says(first_screen(made.summarised(), {}),
                   "a/one takes 0.50x [0.50, 0.50] as long in new as in old: faster (s0.5, the farthest apart of 3 "
                   "rows)."));
}

TEST(Labels, LoseWhatTheyShareAndThenTheirKeys) {
  std::string common;
  const std::vector<std::string> labels = {"mlp[batch=1,batch.micro_batches=4]", "mlp[batch=32,batch.micro_batches=1]"};
  using Labels = std::vector<std::string>;
  EXPECT_EQ(shortened(labels, 40, common), (Labels{"batch=1 batch.micro_batches=4", "batch=32 batch.micro_batches=1"}));
  EXPECT_EQ(common, "mlp");
  EXPECT_EQ(shortened(labels, 25, common), (Labels{"batch=1 micro_batches=4", "batch=32 micro_batches=1"}));
  EXPECT_EQ(shortened(labels, 10, common), (Labels{"1 4", "32 1"}));
  EXPECT_EQ(shortened({"mlp", "mlp[batch=32]"}, 20, common), (Labels{"mlp", "mlp[batch=32]"}));
  EXPECT_EQ(shortened({"a-long-name", "mlp"}, 6, common), (Labels{"a-lo..", "mlp"}));
  EXPECT_EQ(common, "");
}

// Whatever the report: no line beyond the width, no more lines than a screen has, and colour moves nothing.
void expect_fits(const Report& report, const std::string& what) {
  for (const int width : {60, 70, 80, 100, 130, 200}) {
    const std::string screen = first_screen(report, {false, width, "a/report.json"});
    const std::vector<std::string> lines = lines_of(screen);
    EXPECT_LE(lines.size(), kMaxLines) << what << ", width " << width << "\n" << screen;
    for (const std::string& line : lines) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << what << "\n" << screen;
      EXPECT_FALSE(line.ends_with(' ')) << what << ": " << line;
    }
    EXPECT_EQ(without_colour(first_screen(report, {true, width, "a/report.json"})), screen) << what;
  }
}

Report random_report(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const std::vector<std::string> kinds = {"hand", "tape", "graph", "tensorflow", "a-framework-with-a-name", "x"};
  const std::vector<std::string> modes = {"eigen", "onednn", "function-assign", "persistent-tape", "o", "naive+replay"};
  MadeReport made(below(3) > 0 ? "hand/eigen" : "", 1 + below(7));
  const int scenarios = 1 + below(seed % 3 == 0 ? 60 : 6);
  const int implementations = 1 + below(30);
  for (int s = 0; s < scenarios; ++s) {
    made.scenario("scenario-" + std::to_string(s * s * s) + (below(2) > 0 ? "[batch.micro_batches=4,dtype=f64]" : ""));
    for (int i = 0; i < implementations; ++i) {
      const std::string kind = seed % 4 == 0 ? cat("kind-", i) : kinds[static_cast<std::size_t>(below(6))];
      const std::string name = kind + "/" + modes[static_cast<std::size_t>(i % 6)];
      if (below(4) == 0) {
        const CellState states[] = {CellState::unsupported, CellState::wrong, CellState::crashed, CellState::pending,
                                    CellState::untrusted};
        made.failed(name, states[below(5)], cat("reason ", random() % 1000, std::string(200, 'y')));
        continue;
      }
      Cell& cell = made.timed(name, std::pow(10, below(10)), below(3) == 0 ? 0.2 : 0);
      if (below(5) == 0) cell.threads = 4;
      if (below(9) == 0) cell.options = {{"features", "csr"}};
      if (below(9) == 0) cell.arm = below(2) == 0 ? report::kBaseArm : report::kControlArm;
    }
  }
  Report report = made.summarised();
  for (Cell& cell : report.cells) {
    if (cell.summary && below(10) == 0) cell.summary->not_ranked = "used 1.79 processors, its row has 1 thread";
  }
  for (int i = below(20); i > 0; --i) report.notes.push_back("note " + std::to_string(i) + std::string(300, 'z'));
  report.conditions.emplace();
  const report::Condition load = {"load", report::Severity::warning, "43% of them", "blocks are interrupted", ""};
  report.conditions->assign(static_cast<std::size_t>(below(6)), load);
  return report;
}

TEST(FirstScreen, FitsWhateverTheReport) {
  expect_fits({}, "an empty report");
  expect_fits(tests::example_report(), "the example");
  expect_fits(tests::strategies_report(), "strategies");
  expect_fits(tests::frameworks_report(), "frameworks");
  expect_fits(tests::one_scenario_report(), "one scenario");
  expect_fits(tests::many_scenarios_report(), "many scenarios");
  for (unsigned seed = 0; seed < 30; ++seed) expect_fits(random_report(seed), "seed " + std::to_string(seed));
}

TEST(ColumnsHelp, ExplainsEveryTitleOfATable) {
  const std::string help = columns_help(100000);
  for (const document::Column& column : text_table(std::vector<Row>())) {
    if (column.title == "implementation") continue;
    EXPECT_NE(help.find(column.title), std::string::npos) << column.title;
  }
  for (const std::string& line : lines_of(columns_help(60))) EXPECT_LE(line.size(), 60U);
}

}  // namespace
}  // namespace gdbench::answers
