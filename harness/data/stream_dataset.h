// A dataset whose rows stay in their file.
#pragma once

#include "harness/base/result.h"
#include "harness/data/converted.h"
#include "harness/data/dataset.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// Reads the file once, in blocks: counts rows, checks every chosen value, takes means and deviations where the scenario
// standardises. A CSV file that is not plain is converted before. The scenario's data is a StreamData. Errors name the
// scenario's file and JSON pointer, or the line.
Result<Dataset> make_stream_dataset(const scenario::Scenario& scenario, const ReadingOptions& options);

}  // namespace gdbench::data
