// A compiled graph as a flat list of calls with their buffers.
#pragma once

#include "implementations/strategies/column_masks.h"
#include "implementations/strategies/graph/plan/compile.h"
#include "implementations/strategies/parameters.h"
#include "implementations/strategies/training_program.h"

namespace gdbench::strategies::graph {

// Binds a compiled step for batches of batch.rows rows. `masks` may be null where the graph has none; `arena` has at
// least compiled.plan.arena_bytes.
TrainingProgram make_executable(Session& session, const Compiled& compiled, Parameters& parameters,
                                const ColumnMasks* masks, kernels::Buffer arena, const BatchFeed::Batch& batch);

}  // namespace gdbench::strategies::graph
