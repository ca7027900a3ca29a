#include "implementations/strategies/graph/plan/compile.h"

#include "implementations/common/failure.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/graph/ir/verify.h"
#include "implementations/strategies/graph/plan/copies.h"

namespace gdbench::strategies::graph {

using implementations::Failure;

Compiled compile(Graph graph, const Target& target, const Selection& selection, catalogue::Dtype dtype,
                 const Observer& observer) {
  Compiled compiled;
  compiled.reports = run_passes(graph, all_passes(), selection.passes, target, observer);
  insert_copies(graph);
  if (const std::string error = graph_error(graph, Stage::executable); !error.empty()) {
    throw Failure(GDBENCH_FAILED, "the graph cannot be executed: " + error);
  }
  const double start = now_ns();
  compiled.plan = plan_buffers(graph, dtype, selection.buffer_reuse);
  if (const std::string error = plan_error(graph, compiled.plan); !error.empty()) {
    throw Failure(GDBENCH_FAILED, "the buffer plan is broken: " + error);
  }
  compiled.reports.push_back({kBufferReuse, compiled.plan.in_place + compiled.plan.shared, now_ns() - start});
  compiled.graph = std::move(graph);
  return compiled;
}

}  // namespace gdbench::strategies::graph
