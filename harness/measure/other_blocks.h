// Is a timed block's time the time of its steps? Asked by blocks that are no samples: of lengths that the worker has
// not been asked for before, and from states that it has met before or that it had a request to think about.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/cell_worker.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// Of n steps, n random, and of 2n: a step must not take much longer than in the samples, 2n steps must take longer than
// n by about as much again, and the state after n must be that of an untimed replay in two parts. Times have some
// tries, as a machine may interrupt. Empty where all of that is so. Errors: the worker failed.
Result<std::string> untrusted_for_lengths(CellWorker& worker, const report::Block& block,
                                          const std::vector<report::Sample>& samples, std::mt19937_64& generator);

// A block from a state where another one began, and one after an evaluation of the state that it begins with: neither
// may be quicker than a block from a state that is new (`vary_start` makes one), or the worker remembers or foresees
// what it is timed for. With tries, empty and errors as above.
Result<std::string> untrusted_for_foresight(CellWorker& worker, const report::Block& block,
                                            const std::function<void()>& vary_start);

}  // namespace gdbench::measure
