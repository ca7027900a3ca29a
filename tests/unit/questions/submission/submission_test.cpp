#include "harness/questions/submission/submission.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/report/report_file.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::submission {
namespace {

report::Report report_of(const Json& cpu) {
  report::Report report;
  report.environment = Json{{"cpu", cpu}}.dump();
  return report;
}

TEST(Submission, NamesTheKindOfProcessor) {
  const std::pair<Json, std::string> processors[] = {
      {{{"model", "Intel(R) Xeon(R) Processor"}, {"vendor", "GenuineIntel"}, {"family", 6}, {"number", 207}},
       "intel-xeon-6-207"},
      {{{"model", "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"}, {"vendor", "GenuineIntel"}, {"family", 6}},
       "intel-xeon-platinum-8375c"},
      {{{"model", "AMD EPYC 7R32 48-Core Processor"}, {"vendor", "AuthenticAMD"}}, "amd-epyc-7r32"},
      {{{"model", "AMD EPYC"}, {"vendor", "AuthenticAMD"}, {"family", 25}, {"number", 17}}, "amd-epyc-25-17"},
      {{{"model", "Neoverse-N1"}, {"vendor", "Arm"}}, "arm-neoverse-n1"},
      {{{"model", "../../<script>\n"}, {"vendor", nullptr}}, "script"},
      {{{"model", std::string(500, 'x')}}, std::string(60, 'x')},
      {{{"model", nullptr}}, "unknown"},
  };
  for (const auto& [cpu, name] : processors) EXPECT_EQ(machine_of(report_of(cpu)), name);
}

TEST(Submission, NamesAReport) {
  report::Report report;
  report.environment = R"({"build": {"git_revision": "0123456789abcdef"}})";
  report.run.started_at = "2026-11-30T10:11:12Z";
  report.run.matrix = "/somewhere/My matrix.json";
  EXPECT_EQ(name_of(report), "my-matrix-2026-11-30-0123456");
  report.run.started_at = "";
  report.run.matrix = "";
  report.environment = "{}";
  EXPECT_EQ(name_of(report), "unknown");
}

// A cell of a report that is evidence.
report::Report evidence() {
  report::Report report;
  report.environment = R"({"build": {"git_revision": "0123456", "git_dirty": false}})";
  report.run.status = "complete";
  report::Cell& cell = report.cells.emplace_back();
  cell.id = "s/a/b";
  cell.status.state = report::CellState::ok;
  cell.summary.emplace();
  cell.verification.emplace();
  cell.verification->tensors = {{"w0", 0.5, 1.0, 0}};
  cell.samples.push_back({.steps = 10, .real_ns = 5, .request_ns = 60});
  return report;
}

TEST(Submission, SaysWhatIsNoEvidence) {
  using report::Report;
  EXPECT_EQ(faults_of(evidence()), std::vector<std::string>());
  const std::pair<void (*)(Report&), std::string> cases[] = {
      {[](Report& report) { report.run.status = "killed"; },
       "run/status: found killed, expected complete or interrupted"},
      {[](Report& report) { report.run.quick = true; },
       "run/quick: found true, expected false: a quick run decides nothing"},
      {[](Report& report) { report.environment = "{}"; },
       "environment/build/git_revision: found none, expected one that others can build"},
      {[](Report& report) { report.environment = R"({"build": {"git_revision": "0123456", "git_dirty": true}})"; },
       "environment/build: found 0123456 with changes, expected a revision without changes, that others can build"},
      {[](Report& report) { report.cells[0].summary.reset(); }, "cells: found none with a time, expected one at least"},
      {[](Report& report) { report.cells[0].verification.reset(); },
       "cells, s/a/b: found a time without a verification"},
      {[](Report& report) { report.cells[0].verification->tensors[0].error = 1.5; },
       "cells, s/a/b: found a time, though w0 is off by more than its tolerance"},
      {[](Report& report) { report.cells[0].samples[0].real_ns = 7; },
       "cells, s/a/b: found a block of 10 steps that takes longer than its request (launch 0, round 0)"}};
  for (const auto& [change, fault] : cases) {
    Report report = evidence();
    change(report);
    EXPECT_EQ(faults_of(report), std::vector<std::string>{fault});
  }
}

TEST(Submission, KeepsNoFolderAndNoNameOfAKernel) {
  report::Report report = evidence();
  report.cells.clear();
  report.run.command = {"/opt/bin/gdbench", "run", "--out=/usr/me/x.json", "--impl", "graph/jit"};
  report.notes = {"/usr/me/mine.so: found \"/tmp/a b\"; a/b is 3/4 of c, /x stays",
                  "s[rows=10,file=/a/b]/hand/naive (/c/d)"};
  report.environment = R"({"kernel": "Linux 6.18.44-of-a-company"})";
  const Result<std::string> bytes = packed(report, "A. Name");
  ASSERT_TRUE(bytes.ok());
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "x.json.zst").string();
  ASSERT_TRUE(report::write_whole(*bytes, file).ok());
  const Result<report::Report> read = report::read_report(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->run.measured_by, "A. Name");
  EXPECT_EQ(read->run.command, (std::vector<std::string>{"gdbench", "run", "--out=x.json", "--impl", "graph/jit"}));
  EXPECT_EQ(read->notes, (std::vector<std::string>{"mine.so: found \"a b\"; a/b is 3/4 of c, /x stays",
                                                   "s[rows=10,file=b]/hand/naive (d)"}));
  EXPECT_EQ(read->environment, R"({"kernel":"Linux 6.18.44"})");
}

}  // namespace
}  // namespace gdbench::submission
