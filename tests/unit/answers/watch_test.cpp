#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"

namespace gdbench::answers {
namespace {

// 40 blocks of 50 steps, whose second half takes twice as long.
report::Watched example_course() {
  report::Watched watched{.scenario = "denormals",
                          .implementation = "tape/<b>",
                          .control = "hand/naive",
                          .margin = 0.1,
                          .confidence = 0.99,
                          .first_step_ns = 250e3,
                          .warm_up_steps = 51};
  for (int i = 0; i < 40; ++i) {
    report::WatchedBlock block{.first = 51 + 50 * i,
                               .steps = 50,
                               .step_ns = i < 20 ? 1000.0 + i : 2000.0 - i,
                               .control_ns = 300 + i % 3,
                               .waiting_ns = i == 7 ? 1e4 : 0.0,
                               .own_bytes = (std::int64_t{2} << 20) + i * 65536,
                               .allocations = 3};
    if (i % 5 == 0) {
      block.loss = 1.0 / (1 + i);
      block.subnormals = {.state = i / 100.0, .activations = i < 20 ? 0 : 0.12, .gradients = 0.001};
    }
    watched.blocks.push_back(block);
  }
  watched.change = stats::Verdict::slower;
  watched.levels = {{.first = 51, .end = 1051, .blocks = 19, .step_ns = 1010, .interval = {1000, 1020}},
                    {.first = 1051,
                     .end = 2051,
                     .blocks = 20,
                     .step_ns = 1970,
                     .interval = {1960, 1980},
                     .ratio = 1.95,
                     .ratio_interval = {1.92, 1.98},
                     .subnormals = report::Subnormals{.state = 0.35, .activations = 0.12, .gradients = 0.001}}};
  watched.memory = {.first_bytes = 2 << 20, .last_bytes = (2 << 20) + 39 * 65536, .bytes_per_step = 1310.7};
  watched.pauses = {.blocks = 2, .share = 0.04, .worst = 1251, .worst_ns = 31e6};
  watched.traces = 3;
  watched.last_trace = 1251;
  return watched;
}

TEST(Golden, Watch) { tests::expect_golden_answer("watch", document_of(example_course())); }

std::string answer_to(const report::Watched& watched) {
  std::string text;
  for (const document::Paragraph& one : document_of(watched).answer) text += one.text + "\n";
  return text;
}

TEST(WatchSentences, AllThatMayHaveChanged) {
  report::Watched watched = example_course();
  watched.levels.pop_back();
  watched.memory.bytes_per_step.reset();
  watched.pauses = {};
  watched.last_trace.reset();
  watched.change = stats::Verdict::equivalent;
  EXPECT_EQ(answer_to(watched),
            "A step takes as long at the end as at the start, within 10%.\n"
            "Memory does not grow steadily: 2 MiB at first, 4.44 MiB in the end.\n");
  watched.change = stats::Verdict::inconclusive;
  EXPECT_TRUE(answer_to(watched).starts_with("Whether a step takes longer at the end than at the start is undecided"));
  watched.levels.clear();
  watched.ended = "exit status 3";
  watched.first_not_finite = 300;
  EXPECT_EQ(answer_to(watched),
            "Ended before its time: exit status 3.\n"
            "Too few steps were taken to say whether they change.\n"
            "The loss is no finite number after step 300.\n");
}

// Of each part of the training the last loss, here the step after which it is.
TEST(WatchTables, HaveTheLossAtTheEndOfTheirSteps) {
  report::Watched watched = example_course();
  for (report::WatchedBlock& block : watched.blocks) block.loss = static_cast<double>(block.end());
  const document::Document document = document_of(watched);
  const auto& columns = std::get<document::Table>(document.sections.at(2).blocks.at(0).content).columns;
  for (std::size_t row = 0; row < columns[0].texts.size(); ++row)
    EXPECT_TRUE(columns[0].texts[row].ends_with(" to " + columns.back().texts.at(row))) << columns[0].texts[row];
}

// "from step" is where it stays slower for good.
TEST(WatchSentences, LevelsOnTheWay) {
  report::Watched watched = example_course();
  const std::vector<report::WatchedLevel> known = watched.levels;
  for (const std::size_t as : {0U, 1U, 1U}) {
    report::WatchedLevel level = known[as];
    level.first = watched.levels.back().end;
    level.end = level.first + 500;
    watched.levels.push_back(level);
  }
  watched.levels.back().step_ns = 3030;
  watched.levels.back().ratio = 3;
  watched.levels.back().ratio_interval = {2.9, 3.1};
  const auto expect_answer = [&](stats::Verdict change, const std::string& words) {
    watched.change = change;
    EXPECT_NE(answer_to(watched).find(words), std::string::npos) << answer_to(watched);
  };
  expect_answer(stats::Verdict::slower,
                "A step takes 3.00x [2.9, 3.1] as long in the end as at first: 1.01 us at first, 3.03 us from step "
                "3051 on. It is slower from step 2551 on.\n");
  expect_answer(stats::Verdict::inconclusive,
                "Whether a step takes longer in the end is undecided. It changes its pace 4 times: 1.01 us at first, ");
  expect_answer(stats::Verdict::equivalent,
                "A step takes as long in the end as at first, within 10%. It changes its pace 4 times: ");
  for (report::WatchedLevel& level : watched.levels)
    level.ratio_interval = {1 / level.ratio_interval.high, 1 / level.ratio_interval.low};
  expect_answer(stats::Verdict::faster, "It is faster from step 2551 on.\n");
  EXPECT_EQ(tests::outline_of(document_of(watched)).find("flushed to zero"), std::string::npos) << "nothing to mend";
}

}  // namespace
}  // namespace gdbench::answers
