#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/answer.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/measured_run.h"
#include "app/output_file.h"
#include "app/plan.h"
#include "harness/analysis/summarise.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/questions/claims/expand.h"
#include "harness/questions/claims/judge.h"
#include "harness/questions/claims/needs.h"
#include "harness/stats/estimate.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

constexpr const char* kAll = "all";
constexpr const char* kIdsHelp = "Claims by id, claims of your own by file, or all";
// Enough for every difference that claims are about; the time that cheap cells would go on to take is saved.
constexpr int kMaxLaunches = 20;

struct ClaimsOptions {
  std::string report;  // to judge; empty: list
  std::vector<std::string> ids;
  Request request;
  AnswerOptions answer;
  std::string until;
  bool dry_run = false;
};

Result<int> list(const ClaimsOptions& options) {
  OrderedJson entries = OrderedJson::array();
  std::vector<answers::ListedClaim> listed;
  for (const claims::Claim& claim : TRY(read_claims())) {
    entries.push_back(
        {{"id", claim.id}, {"sentence", claim.sentence}, {"source", claim.source}, {"purpose", claim.purpose}});
    listed.push_back({claim.id, claim.sentence, claim.source});
  }
  TRY(print_answer(options.answer, answers::document_of(listed), {{"claims", std::move(entries)}}));
  return kFine;
}

// Those of these ids, of these files, or all for "all"; in this order, each once. Errors name an id that there is not.
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
    if (id != kAll && std::ranges::find(known, id) == known.end()) {
      return usage_error(
          cat("found no claim ", in_quotes(id), ", expected all, a claim's file or ", one_of(id, known)));
    }
    for (const claims::Claim& claim : claims) {
      if (id == kAll || claim.id == id) take(claim);
    }
  }
  return chosen;
}

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

Status print(const ClaimsOptions& options, const std::vector<claims::ExpandedClaim>& claims,
             const report::Report& report) {
  const std::vector<report::ClaimJudgement> judgements = TRY(judge_all(claims, report));
  return print_answer(options.answer, answers::document_of(judgements, report.notes), report::to_json(judgements));
}

// Those of the cells that a claim needs which is open yet.
std::vector<std::size_t> open_cells(const std::vector<claims::ExpandedClaim>& claims, report::Report& report,
                                    const std::vector<std::size_t>& cells) {
  analysis::summarise(report);
  const Result<std::vector<report::ClaimJudgement>> judgements = judge_all(claims, report);
  if (!judgements.ok()) return cells;
  std::set<std::string> open;
  for (const report::ClaimJudgement& judgement : *judgements) {
    if (judgement.verdict != report::ClaimVerdict::inconclusive && judgement.verdict != report::ClaimVerdict::not_run)
      continue;
    for (const report::JudgedRelation& relation : judgement.relations) {
      for (const report::JudgedPoint& point : relation.points) open.insert({point.a, point.b});
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

Result<int> judge(const ClaimsOptions& options) {
  const std::vector<claims::Claim> claims =
      TRY(choose_claims(options.ids.empty() ? std::vector<std::string>{kAll} : options.ids));
  const report::Report report = TRY(stored_report(options.report));
  const std::vector<claims::ExpandedClaim> expanded = TRY(expand_claims(claims, implementations_of(report)));
  TRY(print(options, expanded, report));
  return kFine;
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
  report.run.matrix = "claims";
  report.run.baseline = scenario::Matrix{}.baseline;
  return measure::make_plan(std::move(request), report);
}

// Each claim, decided by the cells that its verdict rests on, and what is shown with each. Claims of which a cell
// cannot be measured here are not worth more than that.
Result<std::vector<measure::Goal>> goals_of(const std::vector<claims::ExpandedClaim>& claims,
                                            const report::Report& report) {
  std::vector<measure::Goal> goals;
  for (const claims::ExpandedClaim& claim : claims) {
    const claims::NeededCells needed = TRY(claims::needed_cells(claim, report));
    const std::string& id = claim.claim->id;
    goals.push_back({id, {needed.deciding.begin(), needed.deciding.end()}, needed.lacks_some});
    goals.push_back({"what is shown with " + id, {needed.shown.begin(), needed.shown.end()}, true});
  }
  std::erase_if(goals, [](const measure::Goal& goal) { return goal.cells.empty(); });
  return goals;
}

measure::RunOptions to_run_options(const ClaimsOptions& options) {
  measure::RunOptions run = run_options(options.request);
  run.minimum_launches = 1;  // a budget is kept
  run.decisive_launches = stats::VerdictOptions{}.minimum_launches;
  run.max_launches = kMaxLaunches;
  if (!options.until.empty()) {
    run.max_launches = std::exchange(run.launches, 0);
    run.decisive_launches = stats::min_launches(stats::kConfidence, stats::Looks::every);
  }
  run.profiles = false;  // of one process each: no verdict rests on them
  return run;
}

Result<int> run(const ClaimsOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  const OutputFile& output = options.request.output;
  if (!options.dry_run) TRY(check_output(output));
  const std::vector<claims::Claim> chosen = TRY(choose_claims(options.ids));
  measure::PlanRequest asked = TRY(ask_plugins(options.request, implementation_globs(chosen)));
  const std::vector<claims::ExpandedClaim> expanded = TRY(expand_claims(chosen, known_implementations(asked)));
  report::Report planned;
  if (!options.until.empty()) planned.run.until_decided = true;
  measure::Plan measured = TRY(plan(std::move(asked), expanded, planned));
  measure::RunOptions run_options = to_run_options(options);
  if (run_options.launches == 0) run_options.goals = TRY(goals_of(expanded, planned));
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
  const Status status = running.measure(measured, run_options);
  return running.close(status, [&](const report::Report& report) { return print(options, expanded, report); });
}

void add_claims_run(CLI::App& parent, const std::shared_ptr<ClaimsOptions>& options, Invocation& invocation) {
  CLI::App& command = *parent.add_subcommand("run", "Measure what claims need, each cell once, and judge them");
  options->request.budget_seconds = 2700;
  options->request.output.path = "claims-report.json";
  add_value(command, "ids", "ID|FILE...", options->ids, kIdsHelp)->required();
  add_value(command, "--budget", "TIME", options->request.budget_seconds,
            "Time for everything; what it is too short for is said")
      ->transform(as_seconds())
      ->default_str("45m");
  command
      .add_option("--launches", options->request.launches,
                  "Exactly so many fresh processes per cell, whatever it takes")
      ->check(integer_from(1, 1'000'000));
  add_until(command, options->until, "End the launches of a claim's cells as soon as it is decided");
  add_measuring_options(command, options->request);
  add_output(command, options->request.output, "Where the report goes");
  add_resume(command, options->request.output);
  add_answer_options(command, options->answer, "the verdicts");
  command.add_flag("--dry-run", options->dry_run, "List the cells, measure nothing");
  command.footer(
      "Examples:\n"
      "  gdbench claims run all\n"
      "  gdbench claims run autodiff-overhead-fades sparse-40 --budget 2m\n"
      "Exit status: 0 decided or not; 3 a cell is wrong, untrusted, crashed or timed out.");
  when_chosen(command, invocation, [options, &invocation] { return run(*options, invocation); });
}

}  // namespace

void add_claims(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ClaimsOptions>();
  CLI::App& command = *app.add_subcommand("claims", "Sentences about speed, put to the test");
  add_value(command, "report", "FILE", options->report, "Judge claims by this report; without it: list them");
  add_value(command, "ids", "ID|FILE...", options->ids, kIdsHelp)->default_str(kAll);
  add_answer_options(command, options->answer, "the verdicts, or the claims,");
  command.footer(
      "Examples:\n"
      "  gdbench claims                           what can be judged, and who said it\n"
      "  gdbench claims claims-report.json        verdicts from a report\n"
      "  gdbench claims claims-report.json --html claims.html\n"
      "  gdbench claims run ./mine.json           a claim of your own\n"
      "  gdbench claims run all --budget 45m      measure, then judge");
  add_claims_run(command, options, invocation);
  when_chosen(command, invocation, [&command, options, &invocation]() -> Result<int> {
    if (!command.get_subcommands().empty()) return invocation.status;
    return options->report.empty() ? list(*options) : judge(*options);
  });
}

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

}  // namespace gdbench::app
