// A run over fake workers, as a command makes it: planned, with a journal in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
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
    for (const std::string& name : scenarios) {
      const auto file = std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios" / (name + ".json");
      for (std::size_t i = 0; i < std::max<std::size_t>(alternatives.size(), 1); ++i) {
        scenario::Point point{name, file, settings, "", {}, 1};
        if (!alternatives.empty()) {
          point.scenario_settings.push_back(alternatives[i]);
          point.alternatives = {{alternatives[i].key, alternatives[i].value}};
        }
        for (const protocol::CatalogueEntry& entry : catalogue_) {
          point.implementation = entry.implementation.id;
          request.points.push_back(point);
        }
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

  // "..." stands for whatever else there is between the beginning and the end of a reason.
  void expect_status(std::size_t index, report::CellState state, const std::string& expected) const {
    const std::string& reason = cell(index).status.reason;
    EXPECT_EQ(cell(index).status.state, state) << cell(index).id << ": " << reason;
    const std::size_t gap = expected.find("...");
    const bool fits = gap == std::string::npos
                          ? reason == expected
                          : reason.starts_with(expected.substr(0, gap)) && reason.ends_with(expected.substr(gap + 3));
    EXPECT_TRUE(fits) << cell(index).id << ": " << reason;
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

// Which cell was visited when: (launch, round) and the cells in order.
inline std::map<std::pair<int, int>, std::vector<std::string>> visits_of(const std::vector<report::Cell>& cells) {
  std::map<std::pair<int, int>, std::vector<std::string>> visits;
  for (const report::Cell& cell : cells) {
    for (const report::Sample& sample : cell.samples) {
      std::vector<std::string>& order = visits[{sample.launch, sample.round}];
      order.resize(std::max(order.size(), static_cast<std::size_t>(sample.position) + 1));
      EXPECT_EQ(order[static_cast<std::size_t>(sample.position)], "") << "two cells have one position";
      order[static_cast<std::size_t>(sample.position)] = cell.id;
    }
  }
  return visits;
}

// Lets the request of that name through `count` times, then answers with an error.
inline std::function<Status(const std::string&)> fail_after(int count, const std::string& name, const Error& error) {
  return [=](const std::string& request) mutable { return request == name && count-- <= 0 ? Status(error) : Status(); };
}

}  // namespace gdbench::measure
