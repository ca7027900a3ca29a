// How compiled regions get the batch of a step.
#pragma once

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies::graph {

enum class Batches {
  same,      // there is one
  numbered,  // by the numbers of its rows in the data
  loaded     // it lies where the loader put it, a step at a time
};

Batches choose_batches(const BatchFeed& feed, const gdbench_data& data, const gdbench_settings& settings);

// The data that numbers of rows refer to, as the backend's buffers; without a number of rows.
Batch numbered_data(Session& session, const BatchFeed& feed, const RowOrder& order);

}  // namespace gdbench::strategies::graph
