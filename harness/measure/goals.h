// Which of several questions a budget decides, where it is too short for all of them.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/options.h"
#include "harness/measure/time_needed.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// The goals of RunOptions, those that are chosen now, and what the others need. Without goals every cell is wanted.
class Goals {
 public:
  // All are pointed to, and known as they are when something is asked.
  Goals(const RunOptions& options, const report::Report& report, const TimeNeeded& time);

  // Chooses those that the time left is for: the cheapest first, as many as fit, all others before what is beside them,
  // and the cheapest one in any case. Says once of each other one what budget it needs. Returns whether that changes
  // what is to be launched.
  bool choose();

  // Whether the cell is of a chosen goal.
  bool wants(std::size_t cell) const { return has_none() || wanted_.contains(cell); }
  // Whether it is to be launched now: it is of a chosen goal that lacks launches or, where none lacks any, of any.
  bool launches(std::size_t cell) const { return has_none() || launched_.contains(cell); }
  // Whether what is chosen takes longer than there is time.
  bool is_too_much() const { return is_too_much_; }
  // Why a cell was left out.
  std::string reason_without(std::size_t cell) const;

 private:
  bool has_none() const { return options_.goals.empty(); }
  bool is_open(std::size_t cell) const;
  LaunchesOfCells missing(const Goal& goal) const;
  void say(const Goal& goal, bool comes_after_others, double seconds);

  const RunOptions& options_;
  const report::Report& report_;
  const TimeNeeded& time_;
  std::set<std::size_t> wanted_;
  std::set<std::size_t> launched_;
  bool is_too_much_ = false;
  std::map<std::string, std::string> needs_;  // what is said, by goal
};

}  // namespace gdbench::measure
