// The data of the request `load`, of a data set.
#pragma once

#include "harness/scenario/dataset.h"
#include "harness/worker/protocol.h"

namespace gdbench::worker {

DataMessage describe(const scenario::Dataset& dataset);

}  // namespace gdbench::worker
