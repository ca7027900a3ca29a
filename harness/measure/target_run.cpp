#include "harness/measure/target_run.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/expected.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::measure {

namespace {

using report::TargetRun;
using report::TargetState;

// How far the loss of a training that says it is done may be from the reference's, as a part of that and of the initial
// loss, where rounding is all that is left of it.
constexpr double kLossTolerance = 0.01;
constexpr double kInitialLossTolerance = 1e-5;
// How far a block may end from where its steps lead, as a part of the way. Near its goal Adam makes 0.07 of the least
// error, to either side; so what blocks that end further off gain on the reference is counted, in logarithms of the
// loss, and believed up to a part of the whole training's.
constexpr double kEndTolerance = 0.02;
constexpr double kBelievedGain = 0.1;
// Operations that the reference follows block after block; of later blocks it follows some, half as many of twice as
// many.
constexpr double kFollowedOperations = 2e8;

// Leaves so many points as a picture can show.
void thin(std::vector<report::LossPoint>& curve) {
  constexpr std::size_t kMostPoints = 100;
  const std::size_t stride = (curve.size() - 1) / kMostPoints + 1;
  std::vector<report::LossPoint> kept;
  for (std::size_t i = 0; i + 1 < curve.size(); i += stride) kept.push_back(curve[i]);
  kept.push_back(curve.back());
  curve = std::move(kept);
}

class Training {
 public:
  Training(const PlannedScenario& planned, const PlannedCell& cell, CellWorker& worker, std::uint64_t seed)
      : planned_(planned),
        worker_(worker),
        problem_(problem_of(planned, cell)),
        follows_(cell.proof == Proof::trajectory && !catalogue::scales_loss(problem_.dtype)),
        generator_(seed) {}

  // Whether the cell can evaluate; the first evaluation prepares more than it computes, and is not timed.
  Status start() {
    TRY(worker_.client().set_state(kStartImage, 0));
    const Result<protocol::EvaluateAnswer> loss = worker_.client().evaluate();
    evaluates_ = loss.ok();
    if (!loss.ok() && loss.error().kind != ErrorKind::unsupported) return loss.error();
    return {};
  }

  // From the state at hand to the target, or until time, steps or the loss say that it is over.
  Result<TargetRun> run(double seconds) {
    const scenario::Target& target = *planned_.scenario.target;
    const std::int64_t started_ns = monotonic_ns();
    TargetRun run;
    run.initial_loss = run.loss = reference_loss(planned_, planned_.start);
    run.target_loss = target.relative ? target.loss * run.initial_loss : target.loss;
    if (evaluates_) run.evaluation_seconds = 0;
    run.curve = {{0, run.initial_loss}};
    const auto max_steps = static_cast<std::uint64_t>(target.max_steps);
    const auto every = static_cast<std::uint64_t>(target.evaluate_every);
    while (std::isfinite(run.loss) && run.loss > run.target_loss && run.stopped_after < max_steps) {
      if (static_cast<double>(monotonic_ns() - started_ns) * 1e-9 >= seconds) {
        run.state = TargetState::cut;
        break;
      }
      TRY(advance(std::min(every, max_steps - run.stopped_after), run));
    }
    if (!std::isfinite(run.loss)) run.state = TargetState::diverged;
    if (run.loss <= run.target_loss) run.state = TargetState::reached;
    run.steps = run.stopped_after;
    run.skipped_steps = scenario::skipped_steps(worker_.state(after_, step_).loss_scaling);
    thin(*run.curve);
    if (run.state == TargetState::reached && run.steps > 0) {
      TRY(find_exact_step(run));
    }
    return run;
  }

  // Why the steps are not believed; empty where they are.
  std::string untrusted_for_steps(const TargetRun& run) const {
    const bool believed = gain_ <= kBelievedGain * std::log(run.initial_loss / run.loss);
    return departure_.empty() || believed ? "" : departure_;
  }

  // By the reference, after the last evaluation.
  double confirmed_loss() const { return reference_loss(planned_, worker_.state(after_, step_)); }

 private:
  // `steps` steps and an evaluation.
  Status advance(std::uint64_t steps, TargetRun& run) {
    const double real_ns = TRY(run_block(after_, step_, steps, before_));
    follow(steps);
    std::swap(before_, after_);
    earlier_step_ = std::exchange(step_, step_ + static_cast<std::int64_t>(steps));
    const protocol::EvaluateAnswer evaluation = TRY(evaluate(after_, step_));
    run.stopped_after += steps;
    run.loss = evaluation.loss;
    run.run_seconds += real_ns * 1e-9;
    if (run.evaluation_seconds) *run.evaluation_seconds += evaluation.real_ns.value_or(0) * 1e-9;
    ++run.evaluations;
    run.curve->push_back({run.stopped_after, run.loss});
    return {};
  }

  // Compares the last block's end with where the reference comes to from its start, where it is followed.
  void follow(std::uint64_t steps) {
    if (!follows_) return;
    const double operations = scenario::operations_per_step(problem_) * static_cast<double>(steps);
    operations_ += operations;
    const double chance = (kFollowedOperations + operations) / operations_;
    if (std::generate_canonical<double, 32>(generator_) >= chance) return;
    const scenario::State start = worker_.state(after_, step_);
    const auto way = expected_displacement(problem_, *planned_.dataset, start, steps);
    if (!way) return;
    auto expected = expected_end(problem_, *planned_.dataset, start, steps, way->rounding);
    if (!expected) return;
    expected->tolerance = std::max(expected->tolerance, kEndTolerance * expected->displacement);
    const scenario::State end = worker_.state(before_, 0);
    const std::string reason = untrusted_reason(end, *expected);
    if (reason.empty() || is_forgivable(problem_, *planned_.dataset, start, steps, end, *expected)) return;
    if (departure_.empty()) departure_ = cat("in its training to the target, after ", step_, " steps: ", reason);
    gain_ += std::log(reference_loss(planned_, expected->state) / reference_loss(planned_, end));
  }

  // Bisection between the last two evaluations. In all it takes fewer steps than lie between them.
  Status find_exact_step(TargetRun& run) {
    std::int64_t low = earlier_step_;  // above the target, its state in `from`
    std::int64_t high = step_;         // at or below
    std::size_t from = before_;
    std::size_t to = kSpareImage;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      TRY(run_block(from, low, static_cast<std::uint64_t>(middle - low), to));
      const protocol::EvaluateAnswer evaluation = TRY(evaluate(to, middle));
      if (evaluation.loss <= run.target_loss) {
        high = middle;
      } else {
        low = middle;
        std::swap(from, to);
      }
    }
    run.steps = static_cast<std::uint64_t>(high);
    return {};
  }

  // From the state in one image to another's; the time of the steps.
  Result<double> run_block(std::size_t from, std::int64_t step, std::uint64_t steps, std::size_t to) {
    const protocol::BlockAnswer block =
        TRY(worker_.client().run({.steps = steps, .start_image = from, .start_step = step, .end_image = to}));
    const std::int64_t expected = step + static_cast<std::int64_t>(steps);
    if (block.end_step != expected) {
      return failure("says it is at step " + std::to_string(block.end_step) + ", expected " + std::to_string(expected));
    }
    return block.real_ns;
  }

  // Of the state that the worker is in, which `image` shows.
  Result<protocol::EvaluateAnswer> evaluate(std::size_t image, std::int64_t step) {
    if (evaluates_) return worker_.client().evaluate();
    return protocol::EvaluateAnswer{reference_loss(planned_, worker_.state(image, step)), 0};
  }

  // The start state's image is free once the first block has left it.
  static constexpr std::size_t kSpareImage = kReplayImage;

  const PlannedScenario& planned_;
  CellWorker& worker_;
  scenario::Problem problem_;
  bool follows_;           // where a rounding decides whether an update is skipped, two right ends may be far apart
  double operations_ = 0;  // of all blocks
  std::mt19937_64 generator_;
  double gain_ = 0;        // of blocks that end elsewhere than their steps lead
  std::string departure_;  // the first of them
  bool evaluates_ = false;
  std::size_t after_ = kStartImage;  // the state at the last evaluation, after `step_` steps
  std::size_t before_ = kEndImage;   // at the one before it, after `earlier_step_`
  std::int64_t step_ = 0;
  std::int64_t earlier_step_ = 0;
};

// Empty where the cell's last loss is the reference's.
std::string untrusted_for_loss(const TargetRun& run, double confirmed) {
  const double tolerance = kLossTolerance * confirmed + kInitialLossTolerance * run.initial_loss;
  if (std::fabs(run.loss - confirmed) <= tolerance) return {};
  return formatted("says its loss is %.4g after %llu steps, the reference evaluates its parameters to %.4g", run.loss,
                   static_cast<unsigned long long>(run.stopped_after), confirmed);
}

}  // namespace

Result<TargetRun> run_to_target(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                const RunOptions& options, double seconds, report::Cell& cell) {
  report::Launch launch;
  CellWorker worker =
      TRY(CellWorker::start(planned, planned_cell, trained_problem(planned, planned_cell), options.limits, launch));
  Training training(planned, planned_cell, worker, options.check_seed + planned_cell.index);
  TRY(training.start());
  Result<TargetRun> run = training.run(seconds);
  if (!run.ok()) return run;
  if (run->state == TargetState::reached) {
    std::string reason = training.untrusted_for_steps(run.value());
    if (reason.empty()) reason = untrusted_for_loss(run.value(), training.confirmed_loss());
    if (!reason.empty()) cell.status = {report::CellState::untrusted, reason};
  }
  TRY(worker.client().bye());
  return run;
}

TargetTime::TargetTime(const Plan& plan, double budget_seconds) : seconds_(kTargetShareOfBudget * budget_seconds) {
  for (const auto& planned : plan.scenarios) {
    if (planned->scenario.target) cells_ += planned->cells.size();
  }
}

void TargetTime::spend(double seconds) {
  seconds_ = std::max(0.0, seconds_ - seconds);
  if (cells_ > 0) --cells_;
}

}  // namespace gdbench::measure
