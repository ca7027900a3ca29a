// How long a run takes: by what its parts took in earlier runs or, where that is not known, by the size of the work,
// and then by how long what is done took.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// Further launches by the index of their cell.
using LaunchesOfCells = std::map<std::size_t, int>;

// A launch of a cell, about: from the start of a worker until it is prepared, then its blocks with the checks of them.
double launch_seconds(double start_seconds, double block_seconds);

// Seconds between which something lies.
struct Span {
  double least = 0;
  double most = 0;
};

class TimeNeeded {
 public:
  // What `report` has of cells already is not needed again. All are pointed to.
  TimeNeeded(const Plan& plan, const RunOptions& options, const report::Report& report);

  // The references of the scenario's cells were made in so many seconds.
  void referenced(const PlannedScenario& planned, double seconds);
  // The cell was verified, with what follows before its first launch. `launch`: what one is to take, in seconds; 0
  // where that is not known.
  void verified(std::size_t cell, double seconds, double launch);
  // One of a cell's profiles beyond its first was taken.
  void profiled(std::size_t cell, double seconds);
  // A launch of these cells took so long, their first one with what was prepared for it.
  void launched(std::span<const std::size_t> cells, double seconds);

  // Seconds that all cells need to be verified and to have `launches` launches in all; those of `under_way` are as good
  // as verified.
  double rest(int launches = 1, const PlannedScenario* under_way = nullptr) const;
  // The same as a span: what an adapter takes, and a step that is longer than a block, is only known from an earlier
  // run or once it was verified.
  Span rest_at_start(int launches) const;
  // Seconds that these cells need to be verified and to have so many launches more.
  double of(const LaunchesOfCells& launches) const;

 private:
  // What was thought to take `thought` seconds and took `took`.
  struct Learned {
    double thought = 0;
    double took = 0;

    void add(double more_thought, double more_took) { thought += more_thought, took += more_took; }
    double factor() const { return thought > 0 ? took / thought : 1; }
  };
  struct CellTime {
    const PlannedScenario* scenario = nullptr;
    std::string name;  // in KnownTimes
    bool is_adapter = false;
    bool is_known = false;    // by an earlier run
    double verification = 0;  // 0: done
    double profile = 0;       // one of those beyond the first
    int profiles = 0;         // that are left
    double launch = 0;
    double first = 0;              // what the first launch takes more, with what is prepared for it
    double expected_launch = 0;    // what the earlier run expected after its verification
    double profiles_in_first = 0;  // of that
    bool is_replayed = false;      // by the reference
    bool is_unsure = false;        // until it was verified
    bool launch_is_known = false;  // about, from its verification or an earlier run
    int launches = 0;

    std::pair<bool, bool> kind() const { return {is_adapter, is_known}; }
  };
  struct References {
    double seconds = 0;
    bool is_known = false;
  };

  double known(const std::string& what) const { return known_ == nullptr ? 0 : known_->seconds(what); }
  void keep(const std::string& what, double seconds) const;
  References references(const PlannedScenario& planned) const;
  CellTime guessed(const PlannedScenario& planned, const PlannedCell& cell, const RunOptions& options) const;
  void look_up(CellTime& time) const;
  void add_checks(double replay_seconds, CellTime& time) const;
  double seconds_of(const References& references) const;
  int missing(std::size_t cell, int launches) const;
  double launches_of(const CellTime& cell, int count) const;
  double verification_of(const CellTime& cell) const;

  KnownTimes* known_;
  const report::Report& report_;
  std::map<std::size_t, CellTime> cells_;
  std::map<const PlannedScenario*, References> references_;  // that are not made yet
  Learned making_references_;
  std::map<std::pair<bool, bool>, Learned> verifying_;  // by kind
  std::map<std::pair<bool, bool>, Learned> launching_;
};

}  // namespace gdbench::measure
