#include "reports/render/claims.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/arguments.h"
#include "app/claim_selection.h"
#include "app/commands.h"
#include "app/measured_run.h"
#include "app/selection.h"
#include "harness/analysis/summarise.h"
#include "harness/base/json.h"

namespace gdbench::app {

namespace {

constexpr const char* kDefaultBudget = "45m";
constexpr const char* kIdsHelp = "Claims by id, claims of your own by file, or all";
// Enough for every difference that claims are about; the time that cheap cells would go on to take is saved.
constexpr int kMaxLaunches = 20;

struct ClaimsOptions {
  std::string report;  // to judge; empty: list
  std::vector<std::string> ids;
  SelectionOptions selection;
  OutputFile output{.path = "claims-report.json"};
  std::string budget = kDefaultBudget;
  std::string markdown;
  int launches = 0;
  bool dry_run = false;
  bool json = false;
};

int list(const ClaimsOptions& options) {
  const Result<std::vector<claims::Claim>> claims = read_claims();
  if (!claims.ok()) return report_error(claims.error());
  OrderedJson entries = OrderedJson::array();
  std::vector<render::ListedClaim> listed;
  for (const claims::Claim& claim : claims.value()) {
    entries.push_back(
        {{"id", claim.id}, {"sentence", claim.sentence}, {"source", claim.source}, {"purpose", claim.purpose}});
    listed.push_back({claim.id, claim.sentence, claim.source});
  }
  std::cout << (options.json ? entries.dump(2) + "\n" : render::claim_list(listed, terminal_width()));
  return kFine;
}

Status print(const ClaimsOptions& options, const std::vector<claims::ExpandedClaim>& claims,
             const report::Report& report) {
  const std::vector<report::ClaimJudgement> judgements = TRY(judge_claims(claims, report));
  if (options.json) {
    std::cout << report::to_json(judgements).dump(2) << "\n";
  } else {
    std::cout << render::claims_console(judgements, terminal_width());
    for (const std::string& note : report.notes) std::cout << "note: " << note << "\n";
  }
  std::cout << std::flush;
  return options.markdown.empty() ? Status{} : write_text(render::claims_markdown(judgements), options.markdown);
}

// The implementations that a report has.
std::vector<std::string> implementations_of(const report::Report& report) {
  std::vector<std::string> ids;
  for (const report::Cell& cell : report.cells) {
    if (std::find(ids.begin(), ids.end(), cell.implementation) == ids.end()) ids.push_back(cell.implementation);
  }
  return ids;
}

int judge(const ClaimsOptions& options) {
  const Result<std::vector<claims::Claim>> claims =
      choose_claims(options.ids.empty() ? std::vector<std::string>{"all"} : options.ids);
  if (!claims.ok()) return report_error(claims.error());
  const Result<report::Report> report = analysis::read_summarised(options.report);
  if (!report.ok()) return report_error(report.error());
  const Result<std::vector<claims::ExpandedClaim>> expanded =
      expand_claims(claims.value(), implementations_of(report.value()));
  if (!expanded.ok()) return report_error(expanded.error());
  if (Status status = print(options, expanded.value(), report.value()); !status.ok())
    return report_error(status.error());
  return kFine;
}

// Whatever of the claims' matrices can be run here; cells that several claims need are planned once.
Result<measure::Plan> plan(const ClaimsOptions& options, const std::vector<claims::ExpandedClaim>& claims,
                           std::vector<protocol::CatalogueEntry> catalogue, report::Report& report) {
  measure::PlanRequest request;
  request.processors = allowed_processors();
  request.arms.push_back(this_build());
  for (const claims::ExpandedClaim& claim : claims) {
    for (const scenario::Point& point : claim.points) {
      const bool known = std::any_of(catalogue.begin(), catalogue.end(), [&](const protocol::CatalogueEntry& entry) {
        return entry.implementation.id == point.implementation;
      });
      if (known) request.points.push_back(point);
    }
  }
  request.catalogues.push_back(std::move(catalogue));
  report.run.matrix = "claims";
  report.run.baseline = scenario::Matrix{}.baseline;
  report.run.seed = options.selection.seed;
  return measure::make_plan(std::move(request), report);
}

measure::RunOptions run_options(const ClaimsOptions& options, double budget_seconds) {
  measure::RunOptions run;
  run.budget_seconds = budget_seconds;
  run.launches = options.launches;
  run.minimum_launches = 1;  // a budget is kept
  run.decisive_launches = stats::VerdictOptions{}.minimum_launches;
  run.max_launches = kMaxLaunches;
  run.profiles = false;  // of one process each: no verdict rests on them
  run.cut_verification = true;
  run.seed = options.selection.seed;
  run.limits = worker_limits(options.selection);
  run.cancelled = &interrupted;
  run.progress = &show_progress;
  run.reference_cache = reference_cache(options.selection.no_cache);
  return run;
}

int run(const ClaimsOptions& options, const Invocation& invocation) {
  const Result<double> budget = parse_seconds("--budget", options.budget);
  if (!budget.ok()) return report_error(budget.error());
  if (!options.dry_run) {
    if (Status status = check_output(options.output); !status.ok()) return report_error(status.error());
  }
  const Result<std::vector<claims::Claim>> chosen = choose_claims(options.ids);
  if (!chosen.ok()) return report_error(chosen.error());
  std::vector<protocol::CatalogueEntry> catalogue =
      protocol::read_catalogue(this_build(), worker_limits(options.selection));
  if (interrupted()) return report_interrupted();
  std::vector<std::string> ids;
  for (const protocol::CatalogueEntry& entry : catalogue) ids.push_back(entry.implementation.id);
  const Result<std::vector<claims::ExpandedClaim>> expanded = expand_claims(chosen.value(), ids);
  if (!expanded.ok()) return report_error(expanded.error());

  report::Report report;
  report.run.command = invocation.command;
  report.run.budget_seconds = budget.value();
  Result<measure::Plan> planned = plan(options, expanded.value(), std::move(catalogue), report);
  if (!planned.ok()) return report_error(planned.error());
  if (options.dry_run) {
    print_dry_run(report);
    return kFine;
  }
  return measure_into_file(planned.value(), run_options(options, budget.value()), {options.output}, report,
                           [&](const report::Report& measured) { return print(options, expanded.value(), measured); });
}

void add_claims_run(CommandLine& parent, const std::shared_ptr<ClaimsOptions>& options, Invocation& invocation) {
  CommandLine command = parent.command("run", "Measure what claims need, each cell once, and judge them");
  command.option("ids", options->ids, kIdsHelp).required().type_name("ID|FILE...");
  command.option("--budget", options->budget, "Time for everything; what it is too short for is said")
      .type_name("TIME")
      .show_default();
  command.option("--launches", options->launches, "Exactly so many fresh processes per cell, whatever it takes")
      .between(1, 1'000'000);
  command.option("--seed", options->selection.seed, "Seed of the run's order, checks and resampling")
      .not_negative()
      .show_default();
  command.option("--timeout", options->selection.timeout_seconds, "Seconds that a worker may take to answer")
      .between(0.1, 86400.0)
      .show_default();
  add_no_cache(command, options->selection.no_cache);
  add_output(command, options->output, "Where the report goes");
  add_resume(command, options->output);
  command.option("--markdown", options->markdown, "Also write the verdicts as a page; - for stdout");
  command.flag("--dry-run", options->dry_run, "List the cells, measure nothing");
  command.flag("--json", options->json, "For programs");
  command.footer(
      "Examples:\n"
      "  gdbench claims run all\n"
      "  gdbench claims run autodiff-overhead-fades sparse-40 --budget 2m\n"
      "Exit status: 0 decided or not; 3 a cell is wrong, untrusted, crashed or timed out.");
  command.when_chosen([options, &invocation] {
    install_signal_handlers();
    invocation.status = run(*options, invocation);
  });
}

}  // namespace

void add_claims(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<ClaimsOptions>();
  CommandLine command = app.command("claims", "Sentences about speed, put to the test");
  command.option("report", options->report, "Judge claims by this report; without it: list them").type_name("FILE");
  command.option("ids", options->ids, kIdsHelp).type_name("ID|FILE...").show_default("all");
  command.option("--markdown", options->markdown, "Also write the verdicts as a page; - for stdout");
  command.flag("--json", options->json, "For programs");
  command.footer(
      "Examples:\n"
      "  gdbench claims                           what can be judged, and who said it\n"
      "  gdbench claims claims-report.json        verdicts from a report\n"
      "  gdbench claims run ./mine.json           a claim of your own\n"
      "  gdbench claims run all --budget 45m      measure, then judge");
  add_claims_run(command, options, invocation);
  command.when_chosen([command, options, &invocation] {
    if (command.command_was_chosen()) return;
    invocation.status = options->report.empty() ? list(*options) : judge(*options);
  });
}

}  // namespace gdbench::app
