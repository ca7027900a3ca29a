// A run over fake workers, as a command makes it: planned, with a journal in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure/plan.h"
#include "harness/measure/session.h"
#include "tests/support/measure/fake_worker.h"
#include "tests/support/reports/temporary_folder.h"
#include "tests/unit/report/journals.h"

namespace gdbench::measure {

class FakeRun : public testing::Test {
 protected:
  FakeRun() {
    options_.launches = 2;
    options_.rounds = 2;
    options_.profiles = false;
    options_.check_seed = 1;
  }

  // An implementation; what its workers are asked goes to log_ as "ID REQUEST".
  tests::FakeWorker& add(const std::string& id) {
    const auto worker = std::make_shared<tests::FakeWorker>();
    worker->before = [this, id](const std::string& request) {
      log_.push_back(id + " " + request);
      return on_request_[id] ? on_request_[id](request) : Status();
    };
    catalogue_.push_back(tests::fake_entry(id, worker));
    return *worker;
  }

  // Every implementation on every scenario, with these settings and each value of `alternatives`, of one key.
  void make_plan(const std::vector<std::string>& scenarios = {"linreg-3x2"},
                 const std::vector<scenario::Setting>& settings = {},
                 const std::vector<scenario::Setting>& alternatives = {}) {
    PlanRequest request;
    const auto add_points = [&](const std::string& name, const std::vector<scenario::Setting>& all) {
      const auto file = std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios" / (name + ".json");
      for (const auto& entry : catalogue_) request.points.push_back({name, file, all, entry.implementation.id, {}, 1});
    };
    for (const std::string& name : scenarios) {
      if (alternatives.empty()) add_points(name, settings);
      for (const scenario::Setting& alternative : alternatives) {
        const std::size_t first = request.points.size();
        std::vector<scenario::Setting> all = settings;
        all.push_back(alternative);
        add_points(name, all);
        for (std::size_t i = first; i < request.points.size(); ++i)
          request.points[i].alternatives = {{alternative.key, alternative.value}};
      }
    }
    request.arms.resize(1);
    request.catalogues = {catalogue_};
    request.processors = {0};
    Result<Plan> plan = measure::make_plan(std::move(request), report_);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(plan).value();
  }

  void run() {
    journal_ = {};  // lets go of the file of a run before
    Result<report::Journal> journal = report::begun(folder_.file("journal"), report_);
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    journal_ = std::move(journal).value();
    const Status status = run_session(plan_, options_, report_, journal_);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  // Both, with a new report.
  void plan_and_run(const std::vector<std::string>& scenarios = {"linreg-3x2"},
                    const std::vector<scenario::Setting>& settings = {},
                    const std::vector<scenario::Setting>& alternatives = {}) {
    report_ = {};
    make_plan(scenarios, settings, alternatives);
    run();
  }

  const report::Cell& cell(std::size_t index) const { return report_.cells.at(index); }

  // A reason that is expected with "..." at its end need only begin so.
  void expect_status(std::size_t index, report::CellState state, const std::string& expected) const {
    EXPECT_EQ(cell(index).status.state, state) << cell(index).id << ": " << cell(index).status.reason;
    const bool goes_on = expected.ends_with("...");
    const std::string beginning = expected.substr(0, expected.size() - (goes_on ? 3 : 0));
    const std::string& reason = cell(index).status.reason;
    EXPECT_TRUE(goes_on ? reason.starts_with(beginning) : reason == expected) << cell(index).id << ": " << reason;
  }

  std::map<std::string, std::function<Status(const std::string& request)>> on_request_;  // by implementation
  std::vector<std::string> log_;
  std::vector<protocol::CatalogueEntry> catalogue_;
  RunOptions options_;
  report::Report report_;
  Plan plan_;
  report::Journal journal_;
  tests::TemporaryFolder folder_;
};

// Lets the request of that name through `count` times, then answers with an error.
inline std::function<Status(const std::string&)> fail_after(int count, const std::string& name, const Error& error) {
  return [=](const std::string& request) mutable { return request == name && count-- <= 0 ? Status(error) : Status(); };
}

}  // namespace gdbench::measure
