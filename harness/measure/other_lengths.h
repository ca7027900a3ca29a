// Is a timed block's time the time of its steps? Asked by blocks of lengths that the worker has not been asked for
// before: one that repeats an answer it remembers, skips steps, or comes back before the work is done cannot keep up.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/cell_worker.h"
#include "harness/result/report.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// Of n steps, n random, and of 2n: a step must not take much longer than in the samples, 2n steps must take longer than
// n by about as much again, and the state after n must be that of an untimed replay in two parts. Times have some
// tries, as a machine may interrupt. Empty where all of that is so. Errors: the worker failed.
Result<std::string> reason_for_distrust_of_lengths(CellWorker& worker, const result::Block& block,
                                                   const std::vector<result::Sample>& samples,
                                                   const scenario::State& start, std::mt19937_64& generator);

}  // namespace gdbench::measure
