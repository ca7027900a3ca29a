// A compiled graph as a flat list of calls with their buffers.
#pragma once

#include <span>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/column_masks.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/graph/plan/compile.h"

namespace gdbench::strategies::graph {

// Binds a compiled step on a batch whose parts are `parts`, of the rows that the graph was built for. `masks` may be
// null where the graph has none; `arena` has at least compiled.plan.arena_bytes.
Program make_executable(Session& session, const Compiled& compiled, Parameters& parameters, const ColumnMasks* masks,
                        backends::Buffer arena, std::span<const BatchFeed::Batch> parts);

}  // namespace gdbench::strategies::graph
