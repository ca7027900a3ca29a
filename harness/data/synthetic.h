// Data that are made from a seed.
#pragma once

#include "harness/data/table.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// The same values on every machine; see harness/base/random.h. Targets that are to be shares are 1 where the function
// is above 0, noise included, and 0 elsewhere.
Table make_synthetic(const scenario::SyntheticData& data, catalogue::Targets targets);

}  // namespace gdbench::data
