#include "harness/measure/verify_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/eligibility.h"
#include "harness/measure/time_needed.h"
#include "harness/measure/trust.h"
#include "harness/verify/check.h"
#include "harness/verify/diagnosis.h"
#include "harness/verify/divergence.h"
#include "harness/verify/reference.h"
#include "harness/verify/reference_memory.h"

namespace gdbench::measure {

namespace {

using catalogue::ParameterRounding;
using report::CellState;

constexpr int kEmptyBlocks = 5;
// Steps in a block are counted in JSON integers and multiplied below; nothing real comes near.
constexpr std::uint64_t kMaxSteps = 100'000'000;

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

// What it does otherwise than the scenario's own problem: where it adds epsilon, what it rounds more.
std::string departure_of(const scenario::Problem& problem, const PlannedScenario& planned) {
  const catalogue::EpsilonPlace place = problem.optimizer.epsilon_place;
  const bool is_own = planned.problem.optimizer.epsilon_place == catalogue::EpsilonPlace::own;
  const std::string epsilon =
      is_own && place != catalogue::EpsilonPlace::outside ? cat(" epsilon ", catalogue::name_of(place)) : "";
  if (problem.tf32_products) return epsilon + " tf32";
  const std::string parameters = problem.parameter_rounding == ParameterRounding::nearest ? " rounded parameters"
                                 : problem.parameter_rounding == ParameterRounding::stochastic
                                     ? " stochastic parameters"
                                     : "";
  return epsilon + (problem.rounds_results ? " rounded results" : "") + parameters;
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

Result<double> time_empty_block(CellWorker& worker) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kEmptyBlocks; ++i) {
    const protocol::BlockAnswer block = TRY(worker.run_block(0, 0));
    least = std::min(least, block.real_ns);
  }
  return least;
}

// Setting and reading states takes nowhere near as long, and what is compiled was compiled in the first block. Whoever
// answers after so long a time that he worked for a small part of it came back from run before the work was done.
constexpr double kLongRequestNs = 5e8;
constexpr double kMinShareOfRequest = 0.1;

struct Calibrated {
  std::uint64_t steps = 1;
  double step_ns = 0;
};

// The number of steps that take `target_ns`, found by blocks of growing length.
Result<Calibrated> calibrate_steps(CellWorker& worker, double target_ns) {
  std::uint64_t steps = 1;
  for (;;) {
    const protocol::BlockAnswer block = TRY(worker.run_block(steps, 1));
    const double real_ns = std::max(block.real_ns, 1.0);
    // Reading the state may be what waits for the work.
    const double request_ns = static_cast<double>(block.received_ns - block.sent_ns) + block.outside.real_ns;
    if (steps > 1 && request_ns > kLongRequestNs && real_ns < kMinShareOfRequest * request_ns) {
      return Error{ErrorKind::untrusted,
                   formatted("says that %llu steps take %.3g ms, and the answer came after %.3g ms",
                             static_cast<unsigned long long>(steps), real_ns * 1e-6, request_ns * 1e-6)};
    }
    const double wanted =
        std::min(std::ceil(static_cast<double>(steps) * target_ns / real_ns), static_cast<double>(kMaxSteps));
    // Half of the target is measured well enough to scale from there.
    if (real_ns >= target_ns / 2 || steps >= kMaxSteps) {
      return Calibrated{static_cast<std::uint64_t>(wanted), real_ns / static_cast<double>(steps)};
    }
    // A step's first execution is slow and says little of the others.
    const double most = static_cast<double>(steps) * 64;
    steps = static_cast<std::uint64_t>(std::min(wanted, most));
  }
}

// How long a block lasts, so that what a worker spends outside its clock is a small part of it: setting and reading its
// state, and what an adapter does in front of its first step.
Result<double> block_seconds(CellWorker& worker, const PlannedCell& planned_cell, const BlockTimes& times) {
  constexpr double kCopies = 80;
  constexpr double kLongCopies = 30;
  constexpr double kOutsideTimes = 60;  // a large state in a layout of its own takes long to set
  constexpr double kLongOutsideTimes = 20;
  constexpr double kLargeOutsideNs = 5e6;
  constexpr double kMostForOutsideSeconds = 0.5;
  constexpr int kTriesOfAStep = 3;
  constexpr double kLeadIns = 10;
  constexpr double kMostSeconds = 2;
  const auto [copy_ns, is_long] = worker.copy(planned_cell.entry->hosted());
  const double copies_ns = is_long ? std::max(kCopies * kLongCopyNs, kLongCopies * copy_ns) : kCopies * copy_ns;
  double seconds = std::max(times.seconds, copies_ns * 1e-9);
  TRY(worker.run_block(1, 0));  // which compiles, where something is compiled
  if (planned_cell.entry->hosted()) {
    double outside_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTriesOfAStep; ++i) {
      outside_ns = std::min(outside_ns, TRY(worker.run_block(1, 0)).outside.real_ns);
    }
    seconds = std::max(
        seconds, std::min(kMostForOutsideSeconds, (is_long ? kLongOutsideTimes : kOutsideTimes) * outside_ns * 1e-9));
  } else {
    const protocol::BlockAnswer answer = TRY(worker.run_block(1, 0));
    seconds = std::max(seconds, kLeadIns * unclaimed_ns(answer) * 1e-9);
    // Wide layers that a framework holds transposed: requests of small states take some milliseconds.
    if (answer.outside.real_ns > kLargeOutsideNs)
      seconds = std::max(seconds, kLongOutsideTimes * answer.outside.real_ns * 1e-9);
  }
  return std::min(seconds, std::max(times.seconds, kMostSeconds));
}

Status calibrate_block(CellWorker& worker, const PlannedScenario& planned, const PlannedCell& planned_cell,
                       const RunOptions& options, const report::Launch& launch, report::Cell& cell) {
  const double empty = TRY(time_empty_block(worker));
  const BlockTimes& times = options.block_of(planned_cell);
  const double seconds = TRY(block_seconds(worker, planned_cell, times));
  report::Block block;
  block.empty_block_ns = empty;
  const Calibrated calibrated = TRY(calibrate_steps(worker, seconds * 1e9));
  block.steps = calibrated.steps;
  block.warm_up_steps =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(block.steps) * times.warm_up_seconds / seconds));
  block.launch_seconds =
      launch_seconds(launch.start_seconds + launch.load_seconds + launch.prepare_seconds,
                     static_cast<double>(block.steps + block.warm_up_steps) * calibrated.step_ns * 1e-9);
  block.learning_rate = planned.problem.optimizer.learning_rates.front();
  const auto scenario_steps = static_cast<double>(planned.scenario.steps);
  if (static_cast<double>(block.steps) > scenario_steps) {
    // The block walks about as far as the scenario's own steps do, which is far from its fixed point.
    block.learning_rate *= scenario_steps / static_cast<double>(block.steps);
    block.reduced_learning_rate = true;
  }
  cell.block = block;
  return {};
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

ReferenceTrajectories::ReferenceTrajectories(const PlannedScenario& planned, const RunOptions& options)
    : planned_(planned),
      cache_(options.reference_cache),
      memory_cap_bytes_(options.limits.memory_bytes),
      full_(find_or_make(planned.problem)) {}

Result<verify::ReferenceTrajectory> ReferenceTrajectories::find_or_make(const scenario::Problem& problem) const {
  // Reading a file is no quicker than making what takes less.
  constexpr double kLongSeconds = 0.05;
  const std::string departure = departure_of(problem, planned_);
  const std::int64_t followed = departure.empty() ? planned_.scenario.steps : 0;
  const bool is_kept =
      verify::reference_seconds(problem, {}) + verify::convergence_seconds(problem, followed) >= kLongSeconds;
  const std::string identity = planned_.scenario.identity() + " " + planned_.dataset->digest + departure;
  if (is_kept) {
    if (std::optional<verify::ReferenceTrajectory> kept = cache_.find(identity, planned_.start))
      return std::move(*kept);
  }
  const auto make = [&]() -> Result<verify::ReferenceTrajectory> {
    TRY(verify::check_reference_memory(problem, static_cast<double>(memory_cap_bytes_)));
    TRY(verify::check_convergence(problem, *planned_.dataset, planned_.start, followed));
    return verify::make_reference_trajectory(problem, *planned_.dataset, planned_.start, {});
  };
  Result<verify::ReferenceTrajectory> made = make();
  if (!made.ok()) return Error{made.error().kind, planned_.scenario.place() + ": " + made.error().message};
  if (is_kept) cache_.keep(identity, planned_.start, made.value());
  return made;
}

Status ReferenceTrajectories::status() const { return full_; }

const Result<verify::ReferenceTrajectory>& ReferenceTrajectories::of(const PlannedCell& cell) {
  const scenario::Problem problem = problem_of(planned_, cell);
  const std::string departure = departure_of(problem, planned_);
  if (departure.empty()) return full_;
  auto& coarse = coarse_[departure];
  if (!coarse) coarse = find_or_make(problem);
  return *coarse;
}

const Result<verify::ReferenceTrajectory>* ReferenceTrajectories::single_step(const PlannedCell& cell) {
  const scenario::Problem problem = problem_of(planned_, cell);
  const Result<verify::ReferenceTrajectory>& whole = of(cell);
  if (!catalogue::is_mixed(problem.dtype) || !whole.ok()) return nullptr;
  auto& step = single_steps_[departure_of(problem, planned_)];
  if (!step) step = verify::make_single_step(*whole, problem, *planned_.dataset);
  return &*step;
}

const Result<verify::ReferenceTrajectory>* ReferenceTrajectories::uniform_step(const PlannedCell& cell) {
  if (!problem_of(planned_, cell).rounds_results) return nullptr;
  const Result<verify::ReferenceTrajectory>* const step = single_step(cell);
  if (step == nullptr || !step->ok()) return nullptr;
  if (!uniform_step_) {
    uniform_step_ = verify::make_prefix(**step, 1, verify::uniform_of(planned_.problem), *planned_.dataset);
  }
  return &*uniform_step_;
}

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

scenario::Problem trained_problem(const PlannedScenario& planned, const PlannedCell& cell) {
  scenario::Problem problem = planned.problem;
  if (catalogue::EpsilonPlace& place = problem.optimizer.epsilon_place; place == catalogue::EpsilonPlace::own) {
    place = own_epsilon_place(cell.entry->implementation, problem.optimizer.kind);
  }
  return problem;
}

scenario::Problem problem_of(const PlannedScenario& planned, const PlannedCell& cell) {
  scenario::Problem problem = trained_problem(planned, cell);
  const protocol::ImplementationDescription& implementation = cell.entry->implementation;
  problem.tf32_products = problem.dtype == scenario::Dtype::f32 && implementation.has_capability("tf32_products");
  problem.rounds_results = catalogue::is_mixed(problem.dtype) && implementation.has_capability("rounds_results");
  if (problem.dtype != scenario::Dtype::bf16) return problem;
  if (implementation.has_capability("rounds_parameters")) problem.parameter_rounding = ParameterRounding::nearest;
  if (implementation.has_capability("rounds_stochastically"))
    problem.parameter_rounding = ParameterRounding::stochastic;
  return problem;
}

scenario::Problem timed_problem(const PlannedScenario& planned, const PlannedCell& cell, const report::Block& block) {
  scenario::Problem problem = problem_of(planned, cell);
  const double factor = block.learning_rate / problem.optimizer.learning_rates.front();
  for (double& rate : problem.optimizer.learning_rates) rate *= factor;
  return problem;
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

}  // namespace gdbench::measure
