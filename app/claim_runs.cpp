#include "app/claim_runs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "app/answered_claims.h"
#include "app/console.h"
#include "app/measured_run.h"
#include "app/output_file.h"
#include "app/plan.h"
#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/measure/profile_cell.h"
#include "harness/questions/claims/judge.h"
#include "harness/questions/claims/needs.h"
#include "harness/stats/estimate.h"

namespace gdbench::app {

namespace {

// Enough for every difference that claims are about; the time that cheap cells would go on to take is saved.
constexpr int kMaxLaunches = 20;
// What profiles of the cells that an answer explains may take.
constexpr double kProfileShareOfBudget = 0.15;

// `claims` are pointed to.
Result<std::vector<claims::ExpandedClaim>> expand_claims(
    const std::vector<claims::Claim>& claims, const std::vector<scenario::KnownImplementation>& implementations) {
  std::vector<scenario::KnownScenario> scenarios = TRY(scenario::list_scenarios(scenario_folders()));
  for (const claims::Claim& claim : claims) {
    for (const claims::Experiment& experiment : claim.experiments) {
      scenario::add_scenario_files(experiment.matrix, scenarios);
    }
  }
  std::vector<claims::ExpandedClaim> expanded;
  for (const claims::Claim& claim : claims) {
    expanded.push_back(TRY(claims::expand(claim, scenarios, implementations)));
  }
  return expanded;
}

Result<std::vector<report::ClaimJudgement>> judge_all(const std::vector<claims::ExpandedClaim>& claims,
                                                      const report::Report& report) {
  std::vector<report::ClaimJudgement> judgements;
  for (const claims::ExpandedClaim& claim : claims) {
    judgements.push_back(TRY(claims::judge(claim, report)));
  }
  return judgements;
}

bool is_open(report::ClaimVerdict verdict) {
  return verdict == report::ClaimVerdict::inconclusive || verdict == report::ClaimVerdict::not_run;
}

// Whether more launches may decide the point: not where a cell of it failed, or is never launched.
bool is_open(const report::JudgedPoint& point, const report::Report& report) {
  const auto is_ok = [&](const std::string& id) {
    const report::Cell* cell = report.find_cell(id);
    return cell != nullptr && cell->status.state == report::CellState::ok;
  };
  return point.state == report::PointState::undecided ||
         (point.state == report::PointState::not_run && is_ok(point.a) && is_ok(point.b));
}

// Those of the cells that an open point of an open claim needs. What a trend or a crossover says rests on all of its
// points.
std::vector<std::size_t> open_cells(const std::vector<claims::ExpandedClaim>& claims, report::Report& report,
                                    const std::vector<std::size_t>& cells) {
  analysis::summarise(report);
  const Result<std::vector<report::ClaimJudgement>> judgements = judge_all(claims, report);
  if (!judgements.ok()) return cells;
  std::set<std::string> open;
  for (const report::ClaimJudgement& judgement : *judgements) {
    if (!is_open(judgement.verdict)) continue;
    for (const report::JudgedRelation& relation : judgement.relations) {
      const bool is_one = report::goes_along(relation.relation.kind);
      for (const report::JudgedPoint& point : relation.points) {
        if (is_one ? is_open(relation.verdict) : is_open(point, report)) open.insert({point.a, point.b});
      }
    }
  }
  return cells_named(open, report, cells);
}

// Globs for those that the claims' cells have.
std::vector<std::string> implementation_globs(const std::vector<claims::Claim>& claims) {
  std::vector<std::string> globs;
  for (const claims::Claim& claim : claims) {
    for (const claims::Experiment& experiment : claim.experiments) {
      std::ranges::move(values_of(experiment.matrix, scenario::kImplementationAxis), std::back_inserter(globs));
    }
  }
  return globs;
}

// The implementations that a report has.
std::vector<scenario::KnownImplementation> implementations_of(const report::Report& report) {
  std::vector<scenario::KnownImplementation> known;
  for (const report::Cell& cell : report.cells) {
    if (std::ranges::find(known, cell.implementation, &scenario::KnownImplementation::id) != known.end()) continue;
    known.push_back({cell.implementation, cell.ranks.has_value()});
  }
  return known;
}

// Whatever of the claims' matrices can be run here; cells that several claims need are planned once.
Result<measure::Plan> plan(measure::PlanRequest request, const std::vector<claims::ExpandedClaim>& claims,
                           report::Report& report) {
  std::set<std::string> known;
  for (const auto& implementation : known_implementations(request)) known.insert(implementation.id);
  for (const claims::ExpandedClaim& claim : claims) {
    std::ranges::copy_if(claim.points, std::back_inserter(request.points),
                         [&](const scenario::Point& point) { return known.contains(point.implementation); });
  }
  // A scenario is planned where it comes first: with those that it is compared with.
  std::ranges::stable_partition(request.points,
                                [](const scenario::Point& point) { return !point.alternatives.empty(); });
  report.run.matrix = "claims";
  report.run.baseline = scenario::Matrix{}.baseline;
  return measure::make_plan(std::move(request), report);
}

// Each claim, decided by the cells that its verdict rests on, and what is shown with each. Claims of which a cell
// cannot be measured here are not worth more than that.
Result<std::vector<measure::Goal>> goals_of(const std::vector<claims::ExpandedClaim>& claims,
                                            const report::Report& report, stats::Looks looks) {
  std::vector<measure::Goal> goals;
  for (const claims::ExpandedClaim& claim : claims) {
    const claims::NeededCells needed = TRY(claims::needed_cells(claim, report));
    const std::string& id = claim.claim->id;
    const int launches = claims::fewest_launches(claim, looks);
    goals.push_back({id, {needed.deciding.begin(), needed.deciding.end()}, needed.lacks_some, launches});
    goals.push_back({"what is shown with " + id, {needed.shown.begin(), needed.shown.end()}, true, launches});
  }
  std::erase_if(goals, [](const measure::Goal& goal) { return goal.cells.empty(); });
  return goals;
}

measure::RunOptions to_run_options(const ClaimRunOptions& options) {
  measure::RunOptions run = run_options(options.request);
  run.minimum_launches = 1;  // a budget is kept
  run.decisive_launches = stats::VerdictOptions{}.minimum_launches;
  run.max_launches = kMaxLaunches;
  if (!options.until.empty()) {
    run.max_launches = std::exchange(run.launches, 0);
    run.decisive_launches = stats::min_launches(stats::kConfidence, stats::Looks::every);
  }
  run.profiles = false;
  run.reserved_seconds = kProfileShareOfBudget * run.budget_seconds;
  return run;
}

// The two cells at the point that decides each claim.
Status profile_explained(const std::vector<claims::ExpandedClaim>& claims, measure::Plan& plan,
                         const measure::RunOptions& options, Run& running) {
  report::Report& report = running.report();
  analysis::summarise(report);
  std::set<std::string> explained;
  for (const report::ClaimJudgement& judgement : TRY(judge_all(claims, report))) {
    if (const auto pair = explained_pair(judgement, report)) explained.insert({pair->a->id, pair->b->id});
  }
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < report.cells.size(); ++i) {
    if (explained.contains(report.cells[i].id)) cells.push_back(i);
  }
  return measure::profile_cells(cells, plan, options, report, running.journal());
}

}  // namespace

Result<std::vector<claims::Claim>> read_claims() {
  std::map<std::string, claims::Claim> by_id;
  for (const std::filesystem::path& file : files_beside_scenarios(kClaims)) {
    claims::Claim claim = TRY(claims::read_claim(file));
    by_id.emplace(claim.id, std::move(claim));
  }
  std::vector<claims::Claim> claims;
  for (auto& [id, claim] : by_id) claims.push_back(std::move(claim));
  return claims;
}

Result<std::vector<claims::Claim>> choose_claims(const std::vector<std::string>& ids) {
  const std::vector<claims::Claim> claims = TRY(read_claims());
  std::vector<claims::Claim> chosen;
  std::vector<std::string> known;
  for (const claims::Claim& claim : claims) known.push_back(claim.id);
  std::set<std::string> taken;
  const auto take = [&](const claims::Claim& claim) {
    if (taken.insert(claim.id).second) chosen.push_back(claim);
  };
  for (const std::string& id : ids) {
    if (scenario::is_path(id)) {
      take(TRY(claims::read_claim(id)));
      continue;
    }
    if (id != kAllClaims && std::ranges::find(known, id) == known.end()) {
      return usage_error(
          cat("found no claim ", in_quotes(id), ", expected all, a claim's file or ", one_of(id, known)));
    }
    for (const claims::Claim& claim : claims) {
      if (id == kAllClaims || claim.id == id) take(claim);
    }
  }
  return chosen;
}

void add_claim_run_options(CLI::App& command, ClaimRunOptions& options, const std::string& budget) {
  add_value(command, "--budget", "TIME", options.request.budget_seconds,
            "Time for everything; what it is too short for is said")
      ->transform(as_seconds())
      ->default_str(budget);
  command
      .add_option("--launches", options.request.launches, "Exactly so many fresh processes per cell, whatever it takes")
      ->check(integer_from(1, 1'000'000));
  add_until(command, options.until, "End the launches of a claim's cells as soon as it is decided");
  add_measuring_options(command, options.request);
  add_output(command, options.request.output, "Where the report goes");
  add_resume(command, options.request.output);
  command.add_flag("--dry-run", options.dry_run, "List the cells, measure nothing");
}

Result<std::vector<report::ClaimJudgement>> judged_by(const std::vector<claims::Claim>& claims,
                                                      const report::Report& report) {
  return judge_all(TRY(expand_claims(claims, implementations_of(report))), report);
}

Status judge_stored(const std::vector<claims::Claim>& claims, const std::string& file, const PrintClaims& print) {
  const report::Report report = TRY(stored_report(file));
  return print(TRY(judged_by(claims, report)), report);
}

Result<int> measure_claims(const std::vector<claims::Claim>& claims, const ClaimRunOptions& options,
                           const Invocation& invocation, const PrintClaims& print) {
  const OutputFile& output = options.request.output;
  if (!options.dry_run) TRY(check_output(output));
  measure::PlanRequest asked = TRY(ask_plugins(options.request, implementation_globs(claims)));
  const std::vector<claims::ExpandedClaim> expanded = TRY(expand_claims(claims, known_implementations(asked)));
  report::Report planned;
  if (!options.until.empty()) planned.run.until_decided = true;
  measure::Plan measured = TRY(plan(std::move(asked), expanded, planned));
  measure::RunOptions run_options = to_run_options(options);
  if (run_options.launches == 0) {
    const stats::Looks looks = options.until.empty() ? stats::Looks::one : stats::Looks::every;
    run_options.goals = TRY(goals_of(expanded, planned, looks));
  }
  if (!options.until.empty()) {
    run_options.open_cells = [&](report::Report& report, const std::vector<std::size_t>& cells) {
      return open_cells(expanded, report, cells);
    };
  }
  if (options.dry_run) {
    print_dry_run(measured, run_options, true, planned);
    return kFine;
  }
  Run running = TRY(Run::open(invocation, run_options, output, std::move(planned), true));
  Status status = running.measure(measured, run_options);
  if (status.ok() && !interrupted()) status = profile_explained(expanded, measured, run_options, running);
  return running.close(
      status, [&](const report::Report& report) -> Status { return print(TRY(judge_all(expanded, report)), report); });
}

}  // namespace gdbench::app
