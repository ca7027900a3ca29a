#include "tests/conformance/examination.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/measure/cell_worker.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::conformance {

namespace {

using report::CellState;

bool all_finite(const scenario::State& state) {
  return std::all_of(state.parameters.begin(), state.parameters.end(), [](const std::vector<double>& tensor) {
    return std::all_of(tensor.begin(), tensor.end(), [](double value) { return std::isfinite(value); });
  });
}

Finding failed(const Error& error) {
  return {error.kind == ErrorKind::unsupported ? Verdict::unsupported : Verdict::breaks, error.message};
}

// The state after `steps` steps from step `start` in a process of its own.
Result<scenario::State> train_afresh(const measure::PlannedScenario& planned, const measure::PlannedCell& cell,
                                     std::int64_t start, std::int64_t steps, const protocol::Limits& limits) {
  report::Launch launch;
  Result<measure::CellWorker> worker = measure::CellWorker::start(planned, cell, planned.problem, limits, launch);
  if (!worker.ok()) return worker.error();
  const Result<protocol::BlockAnswer> block = worker->run_block(static_cast<std::uint64_t>(steps), 0, start);
  if (!block.ok()) return block.error();
  scenario::State state = worker->state(measure::kEndImage, block->end_step);
  if (Status status = worker->client().bye(); !status.ok()) return status.error();
  return state;
}

}  // namespace

Finding examine(const measure::PlannedScenario& planned, const measure::PlannedCell& cell,
                measure::ReferenceTrajectories& references, const protocol::Limits& limits) {
  measure::RunOptions options;
  options.limits = limits;
  report::Cell record;
  if (const Status status = measure::verify_cell(planned, cell, references, options, false, record); !status.ok()) {
    return failed(status.error());
  }
  if (record.status.state == CellState::unsupported) return {Verdict::unsupported, record.status.reason};
  if (record.status.state != CellState::ok) {
    return {Verdict::breaks, std::string(report::name_of(record.status.state)) + ": " + record.status.reason};
  }
  if (cell.entry->implementation.has_capability("ranks")) return {};
  const verify::ReferenceTrajectory& reference = references.of(cell).value();
  const Result<scenario::State> first = train_afresh(planned, cell, reference.start.step, reference.steps, limits);
  if (!first.ok()) return failed(first.error());
  const Result<scenario::State> second = train_afresh(planned, cell, reference.start.step, reference.steps, limits);
  if (!second.ok()) return failed(second.error());
  if (!all_finite(first.value())) return {Verdict::breaks, "a parameter is not finite"};
  if (first->parameters != second->parameters) {
    return {Verdict::breaks, "two processes trained to different parameters"};
  }
  return {};
}

}  // namespace gdbench::conformance
