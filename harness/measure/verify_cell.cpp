#include "harness/measure/verify_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness/base/text.h"
#include "harness/measure/calibrate_block.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/trust.h"
#include "harness/verify/check.h"
#include "harness/verify/diagnosis.h"
#include "harness/verify/reference.h"

namespace gdbench::measure {

namespace {

using report::CellState;

report::Verification record_of(const verify::ReferenceTrajectory& reference, const verify::Check& check) {
  report::Verification verification;
  verification.steps = reference.steps;
  verification.sampled = reference.sampled;
  verification.initial_loss = reference.initial_loss;
  verification.final_loss = reference.final_loss;
  verification.skipped_steps = scenario::skipped_steps(reference.loss_scaling);
  for (const verify::TensorCheck& tensor : check.tensors) {
    verification.tensors.push_back({tensor.name, tensor.error, tensor.tolerance, tensor.relative});
  }
  return verification;
}

// The implementation's own loss, NaN where it offers none. Errors: it failed otherwise.
Result<double> own_loss(protocol::Client& client) {
  const Result<protocol::EvaluateAnswer> answer = client.evaluate();
  if (answer.ok()) return answer->loss;
  if (answer.error().kind == ErrorKind::unsupported) return std::numeric_limits<double>::quiet_NaN();
  return answer.error();
}

// "; w0 is off by 3.1e-02, 4.1e-01 of its norm, after 20 steps": of the tensors beyond their tolerance by the end the
// one that is furthest off, relative to its norm.
std::string final_distance(const verify::Check& check, std::int64_t steps) {
  const verify::TensorCheck* worst = nullptr;
  for (const verify::TensorCheck& tensor : check.tensors) {
    const bool wrong = !(tensor.error <= tensor.tolerance);
    if (wrong && (worst == nullptr || tensor.relative > worst->relative)) worst = &tensor;
  }
  if (worst == nullptr) return "";
  return formatted("; %s is off by %.1e, %.1e of its norm, after %lld steps", worst->name.c_str(), worst->error,
                   worst->relative, static_cast<long long>(steps));
}

report::CellStatus wrong(std::string reason) { return {CellState::wrong, std::move(reason)}; }

// The cause first, where one is known.
std::string with_diagnosis(const std::string& reason, const std::string& diagnosis) {
  return diagnosis.empty() ? reason : cat(diagnosis, " (", reason, ")");
}

// Where a block that ended at `end` ends elsewhere when it is run again, which no diagnosis can follow.
Result<std::string> what_is_kept(CellWorker& worker, const scenario::State& start, const scenario::State& end,
                                 std::int64_t steps) {
  constexpr double kOfWay = 1e-3;
  const protocol::BlockAnswer block = TRY(worker.run_block(static_cast<std::uint64_t>(steps), 0, start.step));
  const scenario::State again = worker.state(kEndImage, block.end_step);
  if (!(verify::displacement(end, again) > kOfWay * verify::displacement(start, end))) return std::string();
  return std::string(
      "the same block ends elsewhere when it is run again: what does it draw, change or keep? rows in an order of its "
      "own, data in place, gradients that are not set to zero?");
}

// At which step the implementation first leaves the reference, for a trajectory whose end, `last`, is wrong as `whole`
// says.
Result<std::string> describe_departure(CellWorker& worker, const scenario::Problem& problem,
                                       const data::Dataset& dataset, const verify::ReferenceTrajectory& reference,
                                       const verify::Check& whole, const scenario::State& last) {
  for (std::int64_t steps = 1; steps < reference.steps; ++steps) {
    const Result<verify::ReferenceTrajectory> part = verify::make_prefix(reference, steps, problem, dataset);
    if (!part.ok()) continue;  // so few steps move nothing beyond the tolerance
    const protocol::BlockAnswer block =
        TRY(worker.run_block(static_cast<std::uint64_t>(steps), 0, reference.start.step));
    const scenario::State end = worker.state(kEndImage, block.end_step);
    const verify::Check check = verify::check(part.value(), end, std::nan(""));
    if (check.ok) continue;
    std::string cause = TRY(what_is_kept(worker, reference.start, end, steps));
    if (cause.empty()) cause = verify::diagnosis(problem, dataset, reference.start, end, steps);
    return "leaves the reference at step " + std::to_string(reference.start.step + steps) + ": " +
           with_diagnosis(check.reason, cause) + final_distance(whole, reference.steps);
  }
  const std::string reason =
      with_diagnosis(whole.reason, verify::diagnosis(problem, dataset, reference.start, last, reference.steps));
  if (reference.steps == 1) return reason;
  return "leaves the reference at step " + std::to_string(reference.start.step + reference.steps) + ": " + reason;
}

Result<report::CellStatus> check_trajectory(CellWorker& worker, const PlannedScenario& planned,
                                            const PlannedCell& planned_cell,
                                            const verify::ReferenceTrajectory& reference, std::uint64_t seed,
                                            report::Cell& cell) {
  const auto steps = static_cast<std::uint64_t>(reference.steps);
  const std::int64_t start = reference.start.step;
  const protocol::BlockAnswer block = TRY(worker.run_block(steps, 0, start));
  const double loss = TRY(reference.evaluated ? own_loss(worker.client()) : std::numeric_limits<double>::quiet_NaN());
  const scenario::State end = worker.state(kEndImage, block.end_step);
  const verify::Check whole = verify::check(reference, end, loss);
  cell.verification = record_of(reference, whole);
  if (!whole.ok) {
    return wrong(
        TRY(describe_departure(worker, problem_of(planned, planned_cell), *planned.dataset, reference, whole, end)));
  }
  if (steps < 2) return report::CellStatus{CellState::ok, ""};

  // The same in two parts: what a step does must not depend on where a block begins.
  std::mt19937_64 generator(seed);
  const std::uint64_t first = 1 + generator() % (steps - 1);
  const scenario::State replayed = TRY(worker.run_in_parts({first, steps - first}, start));
  const verify::Check parts = verify::check(reference, replayed, loss);
  if (!parts.ok) {
    return wrong(cat("in two parts (", first, " + ", steps - first, " steps): ", parts.reason));
  }
  return report::CellStatus{CellState::ok, ""};
}

Result<report::CellStatus> check_single_step(CellWorker& worker, const PlannedScenario& planned,
                                             const PlannedCell& planned_cell, ReferenceTrajectories& references,
                                             report::Cell& cell) {
  const verify::ReferenceTrajectory& step = references.single_step(planned_cell)->value();
  worker.set_start(step.start);
  const protocol::BlockAnswer block = TRY(worker.run_block(1, 0, step.start.step));
  const scenario::State end = worker.state(kEndImage, block.end_step);
  worker.set_start(planned.start);
  const verify::Check check = verify::check(step, end, std::nan(""));
  if (!check.ok) {
    cell.verification = record_of(step, check);
    return wrong("leaves the reference in step " + std::to_string(step.start.step + 1) + ": " + check.reason);
  }
  const Result<verify::ReferenceTrajectory>* const uniform = references.uniform_step(planned_cell);
  if (uniform != nullptr && uniform->ok() && verify::check(**uniform, end, std::nan("")).ok) {
    return wrong(cat("rounds nothing: its step is that of ", name_of(verify::uniform_of(planned.problem).dtype),
                     ", within the tolerance of that"));
  }
  return report::CellStatus{CellState::ok, ""};
}

// For an implementation that shuffles in an order of its own, which the reference cannot follow: as many steps as the
// scenario calls far from its fixed point must lower the loss, and the loss that it states must be that of its
// parameters.
Result<report::CellStatus> check_loss(CellWorker& worker, const PlannedScenario& planned, report::Cell& cell) {
  constexpr double kTolerance = 1e-3;  // of rounding, in sums over all rows
  const std::int64_t steps = planned.scenario.steps;
  const protocol::BlockAnswer block = TRY(worker.run_block(static_cast<std::uint64_t>(steps), 0));
  const double stated = TRY(worker.client().evaluate()).loss;
  report::Verification verification;
  verification.steps = steps;
  verification.initial_loss = reference_loss(planned, planned.start);
  verification.final_loss = reference_loss(planned, worker.state(kEndImage, block.end_step));
  cell.verification = verification;
  if (!(verification.final_loss < verification.initial_loss)) {
    return wrong(formatted("its loss is %.6g after %lld steps, no less than %.6g at the start", verification.final_loss,
                           static_cast<long long>(steps), verification.initial_loss));
  }
  if (!(std::abs(stated - verification.final_loss) <= kTolerance * verification.initial_loss)) {
    return wrong(formatted("states the loss %.6g after %lld steps, the reference evaluates its parameters to %.6g",
                           stated, static_cast<long long>(steps), verification.final_loss));
  }
  return report::CellStatus{CellState::ok, ""};
}

// Errors: its worker failed.
Result<report::CellStatus> status_by_worker(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                            ReferenceTrajectories& references, const RunOptions& options,
                                            bool calibrate, report::Cell& cell) {
  report::Launch launch;  // a launch that is not timed leaves no record
  CellWorker worker =
      TRY(CellWorker::start(planned, planned_cell, trained_problem(planned, planned_cell), options.limits, launch));
  // Only now: for a cell that cannot run here none is made.
  const Result<verify::ReferenceTrajectory>& reference = references.of(planned_cell);
  const Result<verify::ReferenceTrajectory>* const single_step = references.single_step(planned_cell);
  for (const Result<verify::ReferenceTrajectory>* needed : {&reference, single_step}) {
    if (needed == nullptr || needed->ok()) continue;
    return report::CellStatus{CellState::unsupported, "too coarse to be verified here: " + needed->error().message};
  }
  if (const auto& runtime = worker.client().preparation().runtime) cell.runtime = runtime;
  report::CellStatus status{CellState::ok, ""};
  if (planned_cell.proof == Proof::loss) status = TRY(check_loss(worker, planned, cell));
  if (planned_cell.proof == Proof::trajectory && single_step != nullptr) {
    status = TRY(check_single_step(worker, planned, planned_cell, references, cell));
  }
  if (planned_cell.proof == Proof::trajectory && status.state == CellState::ok) {
    status = TRY(check_trajectory(worker, planned, planned_cell, reference.value(), options.seed, cell));
  }
  if (status.state == CellState::ok && calibrate) {
    TRY(calibrate_block(worker, planned, planned_cell, options, launch, cell));
    const std::string reason = untrusted_for_idling(worker.client().process());
    if (!reason.empty()) return report::CellStatus{CellState::untrusted, reason};
  }
  if (status.state == CellState::ok) TRY(worker.client().bye());
  return status;
}

}  // namespace

Status verify_cell(const PlannedScenario& planned, const PlannedCell& planned_cell, ReferenceTrajectories& references,
                   const RunOptions& options, bool calibrate, report::Cell& cell) {
  const Result<report::CellStatus> status =
      status_by_worker(planned, planned_cell, references, options, calibrate, cell);
  if (!status.ok() && status.error().kind == ErrorKind::exhausted) return status.error();
  cell.status = status.ok() ? *status : status_of(status.error());
  return {};
}

double reference_loss(const PlannedScenario& planned, const scenario::State& state) {
  return verify::evaluate(planned.problem, *planned.dataset, verify::to_reference<double>(state));
}

Result<bool> verify_in_unit(const PlannedScenario& planned, const PlannedCell& planned_cell,
                            ReferenceTrajectories& references, const RunOptions& options, bool calibrate,
                            report::Report& report) {
  report::Cell& cell = report.cells[planned_cell.index];
  TRY(verify_cell(planned, planned_cell, references, options, calibrate, cell));
  if (options.cancelled()) {
    cell.status = {};  // stopped by us: not judged
    return false;
  }
  std::optional<report::Block>& block = cell.block;
  for (const PlannedCell& other : planned.cells) {
    const std::optional<report::Block>& first = report.cells[other.index].block;
    if (!block || other.unit != planned_cell.unit || !first) continue;
    const double empty_block_ns = block->empty_block_ns;
    block = first;
    block->empty_block_ns = empty_block_ns;
    break;
  }
  return true;
}

Result<bool> verify_scenario(const PlannedScenario& planned, const RunOptions& options, bool calibrate,
                             report::Report& report) {
  ReferenceTrajectories references(planned, options);
  TRY(references.status());
  for (const PlannedCell& cell : planned.cells) {
    const double fraction = static_cast<double>(cell.index) / static_cast<double>(report.cells.size());
    options.progress({"verify " + report.cells[cell.index].id, fraction, -1});
    if (!TRY(verify_in_unit(planned, cell, references, options, calibrate, report))) return false;
  }
  return true;
}

Status verify_all(Plan& plan, const RunOptions& options, report::Report& report) {
  for (const auto& planned : plan.scenarios) {
    if (planned->cells.empty()) continue;
    TRY(planned->acquire());
    if (!TRY(verify_scenario(*planned, options, false, report))) return {};
    planned->release();
  }
  return {};
}

}  // namespace gdbench::measure
