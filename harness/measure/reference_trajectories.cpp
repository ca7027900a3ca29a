#include "harness/measure/reference_trajectories.h"

#include "harness/base/text.h"
#include "harness/measure/eligibility.h"
#include "harness/verify/divergence.h"
#include "harness/verify/reference_memory.h"

namespace gdbench::measure {

using catalogue::ParameterRounding;

namespace {

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

}  // namespace

ReferenceTrajectories::ReferenceTrajectories(const PlannedScenario& planned, const RunOptions& options)
    : planned_(planned), cache_(options.reference_cache), memory_cap_bytes_(options.limits.memory_bytes) {
  kinds_.emplace("", find_or_make(planned.problem));
}

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
    const verify::ReferenceOptions usual;
    auto trajectory = verify::make_reference_trajectory(problem, *planned_.dataset, planned_.start, usual);
    // It has more steps than a short training, and may diverge in those.
    if (!trajectory.ok() && followed > 0) {
      TRY(verify::check_convergence(problem, *planned_.dataset, planned_.start, usual.max_steps));
    }
    return trajectory;
  };
  Result<verify::ReferenceTrajectory> made = make();
  if (!made.ok()) return Error{made.error().kind, planned_.scenario.place() + ": " + made.error().message};
  if (is_kept) cache_.keep(identity, planned_.start, made.value());
  return made;
}

ReferenceTrajectories::Kind& ReferenceTrajectories::kind_of(const PlannedCell& cell) {
  const scenario::Problem problem = problem_of(planned_, cell);
  const std::string departure = departure_of(problem, planned_);
  auto kind = kinds_.find(departure);
  if (kind == kinds_.end()) kind = kinds_.emplace(departure, find_or_make(problem)).first;
  return kind->second;
}

const Result<verify::ReferenceTrajectory>* ReferenceTrajectories::single_step(const PlannedCell& cell) {
  Kind& kind = kind_of(cell);
  if (!catalogue::is_mixed(planned_.problem.dtype) || !kind.whole.ok()) return nullptr;
  if (!kind.single_step) {
    kind.single_step = verify::make_single_step(*kind.whole, problem_of(planned_, cell), *planned_.dataset);
  }
  return &*kind.single_step;
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

}  // namespace gdbench::measure
