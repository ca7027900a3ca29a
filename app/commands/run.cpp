#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.h"
#include "app/comparison.h"
#include "app/console.h"
#include "app/explained_cells.h"
#include "app/measured_run.h"
#include "app/plan.h"
#include "app/python_environments.h"
#include "harness/analysis/summarise.h"
#include "harness/analysis/verdicts.h"
#include "harness/base/text.h"
#include "harness/stats/estimate.h"
#include "reports/answers/documents.h"
#include "reports/answers/ranking.h"
#include "reports/document/writers.h"
#include "reports/exports/exports.h"

namespace gdbench::app {

namespace {

constexpr double kDefaultBudgetSeconds = 60;
constexpr double kQuickBudgetSeconds = 12;
// Kept for launches that confirm what regressed: of a few cells, as a rule.
constexpr double kConfirmationShareOfBudget = 0.2;

struct RunOptions {
  Request request;
  double precision = 0;
  double keep_free_gib = 1;
  bool quick = false;
  bool single_steps = false;
  bool cold_steps = false;
  bool no_ceilings = false;
  bool no_html = false;
  bool dry_run = false;
  bool details = false;
  bool explain = false;
  bool json = false;
  bool bisect = false;
  std::string against;
  std::string until;
  ComparisonOptions comparison;
};

measure::RunOptions to_run_options(const RunOptions& options) {
  measure::RunOptions run = run_options(options.request);
  if (!options.request.budget_seconds) run.budget_seconds = options.quick ? kQuickBudgetSeconds : kDefaultBudgetSeconds;
  run.precision = options.precision;
  if (run.launches == 0 && options.quick) run.launches = 1;
  // With a budget of its own a number of launches is the most; without one it is kept whatever it takes.
  if (options.request.budget_seconds || !options.until.empty()) run.max_launches = std::exchange(run.launches, 0);
  run.minimum_launches = 1;  // a budget is kept
  run.decisive_launches = options.until.empty() ? stats::VerdictOptions{}.minimum_launches
                                                : stats::min_launches(stats::kConfidence, stats::Looks::every);
  if (run.max_launches > 0) run.decisive_launches = std::min(run.decisive_launches, run.max_launches);
  run.keep_free_bytes = static_cast<std::uint64_t>(options.keep_free_gib * 0x1p30);
  return run;
}

// What the rows of frameworks need beside the others' budget: each of their processes takes seconds to start, and a
// verdict needs three beside the one that verifies.
double seconds_of_frameworks(const measure::Plan& plan) {
  constexpr double kSecondsOfCell = 15;
  std::ptrdiff_t cells = 0;
  for (const auto& scenario : plan.scenarios) {
    cells +=
        std::ranges::count_if(scenario->cells, [](const measure::PlannedCell& cell) { return !cell.entry->hosted(); });
  }
  return kSecondsOfCell * static_cast<double>(cells);
}

// Whether of cells of one scenario and number of threads every ranked one has a verdict next to its baseline, and the
// fastest one next to all others.
bool are_ranked_surely(const std::vector<const report::Cell*>& cells, const analysis::Comparer& comparer) {
  const auto is_open = [](const report::Cell* cell) {
    const std::optional<report::RatioToBaseline>& ratio = cell->summary->ratio;
    return ratio && ratio->comparison.verdict == stats::Verdict::inconclusive;
  };
  if (std::ranges::any_of(cells, is_open)) return false;
  const answers::Ranking ranking = answers::ranking_of(cells, comparer);
  return ranking.undecidable.empty() && std::ranges::all_of(ranking.tied, [&](const report::Cell* cell) {
           return comparer.compare(*ranking.fastest, *cell).verdict == stats::Verdict::equivalent;
         });
}

// All of the cells, or none where they are ranked surely.
std::vector<std::size_t> open_cells(report::Report& report, const std::vector<std::size_t>& cells) {
  analysis::summarise(report);
  const analysis::Comparer comparer(report);
  std::map<std::string, std::vector<const report::Cell*>> ranked;  // by scenario and threads
  for (const std::size_t index : cells) {
    const report::Cell& cell = report.cells[index];
    if (cell.summary && report::is_ranked(cell) && cell.arm != report::kControlArm)
      ranked[analysis::group_of(cell)].push_back(&cell);
  }
  const auto is_sure = [&](const auto& group) { return are_ranked_surely(group.second, comparer); };
  return std::ranges::all_of(ranked, is_sure) ? std::vector<std::size_t>() : cells;
}

// Of a report that is compared with nothing.
Status write_documents(const report::Report& report, const ComparisonOptions& options) {
  TRY(write_forms(options.answer, [&] { return answers::document_of(report); }));
  return options.junit.empty() ? Status() : write_text(exports::junit(report), options.junit);
}

// Errors: what compares has nothing to compare.
Status check_sides(const RunOptions& options, const ComparisonBase& base) {
  const Request& request = options.request;
  if (!base.exists() && (options.comparison.margin || !options.comparison.gates.empty())) {
    return usage_error(
        cat(options.comparison.margin ? "--margin" : "--gate", ": found nothing to compare with, expected --against"));
  }
  if (base.build().empty() && !(request.padded.empty() && request.padded_base.empty())) {
    return usage_error("--padded, --padded-base: found no build in --against, expected one to compare with");
  }
  if (base.exists() && base.build().empty() && !options.until.empty()) {
    return usage_error("--until: found a report in --against, expected a build to compare with, or nothing");
  }
  if (options.bisect && !base.exists() && environments().size() < 2) {
    return usage_error("--bisect: found nothing to compare, expected --against, or --env twice");
  }
  return {};
}

// What a measured report is shown as. Errors: a file cannot be written.
Status show(const RunOptions& options, const report::Report& report,
            const std::optional<report::ReportComparison>& comparison) {
  const std::string& file = options.request.output.path;
  if (options.json) {
    print_text(report::to_json(report).dump(2) + "\n");
  } else {
    show_report(report, file, options.details);
  }
  if (!options.no_html) TRY(write_page(report, comparison, file));
  if (options.explain && !options.json && !interrupted()) {
    const Result<std::vector<CellPair>> pairs = explained_cells(report, {file, "", "", "", options.request.baseline});
    print_text("\n" + (pairs.ok() ? text_for_stdout(answers::document_of(explanations_of(report, pairs.value())))
                                  : pairs.error().message + "\n"));
  }
  if (!comparison) return write_documents(report, options.comparison);
  ComparisonOptions shown = options.comparison;
  shown.answer.quiet = options.json;  // gdbench compare --json has its own
  if (!options.json) print_text("\n");
  return show_comparison(*comparison, shown);
}

// With what the matrix has judged, unless the command line says it.
Result<ComparisonOptions> judged(const RunOptions& options) {
  ComparisonOptions comparison = options.comparison;
  if (options.against.empty() || !comparison.gates.empty()) return comparison;
  const std::filesystem::path file = TRY(find_matrix(options.request.matrix));
  const scenario::Matrix matrix = TRY(scenario::read_matrix(file));
  comparison.gates = matrix.gate;
  comparison.gates_from = cat(matrix.file.string(), ": /gate");
  return comparison;
}

Result<int> run(const RunOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  const OutputFile& output = options.request.output;
  if (output.resume) TRY(become_stopped_command(invocation.command, output));
  if (!options.dry_run) TRY(check_output(output));
  measure::RunOptions run_options = to_run_options(options);
  const ComparisonOptions comparing = TRY(judged(options));
  run_options.cold_steps = options.cold_steps;
  run_options.single_steps = options.single_steps || judges_single_steps(comparing);
  const ComparisonBase base = TRY(ComparisonBase::make(options.against, comparing));
  Request request = options.request;
  request.against = base.build();
  TRY(use_environments());
  TRY(check_sides(options, base));
  report::Report planned;
  planned.run.quick = options.quick;
  if (!options.until.empty()) planned.run.until_decided = true;
  measure::Plan plan = TRY(app::plan(request, planned));
  if (const double more = seconds_of_frameworks(plan); more > 0 && !request.budget_seconds && request.launches == 0) {
    run_options.budget_seconds += more;
    print_warning(cat("rows of frameworks, whose processes take seconds to start, get ", std::lround(more),
                      " s more (--budget TIME keeps to less, --exclude 'pytorch/*' leaves rows out)"));
  }
  if (options.dry_run) {
    print_dry_run(plan, run_options, !options.no_ceilings, planned);
    return kFine;
  }
  Run running = TRY(Run::open(invocation, run_options, output, std::move(planned), !options.no_ceilings));
  // Intervals that hold at every look need no second opinion.
  const bool confirms = !request.against.empty() && options.until.empty();
  if (!options.until.empty()) {
    run_options.open_cells = [&](report::Report& report, const std::vector<std::size_t>& cells) {
      return base.exists() ? base.open_cells(report, cells) : open_cells(report, cells);
    };
  }
  measure::RunOptions confirmation = run_options;
  confirmation.reserved_seconds = closing_seconds(running.report().run, !options.no_ceilings);
  if (confirms && run_options.launches == 0)  // otherwise they are as many again
    run_options.reserved_seconds = kConfirmationShareOfBudget * run_options.budget_seconds;
  Status measured = running.measure(plan, run_options);
  if (measured.ok() && confirms && !interrupted()) {
    measured = base.confirm(plan, confirmation, running.report(), running.journal());
  }
  std::optional<report::ReportComparison> comparison;
  int bisected = kBisectSkip;
  const int status = running.close(measured, [&](const report::Report& report) {
    if (base.exists()) comparison = base.compare(report);
    if (options.bisect && !interrupted()) bisected = bisect(report, comparison);
    return show(options, report, comparison);
  });
  if (options.bisect && (status == kFine || status == kFailedCells || status == kInconclusive)) return bisected;
  // A regression outweighs a failure that the base has too; an interruption and what could not be written, both.
  if (status != kFine && status != kFailedCells) return status;
  const int verdict = comparison ? status_of(*comparison) : kFine;
  return verdict == kRegressed || status == kFine ? verdict : status;
}

// The status of a run that decides nothing about a revision, whatever is the matter: `git bisect run` takes most others
// for slow ones. An interruption ends the bisection.
Result<int> bisecting(const Result<int>& status) {
  if (!status.ok()) report_error(status.error());
  const bool decides = status.ok() && (*status == kFine || *status == kRegressed || *status == kInterrupted);
  return decides ? *status : kBisectSkip;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "Verify and time a matrix of scenarios and implementations");
  options->request.control = true;
  options->request.output.path = "report.json";
  add_matrix_options(command, options->request);
  add_output(command, options->request.output, "Where the report goes");
  add_resume(command, options->request.output);
  add_value(command, "--budget", "TIME", options->request.budget_seconds,
            "Time for the whole run (default 60s, 12s with --quick). It is kept within a tenth; where cells cannot "
            "even be verified and launched once in it, a line on stderr says at the start how long that takes")
      ->transform(as_seconds());
  add_value(command, "--precision", "SHARE", options->precision,
            "Stop a scenario once every interval is within this share of its value")
      ->transform(as_share());
  command
      .add_option("--launches", options->request.launches,
                  "So many fresh processes per cell, however long that takes; with --budget at most so many, whichever "
                  "ends first")
      ->check(integer_from(1, 1'000'000));
  command
      .add_option("--keep-free", options->keep_free_gib,
                  "GiB of memory below which no further worker is started next to others")
      ->check(number_from(0, 1e6))
      ->capture_default_str();
  add_value(command, "--against", "DIRECTORY|FILE", options->against,
            "Compare with another build, measured side by side, or with a report; see gdbench compare");
  add_until(command, options->until,
            "End a scenario as soon as each row has a verdict next to the baseline and one is the fastest; with "
            "--against a build, as soon as every cell is regressed, improved or equivalent");
  add_value(command, "--padded", "DIRECTORY", options->request.padded,
            "This build once more, made with GDBENCH_CODE_PADDING: with --against, a change must show in every "
            "layout of the code");
  add_value(command, "--padded-base", "DIRECTORY", options->request.padded_base, "The same of the build in --against");
  add_comparison_options(command, options->comparison);
  command.add_flag("--quick", options->quick, "One launch per cell: a glance, no intervals between processes");
  command.add_flag(
      "--single-steps", options->single_steps,
      "After each launch's samples time some steps one by one: percentiles in --details, --csv and the report, where "
      "that adds at most 2% to a step");
  command.add_flag("--cold-steps", options->cold_steps,
                   "After each launch's samples time some steps after the caches were filled with other data: what a "
                   "training pays that shares the machine");
  command.add_flag("--no-html", options->no_html, "Do not write the report as a page, for browsers, next to --out");
  command.add_flag(
      "--no-ceilings", options->no_ceilings,
      "Do not measure what the processor can do at most, which saves up to three seconds: the report then has no "
      "share of a ceiling");
  add_value(command, "--shard", "I/N", options->request.shard,
            "Only this part of the scenarios: 2/4, for gdbench merge");
  command.add_flag("--dry-run", options->dry_run,
                   "List the cells and say how long the run would take; measure nothing");
  command.add_flag("--details", options->details, "Print a table for every scenario instead of the overview");
  command.add_flag(
      "--explain", options->explain,
      "Then say why what is faster is, as gdbench explain does; with --baseline, why the fastest is faster than that");
  command.add_flag("--json", options->json, "Print the report as JSON instead of the table");
  command.add_flag(
      "--bisect", options->bisect,
      "Exit as git bisect run wants it, with --against or two --env: 0 not slower, 1 slower, 125 undecided or "
      "failed");
  command.footer(
      "Examples:\n"
      "  gdbench run\n"
      "  gdbench run --scenario 'mlp-*' --impl 'hand/*' --budget 30s --out mlp.json\n"
      "  gdbench run --scenario mlp-784-128-10 --set batch=256 --set dtype=f64\n"
      "  gdbench run --scenario linreg-300x10-target --impl hand/eigen --set optimizer=sgd --set optimizer=adam "
      "--explain\n"
      "  gdbench run --scenario ./my-table.json --launches 20\n"
      "  gdbench run --impl 'hand/*' --baseline hand/naive --markdown page.md\n"
      "  gdbench run --against ../base/build/release --markdown comment.md\n"
      "  gdbench run --impl pytorch/eager --env old=venvs/2.14 --env new=venvs/2.15\n"
      "  gdbench run --against base --padded-base base-padded --padded new-padded --launches 80");
  when_chosen(command, invocation, [options, &invocation] {
    const Result<int> status = run(*options, invocation);
    return options->bisect ? bisecting(status) : status;
  });
}

}  // namespace gdbench::app
