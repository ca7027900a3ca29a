// What a wrong result looks like: which mistake leads where an implementation ended.
#pragma once

#include <cstdint>
#include <string>

#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify {

// Of a training whose `steps` steps from `start` ended at `end`, beyond the tolerance: the first of the usual mistakes
// that leads there within a thousandth of the way, as "its step is 2.00 times the reference's: ..."; empty where none
// does, or where following them would take more than a moment.
std::string diagnosis(const scenario::Problem& problem, const data::Dataset& dataset, const scenario::State& start,
                      const scenario::State& end, std::int64_t steps);

}  // namespace gdbench::verify
