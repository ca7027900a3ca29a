// What a relation compares of two cells, as pairs of values that one estimate takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::claims {

// Steps of one scenario are paired by launch and round. Everything else has one value a launch, and cells of two
// scenarios are paired by the launch's number: a session visits the scenarios in turn, a launch each. `steps` is for
// time_for_steps. What is counted and not timed has one pair, of launch 0.
std::vector<stats::Pair> pairs_of(report::Quantity quantity, std::uint64_t steps, const report::Cell& base,
                                  const report::Cell& candidate);

// Why the cell, which is ok and timed, has no such quantity; empty where it has.
std::string reason_without(report::Quantity quantity, const report::Cell& cell);

// Counted, so that one process says it for all.
bool is_counted(report::Quantity quantity);

// A time, which a machine that is unfit spoils.
bool is_time(report::Quantity quantity);

// Of two lists of pairs, the ratio in the first one and in the last one, launch by launch: what the ratio becomes.
std::vector<stats::Pair> change_of_ratio(const std::vector<stats::Pair>& first, const std::vector<stats::Pair>& last);

}  // namespace gdbench::claims
